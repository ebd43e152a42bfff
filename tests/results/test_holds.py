"""What the headline names as holding an HPA: why the number is not the one that its metrics asked for."""

from collections.abc import Iterator

import pytest

from hpaaudit.model.account import Hold
from hpaaudit.report.hold import held_in_words
from hpaaudit.report.text import Clock
from tests.results.patterns import Patterns, Row, Tables, at, changes, patterns, reconciles


@pytest.fixture(scope="module")
def database() -> Iterator[Patterns]:
    with patterns() as filled:
        yield filled


def held(reason_code: str, *, seconds: float = 15, **numbers: int) -> list[Row]:
    """Eight reconciles in a row with these numbers."""
    spec, desired = numbers.get("spec_replicas", 4), numbers.get("desired", 4)
    action = "hold" if spec == desired else "scale_up" if spec < desired else "scale_down"
    return reconciles(8, every_s=seconds, reason_code=reason_code, action=action, **numbers)


UP = {"spec_replicas": 4, "raw_desired": 9, "desired": 5}
BLIND = {"spec_replicas": 4, "desired": 4}
DOWN = {"spec_replicas": 8, "raw_desired": 3, "desired": 7}


@pytest.mark.parametrize(
    ("reason", "numbers", "cause", "apart"),
    [
        ("bound.max", {"spec_replicas": 10, "raw_desired": 14, "desired": 10}, "max_replicas", 4),
        ("policy.up_limit", UP, "up_policy", 4),
        ("policy.up_limit", {**UP, "raw_desired": 30}, "up_policy", 5),  # more than maxReplicas is no policy's doing
        ("policy.up_disabled", {**UP, "desired": 4}, "up_disabled", 5),
        ("policy.legacy_up_limit", {**UP, "desired": 8, "stabilized": 9}, "up_limit", 1),
        ("policy.down_limit", DOWN, "down_policy", 4),
        ("policy.down_limit", {**DOWN, "raw_desired": 0}, "down_policy", 5),  # nor is less than minReplicas
        ("policy.down_disabled", {**DOWN, "desired": 8}, "down_disabled", 5),
        ("stabilize.down_hold", {**DOWN, "desired": 8, "stabilized": 8}, "memory", 5),
        ("stabilize.up_hold", {**UP, "desired": 4, "stabilized": 4}, "up_window", 5),
        ("stabilize.up_partial", {**UP, "desired": 6, "stabilized": 6}, "up_window", 3),
        ("stabilize.down_partial", {**DOWN, "desired": 6, "stabilized": 6}, "memory", 3),
        # Whatever bound the number last: memory asked for more than maxReplicas, or than a reconcile may add.
        ("bound.max", {"spec_replicas": 10, "raw_desired": 4, "stabilized": 14, "desired": 10}, "memory", 6),
        ("gate.all_metrics_invalid", BLIND, "no_metric", 0),
        ("gate.target_unreadable", {}, "target_unreadable", 0),
        ("gate.selector_ambiguous", BLIND, "selector_ambiguous", 0),
        ("gate.selector_missing", BLIND, "selector_unusable", 0),
        ("gate.disabled_at_zero", {"spec_replicas": 0, "desired": 0}, "disabled_at_zero", 0),
    ],
)
def test_a_hold_names_its_cause_and_counts_the_pods_between(
    database: Patterns, reason: str, numbers: dict[str, int], cause: str, apart: int
) -> None:
    (hold,) = database.holds({"reconciles": held(reason, **numbers)})
    assert (hold["cause"], hold["reconciles"], hold["lasted_s"]) == (cause, 8, 120)
    assert hold["pod_s"] == apart * 120


@pytest.mark.parametrize(
    ("reason", "numbers"),
    [
        # Memory alone asks for more, or for fewer: the metrics have what they want.
        ("bound.max", {"spec_replicas": 10, "raw_desired": 10, "desired": 10}),
        ("policy.up_limit", {**UP, "raw_desired": 5}),
        # What memory raises is no scale-down that is held.
        ("policy.legacy_up_limit", {"spec_replicas": 2, "raw_desired": 3, "stabilized": 9, "desired": 4}),
        ("policy.down_limit", {**DOWN, "raw_desired": 7}),
        # All that minReplicas allows was done.
        ("policy.down_limit", {"spec_replicas": 3, "raw_desired": 1, "desired": 2}),
        ("metric.above_target", {**UP, "desired": 9}),
    ],
)
def test_nothing_held_what_the_metrics_have(database: Patterns, reason: str, numbers: dict[str, int]) -> None:
    assert database.holds({"reconciles": held(reason, **numbers)}) == []


