"""Lets errors and warnings speak Python: parameters and functions where the command line has options and commands."""

import inspect
import re
import shlex
from collections.abc import Callable, Collection, Sequence
from functools import wraps
from typing import Any, ParamSpec, TypeVar

from hpaaudit.errors import AuditError

Parameters = ParamSpec("Parameters")
Returned = TypeVar("Returned")

_OPTION = re.compile(r"--([a-z][a-z-]*)(?:[ =]([\w/*][\w.:/*+-]*[\w*]|[\w*])(?=[\s;,.)'`]|: |:$|$))?")
_COMMAND = re.compile(r"`hpaaudit ((?:'[^']*'|[^`'])+)`")
"""A command that a message names, without the name of the program."""
_FILE_OF_SQL = re.compile(r"is asked with -f (\S+)")
_ZONE = ", or --tz ZONE"
"""What Python has no parameter for: a datetime has its zone."""

_OF_SEVERAL = {"flag": "flags", "with": "behaviours", "without": "behaviours", "hpa": "hpas"}
"""Options that may be repeated, and the parameter that takes all of their values."""
_OTHERWISE = {"for": "for_seconds", "interval": "interval_seconds"}
"""Options whose parameter says the unit."""

_VALUES = ("at", "since", "until", "release", "hpa", "to")
"""Options whose value may follow in a message."""
_OF_OTHERS = ("release", "since", "until", "at", "hpa", "selector", "into", "overwrite", "kubeconfig", "context")
"""Options that a message may name although the function that was called has no such parameter: another one has."""

_FUNCTIONS = {"import": "import_capture"}
"""Functions that have another name than their command."""
_LISTS = {"query": "questions", "releases": "releases"}
"""What a command without a word lists, and the function that gives it."""


def speaking_python(function: Callable[Parameters, Returned]) -> Callable[Parameters, Returned]:
    """The same function, whose errors and warnings name its parameters instead of the options of its command."""
    names = inspect.signature(function).parameters.keys()

    @wraps(function)
    def called(*args: Parameters.args, **kwargs: Parameters.kwargs) -> Returned:
        warn: Any = kwargs.get("warn")
        if callable(warn):
            kwargs["warn"] = lambda text: warn(in_python(text, names))
        try:
            return function(*args, **kwargs)
        except AuditError as error:
            error.args = (in_python(str(error), names), *error.args[1:])
            raise

    return called


def in_python(message: str, names: Collection[str]) -> str:
    """A message with each option of ours replaced by the parameter of these that takes its value, commands by calls.

    An option of another function loses its dashes; of `release`, which `between` takes too, the value remains.
    """

    def replaced(option: re.Match[str]) -> str:
        name, value = option[1], option[2]
        parameter = _parameter(name, names)
        if parameter not in names:
            if name not in _OF_OTHERS:
                return option[0]
            return value if name == "release" and value and value[0].isdigit() else option[0].removeprefix("--")
        if value is None:
            return f"{parameter}=True" if name == "overwrite" else parameter
        if name not in _VALUES or not (value[0].isdigit() or "/" in value or name in ("at", "to")):
            return f"{parameter} {value}"
        return f"{parameter}=[{value!r}]" if parameter == "hpas" else f"{parameter}={value!r}"

    called = _COMMAND.sub(lambda command: _call(shlex.split(command[1]), command[0]), message)
    called = _FILE_OF_SQL.sub(lambda asked: f"is asked as its text, Path({asked[1]!r}).read_text()", called)
    return _OPTION.sub(replaced, called.replace(_ZONE, "").replace("`import`", "`import_capture`"))


def _parameter(option: str, names: Collection[str]) -> str:
    """The parameter that takes what an option takes."""
    name = option.replace("-", "_")
    return name if name in names else _OF_SEVERAL.get(name) or _OTHERWISE.get(name, name)


def _call(words: Sequence[str], command: str) -> str:
    """The Python call for a command, as `hpaaudit.replay('friday', into='friday.duckdb')`; without one, the command."""
    name, *rest = words
    if rest[-1:] != [] and rest[-1].startswith("--"):  # a switch, as of `demo --list`, is no parameter of a function
        return command
    if name == "import":
        rest = rest[1:]
    if name == "query" and rest[1:] == ["what_happened"]:
        name, rest = "open_results", rest[:1]
    if not rest and name in _LISTS:
        return f"hpaaudit.{_LISTS[name]}()"
    parts, words_left = list[str](), iter(rest)
    for word in words_left:
        if word.startswith("--"):
            parts.append(f"{word.removeprefix('--')}={_value(next(words_left))}")
        else:
            parts.append(f"[{_value(word)}]" if name == "import" else _value(word))
    return f"hpaaudit.{_FUNCTIONS.get(name, name)}({', '.join(parts)})" if parts else f"hpaaudit.{name}"


def _value(word: str) -> str:
    """A word of a command as Python has it; what stands for one, as FILE, is a name."""
    return word.lower() if re.fullmatch("[A-Z]+", word) else repr(word)
