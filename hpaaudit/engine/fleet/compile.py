"""Compiles the kernel and every rule that it calls: the same source, as machine code, by numba."""

import ast
import dis
import inspect
from collections.abc import Callable, Iterator
from functools import lru_cache
from importlib import import_module
from types import CodeType, FunctionType, ModuleType
from typing import Any

from hpaaudit.engine.fleet.kernel import walk as kernel
from hpaaudit.engine.rules import go_numbers as numbers

Walk = Callable[..., None]

OPTIONS = {"cache": True, "nogil": True, "boundscheck": True, "_nrt": False}
"""Compiled code is kept, threads run side by side, a place outside of a column raises instead of reading on.

`_nrt`: nothing is allocated inside, so no array's references are counted: counting them cost ten times the rest.
"""

_TABLES = "hpaaudit.engine.fleet."
INLINE = {"forceinline": True}
"""What works on whole tables, or takes something wide, becomes one function.

Handing sixty columns on cost as much as the work.
"""

WIDE = frozenset({"rules", "limits", "past"})
"""Parameters that are wide: the behaviours of a release, what a spec allows, what is remembered."""


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
    """The files that the compiled code depends on, and this one.

    Not only those whose functions are compiled: a constant or a tuple of another file is compiled in as well.
    """
    own = {import_module(function.__module__) for function in functions()}
    found = own | {import_module(name) for module in own for name in _imported(module)}
    return sorted({__file__, *(str(module.__file__) for module in found)})


def functions() -> list[Callable[..., Any]]:
    """The functions that are compiled."""
    compiler = _Compiler(lambda **_: lambda function: function)
    compiler.compiled(kernel.walk)
    return list(compiler.done)


def _imported(module: ModuleType) -> Iterator[str]:
    """The modules of ours from which a module takes its names, as its source says."""
    for node in ast.walk(ast.parse(inspect.getsource(module))):
        if isinstance(node, ast.ImportFrom) and node.module is not None and node.module.startswith("hpaaudit."):
            yield node.module


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
            parameters = inspect.signature(function).parameters
            is_wide = function.__module__.startswith(_TABLES) or not WIDE.isdisjoint(parameters)
            inline = INLINE if is_wide and function is not kernel.walk else {}
            self.done[function] = self._njit(**OPTIONS, **inline)(copy)
        return self.done[function]


def _names(code: CodeType) -> set[str]:
    """The globals that a function names; attributes may be called the same."""
    return {step.argval for step in dis.get_instructions(code) if step.opname == "LOAD_GLOBAL"}


def _is_ours(value: object) -> bool:
    return isinstance(value, FunctionType) and value.__module__.startswith("hpaaudit.")
