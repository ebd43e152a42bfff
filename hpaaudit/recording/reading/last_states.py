"""What stood when a recording ended: the last state of everything that is told only when it changes."""

import errno
from collections.abc import Collection, Sequence
from operator import itemgetter
from pathlib import Path

from hpaaudit.model.facts import Fact
from hpaaudit.recording.encoding import fact_rows
from hpaaudit.recording.encoding.object_keys import KEYS
from hpaaudit.recording.encoding.parquet import to_python
from hpaaudit.recording.format.columns import Row
from hpaaudit.recording.format.manifest import Segment
from hpaaudit.recording.format.schema import TABLES
from hpaaudit.recording.reading.segment import DamagedFile, segment_table


def last_states(
    folder: Path, segments: Sequence[Segment], tables: Collection[str], *, skip_damaged: bool = False
) -> list[Fact]:
    """Return the last state of each object of some tables that was not gone, in the order in which it was seen.

    skip_damaged   a file that is not what was written says nothing; what stands before it does

    Raises `OSError` where the disk does not give a file, for it may be sound, and where one is damaged.
    """
    found: list[tuple[int, Fact]] = []
    for table in tables:
        last: dict[tuple[str, ...], Row] = {}
        for segment in segments:
            try:
                last |= _last_rows(folder, segment, table)
            except DamagedFile as error:
                error.require_damage()
                if not skip_damaged:
                    raise OSError(errno.EIO, str(error)) from error
        gone = next((index for index, column in enumerate(TABLES[table].columns) if column.name == "gone"), None)
        found += [fact_rows.to_fact(table, row) for row in last.values() if gone is None or not row[gone]]
    return [fact for _, fact in sorted(found, key=itemgetter(0))]


def _last_rows(folder: Path, segment: Segment, table: str) -> dict[tuple[str, ...], Row]:
    """Return the last row of each object in a segment; only these become Python's."""
    names = [column.name for column in TABLES[table].columns]
    rows = segment_table(folder, segment, table, names)
    if rows is None:
        return {}
    keys = list(zip(*(to_python(rows.column(name)) for name in KEYS[table]), strict=True)) or [()] * rows.num_rows
    place = {key: index for index, key in enumerate(keys)}
    last = rows.take(list(place.values()))
    return dict(zip(place, zip(*(to_python(last.column(name)) for name in names), strict=True), strict=True))
