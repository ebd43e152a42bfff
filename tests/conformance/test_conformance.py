"""The engine decides as the real controller did: 100 %, no tolerance."""

from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from hpaaudit.engine.replay.plan import plan
from hpaaudit.engine.replay.process import Process, replay
from hpaaudit.flows.importing import import_capture
from hpaaudit.flows.prepare import prepare
from hpaaudit.flows.replay import decide_one_by_one
from hpaaudit.importers.capture import Reader
from hpaaudit.recording.reading.recording import open_recording
from tests.conformance import decisions, verdicts
from tests.conformance.expected import captures, releases
from tests.same import texts
from tests.sample import one_in

WHOLE = "1.36"
"""The release of which every world is kept here; of the others the worlds that all releases share."""

OTHERS = [release for release in releases() if release != WHOLE]

OLD = [release for release in OTHERS if int(release.split(".")[1]) < 12]
"""The releases with forbidden windows, whose controllers listed pods and asked Heapster."""

SHARES = 2
"""The worlds of the whole release come in so many shares, so that none takes long."""

IN_RESULTS = 6
"""Results files are held against the controller for one world in so many: they take twenty times as long."""

PROFILES = {
    "behavior", "calm", "common", "edges", "everything", "failures", "legacy", "people", "pods", "restart", "several",
    "slow", "tozero", "vector", "zero",
}  # fmt: skip


def test_every_profile_of_the_whole_release_is_here() -> None:
    for worlds in (captures(WHOLE), one_in(IN_RESULTS, captures(WHOLE))):
        assert {capture.name.split("-")[0] for capture in worlds} == PROFILES


@pytest.mark.parametrize("release", releases())
def test_every_reconcile_is_decided_alike(release: str) -> None:
    """Replicas, scale writes, whole status with messages, events, memory, and what is given to the error handler."""
    outcomes = [decisions.compare(capture) for capture in captures(release)]
    assert sum(outcome.reconciles for outcome in outcomes) > 500
    assert [f"{outcome.name}: {text}" for outcome in outcomes for text in outcome.differences] == []


@pytest.mark.parametrize("share", range(SHARES))
def test_what_was_decided_is_in_the_results_file(share: int) -> None:
    """All of this but what the error handler gets, through import, recording, replay and results file."""
    outcomes = [verdicts.compare(capture) for capture in one_in(IN_RESULTS, captures(WHOLE))[share::SHARES]]
    assert sum(outcome.reconciles for outcome in outcomes) > 10_000 / IN_RESULTS / SHARES
    assert [f"{outcome.name}: {text}" for outcome in outcomes for text in outcome.differences] == []


@pytest.mark.parametrize("release", OLD)
def test_so_it_is_for_an_old_release(release: str) -> None:
    """Nothing of what only old controllers read is lost."""
    world_paths = [capture for capture in captures(release) if capture.name.startswith(("everything", "people"))]
    outcomes = [verdicts.compare(capture) for capture in one_in(IN_RESULTS, world_paths, OLD.index(release))]
    assert sum(outcome.reconciles for outcome in outcomes) > 240 / IN_RESULTS
    assert [f"{outcome.name}: {text}" for outcome in outcomes for text in outcome.differences] == []


def _same_from_disk(capture: Path) -> bool:
    """Whether a replay from Parquet decides, says and remembers what one from the live observations does."""
    with TemporaryDirectory() as folder:
        recording = Path(folder) / "recording"
        import_capture([capture], into=recording)
        prepared = prepare(open_recording(recording))
        from_disk = texts(decide_one_by_one(prepared))
    live = list(Reader((capture,)).facts())
    process = Process(plan(live, None), prepared.flags, prepared.flags_of, keep_pods=True)
    return from_disk == texts(replay(live, process.plan, process, ()))


@pytest.mark.parametrize("share", range(SHARES))
def test_a_replay_from_parquet_alone_equals_one_from_what_was_seen(share: int) -> None:
    """Nothing that a decision needs is lost on the way to disk and back."""
    world_paths = one_in(2, captures(WHOLE))[share::SHARES]
    assert [capture.name for capture in world_paths if not _same_from_disk(capture)] == []


@pytest.mark.parametrize("release", [*OLD, "1.12", "1.17", "1.20"])
def test_so_it_does_where_hpas_were_served_in_older_versions(release: str) -> None:
    """Up to 1.22 the controller reads autoscaling/v1, whose annotations hold the rest, before 1.3 an older one."""
    world_paths = one_in(2, [capture for capture in captures(release) if "common" in capture.name])
    assert world_paths
    assert [capture.name for capture in world_paths if not _same_from_disk(capture)] == []
