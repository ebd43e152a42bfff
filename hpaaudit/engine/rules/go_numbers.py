"""Go's numbers: integers that wrap, divisions that truncate, floats that become integers as on amd64.

The controller computes with int32, int64 and float64, and some results of real clusters come from their limits: a
metric that overflows, an average over no pods. Python's integers have no limits, so what Go does there is written out
here.
"""

import math

NONE = -1
"""No index, no slot, no condition, no row."""

MIN_INT32 = -(2**31)
MAX_INT32 = 2**31 - 1
MIN_INT64 = -(2**63)
MAX_INT64 = 2**63 - 1
TWO_31 = 2147483648.0
TWO_53 = 9007199254740992.0
TWO_63 = 9223372036854775808.0


def wrap32(number: int) -> int:
    """The low 32 bits as an int32. Go's integers wrap silently (language specification, "Integer overflow")."""
    return (number + 2147483648) % 4294967296 - 2147483648


def wrap64(number: int) -> int:
    """The low 64 bits as an int64. Compiled, this does nothing: machine words wrap by themselves."""
    return (number + 2**63) % 2**64 - 2**63


def divide_int(number: int, divisor: int) -> int:
    """Go's integer division, which truncates toward zero where Python's rounds down.

    The least int64 divided by -1 is itself, as the language specification says.
    """
    if divisor == -1:
        return wrap64(-number)
    quotient = number // divisor
    return quotient + 1 if quotient < 0 and quotient * divisor != number else quotient


def divide_float(number: float, divisor: float) -> float:
    """IEEE division. By zero it gives an infinity or NaN, where Python raises.

    Upstream divides by zero at zero replicas, for example in `GetObjectPerPodMetricReplicas`.
    """
    if divisor == 0.0:
        if number == 0.0 or math.isnan(number):
            return math.nan
        return math.copysign(math.inf, number) * math.copysign(1.0, divisor)
    return number / divisor


def to_int32(number: float) -> int:
    """`int32(x)` on amd64: what does not fit becomes the least int32.

    Go leaves the result to the processor. Most control planes run on amd64, and the conformance cases were made there.
    """
    if math.isnan(number) or number >= TWO_31 or number <= -TWO_31 - 1.0:
        return MIN_INT32
    return int(number)


def to_int64(number: float) -> int:
    """`int64(x)` on amd64: what does not fit becomes the least int64, as for `to_int32`."""
    if math.isnan(number) or number >= TWO_63 or number < -TWO_63:
        return MIN_INT64
    return int(number)


def ceil(number: float) -> float:
    """`math.Ceil`, which gives back infinities and NaN. Python's `math.ceil` raises for them.

    From 2^53 on every double is whole, and Python's would make an integer that does not fit an int64.
    """
    if math.isnan(number) or abs(number) >= TWO_53:
        return number
    return float(math.ceil(number))


def replica_count(number: float, is_capped: bool) -> int:
    """A number of replicas, rounded up to an int32.

    is_capped   above the largest int32 it is that one; else it becomes the least, as `to_int32` does

    The controller rounds up everywhere: the last fraction of a pod is a whole pod.
    """
    rounded = ceil(number)
    return MAX_INT32 if is_capped and rounded > float(MAX_INT32) else to_int32(rounded)
