"""Old segments are removed, and one replaces them: what follows can be replayed, and the chain of hashes holds."""

import errno
import os
import shutil
import tempfile
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any, Self

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hpaaudit.errors import DamagedRecording
from hpaaudit.flows.inspect import inspect
from hpaaudit.flows.replay import replay
from hpaaudit.model.facts import ControllerSeen, Ended, Fact, Gap, HpaSeen
from hpaaudit.model.units import SECOND, Micros
from hpaaudit.recording.encoding import single_row_facts
from hpaaudit.recording.encoding.object_keys import KEYS
from hpaaudit.recording.format.schema import TABLES
from hpaaudit.recording.inspection.verify import verify
from hpaaudit.recording.reading.recording import open_recording
from hpaaudit.recording.recorder import load_shedding
from hpaaudit.recording.recorder.recorder_writer import RecorderWriter
from hpaaudit.recording.recorder.writer_limits import Limits
from hpaaudit.recording.upkeep import retention, upload_marks
from hpaaudit.report.inspect import verification_text
from tests.recording.facts import at

LIMITS, NOON = Limits(ballast_bytes=0), at(0)
STATES = (
    "ControllerSeen",
    "VersionRead",
    "RecorderStarted",
    "LeaseSeen",
    "HpaSeen",
    "TargetSeen",
    "RolloutSeen",
    "ScaledObjectSeen",
    "SurroundingSeen",
    "PodSeen",
    "ApiServiceSeen",
)
RECORDING = Path(__file__).parents[2] / "recordings" / "scaled-by-hand"


def open_writer(folder: Path, limits: Limits = LIMITS, now_us: Micros = NOON) -> RecorderWriter:
    """Begins a recording, or goes on with one."""
    return RecorderWriter(folder, cluster="here", now_us=now_us, note=[].append, limits=limits)


def sealed(folder: Path, segments: tuple[tuple[Fact, ...], ...], limits: Limits) -> RecorderWriter:
    """Records segments, each sealed at its last fact's time."""
    writer = open_writer(folder, limits)
    for part in segments:
        for fact in part:
            writer.add(fact)
        writer.seal(part[-1].at_us)
    return writer


def numbers(folder: Path) -> list[str]:
    """Which segments there are."""
    return sorted(path.name for path in (folder / "segments").iterdir())


def test_what_is_too_old_is_removed_and_its_last_states_stay(
    tmp_path: Path, segments: tuple[tuple[Fact, ...], ...]
) -> None:
    folder = tmp_path / "friday"
    with sealed(folder, segments, Limits(ballast_bytes=0, keep_us=Micros(20 * SECOND))) as recording:
        assert numbers(folder) == ["000002", "000003"]
        recording.add(Ended(at_us=at(90)))
    first, second, third = segments
    gap = Gap(
        at_us=first[0].at_us,
        until_us=second[-1].at_us,
        prefix="*",
        cause="removed by retention: older than 0.00555556 h",
    )
    items = list(open_recording(folder).facts())
    stand, rest = items[: -len(third) - 1], items[-len(third) - 1 :]
    assert rest == [*third, Ended(at_us=at(90))]
    assert stand[0] == gap
    # The states come as of the end of what was removed, in the order in which they were seen.
    states = [fact for fact in (*first, *second) if type(fact).__name__ in STATES]
    assert stand[1:] == [replace(fact, at_us=second[-1].at_us) for fact in states]
    verification = verify(folder, reread=True)
    assert (verification.damages, verification.removed, verification.removed_us) == ((), 2, second[-1].at_us)
    assert "Removed: segments 1 to 2, up to 2026-03-02T12:00:44Z; that time is a gap.\n" in verification_text(
        verification
    )
    assert inspect(folder).gaps[0] == gap
    assert open_recording(folder).info.started_us == at(0)


def test_every_table_but_those_of_what_is_asked_or_written_anew_tells_only_changes() -> None:
    asked = {"reads", "samples", "metric_values", "scale_writes", "status_writes", "reconciles", "gaps", "ends"}
    asked |= {"pod_lists", "heapster_reads"}
    assert set(KEYS) == set(TABLES) - asked - {"refused"}


def test_of_every_table_that_tells_only_changes_the_last_state_is_kept_while_the_disk_is_full(
    facts: list[Fact],
) -> None:
    full = load_shedding.LoadShedder()
    for fact in facts:
        full.admits(fact, 2)
    _, *states = full.reopen(NOON, "the disk is full")
    assert {single_row_facts.to_row(0, fact)[0] for fact in states} == set(KEYS)


