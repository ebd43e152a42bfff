"""Recordings of every kind are replayed alike, compiled and one by one, by the flow that users call.

Here is a slice of them: `python -m tests.fleet` draws as many as you have time for, `--whole` takes every one there is.
"""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

import hpaaudit
from hpaaudit.model.facts import ControllerSeen, EventSeen, Fact, Gap, HpaGone, HpaSeen, LeaseSeen, Reconciled
from hpaaudit.model.units import SECOND, Micros
from hpaaudit.recording.reading.recording import open_recording
from tests.bench import fleet, outside
from tests.fleet.__main__ import decided_twice
from tests.fleet.both import Both, replayed_twice
from tests.fleet.chance import write
from tests.fleet.kinds import FOUND, KEPT, ROOT, Drawn, beside, draw, draw_old, draw_oldest, facts_of, keep, sources
from tests.fleet.outside import begun, published
from tests.fleet.test_kernel import BEYOND
from tests.sample import one_in

SHARES, SEEDS, OLD_SEEDS, OLDEST_SEEDS = 4, 16, 16, 16
FOUND_BY = (45, 74, 81, 141, 3023, 3064)  # drew a difference once
EVERY = 180  # of the captures of the real controller
LEFT = BEYOND | {
    "the HPAs were served as autoscaling/v1",
    "the HPAs were served as extensions/v1beta1",
    "only some of what the controller itself did was recorded",
    "a metric was published as no controller of this release does",
    "Kubernetes 1.5 and older are compiled only where every reconcile has a line",
    "Heapster answered somebody else than the controller",
    "what Heapster answered counts for a release that does not ask it",
    "behaviours of a release before 1.12 were switched",
    "the controller asked for other pods than those of the scale that it had read",
    "the controller listed pods, and the metrics were read for a whole namespace",
}
"""What is left to the object engine in recordings of every kind and every release; nothing else may be."""

PROCESS = "node_2f1c7a52-3d0f-4b8e-9f64-1a2b3c4d5e6f"
WORLDS = ROOT / "tests" / "conformance" / "1.36"


def _kept(facts: Sequence[Fact], rows: int = 60, keeping: str = "segments") -> Drawn:
    return Drawn(story="", facts=tuple(facts), keeping=keeping, rows=rows, asked={})


def _world(other: str = "people-100-0001") -> list[Fact]:
    """Two HPAs in namespaces of their own: shop/web, and other-shop/web."""
    first, second = (facts_of(WORLDS / f"{name}.capture.jsonl.gz") for name in ("behavior-100-0004", other))
    return beside(list(first), list(second), "other")


def _sure(comparison: Both) -> int:
    """How many reconciles both replays hold, decided by the compiled rules."""
    assert (comparison.difference, comparison.beyond, comparison.refused) == ("", "", "")
    return comparison.reconciles


@pytest.mark.parametrize("share", range(SHARES))
def test_recordings_of_any_kind_are_replayed_alike(share: int) -> None:
    """Views, versions, rights, gaps, restarts, other uids, logs, retention, and what is asked: all drawn at once."""
    for seed in (*range(share, SEEDS, SHARES), *FOUND_BY[share::SHARES]):
        outcome = decided_twice(draw(seed))
        assert (seed, outcome.difference) == (seed, "")
        assert outcome.beyond in {"", *LEFT}


@pytest.mark.usefixtures("unsearched")
@pytest.mark.parametrize("share", range(SHARES))
def test_recordings_of_old_controllers_are_replayed_alike(share: int) -> None:
    """With forbidden windows, lists of pods and Heapster, and what newer ones recorded replayed as these releases."""
    for seed in range(share, OLD_SEEDS, SHARES):
        outcome = decided_twice(draw_old(seed))
        assert (seed, outcome.difference) == (seed, "")
        assert outcome.beyond in {"", *LEFT}


