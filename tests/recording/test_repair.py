"""Whatever damages a log or a segment: what can be read stays, once and in order, and what is lost is a gap."""

import os
import random
import shutil
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from hpaaudit.errors import DamagedRecording, RecordingError
from hpaaudit.flows.repair import repair
from hpaaudit.flows.replay import replay
from hpaaudit.model.facts import Ended, Fact, Gap, PodSeen, ResourceMetricsRead, ValuesRead
from hpaaudit.model.units import SECOND, Micros
from hpaaudit.recording.encoding import frames, log_content
from hpaaudit.recording.encoding.frames import FIRST_FRAME
from hpaaudit.recording.files import layout
from hpaaudit.recording.inspection.verify import verify
from hpaaudit.recording.reading.recording import open_recording
from hpaaudit.recording.recorder.recorder_writer import RecorderWriter
from hpaaudit.recording.recorder.writer_limits import Limits
from hpaaudit.recording.upkeep.salvage import from_log
from tests.recording.facts import at, pod, queue, usage
from tests.recording.harm import by_chance, cuts, flips, zeroed

LIMITS = Limits(ballast_bytes=0)
LOG = "log/000002.wal"
LONG = int(os.environ.get("HPAAUDIT_DAMAGES", "400"))
"""So many damages by chance are tried; more on request."""
CLUSTER, LATER = "https://10.0.0.1:6443", at(600)


def open_writer(folder: Path, now_us: Micros = LATER) -> RecorderWriter:
    """Begins a recording, or goes on with one."""
    return RecorderWriter(folder, cluster=CLUSTER, now_us=now_us, note=[].append, limits=LIMITS)


