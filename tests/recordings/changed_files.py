"""Everything that a replay answers, and what people may do to its files: leave, add, flip and move them."""

import random
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from hpaaudit.flows.replay import replay
from hpaaudit.recording.encoding import parquet
from hpaaudit.recording.files import layout
from hpaaudit.recording.format.schema import TABLES
from hpaaudit.recording.reading.recording import open_recording
from hpaaudit.results import sql
from hpaaudit.results.read import Results

Answers = dict[str, list[tuple[Any, ...]]]
RELATIONS = [name for folder in ("schema", "views", "recorded") for name in sql.folder(folder)]
OTHERWISE = {"ran_at", "path"}
"""Columns that tell when it was replayed, and where."""


def answers(results: Results) -> Answers:
    """Every row of every relation, but when and where it was made."""
    answers = {}
    for name in RELATIONS:
        rows = results.rows(f"from {name}")
        kept = (tuple(value for column, value in row.items() if column not in OTHERWISE) for row in rows)
        answers[name] = sorted(kept, key=repr)
    return answers


def replayed(folder: Path, **options: Any) -> Answers:
    """What a replay of a folder answers; its results lie beside it."""
    with replay(folder, into=folder.with_name("handled.duckdb"), overwrite=True, **options) as results:
        return answers(results)


def files(folder: Path) -> list[Path]:
    """Every Parquet file of the segments, in order."""
    return sorted((folder / layout.SEGMENTS).glob(f"*/*{layout.PARQUET_SUFFIX}"))


def rows_of(recordings: list[Path]) -> dict[str, bytes]:
    """A sound Parquet file of every table that one of the recordings has rows of."""
    content: dict[str, bytes] = {}
    for recording in recordings:
        for path in files(recording):
            content.setdefault(path.stem, path.read_bytes())
    return content


def plant(folder: Path, content: dict[str, bytes]) -> int:
    """Puts a sound file of every table into each segment that has none of it; how many."""
    planted = 0
    for segment in sorted((folder / layout.SEGMENTS).iterdir()):
        for table, data in content.items():
            path = segment / f"{table}{layout.PARQUET_SUFFIX}"
            if not path.exists():
                path.write_bytes(data)
                planted += 1
    return planted


def flip(path: Path, chance: random.Random) -> None:
    """Turns one bit."""
    data = bytearray(path.read_bytes())
    data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
    path.write_bytes(data)


def cut(path: Path, chance: random.Random) -> None:
    """Cuts the end off."""
    path.write_bytes(path.read_bytes()[: chance.randrange(path.stat().st_size)])


def shorten(path: Path, chance: random.Random) -> None:
    """Leaves out one row, in a file that is sound otherwise."""
    rows, table = pq.read_table(path), TABLES[path.stem]
    for field in parquet.arrow_schema(table, [column.name for column in table.columns]):
        if field.name not in rows.schema.names:  # a column that the recorder did not have yet
            rows = rows.append_column(field, pa.nulls(rows.num_rows, field.type))
    gone = chance.randrange(rows.num_rows)
    rows_left = rows.filter([number != gone for number in range(rows.num_rows)])
    path.write_bytes(parquet.encode(table, rows_left))


def swap(path: Path, chance: random.Random) -> None:
    """Puts the same table of another segment in its place."""
    others = [other for other in files(path.parents[2]) if other.name == path.name and other != path]
    if others:
        shutil.copy(chance.choice(others), path)
    else:
        path.unlink()


def move(path: Path, _: random.Random) -> None:
    """Moves a file into another segment."""
    others = [other for other in sorted(path.parents[1].iterdir()) if other != path.parent]
    path.rename((others[0] if others else path.parents[1]) / path.name)


HARMS: dict[str, Callable[[Path, random.Random], None]] = {
    "flip": flip,
    "cut": cut,
    "shorten": shorten,
    "swap": swap,
    "move": move,
}


def copied_meanwhile(states: list[Path], into: Path, chance: random.Random) -> None:
    """A copy of a folder that changes: of its entries, in their order, each is taken from a later state or the same."""
    shutil.copytree(states[0], into, ignore=lambda folder, _: [layout.SEGMENTS] if Path(folder) == states[0] else [])
    names = sorted({path.name for state in states for path in (state / layout.SEGMENTS).iterdir()})
    at = 0
    (into / layout.SEGMENTS).mkdir()
    for name in names:
        at = chance.randint(at, len(states) - 1)
        source = states[at] / layout.SEGMENTS / name
        if source.is_dir():
            shutil.copytree(source, into / layout.SEGMENTS / name)


def segments_of(folder: Path) -> Iterator[Path]:
    """The folders of the segments that a recording names."""
    for segment in open_recording(folder).segments:
        yield folder / segment.folder
