"""Which branch a reconcile takes before any metric is asked (`reconcileAutoscaler`)."""

from hpaaudit.engine.behaviours.table import Rules

BY_METRICS = 0
DISABLED = 1
ABOVE_MAX = 2
BELOW_MIN = 3


def branch(spec_replicas: int, current: int, minimum: int, maximum: int, leaves: bool, rules: Rules) -> int:
    """Disabled at zero, outside the bounds, or by the metrics.

    leaves   zero is left if the metrics say so, as of `leaves_zero`

    Whoever scales a target to zero by hand switches its HPA off. Until 1.15 current replicas were those of the status
    (#79035): there a zero only means that nothing runs yet, and is below any minimum.
    """
    if spec_replicas == 0 and not leaves:
        return DISABLED
    if current > maximum:
        return ABOVE_MAX
    if current < minimum and (current != 0 or not rules.spec_replicas_are_current):
        return BELOW_MIN
    return BY_METRICS


def leaves_zero(minimum: int, to_zero: bool, object_or_external: bool, rules: Rules) -> bool:
    """Whether the metrics are consulted at zero replicas (`shouldComputeMetricsForZeroReplicas`, 1.36).

    to_zero              this controller itself scaled to zero, which its condition ScaledToZero says
    object_or_external   a metric can rise while there are no pods

    Since 1.36 the condition decides (#135118). From 1.16 to 1.35 minReplicas 0 was enough (#74526), which the API
    server allows only with a metric that needs no pods.
    """
    if not rules.scaled_to_zero_condition:
        return minimum == 0 and rules.scales_from_zero
    return to_zero and (minimum != 0 or object_or_external)
