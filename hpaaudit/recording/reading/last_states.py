"""Finds the last state of each object: what a recorder must know that continues, and what retention must keep."""

import errno
from collections.abc import Collection, Sequence
from operator import itemgetter
from pathlib import Path

from hpaaudit.model.facts import Fact
from hpaaudit.recording.encoding import single_row_facts
from hpaaudit.recording.encoding.object_keys import KEYS
from hpaaudit.recording.encoding.parquet import to_python
from hpaaudit.recording.format.column_types import Row
from hpaaudit.recording.format.manifest import Segment
from hpaaudit.recording.format.schema import TABLES
from hpaaudit.recording.reading.damaged_file import DamagedFile
from hpaaudit.recording.reading.segment import segment_table


def last_states(
    folder: Path, segments: Sequence[Segment], tables: Collection[str], *, skip_damaged: bool = False
) -> list[Fact]:
    """The last state of each object in some tables that is not deleted, in the order of the recording.

    skip_damaged   ignore damaged files, and use what earlier segments say

    Raises `OSError` if the disk fails to read a file, because that may be undamaged; without `skip_damaged` also if
    one is damaged.
    """
    states: list[tuple[int, Fact]] = []
    for table in tables:
        last_rows: dict[tuple[str, ...], Row] = {}
        for segment in segments:
            try:
                last_rows |= _last_rows(folder, segment, table)
            except DamagedFile as error:
                error.require_damage()
                if not skip_damaged:
                    raise OSError(errno.EIO, str(error)) from error
        gone = next((index for index, column in enumerate(TABLES[table].columns) if column.name == "gone"), None)
        states += [single_row_facts.to_fact(table, row) for row in last_rows.values() if gone is None or not row[gone]]
    return [fact for _, fact in sorted(states, key=itemgetter(0))]


def _last_rows(folder: Path, segment: Segment, table: str) -> dict[tuple[str, ...], Row]:
    """The last row of each object in a segment. Only these rows become Python values."""
    names = [column.name for column in TABLES[table].columns]
    rows = segment_table(folder, segment, table, names)
    if rows is None:
        return {}
    keys = list(zip(*(to_python(rows.column(name)) for name in KEYS[table]), strict=True)) or [()] * rows.num_rows
    last_index = {key: index for index, key in enumerate(keys)}
    last_rows = rows.take(list(last_index.values()))
    return dict(zip(last_index, zip(*(to_python(last_rows.column(name)) for name in names), strict=True), strict=True))