def test_the_newest_segment_stays_whatever_its_age_and_size(
    tmp_path: Path, segments: tuple[tuple[Fact, ...], ...]
) -> None:
    folder = tmp_path / "friday"
    sealed(folder, segments, Limits(ballast_bytes=0, keep_us=Micros(1), keep_bytes=1)).close()
    assert numbers(folder) == ["000002", "000003"]
    assert verify(folder, reread=True).damages == ()


def test_removing_again_and_again_leaves_one_gap_from_the_very_beginning(tmp_path: Path) -> None:
    folder = tmp_path / "long"
    facts = [fact for fact in open_recording(RECORDING).facts() if not isinstance(fact, Ended)]
    writer = open_writer(folder, Limits(ballast_bytes=0, keep_bytes=40_000), Micros(facts[0].at_us))
    removed = set()
    for number, fact in enumerate(facts):
        writer.add(fact)
        if number % (len(facts) // 12) == 9:
            writer.seal(fact.at_us)
            assert verify(folder, reread=True).damages == ()
            removed.add(numbers(folder)[0])
    writer.close()
    assert len(removed) > 2
    (gap,) = open_recording(folder).gaps
    assert gap.at_us == facts[0].at_us
    assert gap.cause == "removed by retention: more than 40,000 bytes"
    assert sum(file.stat().st_size for file in (folder / "segments").rglob("*.parquet")) < 100_000
    kept_count = len(facts) // 12
    assert list(open_recording(folder).facts())[-kept_count:] == facts[-kept_count:]
    lines: list[str] = []
    with replay(folder, warn=lines.append) as results:
        assert [line for line in lines if "was removed: that time is a gap" in line]
        matches_after_gap = (
            "select count(*) from reconciles where verdict = 'match' and ts > (select max(gap_to) from coverage_gaps)"
        )
        assert results.sql(matches_after_gap).fetchall()[0][0] > 0
        assert results.sql("select cause from coverage_gaps").fetchall() == [(gap.cause,)]


class FailingDisk:
    """The disk refuses one change of a name: that after the first `failing` ones."""

    def __init__(self, patch: pytest.MonkeyPatch, failing: int) -> None:
        self.patch, self.left = patch, failing

    def __enter__(self) -> Self:
        for name in ("rename", "unlink", "rmdir", "mkdir"):
            self.patch.setattr(os, name, self.refusing(getattr(os, name)))
        return self

    def __exit__(self, *_: object) -> None:
        self.patch.undo()

    def refusing(self, real: Callable[..., None]) -> Callable[..., None]:
        """The call, as this disk answers it."""

        def change(*parts: Any, **options: Any) -> None:
            self.left -= 1
            if self.left == -1:
                raise OSError(errno.EIO, os.strerror(errno.EIO))
            real(*parts, **options)

        return change


@pytest.fixture(scope="module")
def many(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Gives a recording of seven segments with a few facts each."""
    folder = tmp_path_factory.mktemp("many") / "recording"
    facts = [fact for fact in open_recording(RECORDING).facts() if not isinstance(fact, Ended)]
    writer = open_writer(folder, now_us=Micros(facts[0].at_us))
    for number, fact in enumerate(facts):
        writer.add(fact)
        if number % (len(facts) // 7) == len(facts) // 7 - 1:
            writer.seal(fact.at_us)
    writer.close()
    return folder


@pytest.fixture
def two(tmp_path: Path, segments: tuple[tuple[Fact, ...], ...]) -> Path:
    """Gives a recording of three segments, as it was before and after two of them were removed."""
    folder = tmp_path / "two"
    sealed(folder, segments, Limits(ballast_bytes=0)).close()
    shutil.copytree(folder, tmp_path / "before")
    assert retention.remove_segments(folder, retention.sealed_segments(folder), 2, "for a test")
    return folder


def test_the_hash_of_a_recording_changes_when_some_of_it_is_removed(two: Path, tmp_path: Path) -> None:
    assert open_recording(two).info.manifest_sha256 != open_recording(tmp_path / "before").info.manifest_sha256


@pytest.mark.parametrize("steps", range(5))
def test_a_removal_that_was_interrupted_anywhere_reads_as_done_or_not_begun(
    steps: int, two: Path, tmp_path: Path
) -> None:
    before, parts = tmp_path / "before", tmp_path / "before/segments"
    facts, after = list(open_recording(before).facts()), list(open_recording(two).facts())
    base = parts / ("000002.base.tmp" if steps == 0 else "000002.base")
    shutil.copytree(two / "segments/000002", base)
    if steps > 1:
        (parts / "000001").rename(parts / "000001.removed")
    if steps > 2:
        (parts / "000002").rename(parts / "000002.removed")
    if steps > 3:
        base.rename(parts / "000002")
    assert list(open_recording(before).facts()) == (after if steps else facts)
    assert verify(before, reread=True).damages == ()
    retention.finish_removal(before)
    assert numbers(before) == (["000002", "000003"] if steps else ["000001", "000002", "000003"])
    assert list(open_recording(before).facts()) == (after if steps else facts)


@settings(max_examples=40, deadline=None)
@given(rounds=st.lists(st.tuples(st.integers(1, 2), st.integers(0, 14)), min_size=1, max_size=4))
def test_removals_that_the_disk_refuses_again_and_again_leave_a_sound_recording(
    rounds: list[tuple[int, int]], many: Path
) -> None:
    """Each round removes some more segments; its nth change of the disk fails. The next round meets what is left."""
    with tempfile.TemporaryDirectory() as folder_name, pytest.MonkeyPatch.context() as patch:
        folder = Path(shutil.copytree(many, Path(folder_name) / "many"))
        facts = list(open_recording(folder).facts())
        through = 0
        for more, failing in rounds:
            through += more
            with FailingDisk(patch, failing), suppress(OSError):
                retention.remove_segments(folder, retention.sealed_segments(folder), through, "for a test")
            assert verify(folder).damages == ()
            [*_, last] = open_recording(folder).facts()
            assert last == facts[-1]
        retention.finish_removal(folder)
        assert verify(folder, reread=True).damages == ()
        assert all(name.isdecimal() for name in numbers(folder))


def test_a_recording_goes_on_after_a_removal(two: Path, facts: list[Fact]) -> None:
    known_names = {fact.name for fact in open_writer(two, now_us=at(99)).last_states if isinstance(fact, HpaSeen)}
    assert known_names == {"checkout"}
    assert verify(two, reread=True).damages == ()
    assert list(open_recording(two).facts())[-7:] == facts[-7:]


def test_damage_of_what_stands_for_the_removed_is_found(two: Path) -> None:
    for path in sorted((two / "segments/000002").glob("*.*")):
        data = path.read_bytes()
        for position in {0, len(data) // 2, len(data) - 1}:
            flipped = bytearray(data)
            flipped[position] ^= 1
            path.write_bytes(flipped)
            with pytest.raises(DamagedRecording):
                list(open_recording(two).facts())
            assert verify(two).damages
        path.write_bytes(data)
    shutil.rmtree(two / "segments/000002")
    with pytest.raises(DamagedRecording, match="is missing"):
        open_recording(two)


def test_only_what_is_uploaded_goes_to_make_room(tmp_path: Path, segments: tuple[tuple[Fact, ...], ...]) -> None:
    sealed_folder = sealed(tmp_path / "friday", segments, Limits(ballast_bytes=0))
    assert not sealed_folder._storage.space.remove_uploaded()
    first, second, third = upload_marks.not_uploaded(sealed_folder.folder)
    upload_marks.mark_uploaded(second)
    assert not sealed_folder._storage.space.remove_uploaded()  # the one before it is not safe yet
    upload_marks.mark_uploaded(first)
    assert upload_marks.not_uploaded(sealed_folder.folder) == [third]
    assert sealed_folder._storage.space.remove_uploaded()
    assert sealed_folder._storage.space.remove_uploaded()
    assert not sealed_folder._storage.space.remove_uploaded()
    assert numbers(sealed_folder.folder) == ["000002", "000003"]
    assert upload_marks.not_uploaded(sealed_folder.folder) == [third]
    sealed_folder.close()
    assert open_recording(sealed_folder.folder).gaps[0].cause == "removed to make room: it was uploaded"


@pytest.mark.parametrize(("was", "stands"), [("started", "declared"), ("declared", "declared"), ("stopped", "stopped")])
def test_a_controller_that_had_started_does_not_start_again_where_its_begin_was_removed(
    was: str, stands: str, tmp_path: Path, segments: tuple[tuple[Fact, ...], ...]
) -> None:
    first, *rest = segments
    controller = next(fact for fact in first if isinstance(fact, ControllerSeen))
    begun = tuple(replace(fact, state=was) if fact is controller else fact for fact in first)
    with sealed(tmp_path / "r", (begun, *rest), Limits(ballast_bytes=0, keep_us=Micros(20 * SECOND))):
        pass
    (controller,) = [fact for fact in open_recording(tmp_path / "r").facts() if isinstance(fact, ControllerSeen)]
    assert controller.state == stands
