"""Compiles the kernel and every rule that it calls: the same source, as machine code, by numba."""

import dis
from collections.abc import Callable
from functools import lru_cache
from types import CodeType, FunctionType
from typing import Any

from hpaaudit.engine.fleet import kernel, tape
from hpaaudit.engine.rules import numbers

Walk = Callable[..., None]

OPTIONS = {"cache": True, "nogil": True, "boundscheck": True, "_nrt": False}
"""Compiled code is kept, threads run side by side, a place outside of a column raises instead of reading on.

`_nrt`: nothing is allocated inside, so no array's references are counted: counting them cost ten times the rest.
"""

_TABLES = "hpaaudit.engine.fleet."
INLINE = {"forceinline": True}
"""What works on whole tables becomes one function: handing sixty columns on cost as much as the work."""


def _as_it_is(number: int) -> int:
    """Machine words wrap by themselves."""
    return number


@lru_cache(maxsize=1)
def walk(cache: str) -> Walk:
    """The compiled walk; its code is kept in the folder `cache`. Raises ImportError where there is no numba."""
    import numba

    config: Any = numba.config
    before, config.CACHE_DIR = config.CACHE_DIR, cache
    try:
        found: Walk = _Compiler(numba.njit).compiled(kernel.walk)
    finally:
        config.CACHE_DIR = before
    return found


def sources() -> list[str]:
    """The files whose functions are compiled, and this one."""
    compiler = _Compiler(lambda **_: lambda function: function)
    compiler.compiled(kernel.walk)
    return sorted({__file__, tape.__file__, *(function.__code__.co_filename for function in compiler.done)})


class _Compiler:
    """Compiles a function and those that it calls, each once."""

    def __init__(self, njit: Callable[..., Any]) -> None:
        self._njit = njit
        self.done: dict[Callable[..., Any], Any] = {numbers.wrap64: njit(**OPTIONS)(_as_it_is)}

    def compiled(self, function: Callable[..., Any]) -> Any:
        """The function, with everything of ours that it names compiled as well."""
        if function not in self.done:
            if not isinstance(function, FunctionType):
                raise TypeError(f"{function} is no function of ours")
            own = {
                name: self.compiled(value) if _is_ours(value) else value
                for name in _names(function.__code__)
                if (value := function.__globals__.get(name)) is not None
            }
            copy = FunctionType(function.__code__, {**own, "__name__": function.__module__}, function.__name__)
            copy.__qualname__, copy.__module__ = function.__qualname__, function.__module__
            on_tables = function.__module__.startswith(_TABLES) and function is not kernel.walk
            self.done[function] = self._njit(**OPTIONS, **(INLINE if on_tables else {}))(copy)
        return self.done[function]


def _names(code: CodeType) -> set[str]:
    """The globals that a function names; attributes may be called the same."""
    return {step.argval for step in dis.get_instructions(code) if step.opname == "LOAD_GLOBAL"}


def _is_ours(value: object) -> bool:
    return isinstance(value, FunctionType) and value.__module__.startswith("hpaaudit.")
