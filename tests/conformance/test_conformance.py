"""The engine decides as the real controller did: 100 %, through import, recording, replay and results."""

from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import pytest

from hpaaudit.engine.plan import plan
from hpaaudit.engine.replay import Process, replay
from hpaaudit.flows.importing import import_capture
from hpaaudit.flows.replay import prepare, run_passes
from hpaaudit.importers.capture import Reader
from tests.conformance.expected import captures, releases
from tests.conformance.verdicts import compare

WHOLE = "1.36"
"""The release of which every world is kept here; of the others the worlds that all releases share."""


def test_every_profile_of_the_whole_release_is_here() -> None:
    assert {capture.name.split("-")[0] for capture in captures(WHOLE)} == {
        "behavior", "calm", "common", "edges", "everything", "failures", "legacy", "people", "pods", "restart",
        "several", "slow", "tozero", "vector", "zero",
    }  # fmt: skip


@pytest.mark.parametrize("release", releases())
def test_every_reconcile_of_the_real_controller_is_decided_alike(release: str) -> None:
    """Replicas, scale writes, whole status with messages, events and memory; no tolerance."""
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
        outcomes = list(pool.map(compare, captures(release), chunksize=8))
    assert sum(outcome.reconciles for outcome in outcomes) > (10_000 if release == WHOLE else 500)
    assert [f"{outcome.name}: {text}" for outcome in outcomes for text in outcome.differences] == []


@pytest.mark.parametrize("release", releases())
def test_a_replay_from_parquet_alone_equals_one_from_what_was_seen(release: str, tmp_path: Path) -> None:
    """Nothing that a decision needs is lost on the way to disk and back."""
    for capture in captures(release):
        folder = tmp_path / capture.name
        import_capture([capture], into=folder)
        prepared = prepare(folder, release=None, flags={}, hpas=(), until=None)
        from_disk = list(run_passes(prepared, hpas=()))
        live = list(Reader((capture,)).facts())
        process = Process(plan(live, None), prepared.flags, prepared.flags_of, keep_pods=True)
        assert from_disk == list(replay(live, process.plan, process, ())), capture.name
