"""Lets errors speak Python: parameters where the command line has options."""

import inspect
import re
import shlex
from collections.abc import Callable, Collection
from functools import wraps
from typing import ParamSpec, TypeVar

from hpaaudit.errors import AuditError

Parameters = ParamSpec("Parameters")
Returned = TypeVar("Returned")

_OPTION = re.compile(r"--([a-z]+)(?:[ =]([\w/*][\w.:/*+-]*[\w*]|[\w*])(?=[\s;,.)'`]|: |:$|$))?")
_QUESTION = re.compile(r"`hpaaudit query (\S+|'[^']*') what_happened`")
"""The command that a message names for a file of results."""
_OF_SEVERAL = {"flag": "flags", "with": "behaviours", "without": "behaviours", "hpa": "hpas"}
"""Options that may be repeated, and the parameter that takes all of their values."""

_VALUES = ("at", "since", "until", "release", "hpa")
"""Options whose value may follow in a message."""


def speaking_python(function: Callable[Parameters, Returned]) -> Callable[Parameters, Returned]:
    """The same function, whose errors name its parameters instead of the options of its command."""
    names = inspect.signature(function).parameters.keys()

    @wraps(function)
    def called(*args: Parameters.args, **kwargs: Parameters.kwargs) -> Returned:
        try:
            return function(*args, **kwargs)
        except AuditError as error:
            error.args = (in_python(str(error), names), *error.args[1:])
            raise

    return called


def in_python(message: str, names: Collection[str]) -> str:
    """A message with each option of ours replaced by the parameter of these that takes its value."""

    def replaced(option: re.Match[str]) -> str:
        name, value = option[1], option[2]
        parameter = name if name in names else _OF_SEVERAL.get(name, "")
        if parameter not in names:
            return option[0]
        if value is None:
            return f"{parameter}=True" if name == "overwrite" else parameter
        if name not in _VALUES or not (value[0].isdigit() or "/" in value or name == "at"):
            return f"{parameter} {value}"
        return f"{parameter}=[{value!r}]" if parameter == "hpas" else f"{parameter}={value!r}"

    opened = _QUESTION.sub(lambda command: f"hpaaudit.open_results({shlex.split(command[1])[0]!r})", message)
    return _OPTION.sub(replaced, opened)
