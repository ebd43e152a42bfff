"""Damage is found and named; what is before it can still be read."""

import json
import shutil
from pathlib import Path

import pytest

from hpaaudit.errors import DamagedRecording, NewerFormat, NotARecording, RecordingError
from hpaaudit.model.facts import Fact
from hpaaudit.model.inspection import Verification
from hpaaudit.recording.files import layout
from hpaaudit.recording.format import manifest
from hpaaudit.recording.inspection.verify import require_sound, verify
from hpaaudit.recording.reading.recording import open_recording

MINUTE_1 = 1_772_452_860_000_000  # 12:01:00, after the second segment's last fact


def documents_and_tables(folder: Path) -> list[Path]:
    """Returns every file of a recording."""
    return sorted(path for path in folder.rglob("*") if path.is_file())


def verification_of(folder: Path) -> Verification | None:
    """Returns what a verification finds, None where it is refused at the door."""
    try:
        return verify(folder, reread=True)
    except RecordingError:
        return None


def test_a_sound_recording_has_no_damage_and_every_fact(folder: Path, facts: list[Fact]) -> None:
    verification = verify(folder, reread=True)
    assert verification.damages == ()
    assert verification.facts == len(facts)
    assert verification.files == len(list(folder.rglob("*.parquet")))
    assert verification.complete
    assert verification.unfinished == 0
    require_sound(open_recording(folder))


def test_a_flipped_bit_in_any_byte_region_of_any_file_is_found(folder: Path) -> None:
    for path in documents_and_tables(folder):
        data = path.read_bytes()
        for position in {0, len(data) // 3, len(data) // 2, len(data) - 1}:
            flipped = bytearray(data)
            flipped[position] ^= 1
            path.write_bytes(flipped)
            verification = verification_of(folder)
            assert verification is None or verification.damages, (path, position)
        path.write_bytes(data)
    assert verify(folder).damages == ()


def test_a_truncated_file_is_found_by_opening_already(folder: Path) -> None:
    for path in documents_and_tables(folder):
        data = path.read_bytes()
        path.write_bytes(data[:-1])
        with pytest.raises(DamagedRecording):
            open_recording(folder)
        path.write_bytes(data)


def test_a_deleted_file_is_found_by_opening_already(folder: Path) -> None:
    for path in documents_and_tables(folder):
        data = path.read_bytes()
        path.unlink()
        if path.name == "end.json":
            assert not open_recording(folder).complete  # that is what a recorder leaves that was killed
        else:
            with pytest.raises(DamagedRecording):
                open_recording(folder)
        path.write_bytes(data)


@pytest.mark.parametrize("number", [1, 2, 3])
def test_a_deleted_segment_is_found(folder: Path, number: int) -> None:
    shutil.rmtree(folder / layout.segment_name(number))
    with pytest.raises(DamagedRecording, match=f"segments/00000{number} in .* is missing"):
        open_recording(folder)


def test_a_segment_of_another_recording_is_found(folder: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    shutil.copytree(folder, other)
    shutil.rmtree(other / "segments/000002")
    shutil.copytree(folder / "segments/000003", other / "segments/000002")
    (damage, *_) = verify(other).damages
    assert damage.file == "segments/000002/manifest.json"
    assert damage.problem == "does not continue the segment before it"


def test_an_end_of_another_recording_is_found(folder: Path) -> None:
    body, _ = manifest.render({"segments": 3, "facts": 26, "previous": "0" * 64})
    (folder / "end.json").write_bytes(body)
    with pytest.raises(DamagedRecording, match=r"end\.json in .* does not end these segments"):
        open_recording(folder)


def test_the_error_names_file_folder_numbers_and_what_to_do_next(folder: Path) -> None:
    path = folder / "segments/000003/gaps.parquet"
    size = path.stat().st_size
    path.write_bytes(path.read_bytes() + b"!")
    with pytest.raises(DamagedRecording) as caught:
        open_recording(folder)
    assert str(caught.value) == (
        f"segments/000003/gaps.parquet in {folder} has {size + 1} bytes, its manifest says {size}: "
        "replay up to 2026-03-02T12:00:44Z with --until, restore it from a copy, "
        "or save what can be read with `hpaaudit repair`."
    )


def test_damage_in_the_first_segment_leaves_nothing_to_replay(folder: Path) -> None:
    (folder / "segments/000001/pods.parquet").unlink()
    with pytest.raises(DamagedRecording, match="nothing before it can be replayed, restore it from a copy"):
        open_recording(folder)


def test_a_recording_is_read_up_to_its_damage(folder: Path, segments: tuple[tuple[Fact, ...], ...]) -> None:
    (folder / "segments/000003/gaps.parquet").unlink()
    until_us = verify(folder).sound_until
    assert until_us == segments[1][-1].at_us
    assert list(open_recording(folder, until_us=until_us).facts()) == [*segments[0], *segments[1]]
    with pytest.raises(DamagedRecording):
        open_recording(folder, until_us=until_us + 1)


def test_reading_checks_every_byte_though_opening_does_not(folder: Path, facts: list[Fact]) -> None:
    path = folder / "segments/000002/reads.parquet"
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(data)
    recording = open_recording(folder)
    with pytest.raises(DamagedRecording, match=r"reads.parquet .* by its SHA-256: replay up to"):
        list(recording.facts())
    with pytest.raises(DamagedRecording, match=r"reads.parquet"):
        require_sound(recording)
    assert facts[0] == next(recording.facts())


def test_every_damage_is_told_with_its_segment(folder: Path) -> None:
    (folder / "segments/000001/pods.parquet").write_bytes(b"")
    (folder / "segments/000002/manifest.json").write_text("{}")
    (folder / "segments/000003/reads.parquet").unlink()
    assert [(damage.segment, damage.file) for damage in verify(folder).damages] == [
        (1, "segments/000001/pods.parquet"),
        (2, "segments/000002/manifest.json"),
        (3, "segments/000003/reads.parquet"),
    ]


def test_a_manifest_that_counts_other_facts_than_rows_is_found_by_opening_already(folder: Path) -> None:
    path = folder / "segments/000003/manifest.json"
    body = json.loads(path.read_bytes())
    del body["sha256"]
    body["facts"] += 1
    path.write_bytes(manifest.render(body)[0])
    (folder / "end.json").unlink()
    with pytest.raises(DamagedRecording, match=r"claims \d+ facts in \d+ rows"):
        open_recording(folder)


def test_a_newer_format_is_refused_whatever_else_it_says(folder: Path) -> None:
    (folder / "recording.json").write_text('{"format_version": 2, "new": []}')
    with pytest.raises(NewerFormat, match="has format version 2, this hpaaudit reads up to 1: upgrade hpaaudit"):
        open_recording(folder)


def test_a_folder_without_a_recording_is_refused(tmp_path: Path) -> None:
    with pytest.raises(NotARecording, match=r"has no recording\.json"):
        open_recording(tmp_path)
    with pytest.raises(NotARecording, match="does not exist"):
        open_recording(tmp_path / "absent")


def test_other_files_beside_a_recording_do_no_harm(folder: Path, facts: list[Fact]) -> None:
    (folder / "README.md").write_text("One idea.")
    (folder / "results.duckdb").write_bytes(b"")
    assert list(open_recording(folder).facts()) == facts
