"""Turns saved answers of the Kubernetes API into a recording."""

import shutil
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

from hpaaudit.errors import BadCapture, BadFact
from hpaaudit.flows.options import ShowProgress, show_nothing
from hpaaudit.model.units import Micros


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

    progress   is called again and again with how many lines are read, and how many there are

    Raises `BadCapture` with file and line, and `FileExists`. After an error no folder is left.
    """
    from hpaaudit.importers.capture import Reader
    from hpaaudit.recording.writing.writer import Writer

    given = [files] if isinstance(files, Path | str) else files
    paths, folder = tuple(Path(file) for file in given), Path(into)
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
