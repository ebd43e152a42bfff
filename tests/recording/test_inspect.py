"""What `inspect` and `verify` say of a recording."""

import json
from pathlib import Path

import pytest

from hpaaudit.errors import DamagedRecording
from hpaaudit.flows.inspect import inspect
from hpaaudit.model.facts import Fact
from hpaaudit.model.units import Micros
from hpaaudit.recording.writing.writer import Writer
from tests.cli.run import run

SERVER = "https://10.0.0.1:6443"


def test_an_inspection_counts_what_was_recorded(folder: Path, facts: list[Fact]) -> None:
    inspection = inspect(folder)
    assert inspection.facts == len(facts)
    assert inspection.hpas == ("shop/checkout", "shop/orders")
    assert (inspection.pods, inspection.targets, inspection.segments) == (2, 1, 3)
    assert inspection.releases == ("1.36", "v1.36.2")
    assert (inspection.first_us, inspection.last_us) == (facts[0].at_us, facts[-1].at_us)
    assert inspection.bytes == sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
    assert inspection.missing == ()
    assert [gap.cause for gap in inspection.gaps] == ["the watch broke"]


def test_samples_are_counted_by_request_as_polled_and_as_new(folder: Path) -> None:
    inspection = inspect(folder)
    by_kind = {stream.kind: (stream.reads, stream.failures, stream.polled, stream.new) for stream in inspection.streams}
    # Five reads of pods: two, failed, two, the same two, one. Two of a queue: two series, then one.
    assert by_kind == {"resource": (5, 1, 7, 5), "values": (2, 0, 3, 3), "scale": (1, 0, 0, 0)}
    assert (inspection.reads, inspection.failures, inspection.polled, inspection.new) == (8, 1, 10, 8)


@pytest.mark.parametrize(
    ("kinds", "what"),
    [
        ({"EventSeen"}, "no Events"),
        ({"LeaseSeen", "ControllerSeen"}, "no Lease of the controller"),
        ({"TargetSeen", "ScaleWritten"}, "no writers of the replicas"),
        ({"ControllerSeen"}, "no flags of the controller"),
        ({"ControllerSeen", "VersionRead"}, "no Kubernetes release"),
        ({"VersionRead"}, "no clock of the API server"),
        ({"PodSeen", "PodGone"}, "no pods"),
        ({"TargetSeen", "TargetGone", "ScaleRead"}, "no scale or target"),
        ({"ResourceMetricsRead", "ValuesRead", "HeapsterRead"}, "no answer of a metric API"),
        ({"HpaSeen", "HpaGone"}, "no HPA"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_was_not_recorded_is_named(tmp_path: Path, facts: list[Fact], kinds: set[str], what: str) -> None:
    with Writer(tmp_path / "part", source="record", started_us=Micros(0)) as writer:
        for fact in facts:
            if type(fact).__name__ not in kinds:
                writer.add(fact)
    assert what in [missing.what for missing in inspect(tmp_path / "part").missing]


def test_an_inspection_of_damage_is_refused(folder: Path) -> None:
    path = folder / "segments/000002/reads.parquet"
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(data)
    with pytest.raises(DamagedRecording, match="replay up to"):
        inspect(folder)


def test_inspect_prints_content_sizes_reads_and_holes(folder: Path) -> None:
    code, text, _ = run(f"hpaaudit inspect {folder}")
    assert code == 0
    lines = text.splitlines()
    assert lines[:6] == [
        f"{folder}   made by record   https://10.0.0.1:6443   2026-03-02T12:00:00Z to 12:01:20Z",
        "",
        "  2 HPAs, 2 pods, 1 target; release 1.36, v1.36.2",
        "    shop/checkout",
        "    shop/orders",
        f"    recorded by hpaaudit 0.1.0 from {SERVER}, verified by the kubeconfig's authority; credentials: token",
    ]
    assert "  8 reads, 1 failed; 10 samples polled, 8 new" in lines
    gaps = " ".join(lines[lines.index("  gaps: 1") + 2].split())
    assert gaps == "1 14s 14s 2026-03-02T12:01:01Z 2026-03-02T12:01:15Z /apis/metrics.k8s.io the watch broke"
    assert lines[lines.index("  cannot be read: 1") + 1].endswith("(3 times)")
    assert lines[-1] == f"  next  hpaaudit replay {folder}"


def test_verify_says_that_a_recording_is_sound_and_what_only_its_head_proves(folder: Path, facts: list[Fact]) -> None:
    code, text, _ = run(f"hpaaudit verify {folder}")
    assert code == 0
    assert text.startswith(f"{folder} is sound: 3 segments, ")
    sound, head, _, proof = text.splitlines()
    assert sound.endswith("; every checksum holds; the facts were not read, --deep reads them.")
    deep = run(f"hpaaudit verify {folder} --deep")[1].splitlines()[0]
    assert deep.endswith(f"; every checksum holds, and {len(facts)} facts can be read.")
    assert head.startswith("Head hash: ")
    assert proof == f"  hpaaudit verify {folder} --expect {head.removeprefix('Head hash: ')}"


def test_verify_names_each_damage_and_how_far_a_replay_can_go(folder: Path) -> None:
    (folder / "segments/000003/gaps.parquet").unlink()
    code, text, _ = run(f"hpaaudit verify {folder}")
    assert code == 2
    assert "  segments/000003/gaps.parquet is missing" in text.splitlines()
    assert f"  next  hpaaudit replay {folder} --until 2026-03-02T12:00:44Z" in text.splitlines()


def test_a_recording_without_an_end_is_called_so(tmp_path: Path, facts: list[Fact]) -> None:
    writer = Writer(tmp_path / "killed", source="record", started_us=Micros(0))
    writer.add(facts[3])
    writer.seal()
    assert "not ended: the recorder died or is still running" in run(f"hpaaudit inspect {tmp_path / 'killed'}")[1]
    assert "Not ended: the recorder died or is still running" in run(f"hpaaudit verify {tmp_path / 'killed'}")[1]


def test_both_commands_speak_json(folder: Path) -> None:
    inspected = json.loads(run(f"hpaaudit inspect {folder} -o json")[1])
    assert inspected["hpas"] == ["shop/checkout", "shop/orders"]
    assert inspected["streams"][0]["request"] == "/apis/metrics.k8s.io/v1beta1/namespaces/shop/pods"
    verified = json.loads(run(f"hpaaudit verify {folder} -o json")[1])
    assert verified["damages"] == []
    assert verified["info"]["source"] == "record"
