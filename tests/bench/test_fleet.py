"""The made-up fleet is a sound recording, the same for the same seed, and scales as a real controller would."""

from pathlib import Path

import pytest

from hpaaudit.flows.replay import replay
from hpaaudit.model.facts import HpaSeen, PodGone, Reconciled, ResourceMetricsRead, TargetSeen, ValuesRead
from hpaaudit.recording.inspection.verify import verify
from hpaaudit.recording.reading.recording import open_recording
from tests.bench import fleet

HPAS, HOURS = 60, 0.25


@pytest.fixture(scope="module")
def written_fleet(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, fleet.Fleet]:
    """Give the recording of a small fleet, in several segments."""
    folder = tmp_path_factory.mktemp("fleet") / "small"
    return folder, fleet.write(folder, hpas=HPAS, hours=HOURS, seed=5, budget=1 << 20)


def test_every_fact_can_be_read_in_the_order_of_time(written_fleet: tuple[Path, fleet.Fleet]) -> None:
    folder, world = written_fleet
    verification = verify(folder, reread=True)
    assert (verification.damages, verification.complete) == ((), True)
    assert verification.segments > 1
    facts = list(open_recording(folder).facts())
    assert [fact.at_us for fact in facts] == sorted(fact.at_us for fact in facts)
    assert sum(isinstance(fact, Reconciled) for fact in facts) == world.reconciles == HPAS * HOURS * 240
    for kind in (HpaSeen, TargetSeen, PodGone, ValuesRead):
        assert any(isinstance(fact, kind) for fact in facts), kind
    answers = [fact.samples for fact in facts if isinstance(fact, ResourceMetricsRead) and fact.samples is not None]
    assert sum(map(len, answers)) == world.pod_polls
    assert all([sample.pod for sample in answer] == sorted(sample.pod for sample in answer) for answer in answers)


def test_the_same_seed_gives_the_same_bytes_and_another_seed_does_not(tmp_path: Path) -> None:
    hashes = []
    for name, seed in {"a": 5, "b": 5, "c": 6}.items():
        fleet.write(tmp_path / name, hpas=10, hours=0.1, seed=seed)
        hashes.append(open_recording(tmp_path / name).info.manifest_sha256)
    assert hashes[0] == hashes[1] != hashes[2]


def test_a_replay_decides_nearly_always_as_the_fleet_did(
    written_fleet: tuple[Path, fleet.Fleet], tmp_path: Path
) -> None:
    with replay(written_fleet[0], into=tmp_path / "results.duckdb") as results:
        ((share,),) = results.sql("select avg((verdict = 'match')::int) from reconciles").fetchall()
    assert share > 0.99