def history() -> list[list[Fact]]:
    """Facts by frame: pods that come once, answers that mostly repeat, shrink, move and fail."""
    names = ["a", "b", "c"]
    facts_by_frame: list[list[Fact]] = [[pod(0, "first", "True"), usage(0, 300, *names)]]
    for second in range(1, 9):
        read = usage(second, 300 if second % 4 else 500, *names[: 1 + second % 3], scraped=second // 3)
        values = queue(second, 4000, *([5000] if second % 2 else []))
        values = replace(values, values=tuple(replace(one, timestamp_us=at(0)) for one in values.values or ()))
        facts_by_frame.append(
            [pod(second, f"pod-{second}", "True"), read, values, replace(read, at_us=at(second + 0.5))]
        )
    return facts_by_frame


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Gives a recording with a segment and a log of nine frames, whose recorder is no more."""
    folder = tmp_path_factory.mktemp("small") / "recording"
    dead = open_writer(folder, at(0))
    dead.add(Ended(at_us=at(-1)))
    dead.seal(at(0))
    for part in history():
        for fact in part:
            dead.add(fact)
        dead.flush(at(0))
    dead.release()
    return folder


def spans(data: bytes) -> list[tuple[int, int]]:
    """Where each frame of facts stands in a sound log."""
    return [(frame.start, frame.end) for frame in log_content.read_frames(data).frames]


def intact(whole: bytes, damaged: bytes) -> list[int]:
    """Which frames are somewhere in a damaged log with all their bytes."""
    return [number for number, (start, end) in enumerate(spans(whole)) if whole[start:end] in damaged]


def saved(damaged: bytes, log_identity: tuple[int, str, int]) -> list[Fact]:
    """What can be read of a damaged log."""
    try:
        content = log_content.read_frames(damaged, log_identity)
    except ValueError:
        return []
    return from_log(content, at(-1)).facts


@pytest.fixture(scope="module")
def log_identity(small: Path) -> tuple[int, str, int]:
    """Gives what the segment before the log tells of it."""
    (segment, _) = open_recording(small).segments
    return 2, segment.sha256, 1


def check(whole: bytes, damaged: bytes, log_identity: tuple[int, str, int], history_facts: list[list[Fact]]) -> None:
    """Every frame whose bytes are there is kept, once and in order; nothing is invented; what lacks is a gap."""
    facts = saved(damaged, log_identity)
    there = intact(whole, damaged)
    surviving = [fact for fact in facts if not isinstance(fact, Gap)]
    assert surviving == [fact for number in there for fact in history_facts[number]]
    gaps = [fact for fact in facts if isinstance(fact, Gap) and fact.cause.startswith("the log is damaged:")]
    holes = [(before, number) for before, number in zip([-1, *there], there, strict=False) if number > before + 1]
    assert [(gap.at_us, gap.until_us) for gap in gaps] == [
        (history_facts[before][-1].at_us if before >= 0 else at(-1), history_facts[number][0].at_us)
        for before, number in holes
    ]
    lost = sum(len(history_facts[number]) for before, after in holes for number in range(before + 1, after))
    assert sum(int(gap.cause.removeprefix("the log is damaged: ").split()[0]) for gap in gaps) == lost


@pytest.mark.parametrize("harm", [flips, cuts, lambda data: zeroed(data, 100)], ids=["flips", "cuts", "zeros"])
def test_every_damage_of_every_byte_costs_only_the_frames_that_it_hits(
    harm: Callable[[bytes], Iterator[bytes]], small: Path, log_identity: tuple[int, str, int]
) -> None:
    whole, history_facts = (small / LOG).read_bytes(), history()
    assert len(spans(whole)) == len(history_facts)
    for damaged in harm(whole):
        check(whole, damaged, log_identity, history_facts)


def test_damages_by_chance_cost_only_the_frames_that_they_hit(small: Path, log_identity: tuple[int, str, int]) -> None:
    whole, history_facts, lost = (small / LOG).read_bytes(), history(), 0
    for seed in range(LONG):
        damaged = by_chance(whole, random.Random(seed))  # noqa: S311 (chance that can be repeated)
        check(whole, damaged, log_identity, history_facts)
        lost += len(history_facts) - len(intact(whole, damaged))
    assert 0 < lost < LONG * len(history_facts)  # the damages were neither none nor all


def test_a_flip_in_the_head_loses_nothing(small: Path, tmp_path: Path) -> None:
    """Of the bytes before the first fact each is flipped, and the recording repaired."""
    whole, history_facts = (small / LOG).read_bytes(), [fact for part in history() for fact in part]
    first = spans(whole)[0][0]
    for number, position in enumerate([*range(FIRST_FRAME), FIRST_FRAME + 3, FIRST_FRAME + 30, first - 1]):
        folder = tmp_path / str(number)
        shutil.copytree(small, folder)
        (folder / LOG).write_bytes(whole[:position] + bytes([whole[position] ^ 1]) + whole[position + 1 :])
        with pytest.raises(DamagedRecording):
            open_recording(folder)
        (mend,) = repair(folder).mends
        assert (mend.kept, mend.lost) == (len(history_facts), 0)
        assert [*open_recording(folder).facts()][1:] == history_facts
        assert verify(folder, reread=True).damages == ()


def repaired(folder: Path, history_facts: list[Fact]) -> list[Fact]:
    """Repairs a recording, which is sound then, and again needs none; returns its facts."""
    before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file() and not path.is_symlink()}
    planned = repair(folder, plan=True)
    assert before == {path: path.read_bytes() for path in before}
    assert not (folder / "quarantine").exists()
    mended = repair(folder)
    assert {mend.file for mend in mended.mends} == {mend.file for mend in planned.mends}
    assert verify(folder, reread=True).damages == ()
    assert repair(folder).mends == ()
    there = {path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    assert set(before.values()) <= there  # nothing is deleted
    items = list(open_recording(folder).facts())
    surviving = [fact for fact in items if not isinstance(fact, Gap)]
    assert surviving == [fact for fact in history_facts if fact in surviving]
    assert len(surviving) == len(set(map(repr, surviving)))
    return items


@pytest.mark.parametrize("seed", range(12))
def test_a_damaged_log_goes_on_being_recorded(seed: int, small: Path, tmp_path: Path) -> None:
    whole, history_facts = (small / LOG).read_bytes(), history()
    folder = tmp_path / "recording"
    shutil.copytree(small, folder)
    damaged = by_chance(whole, random.Random(seed))  # noqa: S311 (chance that can be repeated)
    (folder / LOG).write_bytes(damaged)
    with open_writer(folder) as again:
        again.add(Ended(at_us=at(700)))
    assert verify(folder, reread=True).damages == ()
    surviving = [fact for fact in open_recording(folder).facts() if not isinstance(fact, Gap)]
    expected = [fact for number in intact(whole, damaged) for fact in history_facts[number]]
    assert surviving == [Ended(at_us=at(-1)), *expected, Ended(at_us=at(700))]
    assert open_recording(folder).gaps[-1].until_us == at(600)


def test_a_lost_frame_is_a_gap_with_both_ends_and_what_changes_is_unknown_until_it_is_listed_again(
    small: Path, tmp_path: Path
) -> None:
    folder, history_facts = tmp_path / "recording", history()
    shutil.copytree(small, folder)
    whole = (small / LOG).read_bytes()
    start, end = spans(whole)[4]
    (folder / LOG).write_bytes(whole[:start] + bytes(end - start) + whole[end:])
    repair_result = repaired(folder, [Ended(at_us=at(-1)), *(fact for part in history_facts for fact in part)])
    gaps = [fact for fact in repair_result if isinstance(fact, Gap)]
    assert (gaps[0].at_us, gaps[0].until_us, gaps[0].prefix) == (at(3.5), at(5), "*")
    assert gaps[0].cause == "the log is damaged: 4 facts lost"
    assert {gap.prefix for gap in gaps[1:]} >= {"/apis/autoscaling/", "/api/v1/pods", "/apis/apps"}
    assert {(gap.at_us, gap.until_us) for gap in gaps[1:]} == {(at(5), at(8.5))}
    with replay(folder) as results:
        assert results.sql("select count(*) from coverage_gaps").fetchall() == [(len(gaps),)]


def without_what_stands_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Writes logs as recorders up to 0.1.0 did: no mark, and nothing of what did not change."""
    frame = frames._frame
    monkeypatch.setattr(frames, "_frame", lambda _mark, facts, seq, body, _hidden: plain(frame, facts, seq, body))


def plain(frame: Callable[..., bytes], facts: int, first_seq: int, unpacked: bytes) -> bytes:
    """A frame whose body is zstd alone."""
    import zlib

    damaged_frame = frame(b"", facts, first_seq, unpacked, b"")
    body = damaged_frame[frames.BODY + frames.SKIPPABLE.size :]
    start = frames.START.pack(len(body), len(unpacked), facts, first_seq)
    return start + frames.CHECKSUM.pack(zlib.crc32(body, zlib.crc32(start))) + body


def test_a_log_of_an_older_recorder_is_read_and_repaired(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Answers that continue a damaged one are unknown there: they are left out, which is a gap, and never guessed."""
    without_what_stands_alone(monkeypatch)
    folder, history_facts = tmp_path / "recording", history()
    dead = open_writer(folder, at(0))
    for part in history_facts:
        for fact in part:
            dead.add(fact)
        dead.flush(at(0))
    dead.release()
    everything = [fact for part in history_facts for fact in part]
    assert list(open_recording(folder).facts()) == everything
    log = folder / "log/000001.wal"
    whole = log.read_bytes()
    assert not log_content.read_frames(whole).frames[0].mark
    log_identity = (1, open_recording(folder).segments[0].previous, 0)
    for damaged in [*flips(whole), *(by_chance(whole, random.Random(seed)) for seed in range(300))]:  # noqa: S311
        facts = saved(damaged, log_identity)
        surviving = [fact for fact in facts if not isinstance(fact, Gap)]
        intact_facts = [fact for number in intact(whole, damaged) for fact in history_facts[number]]
        assert [fact for fact in surviving if isinstance(fact, PodSeen)] == [
            fact for fact in intact_facts if isinstance(fact, PodSeen)
        ]
        assert surviving == [fact for fact in intact_facts if fact in surviving]
        left_out = {fact.path.partition("?")[0] for fact in intact_facts if fact not in surviving}  # type: ignore[union-attr]
        assert left_out <= {fact.prefix for fact in facts if isinstance(fact, Gap)}


def test_frames_of_another_log_are_none_of_ours(
    small: Path, log_identity: tuple[int, str, int], tmp_path: Path
) -> None:
    """A file system may give a file the blocks of another one."""
    other = open_writer(tmp_path / "other", at(1))
    other.add(Ended(at_us=at(-1)))
    other.seal(at(0))
    for number in range(40):
        other.add(Ended(at_us=at(number)))
        other.flush(at(0))
    other.release()
    foreign, whole = (tmp_path / "other" / LOG).read_bytes(), (small / LOG).read_bytes()
    recorded = history()
    for start, end in spans(whole):
        check(whole, whole[:start] + foreign[spans(foreign)[0][0] :] + whole[end:], log_identity, recorded)
    check(whole, whole + foreign, log_identity, recorded)
    check(
        whole,
        foreign[:FIRST_FRAME] + foreign[FIRST_FRAME : spans(foreign)[0][0]] + whole[spans(whole)[2][0] :],
        log_identity,
        recorded,
    )


# Segments


@pytest.fixture
def sealed(tmp_path: Path, segments: tuple[tuple[Fact, ...], ...]) -> Path:
    """Gives a recording of three segments, in which every pod and HPA is told of in its order."""
    folder = tmp_path / "sealed"
    with open_writer(folder, at(0)) as writer:
        for part in segments:
            for fact in part:
                writer.add(fact)
            writer.seal(part[-1].at_us)
    return folder


def files(folder: Path) -> list[Path]:
    """Every file but the head, without which nobody knows what it is a recording of."""
    return sorted(path for path in folder.rglob("*") if path.is_file() and path.name != "recording.json")


def test_every_damaged_file_is_set_aside_and_all_other_facts_stay(
    sealed: Path, facts: list[Fact], tmp_path: Path
) -> None:
    for number, path in enumerate(files(sealed)):
        ways = ("flip", "cut", "gone")
        for way in ways if path.suffix == ".json" else (ways[number % 3],):
            folder = tmp_path / f"{number}-{way}"
            shutil.copytree(sealed, folder)
            harmed = folder / path.relative_to(sealed)
            data = harmed.read_bytes()
            if way == "gone":
                harmed.unlink()
            else:
                middle = len(data) // 2
                harmed.write_bytes(
                    data[:middle] + (bytes([data[middle] ^ 1]) + data[middle + 1 :] if way == "flip" else b"")
                )
            if way == "gone" and path.name == "end.json":
                continue
            repair_result = repaired(folder, facts)
            gaps = [fact for fact in repair_result if isinstance(fact, Gap)]
            if path.name == "end.json":
                assert len(gaps) == 1  # the one that was recorded
                continue
            lost = [fact for fact in facts if fact not in repair_result]
            recording = open_recording(folder)
            unseen = [fact for fact in lost if recording.complete or fact.at_us <= recording.info.ended_us]
            assert all(any(gap.at_us <= fact.at_us <= gap.until_us for gap in gaps) for fact in unseen), (path, way)
            assert bool(lost) or path.name.startswith("gaps"), (path, way)
            of_the_segment = {p.name for p in path.parent.glob("*.parquet")}
            if path.suffix == ".parquet" and len(of_the_segment) > 1:
                assert len(lost) < len(facts) // 2


@pytest.mark.parametrize("gone", [[1], [2], [3], [1, 2], [2, 3], [1, 2, 3], [1, 3]])
def test_segments_that_are_gone_leave_a_gap(
    gone: list[int], sealed: Path, facts: list[Fact], segments: tuple[tuple[Fact, ...], ...]
) -> None:
    for number in gone:
        shutil.rmtree(sealed / layout.segment_name(number))
    repair_result = repaired(sealed, facts)
    assert any(isinstance(fact, Gap) and "damaged" in fact.cause for fact in repair_result)
    there = [fact for number, part in enumerate(segments, 1) if number not in gone for fact in part]
    assert [fact for fact in repair_result if fact in facts] == there


def test_a_segment_that_is_found_again_can_be_put_back(sealed: Path, facts: list[Fact], tmp_path: Path) -> None:
    """What stands for it names its hash, so the rest of the chain is as it was."""
    shutil.copytree(sealed / "segments/000002", tmp_path / "copy")
    (sealed / "segments/000002/manifest.json").write_text("{}")
    repair(sealed)
    shutil.rmtree(sealed / "segments/000002")
    shutil.copytree(tmp_path / "copy", sealed / "segments/000002")
    assert verify(sealed, reread=True).damages == ()
    assert list(open_recording(sealed).facts()) == facts


@pytest.mark.parametrize("seed", range(30))
def test_several_damages_at_once_are_repaired(seed: int, sealed: Path, facts: list[Fact]) -> None:
    chance = random.Random(seed)  # noqa: S311 (chance that can be repeated)
    for path in chance.sample(files(sealed), chance.randint(1, 6)):
        path.write_bytes(by_chance(path.read_bytes(), chance))
    repaired(sealed, facts)


def test_a_repaired_recording_replays_both_ways_and_goes_on(tmp_path: Path) -> None:
    folder = tmp_path / "recording"
    shutil.copytree(Path(__file__).parents[2] / "recordings" / "load-step", folder)
    parts = sorted((folder / "segments").iterdir())
    path = parts[len(parts) // 2] / "pods.parquet"
    path.write_bytes(path.read_bytes()[:-9])
    repair(folder)
    with replay(folder) as one, replay(folder, into=tmp_path / "fast.duckdb", detail="numbers") as fast:
        query = "select count(*) from reconciles"
        assert one.sql(query).fetchall() == fast.sql(query).fetchall() != [(0,)]


@pytest.mark.parametrize("at_call", range(1, 40))
def test_a_repair_that_was_cut_short_is_done_by_the_next(
    at_call: int, sealed: Path, facts: list[Fact], monkeypatch: pytest.MonkeyPatch
) -> None:
    """It dies at each of its renames, links and syncs in turn."""
    (sealed / "segments/000002/pods.parquet").unlink(missing_ok=True)
    (sealed / "segments/000002/manifest.json").write_text("{}")
    (sealed / "segments/000001/pods.parquet").write_bytes(b"")
    calls = 0

    def dying(real: Callable[..., object]) -> Callable[..., object]:
        def call(*arguments: object, **named: object) -> object:
            nonlocal calls
            calls += 1
            if calls == at_call:
                raise OSError(5, "Input/output error")
            return real(*arguments, **named)

        return call

    with monkeypatch.context() as patched:
        for name in ("rename", "fsync", "mkdir"):
            patched.setattr(os, name, dying(getattr(os, name)))
        try:
            repair(sealed)
        except RecordingError as error:
            assert "cannot repair" in str(error)  # noqa: PT017 (some calls come after all was done)
    repair(sealed)
    assert verify(sealed, reread=True).damages == ()
    assert repair(sealed).mends == ()
    surviving = [fact for fact in open_recording(sealed).facts() if not isinstance(fact, Gap)]
    assert len(surviving) > 10
    assert surviving == [fact for fact in facts if fact in surviving]


def test_a_recording_that_grows_is_not_repaired(sealed: Path) -> None:
    with open_writer(sealed), pytest.raises(RecordingError, match="is being recorded into by another process"):
        repair(sealed)


def test_a_damaged_head_is_said(sealed: Path) -> None:
    (sealed / "recording.json").write_text("{")
    with pytest.raises(DamagedRecording, match=r"recording\.json .* restore it from a copy"):
        repair(sealed)


def test_answers_behind_a_hole_are_those_that_were_given(tmp_path: Path) -> None:
    """Of a fleet that mostly repeats, each frame in turn is lost: what is read of the others is what was read."""
    folder, history_facts = tmp_path / "fleet", list[list[Fact]]()
    chance = random.Random(3)  # noqa: S311 (chance that can be repeated)
    dead = open_writer(folder, at(0))
    names = [f"web-{number}" for number in range(30)]
    for second in range(12):
        chance.shuffle(names)
        shown = sorted(names[:20]) if second % 3 else names[:25]
        read = usage(second, 100, *shown, scraped=second // 4)
        samples = tuple(
            replace(one, timestamp_us=Micros(one.timestamp_us + chance.randrange(2) * SECOND))
            for one in read.samples or ()
        )
        history_facts.append([replace(read, samples=samples), queue(second, *[7] * chance.randrange(1, 4))])
        for fact in history_facts[-1]:
            dead.add(fact)
        dead.flush(at(0))
    dead.release()
    whole = (folder / "log/000001.wal").read_bytes()
    log_identity = (1, open_recording(folder).segments[0].previous, 0)
    for number, (start, end) in enumerate(spans(whole)):
        surviving = saved(whole[:start] + bytes(end - start) + whole[end:], log_identity)
        reads = [fact for fact in surviving if isinstance(fact, ResourceMetricsRead | ValuesRead)]
        assert reads == [fact for other, part in enumerate(history_facts) if other != number for fact in part]
