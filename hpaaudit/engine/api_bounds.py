"""Checks that a value is one that the Kubernetes API can hold: its type, and the bits of its numbers."""

from collections.abc import Callable
from dataclasses import is_dataclass
from functools import cache
from operator import attrgetter
from types import NoneType
from typing import Any, NewType, get_args, get_origin, get_type_hints

from hpaaudit.engine.rules.go_numbers import MAX_INT32, MAX_INT64, MIN_INT32, MIN_INT64
from hpaaudit.model.target import Scale
from hpaaudit.model.units import Micros, Milli

LONG = frozenset({"generation", "observed_generation", "resource_version"})
"""Fields with 64 bits. All other numbers of an HPA and of a scale have 32."""

EXACT = frozenset({"nano"})
"""Fields that we derive from a text, without a limit."""

Check = Callable[[Any], str]

_LAST_US = 253_402_300_800_000_000  # the year 10000: RFC 3339 has four digits
_SHOWN = 40


def misfit(value: Any, kind: Any, where: str = "") -> str:
    """The part of a value that does not fit its type or the bits of the API's field; empty if everything fits.

    kind    the type that the value should have
    where   its name, for example `spec`
    """
    problem = _check_of(kind, where.rpartition(".")[2])(value)
    return f"{where}{problem}".lstrip(". ") if problem else ""


def scale_misfit(scale: Scale | None) -> str:
    """The part of a scale that does not fit: the Scale of `autoscaling/v1` has 32 bits for each number."""
    return "" if scale is None else misfit(scale, Scale, "scale")


def is_int32(number: int) -> bool:
    """True if a number fits an int32."""
    return MIN_INT32 <= number <= MAX_INT32


@cache
def _check_of(kind: Any, name: str) -> Check:  # noqa: PLR0911 (one case for each kind of type)
    """The check of a field with this type and name. It returns what does not fit, with the way to it."""
    if kind is Micros:
        return _time
    if kind is Milli:
        return _number_of(MIN_INT64, MAX_INT64, 64)
    if isinstance(kind, NewType):
        kind = kind.__supertype__
    if kind is int:
        if name in EXACT:
            return _number_of(None, None, 0)
        return _number_of(MIN_INT64, MAX_INT64, 64) if name in LONG else _number_of(MIN_INT32, MAX_INT32, 32)
    if kind is str or (isinstance(kind, type) and issubclass(kind, str)):
        return _text
    if is_dataclass(kind):
        return _fields_of(kind)
    own = get_args(kind)
    if get_origin(kind) is tuple:
        return _items_of(
            [_check_of(item, name) for item in own if item is not Ellipsis], is_any_length=own[-1] is Ellipsis
        )
    inner = _check_of(next(item for item in own if item is not NoneType), name)
    if NoneType not in own:
        return inner
    return lambda value: "" if value is None else inner(value)


def _fields_of(kind: Any) -> Check:
    hints = get_type_hints(kind).items()
    fields = [(f".{_camel(field)}", attrgetter(field), _check_of(own, field)) for field, own in hints]

    def check(value: Any) -> str:
        if not isinstance(value, kind):
            return f" is {_shown(value)}"
        for where, field_of, own_check in fields:
            problem = own_check(field_of(value))
            if problem:
                return f"{where}{problem}"
        return ""

    return check


def _items_of(checks: list[Check], *, is_any_length: bool) -> Check:
    def check(value: Any) -> str:
        if not isinstance(value, tuple):
            return f" is {_shown(value)}"
        own_checks = checks * len(value) if is_any_length else checks
        for index, (item, own_check) in enumerate(zip(value, own_checks, strict=True)):
            problem = own_check(item)
            if problem:
                return f"[{index}]{problem}"
        return ""

    return check


def _number_of(least: int | None, most: int | None, bits: int) -> Check:
    def check(value: Any) -> str:
        if type(value) is not int:
            return f" is {_shown(value)}, which is no whole number"
        if least is None or most is None or least <= value <= most:
            return ""
        return f" is {_shown(value)}, and the API has {bits} bits for it"

    return check


def _time(value: Any) -> str:
    fits = type(value) is int and abs(value) < _LAST_US
    return "" if fits else f" is {_shown(value)}, which is no time"


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
