"""Turns saved answers of the Kubernetes API into a recording."""

import shutil
import stat
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from tempfile import TemporaryDirectory

from hpaaudit.errors import BadCapture, BadFact
from hpaaudit.flows.options import ShowProgress, show_nothing
from hpaaudit.model.units import Micros

STDIN = "-"


@dataclass(frozen=True, slots=True, kw_only=True)
class Imported:
    """The result of an import. `ignored` counts the lines that were not understood, by kind."""

    recording: Path
    facts: int
    ignored: tuple[tuple[str, int], ...]


def import_capture(
    files: Sequence[Path | str] | Path | str, *, into: Path | str, progress: ShowProgress = show_nothing
) -> Imported:
    """Makes a recording from captures of the Kubernetes API, merged by time: one file or several.

    files      `-` is stdin; what comes out of a pipe is kept in a temporary file meanwhile, for it is read twice
    progress   is called again and again with how many lines are read, and how many there are

    Raises `BadCapture` with file and line, and `FileExists`. After an error no folder is left.
    """
    given = [files] if isinstance(files, Path | str) else files
    with TemporaryDirectory(prefix="hpaaudit-") as temporary:
        names: dict[Path, str] = {}
        for number, file in enumerate(given):
            path = _copied(file, Path(temporary) / str(number)) if _is_pipe(file) else Path(file)
            names[path] = "stdin" if str(file) == STDIN else str(file)
        try:
            return _imported(tuple(names), Path(into), progress)
        except BadCapture as error:
            told = str(error)
            for path, name in names.items():
                told = told.replace(str(path), name)
            raise BadCapture(told) from error


def _is_pipe(file: Path | str) -> bool:
    """True for stdin, and for a pipe that this process has open already, as `<(zcat …)` of a shell.

    A pipe of the file system is none: perhaps nobody ever writes to it.
    """
    if str(file) == STDIN:
        return True
    with suppress(OSError, ValueError):
        return str(file).startswith(("/dev/stdin", "/dev/fd/")) and stat.S_ISFIFO(Path(file).stat().st_mode)
    return False


def _copied(pipe: Path | str, to: Path) -> Path:
    """A file with what comes out of a pipe. Raises BadCapture if it cannot be read."""
    try:
        with open(0 if str(pipe) == STDIN else pipe, "rb", closefd=str(pipe) != STDIN) as source, to.open("wb") as file:
            shutil.copyfileobj(source, file)
    except OSError as error:
        name = "stdin" if str(pipe) == STDIN else pipe
        raise BadCapture(f"{name}: cannot be read ({error.strerror}); name a capture of JSON lines") from error
    return to


def _imported(paths: tuple[Path, ...], folder: Path, progress: ShowProgress) -> Imported:
    """The same from files that can be read twice."""
    from hpaaudit.importers.capture import Reader
    from hpaaudit.recording.writing.writer import Writer

    reader = Reader(paths)
    facts = reader.facts()
    first = next(facts, None)
    if first is None:
        raise BadCapture(f"{', '.join(map(str, paths))}: empty; a capture has one JSON object per line")
    writer = Writer(folder, source="capture", started_us=Micros(first.at_us))
    try:
        count = 0
        for fact in chain([first], facts):
            try:
                writer.add(fact)
            except BadFact as error:
                raise BadCapture(f"{reader.where}: {error}; correct or remove this line") from error
            count += 1
            progress(reader.read, reader.lines)
        writer.close()
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    return Imported(recording=folder, facts=count, ignored=tuple(sorted(Counter(reader.ignored).items())))
