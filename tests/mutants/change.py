"""Puts a mutant into a rule."""

import ast
from importlib import import_module
from pathlib import Path
from types import FunctionType

from tests.mutants.mutants import Mutant

PACKAGE = "hpaaudit.engine"
ENGINE = Path(__file__).parents[2] / "hpaaudit" / "engine"


def path_of(mutant: Mutant) -> Path:
    """The file of a mutant."""
    return ENGINE / f"{mutant.file if '/' in mutant.file else f'rules/{mutant.file}'}.py"


def function_of(mutant: Mutant, source: str) -> ast.FunctionDef:
    """The function that a mutant changes."""
    functions = [node for node in ast.parse(source).body if isinstance(node, ast.FunctionDef)]
    (function,) = [node for node in functions if node.name == mutant.function]
    return function


def mutated(mutant: Mutant) -> str:
    """The source of the file with the mutant in it; ValueError unless it fits in exactly one place."""
    source = path_of(mutant).read_text(encoding="utf-8")
    function = function_of(mutant, source)
    lines = source.splitlines(keepends=True)
    first, last = function.lineno - 1, function.end_lineno
    text = "".join(lines[first:last])
    if text.count(mutant.before) != 1:
        raise ValueError(f"{mutant.name}: it stands {text.count(mutant.before)} times in the function, not once")
    return "".join([*lines[:first], text.replace(mutant.before, mutant.after), *lines[last:]])


def install(mutant: Mutant) -> None:
    """From now on the function runs as the mutant, whoever imported it: it is given the mutant's code."""
    path = path_of(mutant)
    function = getattr(import_module(f"{PACKAGE}.{path.parent.name}.{path.stem}"), mutant.function)
    if not isinstance(function, FunctionType) or function.__closure__ or hasattr(function, "__wrapped__"):
        raise TypeError(f"{mutant.name}: no plain function")
    names = dict(function.__globals__)
    exec(compile(mutated(mutant), str(path), "exec"), names)  # noqa: S102 (a rule with one change)
    changed = names[mutant.function]
    function.__code__ = changed.__code__
    function.__defaults__, function.__kwdefaults__ = changed.__defaults__, changed.__kwdefaults__