def test_what_was_short_or_did_not_match_is_no_hold(database: Patterns) -> None:
    assert database.holds({"reconciles": held("policy.up_limit", seconds=7, **UP)}) == []
    undecided = [{**row, "verdict": "undecidable"} for row in held("policy.up_limit", **UP)]
    assert database.holds({"reconciles": undecided}) == []


@pytest.mark.parametrize(
    ("before_s", "recommended", "first", "either"),
    [(300, 8, 21, 20), (300, 9, 21, 20), (300, 7, 1, None), (225, 7, 5, None)],
)
def test_a_failed_metric_alone_holds_only_what_memory_would_not_have_held(
    database: Patterns, before_s: float, recommended: int, first: int, either: int | None
) -> None:
    """8 were recommended just before, and count for five minutes: until then either would have held the scale-down.

    So long must the recording have seen what was recommended: else more may have been, before it began.
    """
    rows = reconciles(41, reason_code="gate.partial_metrics_block_down", spec_replicas=8, desired=8)
    rows = [{**row, "raw_desired": None if number else recommended} for number, row in enumerate(rows)]
    rows[0]["reason_code"] = "metric.within_tolerance"
    holds = database.holds({"reconciles": rows, "recordings": [{"started_at": at(-before_s)}]})
    reconciles_of = {hold["cause"]: hold["reconciles"] for hold in holds}
    assert (reconciles_of["partial_metrics"], reconciles_of.get("metric_and_memory")) == (41 - first, either)
    assert {hold["pod_s"] for hold in holds} == {0}


@pytest.mark.parametrize("disabled", [True, False])
def test_a_failed_metric_holds_nothing_that_cannot_fall(database: Patterns, disabled: bool) -> None:
    """At minReplicas, or where scaling down is disabled, the number would be the same with every metric."""
    least = 1 if disabled else 8
    rows = reconciles(9, reason_code="gate.partial_metrics_block_down", spec_replicas=8, desired=8, min_replicas=least)
    rows = [{**row, "raw_desired": None} for row in rows]
    behavior = '{"scaleDown": {"selectPolicy": "Disabled"}}' if disabled else None
    specs = [{"valid_from": at(-300), "behavior": behavior}]
    tables: Tables = {"reconciles": rows, "recordings": [{"started_at": at(-300)}], "hpa_specs": specs}
    assert database.holds(tables) == []


@pytest.mark.parametrize(
    ("written_s", "restored_s", "is_shared"), [(10, 100, True), (10, 12, False), (200, 230, False)]
)
def test_pods_that_a_write_by_others_took_away_are_said_to_be_the_same_ones(
    database: Patterns, written_s: float, restored_s: float, is_shared: bool
) -> None:
    """A reconcile each 15 s, until 105 s, in which a policy allowed fewer than the metrics asked for."""
    written = changes((written_s, 6, 4), writer_class="gitops", writer_name="argocd")
    restored = changes((restored_s, 4, 6), writer_class="hpa")
    tables: Tables = {"reconciles": held("policy.up_limit", **UP), "scale_events": [*written, *restored]}
    (hold,) = database.holds(tables)
    assert hold["is_shared"] == is_shared
    told = held_in_words(Hold(**{name: value for name, value in hold.items() if name != "hpa_uid"}), Clock(0, 0))
    assert told.endswith("; 8 pod-minutes missing, some of them after a write by others.") == is_shared


def test_a_failed_metric_holds_nothing_that_memory_may_have_held(database: Patterns) -> None:
    """One reconcile is not known: for five minutes what it recommended may have held the scale-down."""
    rows = reconciles(41, reason_code="gate.partial_metrics_block_down", spec_replicas=8, desired=8, raw_desired=None)
    rows[9] |= {"verdict": "undecidable", "class": "no_data.recording_gap"}
    (hold,) = database.holds({"reconciles": rows, "recordings": [{"started_at": at(-300)}]})
    assert (hold["cause"], hold["reconciles"]) == ("partial_metrics", 41 - 1 - 20)