@pytest.mark.usefixtures("unsearched")
@pytest.mark.parametrize("share", range(SHARES))
def test_recordings_of_the_oldest_controllers_are_replayed_alike(share: int) -> None:
    """With custom metrics in an annotation, a status in the controller's cache, and answers in the order they came."""
    for seed in range(share, OLDEST_SEEDS, SHARES):
        outcome = decided_twice(draw_oldest(seed))
        assert (seed, outcome.difference) == (seed, "")
        assert outcome.beyond in {"", *LEFT}


@pytest.mark.usefixtures("unsearched")
@pytest.mark.parametrize("source", [*KEPT, *sorted(FOUND.glob("*.capture.*"))], ids=lambda path: path.name)
def test_a_recording_that_lies_here_is_replayed_alike(source: Path, tmp_path: Path) -> None:
    outcome = replayed_twice(source, tmp_path) if source.is_dir() else decided_twice(_kept(facts_of(source)))
    assert outcome.difference == ""
    assert outcome.beyond in {"", *LEFT}


@pytest.mark.usefixtures("unsearched")
@pytest.mark.parametrize("share", range(SHARES))
def test_captures_of_the_real_controller_are_replayed_alike(share: int) -> None:
    for source in one_in(EVERY, sources())[share::SHARES]:
        outcome = decided_twice(_kept(facts_of(source), 400))
        assert (source.name, outcome.difference) == (source.name, "")
        assert outcome.beyond in {"", *LEFT}


@pytest.mark.usefixtures("unsearched")
def test_of_a_recording_of_which_retention_removed_a_part_the_rest_is_replayed_alike() -> None:
    facts = [fact for fact in published(_world()) if not isinstance(fact, ControllerSeen)]
    drawn = _kept(facts, 80, "retention")
    assert _sure(decided_twice(drawn)) > 20


@pytest.mark.usefixtures("unsearched")
def test_the_base_that_retention_leaves_begins_with_a_later_fact(tmp_path: Path) -> None:
    """Else the test before says nothing."""
    keep(tmp_path / "kept", _kept(list(published(_world())), 80, "retention"))
    assert open_recording(tmp_path / "kept").segments[0].first_seq > 0


def _deleted(facts: Sequence[Fact], at_us: int) -> list[Fact]:
    """The same with shop/web deleted at an instant."""
    (gone,) = [fact for fact in facts if isinstance(fact, HpaSeen) and fact.namespace == "shop"][:1]
    mine = [
        fact
        for fact in facts
        if fact.at_us < at_us or not (isinstance(fact, HpaSeen | Reconciled | EventSeen) and fact.namespace == "shop")
    ]
    end = HpaGone(at_us=Micros(at_us), namespace="shop", name=gone.name, uid=gone.uid)
    return sorted([*mine, end], key=lambda fact: fact.at_us)


def _middle(facts: Sequence[Fact]) -> int:
    return (facts[0].at_us + facts[-1].at_us) // 2 + 7 * SECOND


@pytest.mark.usefixtures("unsearched")
@pytest.mark.parametrize("rows", [7, 20, 60, 300])
def test_the_last_reconcile_of_an_hpa_that_is_deleted_is_decided_alike(rows: int) -> None:
    facts = [fact for fact in _world() if not isinstance(fact, ControllerSeen)]
    deleted = _deleted(facts, _middle(facts))
    lines = sum(isinstance(fact, Reconciled) for fact in deleted)
    assert _sure(decided_twice(_kept(deleted, rows))) == lines


@pytest.mark.usefixtures("unsearched")
def test_an_hpa_has_no_reconcile_after_its_end_though_a_process_starts_then(tmp_path: Path) -> None:
    """Where it is made again these would be of the next one."""
    facts = [fact for fact in published(_world()) if not isinstance(fact, ControllerSeen)]
    end_us = _middle(facts)
    (again,) = [fact for fact in facts if isinstance(fact, HpaSeen) and fact.namespace == "shop"][:1]
    born = replace(again, at_us=Micros(end_us + 20 * SECOND), uid="again")
    start = ControllerSeen(
        at_us=Micros(end_us + 90 * SECOND), state="started", release="1.36", version="", flags=(), gates=()
    )
    ordered = sorted([*_deleted(facts, end_us), born, start], key=lambda fact: fact.at_us)
    write(tmp_path / "recording", ordered, 60)
    assert _sure(replayed_twice(tmp_path / "recording", tmp_path, flags={"sync-period": "15s"})) > 0
    with hpaaudit.replay(
        tmp_path / "recording", into=tmp_path / "again.duckdb", flags={"sync-period": "15s"}
    ) as results:
        gaps = results.rows(
            "select epoch_us(ts) - lag(epoch_us(ts)) over (order by ts) as gap from reconciles where hpa_uid = 'again'"
        )
    assert min(row["gap"] for row in gaps if row["gap"] is not None) >= 15 * SECOND


