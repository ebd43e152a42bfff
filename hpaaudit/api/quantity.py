"""Parses Kubernetes' quantities: the text, the thousandths that the controller computes with, the exact value.

As `resource.Quantity` of apimachinery up to 1.37, its overflow and its rounding included.
"""

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from hpaaudit.model.units import Milli, Quantity

_GRAMMAR = re.compile(r"([+-]?)(\d*)(?:\.(\d*))?([A-Za-z]*(?:[+-]?\d*))", re.ASCII)
_DECIMAL = {"n": -9, "u": -6, "m": -3, "": 0, "k": 3, "M": 6, "G": 9, "T": 12, "P": 15, "E": 18}
_BINARY = {"Ki": 10, "Mi": 20, "Gi": 30, "Ti": 40, "Pi": 50, "Ei": 60}
_DECIMAL_SUFFIX = {exponent: suffix for suffix, exponent in _DECIMAL.items()}
_BINARY_SUFFIX = ["", *_BINARY]
_NANO = -9
_MILLI = -3
_FAR = 4000
_FAST_DIGITS = 18
_PLAIN_DIGITS = 11
_NANO_IN_MILLI = 10**6
_MAX_INT64 = 2**63 - 1
_LONGEST_CHARS = 512
"""No quantity that anybody writes is longer: what is remembered of them stays small."""
_UNCHECKED_STEPS = (1, 2, 3, 6, 9)


def wrap64(number: int) -> int:
    """The low 64 bits as Go's int64."""
    return (number + 2**63) % 2**64 - 2**63


def _toward_zero(number: int, divisor: int) -> int:
    return number // divisor if number >= 0 else -(-number // divisor)


