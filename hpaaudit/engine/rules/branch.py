"""Which branch a reconcile takes: disabled at zero replicas, outside minReplicas and maxReplicas, or by the metrics.

Upstream: `horizontal.go`, `reconcileAutoscaler`, the `if` chain before the metrics are computed.
"""

from hpaaudit.engine.behaviours.in_force import Behaviours

BY_METRICS = 0
DISABLED = 1
ABOVE_MAX = 2
BELOW_MIN = 3


def branch(spec_replicas: int, current: int, minimum: int, maximum: int, at_zero: bool, behaviours: Behaviours) -> int:
    """BY_METRICS, or why the metrics are not asked.

    at_zero   the metrics are computed at zero replicas as well, as `computes_at_zero` says

    Somebody who scales a target to zero by hand switches its HPA off (1.4). Outside the bounds the replicas go straight
    to the bound: no metric could keep them there.

    Until 1.15 current replicas were those of the scale's status (#79035). A zero there means only that no pod runs yet,
    and it is below any minReplicas.
    """
    if spec_replicas == 0 and not at_zero and behaviours.zero_disables:
        return DISABLED
    if current > maximum:
        return ABOVE_MAX
    if current < minimum and (current != 0 or not behaviours.spec_replicas_are_current):
        return BELOW_MIN
    return BY_METRICS


def computes_at_zero(minimum: int, scaled_to_zero: bool, rises_from_zero: bool, behaviours: Behaviours) -> bool:
    """True if the metrics are computed at zero replicas.

    scaled_to_zero    the condition ScaledToZero is True: this controller itself scaled to zero
    rises_from_zero   the HPA has an Object or External metric, which can rise while there are no pods

    Since 1.36 the condition tells a target that the controller scaled to zero from one that somebody switched off by
    hand (#135118). Where minReplicas was raised meanwhile, the target leaves zero whatever its metrics are. From 1.16
    to 1.35 minReplicas 0 was enough (#74526): the API server allows it only with an Object or External metric.

    Upstream: `horizontal.go`, `shouldComputeMetricsForZeroReplicas` (1.36).
    """
    if not behaviours.scaled_to_zero_condition:
        return minimum == 0 and behaviours.scales_from_zero
    return scaled_to_zero and (minimum != 0 or rises_from_zero)
