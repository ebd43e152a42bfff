"""What an incident cost is what its reconciles and scales add up to, counted in another way."""

from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest

import hpaaudit
from hpaaudit.flows.query import account
from hpaaudit.model.account import Hold
from hpaaudit.model.timeline import Timeline
from hpaaudit.model.units import SECOND
from hpaaudit.report.replay import verdict
from hpaaudit.report.text import Clock

RECORDINGS = Path(__file__).parents[2] / "recordings"
WORLDS = ("unready-on-the-way-up", "load-step", "scaled-by-hand", "1.1-forbidden-window")


@pytest.fixture(scope="module", params=WORLDS)
def replayed(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[hpaaudit.Results]:
    file = tmp_path_factory.mktemp("costs") / "results.duckdb"
    with hpaaudit.replay(RECORDINGS / request.param, into=file) as results:
        yield results


def seconds(timeline: Timeline) -> list[float]:
    """How long each reconcile stood."""
    times = [point.at_us for point in timeline.points]
    return [*((after - at) / SECOND for at, after in pairwise(times)), 0.0]


def held(hold: Hold, timeline: Timeline, wanted: dict[int, tuple[str, int | None]]) -> tuple[float, float]:
    """Seconds and pod-seconds of a hold, point by point."""
    lasted = cost = 0.0
    for point, stood in zip(timeline.points, seconds(timeline), strict=True):
        reason, raw = wanted[point.at_us]
        is_idle = reason.startswith("adjust.") and point.ratio is not None and point.ratio > 1
        if hold.cause == "unready" and is_idle:
            lasted, cost = lasted + stood, cost + stood * ((point.unready or 0) + (point.missing or 0))
        if hold.cause == "memory" and reason == "stabilize.down_hold" and raw is not None:
            asked = max(min(raw, point.max_replicas or raw), point.min_replicas or raw)
            if asked != point.replay:
                lasted, cost = lasted + stood, cost + stood * abs(asked - (point.replay or 0))
    return lasted, cost


def test_holds_and_writes_cost_what_adding_up_says(replayed: hpaaudit.Results) -> None:
    for hpa in account(replayed).hpas:
        timeline = hpaaudit.timeline(replayed, f"{hpa.namespace}/{hpa.name}")
        rows = replayed.rows("select epoch_us(ts) as at_us, reason_code, raw_desired from reconciles")
        wanted = {row["at_us"]: (row["reason_code"], row["raw_desired"]) for row in rows}
        for hold in hpa.holds:
            if hold.cause in ("unready", "memory"):
                lasted, cost = held(hold, timeline, wanted)
                assert (hold.lasted_s, hold.pod_s) == (pytest.approx(lasted, abs=20), pytest.approx(cost, rel=0.1))
            assert hold.idle_pods <= hold.pods
        for write in hpa.foreign_writes:
            until_us = write.restored_us or timeline.ended_us
            scales = [scale for scale in timeline.scales if write.at_us <= scale.at_us < until_us]
            ends = [scale.at_us for scale in scales[1:]] + [until_us]
            missing = sum(
                max(write.from_replicas - scale.to_replicas, 0) * (end - scale.at_us) / SECOND
                for scale, end in zip(scales, ends, strict=True)
            )
            assert write.missing_pod_s == pytest.approx(missing)
        words = verdict(hpa, Clock(timeline.started_us, timeline.ended_us))
        assert words.count("pod-minute") <= len(hpa.holds) + len(hpa.foreign_writes)