@pytest.mark.parametrize(("before_s", "epoch", "first"), [(300, 0, 1), (0, 0, 20), (0, 1, 21)])
def test_a_new_process_remembers_the_replicas_that_it_found(
    database: Patterns, before_s: float, epoch: int, first: int
) -> None:
    """The metrics asked for fewer from the start. What a process remembers that ran before is unknown."""
    rows = reconciles(41, reason_code="gate.partial_metrics_block_down", spec_replicas=8, desired=8, epoch_id=epoch)
    rows = [{**row, "raw_desired": None if number else 3} for number, row in enumerate(rows)]
    rows[0] |= {"reason_code": "stabilize.down_hold", "stabilized": 8}
    tables: Tables = {"reconciles": rows, "recordings": [{"started_at": at(-before_s)}]}
    causes = {hold["cause"]: hold["reconciles"] for hold in database.holds(tables)}
    assert causes["partial_metrics"] == 41 - first
    assert causes.get("metric_and_memory", 0) == (20 if (before_s, epoch) == (0, 1) else 0)


def test_a_new_process_forgot_what_the_one_before_it_recommended(database: Patterns) -> None:
    """9 were recommended before the restart; the new process found 5, and holds them at first; later 8 stood."""
    rows = reconciles(41, reason_code="gate.partial_metrics_block_down", spec_replicas=8, desired=8, epoch_id=2)
    rows = [{**row, "raw_desired": None} for row in rows]
    rows[0] |= {"raw_desired": 9, "reason_code": "metric.within_tolerance", "epoch_id": 1}
    rows[1] |= {"raw_desired": 2, "spec_replicas": 5, "desired": 5}
    (hold,) = database.holds({"reconciles": rows})
    assert (hold["cause"], hold["reconciles"]) == ("partial_metrics", 39)


def test_a_target_of_zero_has_them_until_somebody_writes(database: Patterns) -> None:
    """5 s after the last of eight reconciles somebody raised it: off for 110 s, as the finding says, not 120."""
    rows = held("gate.disabled_at_zero", spec_replicas=0, desired=0)
    write = changes((110, 0, 6), writer_class="person", writer_name="alice")
    tables = {"reconciles": rows, "scale_events": [{**row, "reconcile_id": 7} for row in write]}
    (hold,) = database.holds(tables)
    assert hold["lasted_s"] == 110
    [verdict] = database.verdicts("disabled_at_zero", tables)
    assert "off for 110 s" in verdict


def test_a_window_of_scale_ups_that_took_replicas_away_says_so(database: Patterns) -> None:
    """Up to 1.20 it does. The replicas of before are those of the first time."""
    window = {"raw_desired": 8, "stabilized": 3, "desired": 3}
    fell = reconciles(2, reason_code="stabilize.up_reversed", action="scale_down", spec_replicas=6, **window)
    fell[1] |= {"spec_replicas": 4}
    stood = {**window, "spec_replicas": 3}
    (hold,) = database.holds({"reconciles": [*fell, *reconciles(8, first=2, reason_code="stabilize.up_hold", **stood)]})
    words = held_in_words(Hold(**{name: value for name, value in hold.items() if name != "hpa_uid"}), Clock(0, 1))
    assert "scaled down, as it does up to 1.20, 6 -> 3 at 2026-03-02T14:00:00Z, and held the scale-up for " in words


@pytest.mark.parametrize(
    ("cause", "words"),
    [
        ("max_replicas", "maxReplicas alone held a scale-up for 2m 00s, in 8 reconciles"),
        ("up_policy", "The metrics asked for more than the scale-up policies allowed for 2m 00s, in 8 reconciles"),
        (
            "up_limit",
            "The metrics asked for more than a scale-up without a behavior may reach at once (double, at least 4) for",
        ),
        ("up_disabled", "The metrics asked for more, and scale-up is disabled, for 2m 00s, in 8 reconciles"),
        ("down_policy", "The metrics asked for fewer than the scale-down policies allowed for 2m 00s, in 8 reconciles"),
        ("down_disabled", "The metrics asked for fewer, and scale-down is disabled, for 2m 00s, in 8 reconciles"),
    ],
)
def test_a_hold_is_a_sentence_with_its_time_and_its_cost(cause: str, words: str) -> None:
    hold = Hold(cause=cause, reconciles=8, first_us=0, last_us=105_000_000, lasted_s=120, pod_s=480)
    sentence = held_in_words(hold, Clock(0, 200_000_000))
    kind = "missing" if cause.startswith(("up", "max")) else "more than the metrics asked for"
    assert sentence.startswith(words)
    assert sentence.endswith(f"; 8 pod-minutes {kind}.")
