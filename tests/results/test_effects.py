"""What became of a number of replicas, and what Kubernetes reported of it: a case for each class, and laws."""

from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hpaaudit.report.codes import EFFECTS, REPORTS
from tests.results.patterns import START, Patterns, Row, Tables, at, changes, patterns, proposals, reconciles

EFFECT, REPORT = ("65_effects", "effects"), ("66_reports", "reports")
RAISED = changes((60, 4, 8))
"""From 4 to 8 after a minute."""


@pytest.fixture(scope="module")
def database() -> Iterator[Patterns]:
    """One database for all cases."""
    with patterns() as database:
        yield database


def scale(*states: tuple[float, int, int]) -> list[Row]:
    """States of the scale as (second, spec, status)."""
    return [
        {"observed_at": at(second), "seq": n, "spec_replicas": spec, "status_replicas": status}
        for n, (second, spec, status) in enumerate(states)
    ]


def pods(*ready_after_s: float | None, gone_at: dict[int, float] | None = None) -> list[Row]:
    """Pods of the target: when each was first ready, None: never; and when some were gone."""
    gone = gone_at or {}
    return [
        {"pod_uid": f"p{n}", "name": f"web-6f-{n}", "ready_at": None if ready is None else at(ready),
            "deleted_at": at(gone[n]) if n in gone else None}
        for n, ready in enumerate(ready_after_s)
    ]  # fmt: skip


def target(**more: list[Row]) -> Tables:
    """Four ready pods; the scale is raised to 8, and 8 are made at once."""
    tables: dict[str, list[Row]] = {
        "hpa_specs": [{}],
        "scale_states": scale((0, 4, 4), (60, 8, 4), (60.1, 8, 8)),
        "scale_events": RAISED,
        "pods": pods(-60, -60, -60, -60, 70, 70, 70, 70),
    }
    return {**tables, **more}


def event(reason: str, message: str, kind: str, name: str, second: float = 61) -> Row:
    return {"reason": reason, "message": message, "kind": kind, "name": name, "observed_at": at(second)}


FEW = scale((0, 4, 4), (60, 8, 5))
LATE = pods(-60, -60, -60, -60, 70, 70, None, None)
BECAME: dict[str, Tables] = {
    "effect.none": target(),
    "effect.quota": target(
        scale_states=FEW, k8s_events=[event("FailedCreate", "exceeded quota: cpu", "ReplicaSet", "web-6f")]
    ),
    "effect.not_created": target(
        scale_states=FEW, k8s_events=[event("FailedCreate", "exceeded quota: cpu", "ReplicaSet", "web-api-6f")]
    ),
    "effect.unschedulable": target(
        pods=LATE, k8s_events=[event("FailedScheduling", "0/3 nodes are available", "Pod", "web-6f-7")]
    ),
    "effect.rollout": target(pods=LATE, rollouts=[{"started_at": at(50)}]),
    "effect.disruption": target(pods=pods(-60, -60, -60, -60, 70, 70, 70, 70, gone_at={0: 300, 1: 300})),
    "effect.slow_start": target(pods=LATE),
    "effect.unknown": target(pods=[]),
}


@pytest.mark.parametrize("expected", BECAME)
def test_each_effect_has_a_case(expected: str, database: Patterns) -> None:
    first, raised = database.audited(*EFFECT, BECAME[expected])
    assert raised["class"] == expected
    assert first["class"] == ("effect.unknown" if expected == "effect.unknown" else "effect.none")
    assert (first["until"], raised["ts"], raised["until"]) == (at(60), at(60), at(3600))


def _flaps(status_at_the_end: int) -> Tables:
    """Five pods, of which 8 and 9 are asked for in turn, 20 s each."""
    steps = [(60 + 20 * n, 8 + n % 2) for n in range(10)]
    states = [(0, 4, 4), *((second, wanted, 5) for second, wanted in steps), (260, 8, status_at_the_end)]
    befores = [4, *(wanted for _, wanted in steps)]
    return target(
        scale_states=scale(*states),
        scale_events=changes(
            *((second, before, wanted) for (second, wanted), before in zip(steps, befores, strict=False))
        ),
        k8s_events=[event("FailedCreate", "exceeded quota: cpu", "ReplicaSet", "web-6f", 70)],
    )


def test_pods_that_a_quota_refuses_are_missed_also_while_the_number_changes(database: Patterns) -> None:
    first, *raised = database.audited(*EFFECT, _flaps(5))
    assert first["class"] == "effect.none"
    assert [row["class"] for row in raised] == ["effect.quota"] * 10
    assert {row["cause"] for row in raised} == {"exceeded quota: cpu"}


