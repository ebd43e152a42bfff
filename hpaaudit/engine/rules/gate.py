"""Which branch a reconcile takes before any metric is asked (`reconcileAutoscaler`)."""

BY_METRICS = 0
DISABLED = 1
ABOVE_MAX = 2
BELOW_MIN = 3


def branch(
    spec_replicas: int, current: int, minimum: int, maximum: int, leaves_zero: bool, spec_is_current: bool
) -> int:
    """Disabled at zero, outside the bounds, or by the metrics.

    Zero in the spec may be left by metrics; zero in the status is below any minimum.
    """
    if spec_replicas == 0 and not leaves_zero:
        return DISABLED
    if current > maximum:
        return ABOVE_MAX
    if current < minimum and (current != 0 or not spec_is_current):
        return BELOW_MIN
    return BY_METRICS


def leaves_zero(
    minimum: int, by_condition: bool, from_zero: bool, scaled_to_zero: bool, object_or_external: bool
) -> bool:
    """Whether the metrics are consulted at zero replicas.

    by_condition     only if this controller itself scaled to zero (1.36), which its condition says
    from_zero        before, where minReplicas is zero (1.16)
    """
    if not by_condition:
        return minimum == 0 and from_zero
    return scaled_to_zero and (minimum != 0 or object_or_external)