@pytest.mark.usefixtures("unsearched")
@pytest.mark.parametrize(
    ("holders", "processes"), [((PROCESS, "program", PROCESS), 1), ((PROCESS, "", PROCESS), 1), ("aba", 3)]
)
@pytest.mark.parametrize("lines", [True, False])
def test_a_lease_that_is_given_back_makes_no_new_process_in_either_engine(
    holders: Sequence[str], processes: int, lines: bool, tmp_path: Path
) -> None:
    """It is told after the segment in which somebody took it."""
    facts = _world() if lines else list(published(_world()))
    places = (len(facts) // 3, len(facts) // 2, len(facts) * 2 // 3)
    for place, holder in sorted(zip(places, holders, strict=True), reverse=True):
        at_us = facts[place].at_us
        lease = LeaseSeen(
            at_us=at_us, namespace="kube-system", name="kube-controller-manager", holder=holder, acquired_us=None,
            renewed_us=at_us, transitions=0,
        )  # fmt: skip
        facts.insert(place, lease)
    keep(tmp_path / "kept", _kept(facts))
    assert _sure(replayed_twice(tmp_path / "kept", tmp_path)) > 20
    with hpaaudit.replay(tmp_path / "kept", into=tmp_path / "own.duckdb") as results:
        epochs = {row["epoch_id"] for row in results.rows("select distinct epoch_id from reconciles")}
    assert len(epochs) == processes


@pytest.mark.usefixtures("unsearched")
@pytest.mark.parametrize("hidden", ["*", "/apis/autoscaling/v2/namespaces/other-shop/horizontalpodautoscalers/web"])
def test_an_hpa_with_a_sync_period_of_its_own_is_decided_alike(hidden: str, tmp_path: Path) -> None:
    """One every 10 s, one every 15 s: what a gap of 12 s hides of one, it does not hide of the other."""
    facts = [fact for fact in published(_world("calm-100-0000")) if not isinstance(fact, ControllerSeen)]
    begin_us = _middle(facts)
    gap = Gap(at_us=Micros(begin_us), until_us=Micros(begin_us + 12 * SECOND), prefix=hidden, cause="other")
    write(tmp_path / "recording", sorted([*facts, gap], key=lambda fact: fact.at_us), 60)
    assert _sure(replayed_twice(tmp_path / "recording", tmp_path)) > 40
    with hpaaudit.replay(tmp_path / "recording", into=tmp_path / "again.duckdb") as results:
        assumed = results.rows("select key, value from assumptions where key like 'sync-period%' order by key")
    assert [tuple(row.values()) for row in assumed] == [("sync-period", "15s"), ("sync-period of shop/web", "10s")]


@pytest.mark.usefixtures("unsearched")
def test_a_fleet_that_was_there_before_the_recorder_is_decided_by_the_compiled_rules(tmp_path: Path) -> None:
    """A hundred HPAs with ninety reconciles each: from that many on nobody needs to ask for it."""
    fleet.write(tmp_path / "lines", hpas=100, hours=0.4, seed=5)
    outside.write(tmp_path / "lines", tmp_path / "outside")
    facts = list(open_recording(tmp_path / "outside").facts())
    write(tmp_path / "seen", list(begun(facts, len(facts) // 30)), 20_000)
    with hpaaudit.replay(tmp_path / "seen", into=tmp_path / "found.duckdb") as results:
        assert results.detail == "numbers"
        assert results.rows("select count(*) as n from reconciles")[0]["n"] > 8000
