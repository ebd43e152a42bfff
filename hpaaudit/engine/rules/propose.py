"""Proposes a number of replicas from a usage, a target and the pods behind it (`replica_calculator`)."""

from hpaaudit.engine.rules.numbers import (
    MAX_INT32,
    MAX_INT64,
    TWO_63,
    ceil,
    cut,
    divide,
    to_int32,
    to_int64,
    wrap32,
    wrap64,
)

FULL_PERCENT = 100


def within(ratio: float, down: float, up: float, inclusive: bool) -> bool:
    """Inside the tolerance, both ends included (1.33).

    Before, one distance from one was compared: 1.1 is farther from one than 0.1 in doubles.
    """
    if inclusive:
        return (1.0 - down) <= ratio <= (1.0 + up)
    return abs(1.0 - ratio) <= down


def outside(ratio: float, down: float, up: float, inclusive: bool) -> bool:
    """Outside the tolerance: the opposite, but for what is not a number, which was inside before 1.33."""
    if inclusive:
        return not within(ratio, down, up, inclusive)
    return abs(1.0 - ratio) > down


def utilization_percent(total: int, requests: int) -> int:
    """Usage as whole percent of the requests, cut; the ratio is made from this."""
    return wrap32(cut(wrap64(total * FULL_PERCENT), requests))


def usage_ratio(current: int, target: int) -> float:
    """Usage against target."""
    return divide(float(current), float(target))


def rescues_unready(unready: int, ratio: float) -> bool:
    """On the way up unready pods count, as idle."""
    return unready > 0 and ratio > 1.0


def missing_utilization(request: int, target: int, up_to_target: bool) -> int:
    """What a pod without a sample counts as on the way down: all that it may use (1.26), or its request."""
    if not up_to_target:
        return request
    percent = max(FULL_PERCENT, target)
    return cut(wrap64(request * percent), FULL_PERCENT)


def replicas_of(ratio: float, pods: int) -> int:
    """As many pods as bring the ratio to one."""
    return to_int32(ceil(ratio * float(pods)))


def replicas_of_clamped(ratio: float, pods: int) -> int:
    """The same, at most the largest int32 (Value targets since 1.35)."""
    replicas = ceil(ratio * float(pods))
    return MAX_INT32 if replicas > float(MAX_INT32) else to_int32(replicas)


def holds(first: float, second: float, down: float, up: float, inclusive: bool) -> bool:
    """After filling in, the ratio is inside the tolerance or on the other side of one."""
    return within(second, down, up, inclusive) or (first < 1.0 < second) or (first > 1.0 > second)


def against_direction(ratio: float, replicas: int, current: int) -> bool:
    """The count would move against its ratio: more pods on the way down or fewer on the way up."""
    return (ratio < 1.0 and replicas > current) or (ratio > 1.0 and replicas < current)


def per_pod_ratio(usage: int, target: int, status_replicas: int) -> float:
    """Usage against what `status.replicas` pods should carry together."""
    return divide(float(usage), float(target) * float(status_replicas))


def per_pod_replicas(usage: int, target: int) -> int:
    """As many pods as carry the usage at the target each."""
    return to_int32(ceil(divide(float(usage), float(target))))


def per_pod_replicas_unheld(usage: int, target: int) -> int:
    """As 1.14 computed an Object average: its ratio divides by zero, so nothing is ever inside the tolerance."""
    return per_pod_replicas(usage, target) if usage else 0


def per_pod_replicas_clamped(usage: int, target: int) -> int:
    """The same, at most the largest int32 (External since 1.34)."""
    replicas = ceil(divide(float(usage), float(target)))
    return MAX_INT32 if replicas > float(MAX_INT32) else to_int32(replicas)


def per_pod_status(usage: int, status_replicas: int, clamped: bool) -> int:
    """What status publishes as the average; an external one beyond int64 as the largest (1.34)."""
    if clamped and float(usage) >= TWO_63:
        return MAX_INT64
    return to_int64(ceil(divide(float(usage), float(status_replicas))))


def overflows(total: int, value: int) -> bool:
    """Whether adding a positive value goes beyond int64 (External value since 1.35)."""
    return value > 0 and total > MAX_INT64 - value
