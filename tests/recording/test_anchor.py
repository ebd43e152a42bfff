"""A hash that was stored elsewhere proves what no file in the folder can: that the end was not cut off."""

import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from hpaaudit.model.facts import Fact
from hpaaudit.model.units import Micros
from hpaaudit.recording.files import layout
from hpaaudit.recording.format import manifest
from hpaaudit.recording.inspection.verify import verify
from hpaaudit.recording.recorder.recorder_writer import RecorderWriter
from hpaaudit.recording.upkeep.retention import remove_segments, sealed_segments
from hpaaudit.recording.writing.writer import Writer
from tests.cli.run import run
from tests.recording.facts import at

SEGMENTS = 3


def heads(folder: Path) -> Iterator[str]:
    """The hash of every document there is."""
    for path in (folder / layout.RECORDING, *sorted(folder.glob("segments/*/manifest.json")), folder / layout.END):
        if path.exists():
            yield json.loads(path.read_bytes())[manifest.HASH]


def test_the_head_that_verify_says_is_what_it_expects(folder: Path) -> None:
    head = run(f"hpaaudit verify {folder} -o head")[1].strip()
    assert head == verify(folder).head == [*heads(folder)][-1]
    assert run(f"hpaaudit verify {folder} --expect {head}")[0] == 0
    assert run(f"hpaaudit verify {folder} --expect {head.upper()}")[0] == 0
    assert f"Head hash: {head}\n" in run(f"hpaaudit verify {folder}")[1]


def test_an_earlier_head_stands_for_what_there_was_then(folder: Path) -> None:
    anchors = [verify(folder, expect=head).anchor for head in heads(folder)]
    assert [(item.found, item.whole, item.segment) for item in anchors if item] == [
        (True, False, 0), (True, False, 1), (True, False, 2), (True, True, 3), (True, True, 3)
    ]  # fmt: skip


def test_an_end_that_went_when_the_recorder_went_on_is_still_known(
    tmp_path: Path, segments: tuple[tuple[Fact, ...], ...]
) -> None:
    ends = []
    for number in range(1, SEGMENTS + 1):
        folder = tmp_path / str(number)
        with Writer(folder, source="record", started_us=at(0)) as writer:
            for part in segments[:number]:
                for fact in part:
                    writer.add(fact)
                writer.seal()
        ends.append(verify(folder).head)
    anchors = [verify(folder, expect=end).anchor for end in ends]
    assert [(item.found, item.whole, item.segment) for item in anchors if item] == [
        (True, False, 1), (True, False, 2), (True, True, 3)
    ]  # fmt: skip


def test_the_last_segment_that_was_taken_away_with_the_end_is_missed_by_the_hash_alone(folder: Path) -> None:
    head = verify(folder).head
    shutil.rmtree(folder / layout.segment_name(SEGMENTS))
    (folder / layout.END).unlink()
    assert verify(folder, reread=True).damages == ()
    code, out, _ = run(f"hpaaudit verify {folder} --expect {head}")
    assert code == 2
    assert f"This is not the recording of hash {head}: " in out
    assert run(f"hpaaudit verify {folder}")[0] == 0
    assert f"  hpaaudit verify {folder} --expect {verify(folder).head}\n" in run(f"hpaaudit verify {folder}")[1]


def test_a_recording_that_was_made_anew_is_not_what_the_hash_stands_for(
    folder: Path, tmp_path: Path, segments: tuple[tuple[Fact, ...], ...]
) -> None:
    head = verify(folder).head
    with Writer(tmp_path / "forged", source="record", cluster="https://10.0.0.1:6443", started_us=at(0)) as writer:
        for fact in segments[0]:
            writer.add(fact)
    anchor = verify(tmp_path / "forged", expect=head).anchor
    assert anchor is not None
    assert not anchor.found
    assert run(f"hpaaudit verify {tmp_path / 'forged'} --expect {head} -o json")[0] == 2


def test_what_stands_for_removed_segments_is_led_to_by_the_head_and_not_by_the_chain(folder: Path) -> None:
    documents = [*heads(folder)]
    before = verify(folder).head
    assert remove_segments(folder, sealed_segments(folder), 2, "removed by retention: older than 1 h")
    after = verify(folder)
    assert after.head != before
    anchors = {name: verify(folder, expect=sha256).anchor for name, sha256 in
             {"head": after.head, "end": before, "second": documents[2], "first": documents[1]}.items()}  # fmt: skip
    assert {name: (one.found, one.whole, one.segment) for name, one in anchors.items() if one} == {
        "head": (True, True, 3), "end": (True, False, 3), "second": (True, False, 2), "first": (False, False, 0)
    }  # fmt: skip
    assert (
        "it proves nothing about later segments, nor about what replaces removed ones"
        in run(f"hpaaudit verify {folder} --expect {before}")[1]
    )


def test_what_stands_in_a_log_is_beyond_the_hash_of_the_last_segment(folder: Path, facts: list[Fact]) -> None:
    head = verify(folder).head
    writer = RecorderWriter(folder, cluster="https://10.0.0.1:6443", now_us=Micros(at(100)), note=[].append)
    writer.add(facts[0])
    writer.flush(Micros(at(101)))
    anchor = verify(folder, expect=head).anchor
    assert anchor is not None
    assert (anchor.found, anchor.whole, anchor.segment) == (True, False, SEGMENTS)
    writer.release()


@pytest.mark.parametrize("text", ["", "x", "0" * 63, "0" * 65, "g" * 64])
def test_what_is_no_hash_is_refused(folder: Path, text: str) -> None:
    code, out, err = run(f"hpaaudit verify {folder} --expect '{text}'")
    assert (code, out) == (2, "")
    assert "is not a hash" in err
    assert err.count("\n") == 1