def _away_from_zero(number: int, divisor: int) -> int:
    return -(-number // divisor) if number >= 0 else number // divisor


def _fast_scaled(value: int, scale: int, target: int) -> int:
    """An int64 mantissa at 10^scale as whole units of 10^target."""
    if scale < target:
        return _away_from_zero(value, int(10 ** (target - scale)))
    step = scale - target
    scaled = value * int(10**step)
    if step in _UNCHECKED_STEPS:
        return wrap64(scaled)  # upstream's fast multiplications do not report overflow to this caller
    return scaled if -(2**63) <= scaled <= _MAX_INT64 else 0


def _slow_scaled(unscaled: int, scale: int, target: int) -> int:
    """An arbitrary decimal `unscaled * 10^-scale` as whole units of 10^target."""
    step = scale + target
    if step <= 0:
        return wrap64(wrap64(unscaled) * int(10**-step))
    divisor = int(10**step)
    if unscaled < _MAX_INT64:
        # Negative numbers of any size come here: cut, then one more if anything was cut off.
        low = wrap64(unscaled)
        cut = _toward_zero(low, divisor)
        return cut + 1 if low - cut * divisor else cut
    whole, rest = divmod(unscaled, divisor)
    return wrap64(wrap64(whole) + (1 if rest else 0))


def _exponent_of(suffix: str) -> tuple[int, int]:
    """Base and exponent of a suffix; ValueError for one that does not exist."""
    if suffix in _DECIMAL:
        return 10, _DECIMAL[suffix]
    if suffix in _BINARY:
        return 2, _BINARY[suffix]
    if suffix[0] in "eE" and re.fullmatch(r"[+-]?\d+", suffix[1:], re.ASCII):
        exponent = (int(suffix[1:]) + 2**31) % 2**32 - 2**31  # cut to int32, as upstream
        # Beyond this every int64 of it is zero, or one unit of the least: no need to write all the digits.
        return 10, max(-_FAR, min(exponent, _FAR))
    raise ValueError


@lru_cache(maxsize=65536)
def parse(text: str) -> Quantity:
    """A quantity as the API server reads it; ValueError with the text otherwise."""
    match = _GRAMMAR.fullmatch(text) if text and len(text) <= _LONGEST_CHARS else None
    if match is None:
        raise ValueError(f"{text[:_LONGEST_CHARS]!r} is not a quantity")
    sign, whole, fraction, suffix = match[1], match[2].lstrip("0"), match[3] or "", match[4]
    try:
        base, exponent = _exponent_of(suffix)
    except ValueError:
        raise ValueError(f"{text!r} is not a quantity: no such suffix") from None
    negative = sign == "-"
    number = whole or "0"
    if base == 10:  # noqa: PLR2004 (the two bases are upstream's)
        fast = _FAST_DIGITS - len(number) - len(fraction) >= 0 and exponent - len(fraction) >= _NANO
        mantissa, scale = int(number + fraction), exponent - len(fraction)
    else:
        fast = not fraction and 15 - len(number) - int(exponent * 0.3) - 1 >= 0
        mantissa, scale = int(number + fraction) << exponent, -len(fraction)
    if fast and mantissa <= _MAX_INT64:
        value = -mantissa if negative else mantissa
        return Quantity(
            text=text,
            milli=Milli(_fast_scaled(value, scale, _MILLI)),
            nano=value * int(10 ** (scale - _NANO)),
        )
    nano = mantissa * int(10 ** (scale - _NANO)) if scale >= _NANO else -(-mantissa // int(10 ** (_NANO - scale)))
    unscaled, decimals = nano, -_NANO
    if base == 2 and nano > _MAX_INT64 * 10**9:  # noqa: PLR2004
        unscaled, decimals, nano = _MAX_INT64, 0, _MAX_INT64 * 10**9
    if negative:
        unscaled, nano = -unscaled, -nano
    return Quantity(text=text, milli=Milli(_slow_scaled(unscaled, decimals, _MILLI)), nano=nano)


def plain_milli(text: str) -> Milli | None:
    """`milli` of whole nanos and kibis such as `12345n` and `65536Ki`, at most eleven digits; None for any other text.

    It is what `parse` says of them, in a tenth of the time.
    """
    if text[-1:] == "n":
        digits, places = text[:-1], _NANO_IN_MILLI
    elif text[-2:] == "Ki":
        digits, places = text[:-2], 0
    else:
        return None
    if not 0 < len(digits) <= _PLAIN_DIGITS or not (digits.isascii() and digits.isdigit()):
        return None
    return Milli(-(-int(digits) // places) if places else int(digits) * 1024_000)


def parse_json(value: str | float | None) -> Quantity:
    """A quantity of a JSON document: a string, a bare number, or null for zero."""
    if value is None:
        return parse("0")
    return parse(value.strip() if isinstance(value, str) else repr(value))


def amounts(resources: Mapping[str, Any] | None) -> tuple[tuple[str, Milli], ...]:
    """A ResourceList in thousandths, by name: usage is mostly new each time, requests are a few words."""
    return tuple([(name, _amount(value)) for name, value in sorted(resources.items())]) if resources else ()


def _amount(value: Any) -> Milli:
    plain = plain_milli(value) if value.__class__ is str else None
    return parse_json(value).milli if plain is None else plain


def _canonical_decimal(number: int, exponent: int) -> str:
    while number and number % 10 == 0:
        number, exponent = number // 10, exponent + 1
    while exponent % 3:
        number, exponent = number * 10, exponent - 1
    return f"{number}{_DECIMAL_SUFFIX.get(exponent, f'e{exponent}')}"


@lru_cache(maxsize=65536)
def from_milli(milli: Milli, *, binary: bool = False) -> Quantity:
    """The quantity that the controller publishes, `NewMilliQuantity`, as the API server shows it.

    `binary` asks for powers of 1024; what is no multiple of 1024 is sent as plain digits, which the
    API server reads as decimal and shows canonically.
    """
    if milli == 0:
        text = "0"
    elif binary and milli % 1024_000 == 0:
        text = _canonical_binary(milli // 1000)
    else:
        text = _canonical_decimal(int(milli), _MILLI)
    return Quantity(text=text, milli=milli, nano=milli * 10**6)


def approximate_float(quantity: Quantity) -> float:
    """`AsApproximateFloat64`: the mantissa as a double times the double 10^exponent, one rounding each."""
    match = _GRAMMAR.fullmatch(quantity.text)
    if match is None:
        raise ValueError(f"{quantity.text!r} is not a quantity")
    base, exponent = _exponent_of(match[4])
    fraction = match[3] or ""
    mantissa = int((match[2] or "0") + fraction)
    if base == 2:  # noqa: PLR2004
        mantissa, exponent = mantissa << exponent, 0
    exponent -= len(fraction)
    if exponent < _NANO or mantissa > 10**_FAST_DIGITS:
        mantissa, exponent = abs(quantity.nano), _NANO
    number = float(-mantissa if match[1] == "-" else mantissa)
    return number if exponent == 0 else number * float(f"1e{exponent}")


def printed(text: str) -> str:
    """The text in which the API server shows a quantity: itself if it was canonical, else the canonical one.

    Raises ValueError.
    """
    nano = parse(text).nano
    match = _GRAMMAR.fullmatch(text)
    if match is None or text == "0":
        return "0"
    base, exponent = _exponent_of(match[4])
    number, fraction = match[2].lstrip("0") or "0", match[3] or ""
    if _is_kept(number, fraction, base, exponent):
        return text
    if base != 10 and abs(nano) >= 1024 * _WHOLE and nano % _WHOLE == 0:  # noqa: PLR2004 (the bases are upstream's)
        return _canonical_binary(nano // _WHOLE)
    plain = _canonical_decimal(nano, _NANO) if nano else "0"
    parts = re.fullmatch(r"(-?\d+)([a-zA-Z])", plain)
    if match[4][:1] in ("e", "E") and match[4] != "E" and parts is not None:
        return f"{parts[1]}e{_DECIMAL[parts[2]]}"
    return plain


_WHOLE = 10**9
"""Billionths in one."""


def _is_kept(number: str, fraction: str, base: int, exponent: int) -> bool:
    """Whether a text of these parts is kept as it is, because it is canonical or looks so."""
    digits = number + fraction
    if base == 10:  # noqa: PLR2004 (the bases are upstream's)
        scale = exponent - len(fraction)
        is_fast = len(digits) <= _FAST_DIGITS and scale >= _NANO
        return is_fast and scale % 3 == 0 and not digits.endswith("000") and digits[0] != "0"
    is_fast = not fraction and 15 - len(number) - int(exponent * 0.3) - 1 >= 0
    return is_fast and bool(int(digits) & 7) and int(digits) << exponent <= _MAX_INT64


def _canonical_binary(number: int) -> str:
    power = 0
    while number % 1024 == 0 and power < len(_BINARY_SUFFIX) - 1:
        number, power = number // 1024, power + 1
    return f"{number}{_BINARY_SUFFIX[power]}"
