"""Combines the metrics' proposals into one recommendation (`computeReplicasForMetrics`)."""


def takes_over(best: int, proposal: int) -> bool:
    """The highest wins, the first among equals; while nothing is asked for, a later zero takes the name."""
    return best == 0 or proposal > best


def fails(invalid: int, metrics: int, best: int, spec_replicas: int, blocks_down: bool) -> bool:
    """No usable metric, or a scale-down that rests on only some of them (1.21)."""
    return invalid >= metrics or (blocks_down and invalid > 0 and best < spec_replicas)
