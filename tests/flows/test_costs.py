"""What an incident cost is what its reconciles and scales add up to, counted in another way."""

from collections.abc import Iterator
from itertools import pairwise
from math import ceil
from pathlib import Path

import pytest

import hpaaudit
from hpaaudit.flows.importing import import_capture
from hpaaudit.flows.query import account
from hpaaudit.model.account import ForeignWrite, Hold, HpaAccount
from hpaaudit.model.timeline import Timeline
from hpaaudit.model.units import SECOND
from hpaaudit.report.export.markdown import markdown
from hpaaudit.report.replay import replay_text
from hpaaudit.report.text import Clock
from hpaaudit.report.verdict import verdict
from hpaaudit.results.moments import LONG_HOLD_S
from tests.conformance.expected import captures, name_of

RECORDINGS = Path(__file__).parents[2] / "recordings"
WORLDS = ("unready-on-the-way-up", "load-step", "scaled-by-hand", "1.1-forbidden-window")
PROFILES = ("behavior", "pods", "common")
"""Worlds of the real controller in which policies and maxReplicas hold many HPAs."""
POLICIES = {
    "policy.up_limit": ("up_policy", 1),
    "policy.legacy_up_limit": ("up_limit", 1),
    "policy.up_disabled": ("up_disabled", 1),
    "policy.down_limit": ("down_policy", -1),
    "policy.down_disabled": ("down_disabled", -1),
}
"""The cause of a hold and the direction that was held, by the reason of its reconciles."""


