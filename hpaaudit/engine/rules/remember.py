"""Which slot of the memory a new entry takes (`storeScaleEvent`)."""


def outdated(at_us: int, now_us: int, longest_period_us: int) -> bool:
    """Older than the longest period of its own direction; exactly as old is not."""
    return at_us < now_us - longest_period_us
