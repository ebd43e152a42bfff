"""Go's numbers: integers that wrap, divisions that cut, floats that turn into integers as on amd64."""

import math

NONE = -1
"""No index, no slot, no condition."""

MIN_INT32 = -(2**31)
MAX_INT32 = 2**31 - 1
MIN_INT64 = -(2**63)
MAX_INT64 = 2**63 - 1
TWO_31 = 2147483648.0
TWO_53 = 9007199254740992.0
TWO_63 = 9223372036854775808.0


def wrap32(number: int) -> int:
    """The low 32 bits as int32."""
    return (number + 2147483648) % 4294967296 - 2147483648


def wrap64(number: int) -> int:
    """The low 64 bits as int64; compiled it is nothing, for machine words wrap by themselves."""
    return (number + 2**63) % 2**64 - 2**63


def cut(number: int, divisor: int) -> int:
    """Go's integer division: cut toward zero, where Python's goes down. The least int64 by -1 wraps to itself."""
    if divisor == -1:
        return wrap64(-number)
    quotient = number // divisor
    return quotient + 1 if quotient < 0 and quotient * divisor != number else quotient


def divide(number: float, divisor: float) -> float:
    """IEEE division: by zero it is infinite, or not a number."""
    if divisor == 0.0:
        if number == 0.0 or math.isnan(number):
            return math.nan
        return math.copysign(math.inf, number) * math.copysign(1.0, divisor)
    return number / divisor


def to_int32(number: float) -> int:
    """`int32(x)` on amd64: what does not fit becomes the least int32.

    Go leaves it to the processor; control planes run on amd64 mostly, and the conformance cases were made there.
    """
    if math.isnan(number) or number >= TWO_31 or number <= -TWO_31 - 1.0:
        return MIN_INT32
    return int(number)


def to_int64(number: float) -> int:
    """`int64(x)` on amd64: what does not fit becomes the least int64."""
    if math.isnan(number) or number >= TWO_63 or number < -TWO_63:
        return MIN_INT64
    return int(number)


def ceil(number: float) -> float:
    """`math.Ceil`, which passes on infinities and what is not a number; from 2^53 on a double is whole.

    Python's raises for both, and makes an integer that no longer fits.
    """
    if math.isnan(number) or abs(number) >= TWO_53:
        return number
    return float(math.ceil(number))


def count_of(number: float, capped: bool) -> int:
    """A number of replicas, rounded up to an int32; `capped`: what is beyond becomes the largest, not the least."""
    rounded = ceil(number)
    return MAX_INT32 if capped and rounded > float(MAX_INT32) else to_int32(rounded)
