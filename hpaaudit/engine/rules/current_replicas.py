"""Which replicas a reconcile starts from, and whether its number changes what the target's spec asks for."""

from hpaaudit.engine.behaviours.in_force import Behaviours


def current_replicas(spec_replicas: int, status_replicas: int, behaviours: Behaviours) -> int:
    """The replicas that a reconcile compares its number with.

    They are those of the spec since 1.16 and late patches of 1.13 to 1.15 (#79035). Before, they were those of the
    scale's status, so that the additional pods of a rollout counted as well.

    Upstream: `horizontal.go`, `reconcileAutoscaler`, `currentReplicas`.
    """
    return spec_replicas if behaviours.spec_replicas_are_current else status_replicas


def scale_change(spec_replicas: int, current: int, desired: int) -> int:
    """By how many replicas the scale changes: 0 if it is not written, or written as it is.

    current   as `current_replicas` says. A number equal to it is not written. So with the replicas of the
              status a target whose rollout runs seven pods keeps its spec of three when seven are wanted.

    Upstream: `horizontal.go`, `reconcileAutoscaler`, `rescale`.
    """
    return 0 if desired == current else desired - spec_replicas
