"""A replay refuses a recording with any damage before it decides anything, and leaves no results behind."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from hpaaudit.errors import RecordingError
from hpaaudit.flows import fleet
from hpaaudit.flows import replay as flow
from hpaaudit.flows.replay import replay
from hpaaudit.model.units import Micros
from hpaaudit.recording.inspection.verify import verify
from hpaaudit.recording.reading.recording import open_recording
from hpaaudit.recording.recorder.recorder_writer import RecorderWriter
from hpaaudit.recording.recorder.writer_limits import Limits

RECORDING = Path(__file__).parents[2] / "recordings" / "load-step"


@pytest.fixture(scope="module")
def recording(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give a recording with a segment that stands for others, one that does not, and a log."""
    folder = tmp_path_factory.mktemp("refused") / "recording"
    facts = list(open_recording(RECORDING).facts())
    limits = Limits(ballast_bytes=0, keep_bytes=1)
    writer = RecorderWriter(folder, cluster="here", now_us=Micros(facts[0].at_us), note=[].append, limits=limits)
    for number, fact in enumerate(facts, 1):
        writer.add(fact)
        if number in (len(facts) // 2, len(facts) * 3 // 4):
            writer.seal(fact.at_us)
    writer.flush(Micros(0))
    writer.release()
    return folder


def damages(folder: Path) -> Iterator[tuple[Path, str]]:
    """Damage every file in turn: flip bits at its begin, middle and end, cut it in half and to nothing."""
    for path in sorted(path for path in folder.rglob("*") if path.is_file() and path.name != "uploaded"):
        data = path.read_bytes()
        harmed = {f"bit of byte {at}": at for at in (0, len(data) // 2, len(data) - 1)}
        for harm, at in harmed.items():
            path.write_bytes(data[:at] + bytes([data[at] ^ 16]) + data[at + 1 :])
            yield path, harm
        for size in (0, len(data) // 2):
            path.write_bytes(data[:size])
            yield path, f"cut to {size}"
        path.write_bytes(data)


@pytest.mark.parametrize("compiled", [False, True], ids=["one by one", "compiled"])
def test_every_damage_of_every_file_is_refused_before_anything_is_decided(
    compiled: bool, recording: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def decided(*_: object, **__: object) -> None:
        raise AssertionError

    detail = "numbers" if compiled else "moved"
    monkeypatch.setattr(flow, "decide_one_by_one", decided)
    monkeypatch.setattr(fleet, "decide", decided)
    with pytest.raises(AssertionError):
        replay(recording, detail=detail)
    harmed_names = set()
    for path, harm in damages(recording):
        with pytest.raises(RecordingError) as caught:
            replay(recording, detail=detail)
        assert len(str(caught.value).splitlines()) == 1
        assert not (recording / "results.duckdb").exists(), (path, harm)
        harmed_names.add(path.name)
    assert {
        "recording.json",
        "manifest.json",
        "000003.wal",
        "pods.parquet",
        "samples.parquet",
        "reads.parquet",
    } <= harmed_names
    assert verify(recording, reread=True).damages == ()
