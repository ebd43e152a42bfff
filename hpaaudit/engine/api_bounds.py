"""Checks that a value is one that the Kubernetes API can hold: its type, and the bits of its numbers."""

from dataclasses import is_dataclass
from functools import cache
from types import NoneType
from typing import Any, NewType, cast, get_args, get_origin, get_type_hints

from hpaaudit.engine.rules.go_numbers import MAX_INT32, MAX_INT64, MIN_INT32, MIN_INT64
from hpaaudit.model.target import Scale
from hpaaudit.model.units import Micros, Milli

LONG = frozenset({"generation", "observed_generation", "resource_version"})
"""Fields with 64 bits. All other numbers of an HPA and of a scale have 32."""

EXACT = frozenset({"nano"})
"""Fields that we derive from a text, without a limit."""

_LAST_US = 253_402_300_800_000_000  # the year 10000: RFC 3339 has four digits
_SHOWN = 40


def misfit(value: Any, kind: Any, where: str = "") -> str:
    """What of a value does not fit its type or has more bits than the API's field; empty if everything fits.

    kind    the type that the value should have
    where   its name, for example `spec`
    """
    problem = _misfit(value, kind, where.rpartition(".")[2])
    return f"{where}{problem}".lstrip(". ") if problem else ""


def scale_misfit(scale: Scale | None) -> str:
    """What of a scale does not fit: the Scale of `autoscaling/v1` has 32 bits for each number."""
    return "" if scale is None else misfit(scale, Scale, "scale")


def is_int32(number: int) -> bool:
    """True if a number fits an int32."""
    return MIN_INT32 <= number <= MAX_INT32


def _misfit(value: Any, kind: Any, name: str) -> str:  # noqa: C901, PLR0911 (one case for each kind of type)
    if kind is Micros:
        fits = type(value) is int and abs(value) < _LAST_US
        return "" if fits else f" is {_shown(value)}, which is no time"
    if kind is Milli:
        kind, name = int, "generation"
    if isinstance(kind, NewType):
        kind = kind.__supertype__
    if kind is int:
        return _number(value, name)
    if kind is str or (isinstance(kind, type) and issubclass(kind, str)):
        return _text(value)
    if is_dataclass(kind):
        if not isinstance(value, kind):  # type: ignore[arg-type]
            return f" is {_shown(value)}"
        parts = ((f".{_camel(field)}", getattr(value, field), own, field) for field, own in _fields(cast("Any", kind)))
        return _first(parts)
    own = get_args(kind)
    if get_origin(kind) is tuple:
        if not isinstance(value, tuple):
            return f" is {_shown(value)}"
        kinds = [own[0]] * len(value) if own[-1] is Ellipsis else own
        pairs = enumerate(zip(value, kinds, strict=True))
        return _first((f"[{index}]", item, item_kind, name) for index, (item, item_kind) in pairs)
    if value is None and NoneType in own:
        return ""
    return _misfit(value, next(item_kind for item_kind in own if item_kind is not NoneType), name)


def _first(parts: Any) -> str:
    for where, value, kind, name in parts:
        problem = _misfit(value, kind, name)
        if problem:
            return f"{where}{problem}"
    return ""


def _number(value: Any, name: str) -> str:
    if type(value) is not int:
        return f" is {_shown(value)}, which is no whole number"
    if name in EXACT:
        return ""
    least, most, bits = (MIN_INT64, MAX_INT64, 64) if name in LONG else (MIN_INT32, MAX_INT32, 32)
    return "" if least <= value <= most else f" is {_shown(value)}, and the API has {bits} bits for it"


def _text(value: Any) -> str:
    if not isinstance(value, str):
        return f" is {_shown(value)}, which is no text"
    if value.isascii():
        return ""
    try:
        value.encode()
    except UnicodeEncodeError:
        return f" is {_shown(value)}, which is no text"
    return ""


def _shown(value: Any) -> str:
    try:
        text = ascii(value)
    except (ValueError, RecursionError):  # more digits than Python prints, or too deep
        return f"a very large {type(value).__name__}"
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"


def _camel(field: str) -> str:
    first, *rest = field.split("_")
    return first + "".join(word.capitalize() for word in rest)


@cache
def _fields(kind: Any) -> tuple[tuple[str, Any], ...]:
    return tuple(get_type_hints(kind).items())
