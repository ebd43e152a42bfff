"""A recording made from columns has the same files as one made from facts, each whole or absent."""

import os
import random
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from hpaaudit.errors import FileExists, RecordingError
from hpaaudit.model.facts import Fact
from hpaaudit.model.units import Micros
from hpaaudit.recording.format.schema import TABLES
from hpaaudit.recording.inspection.verify import verify
from hpaaudit.recording.reading.recording import Recording, open_recording
from hpaaudit.recording.reading.segment import segment_rows, segment_table
from hpaaudit.recording.writing.recording_folder import RecordingFolder


def tables(recording: Recording) -> list[dict[str, pa.Table]]:
    """Returns the tables of each segment, in the order of their files."""
    collected = []
    for segment in recording.segments:
        part = {}
        for file in segment.files:
            names = [column.name for column in TABLES[file.table].columns]
            part[file.table] = segment_table(recording.folder, segment, file.table, names)
        collected.append(part)
    return collected


def copied(recording: Recording, into: Path, change: Any = lambda table: table) -> Path:
    """Makes a recording of the columns of another one."""
    files = RecordingFolder(into, source="copy", started_us=Micros(0))
    for part in tables(recording):
        files.append_segment({name: change(table) for name, table in part.items()})
    files.complete()
    return into


def test_a_recording_of_columns_holds_the_very_same_facts(folder: Path, facts: list[Fact], tmp_path: Path) -> None:
    recording = open_recording(copied(open_recording(folder), tmp_path / "copy"))
    assert list(recording.facts()) == facts
    assert recording.complete
    assert verify(recording.folder, reread=True).damages == ()
    for ours, theirs in zip(recording.segments, open_recording(folder).segments, strict=True):
        assert (ours.files, ours.first_seq, ours.facts) == (theirs.files, theirs.first_seq, theirs.facts)
        assert (ours.first_us, ours.last_us) == (theirs.first_us, theirs.last_us)


def test_neither_the_order_of_rows_nor_whether_texts_are_dictionaries_makes_a_difference(
    folder: Path, facts: list[Fact], tmp_path: Path
) -> None:
    def shuffled(ordered: pa.Table) -> pa.Table:
        order = random.Random(7).sample(range(ordered.num_rows), ordered.num_rows)  # noqa: S311 (chance that can be repeated)
        plain = [
            column.cast(pa.string()) if pa.types.is_dictionary(column.type) else column for column in ordered.columns
        ]
        return pa.table(plain, names=ordered.column_names).take(order)

    copy = open_recording(copied(open_recording(folder), tmp_path / "copy", shuffled))
    assert list(copy.facts()) == facts
    for ours, theirs in zip(copy.segments, open_recording(folder).segments, strict=True):
        for file in theirs.files:
            assert list(segment_rows(copy.folder, ours, file.table)) == list(segment_rows(folder, theirs, file.table))


def test_a_disk_that_refuses_leaves_nothing_of_a_segment_and_the_same_can_be_tried_again(
    folder: Path, facts: list[Fact], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(_descriptor: int) -> None:
        raise OSError(28, os.strerror(28))

    files = RecordingFolder(tmp_path / "copy", source="copy", started_us=Micros(0))
    first, *rest = tables(open_recording(folder))
    with monkeypatch.context() as patched:
        patched.setattr(os, "fsync", full)
        with pytest.raises(RecordingError, match=r"cannot write segment 1 .* No space left on device"):
            files.append_segment(first)
    assert (files.segments, files.facts, list((tmp_path / "copy/segments").iterdir())) == (0, 0, [])
    for part in (first, *rest):
        files.append_segment(part)
    files.complete()
    assert list(open_recording(tmp_path / "copy").facts()) == facts


def test_a_folder_that_holds_something_is_no_place_to_grow(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("mine")
    with pytest.raises(FileExists):
        RecordingFolder(tmp_path, source="copy", started_us=Micros(0))