@pytest.fixture(scope="module", params=[*WORLDS, *PROFILES])
def replayed(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[hpaaudit.Results]:
    folder = tmp_path_factory.mktemp("costs")
    recording = RECORDINGS / request.param
    if request.param in PROFILES:
        world = next(world for world in captures("1.36") if name_of(world).startswith(request.param))
        recording = folder / "recording"
        import_capture([world], into=recording)
    with hpaaudit.replay(recording, into=folder / "results.duckdb") as results:
        yield results


def seconds(timeline: Timeline) -> list[float]:
    """How long each reconcile stood."""
    times = [point.at_us for point in timeline.points]
    return [*((after - at) / SECOND for at, after in pairwise(times)), 0.0]


def held(hold: Hold, timeline: Timeline, wanted: dict[int, tuple[str, int | None, int | None]]) -> tuple[float, float]:
    """Seconds and pod-seconds of a hold, point by point."""
    lasted = cost = 0.0
    for point, stood in zip(timeline.points, seconds(timeline), strict=True):
        (reason, raw, unheld), replay = wanted[point.at_us], point.replay or 0
        if hold.cause == "unready" and reason.startswith("adjust.") and (unheld or 0) > replay:
            # At least: what the pods that count ask for without the others.
            asked = min(ceil((point.ratio or 0) * (point.ready or 0)), unheld or 0)
            lasted, cost = lasted + stood, cost + stood * max(asked - replay, 0)
        if hold.cause == "memory" and reason == "stabilize.down_hold" and raw is not None:
            asked = max(min(raw, point.max_replicas or raw), point.min_replicas or raw)
            if asked != point.replay:
                lasted, cost = lasted + stood, cost + stood * abs(asked - (point.replay or 0))
    return lasted, cost


Asked = list[tuple[int, int | None, bool]]
"""Of each reconcile its time, what the metrics asked for within the bounds, and whether that is known."""


def asked_for(results: hpaaudit.Results, hpa: HpaAccount) -> Asked:
    rows = results.rows(
        "select *, epoch_us(ts) as at_us from reconciles where namespace || '/' || name = $hpa order by reconcile_id",
        hpa=f"{hpa.namespace}/{hpa.name}",
    )
    asked: Asked = []
    for row in rows:
        raw, is_open = row["raw_desired"], row["band_lo"] != row["band_hi"]
        wanted = None if raw is None else max(min(raw, row["max_replicas"]), row["min_replicas"])
        is_unknown = row["class"] == "no_data.recording_gap" or (row["class"] == "no_data.object_unseen" and is_open)
        asked.append((row["at_us"], wanted, not is_unknown))
    return asked


def missing(write: ForeignWrite, timeline: Timeline, asked: Asked) -> object:
    """Pod-seconds that a write took from what the metrics asked for, added up from each change to the next."""
    ends = (write.restored_us, write.undone_us, write.unseen_us, timeline.ended_us)
    until_us = min(end for end in ends if end is not None)
    marks = [scale.at_us for scale in timeline.scales] + [at_us for at_us, *_ in asked]
    times = sorted({write.at_us, until_us, *(at_us for at_us in marks if write.at_us < at_us < until_us)})
    total = 0.0
    for begin, end in pairwise(times):
        stood = [scale.to_replicas for scale in timeline.scales if scale.at_us <= begin][-1]
        if stood >= write.from_replicas:
            continue
        before = [one for one in asked if one[0] <= begin]
        if not before or not before[-1][2]:
            return None
        _, wanted, _ = before[-1]
        # Who was not asked would have left what stood.
        short = min(write.from_replicas, write.from_replicas if wanted is None else wanted) - stood
        total += max(short, 0) * (end - begin) / SECOND
    return pytest.approx(total, abs=1e-3)


def limited(results: hpaaudit.Results, hpa: HpaAccount) -> dict[str, tuple[int, float, float]]:
    """Reconciles, seconds and pod-seconds of what maxReplicas and policies held for a minute or more, row by row."""
    held_by: dict[str, list[tuple[float, int]]] = {}
    for row in results.rows("from reconciles where namespace || '/' || name = $hpa", hpa=f"{hpa.namespace}/{hpa.name}"):
        cause, direction = POLICIES.get(row["reason_code"], ("max_replicas", 1))
        if row["verdict"] not in ("match", "skew") or row["reason_code"] not in (*POLICIES, "bound.max"):
            continue
        asked = row["raw_desired"]
        if cause != "max_replicas":
            asked = max(min(asked, row["max_replicas"]), row["min_replicas"])
        apart = (asked - row["desired"]) * direction
        if apart > 0:
            held_by.setdefault(cause, []).append((row["lasted_s"] or 0, apart))
    totals = {
        cause: (len(rows), sum(lasted for lasted, _ in rows), sum(lasted * apart for lasted, apart in rows))
        for cause, rows in held_by.items()
    }
    return {cause: total for cause, total in totals.items() if total[1] >= LONG_HOLD_S}


def test_what_is_told_of_a_loop_says_that_it_overlaps_and_the_question_counts_each_pod_once(tmp_path: Path) -> None:
    """Pods missing after the writes of Argo CD are among those that the HPA may not add at once."""
    with hpaaudit.replay(RECORDINGS / "gitops-loop", into=tmp_path / "r.duckdb") as results:
        (hpa,) = account(results).hpas
        told = verdict(hpa, Clock(hpa.foreign_writes[0].at_us, hpa.foreign_writes[-1].at_us))
        (row,) = hpaaudit.query(results, "what_did_it_cost")
        screen, report = replay_text(account(results)), hpaaudit.report(results)
        page, (ticket, _) = report.html(), markdown(report, None)
    costs = [write.missing_pod_s or 0 for write in hpa.foreign_writes] + [hold.pod_s for hold in hpa.holds]
    assert sum(costs) / 60 > row["short_pod_minutes"] + 1
    words = "may be the same pods, counted twice: what_did_it_cost counts each once."
    assert words in told
    for text in (screen, page, ticket.replace("\\_", "_")):
        assert words in " ".join(text.split())


def test_maximum_and_policies_hold_as_long_as_their_reconciles_add_up_to(replayed: hpaaudit.Results) -> None:
    for hpa in account(replayed).hpas:
        told = {
            hold.cause: (hold.reconciles, pytest.approx(hold.lasted_s), pytest.approx(hold.pod_s))
            for hold in hpa.holds
            if hold.cause in {"max_replicas", *(cause for cause, _ in POLICIES.values())}
        }
        assert limited(replayed, hpa) == told


def test_holds_and_writes_cost_what_adding_up_says(replayed: hpaaudit.Results) -> None:
    for hpa in account(replayed).hpas:
        timeline = hpaaudit.timeline(replayed, f"{hpa.namespace}/{hpa.name}")
        rows = replayed.rows("select epoch_us(ts) as at_us, reason_code, raw_desired, unheld from reconciles")
        wanted = {row["at_us"]: (row["reason_code"], row["raw_desired"], row["unheld"]) for row in rows}
        for hold in hpa.holds:
            if hold.cause in ("unready", "memory"):
                lasted, cost = held(hold, timeline, wanted)
                assert (hold.lasted_s, hold.pod_s) == (pytest.approx(lasted, abs=20), pytest.approx(cost, rel=0.1))
            assert hold.idle_pods <= hold.pods
        for write in hpa.foreign_writes:
            assert write.missing_pod_s == missing(write, timeline, asked_for(replayed, hpa))
        words = verdict(hpa, Clock(timeline.started_us, timeline.ended_us))
        assert words.count("pod-minute") <= len(hpa.holds) + len(hpa.foreign_writes)
