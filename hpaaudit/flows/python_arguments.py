"""Refuses arguments of `replay` that have another type than it takes, in one line that says what to give."""

from collections.abc import Collection, Mapping
from os import PathLike
from typing import Any

from hpaaudit.errors import BadOption
from hpaaudit.flows.moments import NO_TIME, is_when

DETAILS = ("numbers", "moved", "steps", "pods", "all")
"""How much a replay can keep of each reconcile."""


def require_types(given: Mapping[str, Any]) -> None:
    """Raises BadOption for the first of these arguments that has a wrong type, by the name of its parameter."""
    for name, value in given.items():
        if value is not None or name in _NEVER_NONE:
            problem = _CHECKS[name](value)
            if problem:
                raise BadOption(f"{name}={_shown(value)} {problem}")


def _text(value: object) -> str:
    if isinstance(value, float):
        return "is no text: give it in quotes, as 1.30 is the number 1.3"
    return "" if isinstance(value, str) else f"is no text: give {_quoted(value)}"


def _path(value: object) -> str:
    return "" if isinstance(value, str | PathLike) else "is no path: give the name of a file"


def _flag(value: object) -> str:
    return "" if isinstance(value, bool) else "is neither True nor False"


def _time(value: object) -> str:
    return "" if is_when(value) else NO_TIME


def _detail(value: object) -> str:
    return "" if value in DETAILS else f"is unknown: give one of {', '.join(map(repr, DETAILS))}"


def _names(value: object) -> str:
    if isinstance(value, str):
        return f"is one text: give a list, [{value!r}]"
    if isinstance(value, Mapping) or not isinstance(value, Collection):
        return "is no list: give names such as ['shop/checkout']"
    odd = [name for name in value if not isinstance(name, str)]
    return f"has {_shown(odd[0])}, which is no name" if odd else ""


def _flags(value: object) -> str:
    if not isinstance(value, Mapping):
        return "is no dict: give values by flag, {'tolerance': '0.2'}"
    for name, text in value.items():
        if not isinstance(name, str):
            return f"has {_shown(name)}, which is no name of a flag"
        if not isinstance(text, str | int | float) or isinstance(text, bool):
            return f"has a value that is no text: give {{{name!r}: {_quoted(text)}}}"
    return ""


def _behaviours(value: object) -> str:
    if not isinstance(value, Mapping):
        return "is no dict: give True or False by rule or gate, {'HPAScaleToZero': True}"
    for name, is_on in value.items():
        if not isinstance(name, str):
            return f"has {_shown(name)}, which is no name of a rule or gate"
        if not isinstance(is_on, bool):
            return f"has a value that is neither True nor False: give {{{name!r}: True}} or {{{name!r}: False}}"
    return ""


_CHECKS = {
    "into": _path, "release": _text, "flags": _flags, "hpas": _names, "selector": _text, "since": _time, "until": _time,
    "detail": _detail, "overwrite": _flag, "behaviours": _behaviours, "declare": _flag,
}  # fmt: skip
"""What is wrong with a value, empty if nothing is, by parameter."""

_NEVER_NONE = ("hpas", "selector", "overwrite", "declare")

_LONGEST = 60
"""A longer value is cut in a message."""


def _shown(value: object) -> str:
    """A value as Python writes it, in one line."""
    text = " ".join(repr(value).split())
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}..."


def _quoted(value: object) -> str:
    return repr(" ".join(str(value).split())[:_LONGEST])