def test_a_number_that_had_its_pods_ends_the_wait(database: Patterns) -> None:
    """All pods were there for a moment in between, and at the end: neither wait lasted for two minutes."""
    tables = dict(_flaps(9))
    states = list(tables["scale_states"])
    states.insert(6, {"observed_at": at(145), "seq": 5, "spec_replicas": 8, "status_replicas": 9})
    tables["scale_states"] = [{**row, "seq": n} for n, row in enumerate(states)]
    assert "effect.quota" not in {row["class"] for row in database.audited(*EFFECT, tables)}


def test_every_effect_and_report_of_the_words_has_a_case() -> None:
    assert set(BECAME) == set(EFFECTS)
    assert set(REPORTED) == set(REPORTS)


def test_missing_pods_are_counted_until_they_are_ready(database: Patterns) -> None:
    _, raised = database.audited(*EFFECT, target())
    assert (raised["pod_seconds_missing"], raised["ready_at"], raised["made_at"]) == (40, at(70), at(60.1))
    _, never = database.audited(*EFFECT, target(pods=LATE))
    assert (never["ready"], never["ready_at"], never["pod_seconds_missing"]) == (6, None, 4 * 10 + 2 * 3530)


def test_a_scale_down_is_no_disruption(database: Patterns) -> None:
    tables = {
        "hpa_specs": [{}],
        "scale_states": scale((0, 4, 4), (60, 2, 4), (61, 2, 2)),
        "scale_events": changes((60, 4, 2)),
        "pods": pods(-60, -60, -60, -60, gone_at={0: 90, 1: 90}),
    }
    _, lowered = database.audited(*EFFECT, tables)
    assert (lowered["class"], lowered["removed"], lowered["pod_seconds_missing"]) == ("effect.none", 0, 0)


@pytest.mark.parametrize(
    ("raised", "gone", "removed"), [(63, (64, 65), 0), (63, (64, 65, 66), 1), (130, (140, 141), 2)]
)
def test_pods_of_a_scale_down_that_end_after_the_next_scale_up_are_no_disruption(
    database: Patterns, raised: float, gone: tuple[float, ...], removed: int
) -> None:
    """Two pods were to end; a minute later that is not why."""
    tables = {
        "hpa_specs": [{}],
        "scale_states": scale((0, 4, 4), (60, 2, 4), (raised, 4, 4)),
        "scale_events": changes((60, 4, 2), (raised, 2, 4)),
        "pods": pods(-60, -60, -60, -60, gone_at=dict(enumerate(gone))),
    }
    assert [row["removed"] for row in database.audited(*EFFECT, tables)] == [0, 0, removed]


@settings(
    max_examples=40, deadline=None, derandomize=True, database=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)  # fmt: skip
@given(
    steps=st.lists(st.tuples(st.integers(1, 3500), st.integers(1, 9)), max_size=6, unique_by=lambda step: step[0]),
    ready=st.lists(st.none() | st.integers(-60, 3600), max_size=9),
    status=st.integers(0, 9),
)
def test_effects_cover_the_recording_and_each_has_one_class(
    steps: list[tuple[int, int]], ready: list[int | None], status: int, database: Patterns
) -> None:
    """Whatever the target did: no time is missing or counted twice, and every class is known."""
    before, events, states = 4, [], [(0.0, 4, status)]
    for second, to in sorted(steps):
        events += changes((second, before, to))
        states.append((second, to, status))
        before = to
    tables: Tables = {"hpa_specs": [{}], "scale_states": scale(*states), "scale_events": events, "pods": pods(*ready)}
    effects = database.audited(*EFFECT, tables)
    assert (effects[0]["ts"], effects[-1]["until"]) == (START, at(3600))
    assert [one["until"] for one in effects[:-1]] == [one["ts"] for one in effects[1:]]
    assert {one["class"] for one in effects} <= set(EFFECTS)
    for one in effects:
        length_s = (one["until"] - one["ts"]).total_seconds()
        assert 0 <= one["pod_seconds_missing"] <= one["wanted"] * length_s + 1e-6


def rescaled(message: str, **values: Any) -> Tables:
    """The HPA's change from 4 to 8, and an Event about it."""
    return {
        "scale_events": RAISED,
        "k8s_events": [{"reason": "SuccessfulRescale", "message": message, "observed_at": at(60), **values}],
    }


SAID = "New size: 8; reason: cpu resource utilization (percentage of request) above target"


