"""Imports a rule with a mutant in it."""

import ast
import sys
from collections.abc import Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, SourceFileLoader
from importlib.util import spec_from_file_location
from pathlib import Path
from types import CodeType, ModuleType

from tests.mutants.mutants import Mutant

PACKAGE = "hpaaudit.engine"
ENGINE = Path(__file__).parents[2] / "hpaaudit" / "engine"


def path_of(mutant: Mutant) -> Path:
    """The file of a mutant."""
    return ENGINE / f"{mutant.file if '/' in mutant.file else f'rules/{mutant.file}'}.py"


def mutated(mutant: Mutant) -> str:
    """The source of the file with the mutant in it; ValueError unless it fits in exactly one place."""
    source = path_of(mutant).read_text(encoding="utf-8")
    functions = [node for node in ast.parse(source).body if isinstance(node, ast.FunctionDef)]
    (function,) = [node for node in functions if node.name == mutant.function]
    lines = source.splitlines(keepends=True)
    first, last = function.lineno - 1, function.end_lineno
    text = "".join(lines[first:last])
    if text.count(mutant.before) != 1:
        raise ValueError(f"{mutant.name}: it stands {text.count(mutant.before)} times in the function, not once")
    return "".join([*lines[:first], text.replace(mutant.before, mutant.after), *lines[last:]])


class _Loader(SourceFileLoader):
    """Loads a source that differs from its file."""

    def __init__(self, name: str, path: str, source: str) -> None:
        super().__init__(name, path)
        self.source = source

    def get_code(self, fullname: str) -> CodeType:
        """The mutant's code; no bytecode is read or kept."""
        return compile(self.source, self.get_filename(fullname), "exec")


class _Finder(MetaPathFinder):
    def __init__(self, mutant: Mutant) -> None:
        path = path_of(mutant)
        self.name = f"{PACKAGE}.{path.parent.name}.{path.stem}"
        self.path = str(path)
        self.source = mutated(mutant)

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """The mutant's file, nothing for all others."""
        del path, target
        if fullname != self.name:
            return None
        return spec_from_file_location(fullname, self.path, loader=_Loader(fullname, self.path, self.source))


def install(mutant: Mutant) -> None:
    """From now on the mutant is imported; the engine must not have been before."""
    finder = _Finder(mutant)
    if finder.name in sys.modules:
        raise RuntimeError(f"{finder.name} is imported already: a mutant must come first")
    sys.meta_path.insert(0, finder)
