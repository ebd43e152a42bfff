"""Compiles the kernel and every rule that it calls to machine code, from the same source, with numba."""

import dis
import inspect
import re
from collections.abc import Callable, Iterator
from functools import lru_cache
from importlib import import_module
from types import CodeType, FunctionType, ModuleType
from typing import Any

from hpaaudit.engine.fleet.kernel import walk as kernel
from hpaaudit.engine.rules import go_numbers as numbers

Walk = Callable[..., None]

OPTIONS = {"cache": True, "nogil": True, "boundscheck": True, "_nrt": False}
"""Compiled code is cached, threads run in parallel, and an index outside of a column raises.

`_nrt`: nothing is allocated inside, so references to arrays are not counted. Counting them took ten times as long as
the rest.
"""

_IMPORT = re.compile(r"^from (hpaaudit\.[\w.]+) import", re.MULTILINE)
_KERNEL = "hpaaudit.engine.fleet."
INNER = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}
"""Only `walk` is called from Python. Wrappers of all other functions took three quarters of the time to compile."""

INLINE = {"forceinline": True}
"""Functions of the kernel, and those that take something wide, are compiled into their callers.

To hand on sixty columns took as long as the work.
"""

WIDE = frozenset({"argument", "behaviours", "events", "normalized", "past", "readiness", "refill"})
"""Parameters that are wide: what these functions take is not copied for each call."""


def _unchanged(number: int) -> int:
    """`wrap64`, compiled: machine words wrap by themselves."""
    return number


@lru_cache(maxsize=1)
def walk(cache: str) -> Walk:
    """The compiled kernel, cached in the folder `cache`. Raises ImportError without numba."""
    import numba

    config: Any = numba.config
    before, config.CACHE_DIR = config.CACHE_DIR, cache
    try:
        compiled: Walk = _Compiler(numba.njit).compiled(kernel.walk)
    finally:
        config.CACHE_DIR = before
    return compiled


def sources() -> list[str]:
    """The files that the compiled code depends on, and this one.

    Also files without compiled functions: a constant or a tuple of theirs is compiled in.
    """
    own = {import_module(function.__module__) for function in functions()}
    modules = own | {import_module(name) for module in own for name in _imported(module)}
    return sorted({__file__, *(str(module.__file__) for module in modules)})


def functions() -> list[Callable[..., Any]]:
    """The functions that are compiled, rules among them."""
    compiler = _Compiler(lambda **_: lambda function: function)
    compiler.compiled(kernel.walk)
    return list(compiler.compiled_by_function)


def _imported(module: ModuleType) -> Iterator[str]:
    """Our modules from which a module imports names, as its source says. To parse it would take ten times as long."""
    yield from _IMPORT.findall(inspect.getsource(module))


class _Compiler:
    """Compiles a function and the functions that it calls, each once."""

    def __init__(self, njit: Callable[..., Any]) -> None:
        self._njit = njit
        self.compiled_by_function: dict[Callable[..., Any], Any] = {numbers.wrap64: njit(**OPTIONS)(_unchanged)}

    def compiled(self, function: Callable[..., Any]) -> Any:
        """The function, compiled with all functions of ours that it names."""
        if function not in self.compiled_by_function:
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
            is_wide = function.__module__.startswith(_KERNEL) or not WIDE.isdisjoint(parameters)
            inner = {} if function is kernel.walk else {**INNER, **(INLINE if is_wide else {})}
            self.compiled_by_function[function] = self._njit(**OPTIONS, **inner)(copy)
        return self.compiled_by_function[function]


@lru_cache(maxsize=1024)  # asked for the name of the cache, and again to compile
def _names(code: CodeType) -> set[str]:
    """The globals that a function names, without attributes of the same name."""
    return {step.argval for step in dis.get_instructions(code) if step.opname == "LOAD_GLOBAL"}


def _is_ours(value: object) -> bool:
    return isinstance(value, FunctionType) and value.__module__.startswith("hpaaudit.")