def replayed_as(reason: str, **values: Any) -> Tables:
    """The same change and Event, and the reconcile of the replay that made the change, for this reason."""
    tables = rescaled(SAID)
    decided = {"desired": 8, "action": "scale_up", "scale_reason": reason, "evidence": "proven", **values}
    return {
        **tables,
        "scale_events": [{**change, "reconcile_id": 0} for change in tables["scale_events"]],
        "reconciles": reconciles(1, **decided),
    }


PUBLISHED = {"able_reason": "ReadyForNewScale", "active_reason": "ValidMetricFound",
    "limited_reason": "DesiredWithinRange"}  # fmt: skip
FAILED = {"able_reason": "SucceededGetScale", "active_status": "False", "active_reason": "FailedGetResourceMetric",
    "limited_reason": "DesiredWithinRange"}  # fmt: skip
REPORTED: dict[str, Tables] = {
    "report.event_lost": rescaled(SAID, observed_at=at(90)),
    "report.blank_reason": rescaled("New size: 8; reason: "),
    "report.wrong_reason": rescaled("New size: 8; reason: All metrics below target"),
    "report.other_reason": replayed_as("memory usage above target"),
    "report.stale_metric": {
        "hpa_specs": [{}],
        "reconciles": reconciles(1, **FAILED),
        "metric_proposals": proposals(1),
        "hpa_status": [{"observed_at": at(1), **FAILED}],
        "hpa_status_metrics": [{"observed_at": at(1), "avg_utilization": 80}],
    },
    "report.wrong_condition": {
        "reconciles": reconciles(1, **PUBLISHED),
        "hpa_status": [{"observed_at": at(1), "able_reason": "SucceededRescale"}],
    },
}
FINE: dict[str, Tables] = {
    "an Event of this size": rescaled(SAID),
    "an Event as the replay would post it": replayed_as(SAID.partition("; reason: ")[2]),
    "another reason, from inputs that were only assumed": replayed_as("memory usage above target", evidence="assumed"),
    "an Event of what the HPA wrote, which admission changed": {
        **replayed_as(SAID.partition("; reason: ")[2], **{"class": "write_mutated.admission"}),
        "scale_events": [{**change, "reconcile_id": 0, "to_replicas": 5} for change in RAISED]},
    "a gap in the Events": {**rescaled(SAID, observed_at=at(90)), "coverage_gaps": [
        {"gap_from": at(50), "gap_to": at(80)}]},
    "no Events at all": {"scale_events": RAISED},
    "an Event of 1.1, without a reason": rescaled("New size: 8"),
    "a value of another metric": {**REPORTED["report.stale_metric"], "hpa_specs": [
        {"metrics": '[{"type": "Resource"}, {"type": "External"}]'}]},
    "the conditions of the decision": {
        "reconciles": reconciles(1, **PUBLISHED),
        "hpa_status": [{"observed_at": at(1)}],
    },
}  # fmt: skip


@pytest.mark.parametrize("expected", REPORTED)
def test_each_report_has_a_case(expected: str, database: Patterns) -> None:
    assert [row["class"] for row in database.audited(*REPORT, REPORTED[expected])] == [expected]


@pytest.mark.parametrize("case", FINE)
def test_a_report_that_is_right_or_unseen_is_none(case: str, database: Patterns) -> None:
    assert database.audited(*REPORT, FINE[case]) == []


def test_of_numbers_that_were_seen_at_one_instant_the_last_one_has_what_came_afterwards(database: Patterns) -> None:
    """As after a gap, in which two wrote: the first of their numbers is over at once."""
    steps = [(60, 4 + 2 * n, 6 + 2 * n) for n in range(8)]
    states = scale((0, 4, 4), (60, 20, 4), (70, 20, 20))
    ready = pods(*(-60 for _ in range(4)), *(80 for _ in range(16)))
    rows = database.audited(*EFFECT, target(scale_events=changes(*steps), scale_states=states, pods=ready))
    assert [row["made_at"] for row in rows[1:]] == [None] * 7 + [at(70)]
    assert [row["ready_at"] for row in rows[1:]] == [None] * 7 + [at(80)]


def test_a_target_that_is_gone_asks_for_no_pods(database: Patterns) -> None:
    """Made again with the number that it had, it begins anew, although nobody changed its number."""
    states = scale((0, 4, 4), (60, 8, 4), (60.1, 8, 8), (900, 8, 2), (910, 8, 8))
    states[2] |= {"gone_at": at(600)}
    rows = database.audited(*EFFECT, target(scale_states=states))
    assert [(row["ts"], row["until"], row["wanted"]) for row in rows] == [
        (at(0), at(60), 4),
        (at(60), at(600), 8),
        (at(900), at(3600), 8),
    ]
    assert [row["made_at"] for row in rows] == [at(0), at(60.1), at(910)]
