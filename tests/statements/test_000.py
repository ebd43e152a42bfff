"""Document 000, a walk through the source of release 1.28, statement by statement.

Where the document and the real controller differ, the controller is right; the test says so.
"""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from hpaaudit.engine.controller.reconcile import reconcile
from hpaaudit.engine.replay.plan import plan
from hpaaudit.engine.replay.process import Process, replay
from hpaaudit.model.audit import ReplayedReconcile
from hpaaudit.model.facts import Fact
from hpaaudit.model.flags import Flags
from hpaaudit.model.memory import EMPTY
from tests.engine.scenes import (
    Loop,
    Metric,
    after,
    asks,
    container,
    cpu,
    decide,
    external,
    flags,
    memory,
    observation,
    of_object,
    per_pod,
    pods,
    propose,
    refused_write,
    remembered,
    says,
    slots,
)
from tests.importers.lines import HPAS, PODS, SCALE, USAGE, get_line, hpa, items, line, read, running, saw, scale, usage

every = pytest.mark.parametrize("release", ["1.28", "1.36", "1.37"])


def replayed(facts: list[Fact], release: str = "1.28") -> list[ReplayedReconcile]:
    """Replays facts with the controller of a release."""
    laid_out, controller = plan(facts, None), flags(release=release)
    return list(replay(facts, laid_out, Process(laid_out, controller, lambda _: controller, keep_pods=False), ()))


@every
def test_s000_01_a_pass_sees_the_pods_as_of_the_last_watch_event(tmp_path: Path, release: str) -> None:
    facts = read(
        tmp_path,
        saw(1, HPAS, "ADDED", hpa()),
        get_line(1, PODS, items(running("web-0"), running("web-1"))),
        get_line(2, SCALE, scale(2)),
        get_line(3, USAGE, usage(web_0=900, web_1=900)),
        line(15, reconcile="shop/web"),
        saw(20, PODS, "DELETED", running("web-1")),
        line(30, reconcile="shop/web"),
    )
    assert [result.decision.proposals[0].ready_pods for result in replayed(facts, release)] == [2, 1]


@every
def test_s000_02_two_hpas_may_be_reconciled_at_one_instant(tmp_path: Path, release: str) -> None:
    """Five workers since 1.26; each HPA for itself, in its own memory."""
    facts = read(
        tmp_path,
        saw(1, HPAS, "ADDED", hpa()),
        saw(1, HPAS, "ADDED", hpa("api")),
        get_line(2, SCALE, scale(20)),
        get_line(2, SCALE.replace("/web/", "/api/"), scale(3)),
        line(15, reconcile="shop/web"),
        line(15, reconcile="shop/api"),
    )
    web, api = replayed(facts, release)
    assert (web.instant, web.decision.desired, api.decision.spec_replicas) == (api.instant, 10, 3)


def test_s000_03_the_sync_period_is_15_seconds(tmp_path: Path) -> None:
    assert Flags().sync_period_us == 15_000_000
    shown = hpa()
    states = [saw(t, HPAS, "MODIFIED", shown | {"status": {"desiredReplicas": t}}) for t in (15, 60)]
    facts = read(tmp_path, saw(0, HPAS, "ADDED", shown), *states, line(61, end=True))
    instants = [(result.instant.at_us - facts[0].at_us) / 1e6 for result in replayed(facts)]
    assert [instant for instant in instants if instant >= 15] == [15, 30, 45, 60]


@every
def test_s000_04_no_window_of_the_two_delay_flags_is_in_force(release: str) -> None:
    """The document has an upscale window of 3 min; from 1.12 on the controller only reads it (D01)."""
    loop = Loop(2, flags=flags(release=release))
    assert loop.every(15, 1000, 1015, asks(4)) == [(1000, 4)]
    assert loop.every(15, 1015, 1030, asks(8)) == [(1015, 8)]


@every
def test_s000_05_the_highest_of_five_minutes_holds(release: str) -> None:
    loop = Loop(10, flags=flags(release=release))
    loop.reconcile(0, asks(10))
    assert loop.every(15, 15, 330, asks(4)) == [(315, 4)]


@every
def test_s000_05_d02_the_window_is_of_recommendations_and_no_gap_between_two_scale_downs(release: str) -> None:
    loop = Loop(10, flags=flags(release=release))
    loop.reconcile(0, asks(10))
    loop.reconcile(15, asks(6))
    assert loop.every(15, 30, 345, asks(4)) == [(315, 6), (330, 4)]


def test_s000_06_the_edit_of_a_spec_brings_no_pass_forward(tmp_path: Path) -> None:
    shown = hpa()
    edited = hpa(maximum=7)
    states = [saw(t, HPAS, "MODIFIED", shown | {"status": {"desiredReplicas": t}}) for t in (15, 30)]
    without = read(tmp_path, saw(0, HPAS, "ADDED", shown), *states, line(61, end=True))
    edit = saw(37, HPAS, "MODIFIED", edited | {"status": {"desiredReplicas": 30}})
    with_edit = read(tmp_path, saw(0, HPAS, "ADDED", shown), *states, edit, line(61, end=True))
    assert [result.instant for result in replayed(with_edit)] == [result.instant for result in replayed(without)]


@every
def test_s000_07_a_failed_pass_keeps_its_memory_and_one_of_a_deleted_hpa_frees_it(release: str) -> None:
    controller, memory = flags(release=release), remembered("3@900")
    failed = observation(asks(3).failing(), replicas=3)
    assert reconcile(failed, memory, controller)[1].recommendations == memory.recommendations
    assert reconcile(replace(failed, hpa=None), memory, controller)[1] == EMPTY


@every
def test_s000_08_the_first_pass_of_a_process_remembers_what_stands(release: str) -> None:
    assert slots(after(asks(4), replicas=10, flags=flags(release=release))[1]) == "10@1000 4@1000"


@every
def test_s000_09_at_zero_nothing_is_read_and_scaling_is_disabled(release: str) -> None:
    decision = decide(asks(9), replicas=0, flags=flags(release=release))
    assert (decision.desired, decision.proposals) == (0, ())
    assert says(decision, "ScalingActive") == "False/ScalingDisabled"


@every
@pytest.mark.parametrize(("replicas", "minimum", "desired"), [(12, 1, 10), (1, 3, 3), (11, None, 10)])
def test_s000_10_outside_the_bounds_it_jumps_without_metrics_or_rates(
    release: str, replicas: int, minimum: int | None, desired: int
) -> None:
    slow = {"scaleUp": {"policies": [{"type": "Pods", "value": 1, "periodSeconds": 60}]}}
    decision = decide(
        asks(5), replicas=replicas, minimum=minimum, maximum=10, behavior=slow, flags=flags(release=release)
    )
    assert (decision.desired, decision.proposals) == (desired, ())


@every
def test_s000_11_otherwise_the_winner_is_normalized(release: str) -> None:
    decision = decide(external(-5000, value=1000), crowd=pods("3@1"), replicas=3, flags=flags(release=release))
    assert decision.raw_desired == 0
    assert decide(asks(9), replicas=5, flags=flags(release=release)).desired == 9


@every
def test_s000_12_the_two_normalizers_differ(release: str) -> None:
    controller = flags(release=release)
    assert decide(asks(20), replicas=1, flags=controller).desired == 4
    assert decide(asks(20), replicas=1, behavior={}, flags=controller).desired == 5


@every
def test_s000_13_a_change_is_one_write_and_none_is_none(release: str) -> None:
    controller = flags(release=release)
    assert decide(asks(3), replicas=3, flags=controller).attempts == ()
    assert [attempt.to for attempt in decide(asks(5), replicas=3, flags=controller).attempts] == [5]


@pytest.mark.parametrize(("release", "attempts"), [("1.28", 1), ("1.33", 1), ("1.34", 2), ("1.37", 2)])
def test_s000_13_from_1_34_on_it_is_repeated_on_a_conflict(release: str, attempts: int) -> None:
    conflicts = (refused_write(409, "modified"), refused_write(500, "no"))
    assert len(decide(asks(5), replicas=3, scale_writes=conflicts, flags=flags(release=release)).attempts) == attempts


@every
def test_s000_14_the_highest_wins_and_gives_the_name(release: str) -> None:
    crowd = pods("10@900")
    decision = decide(cpu(90), memory(60), crowd=crowd, replicas=10, flags=flags(release=release))
    assert [proposal.proposal for proposal in decision.proposals] == [10, 15]
    assert decision.scale_reason == "memory resource utilization (percentage of request) above target"
    equal = decide(cpu(60), memory(60), crowd=crowd, replicas=10, flags=flags(release=release))
    assert equal.scale_reason == "cpu resource utilization (percentage of request) above target"


@every
def test_s000_15_there_are_five_types_of_source(release: str) -> None:
    metrics = (cpu(50), container("app", 50), per_pod(500), of_object(1000, value=500), external(1000, value=500))
    decision = decide(*metrics, crowd=pods("2@500"), replicas=2, flags=flags(release=release))
    assert [proposal.valid for proposal in decision.proposals] == [True] * 5
    other = decide(Metric(written={"type": "Weather"}), replicas=2, flags=flags(release=release))
    assert says(other, "ScalingActive") == "False/InvalidMetricSourceType"


@every
def test_s000_16_an_error_of_the_api_wins_over_having_no_pods(release: str) -> None:
    proposal = propose(cpu(50).failing(503, "down"), replicas=2, flags=flags(release=release))
    assert proposal.invalid_code == "metric.invalid.api_unavailable"
    assert propose(cpu(50), crowd=pods("1@5:ghost"), replicas=2, flags=flags(release=release)).invalid_code == (
        "metric.invalid.no_pods"
    )


@every
def test_s000_17_each_pod_falls_into_one_of_four(release: str) -> None:
    """The document has only terminating pods ignored; Failed ones are, too (D03)."""
    crowd = pods("3@500 2:pending 4 1@500:terminating 1@500:failed")
    proposal = propose(cpu(50), crowd=crowd, replicas=9, flags=flags(release=release))
    assert (proposal.ready_pods, proposal.unready_pods, proposal.missing_pods, proposal.ignored_pods) == (3, 2, 4, 2)


CALCULATIONS: list[tuple[str, Metric, str, int, int | None, int]] = [
    # id, metric, pods, current, percent that status shows, proposal
    ("s000_18 ignored samples are dropped first", cpu(50), "2@800 1@0:terminating", 2, 80, 4),
    ("s000_20 three halves", cpu(50), "10@750", 10, 75, 15),
    ("s000_20 four fifths", cpu(50), "10@400", 10, 40, 8),
    ("s000_20 on target", cpu(50), "10@500", 10, 50, 10),
    ("s000_20 d04 the tolerance comes before the ceil", cpu(50), "10@520", 10, 52, 10),
    ("s000_20 inside the tolerance", cpu(50), "10@525", 10, 52, 10),
    ("s000_21 missing, below: full", cpu(50), "3@100 1", 4, 10, 3),
    ("s000_21 missing, below: the target above 100 %", cpu(200), "3@1000 1", 4, 100, 3),
    ("s000_22 missing, above: zero", cpu(50), "3@900 1", 4, 90, 6),
    ("s000_22 missing, exactly on target: nothing", cpu(50), "3@500 1", 4, 50, 4),
    ("s000_23 unready, above: zero", cpu(30), "2@600 1:pending", 3, 60, 4),
    ("s000_23 unready, below: left out", cpu(80), "2@300 1:pending", 3, 30, 1),
    ("s000_24 across one: stay", cpu(50), "2@700 2", 4, 70, 4),
    ("s000_26 four of one is 400 %", cpu(100), "1@4000", 1, 400, 4),
    ("s000_27 twice, five", per_pod(100), "5@200", 5, None, 10),
    ("s000_27 twice, four", per_pod(100), "4@200", 4, None, 8),
    ("s000_27 half, five is three by ceil", per_pod(100), "4@50", 5, None, 2),
    ("s000_27 half, four", per_pod(100), "4@50", 4, None, 2),
]


@every
@pytest.mark.parametrize(
    ("metric", "crowd", "replicas", "percent", "proposal"),
    [row[1:] for row in CALCULATIONS],
    ids=[row[0] for row in CALCULATIONS],
)
def test_s000_18_to_27(
    release: str, metric: Metric, crowd: str, replicas: int, percent: int | None, proposal: int
) -> None:
    computed = propose(metric, crowd=pods(crowd), replicas=replicas, flags=flags(release=release))
    assert (computed.current_utilization, computed.proposal) == (percent, proposal)


@pytest.mark.parametrize(("release", "proposal"), [("1.25", 2), ("1.26", 3)])
def test_s000_21_until_1_25_a_missing_pod_is_its_request_whatever_the_target(release: str, proposal: int) -> None:
    assert propose(cpu(200), crowd=pods("3@1000 1"), replicas=4, flags=flags(release=release)).proposal == proposal


@pytest.mark.parametrize(("release", "proposal"), [("1.15", 2), ("1.16", 1)])
def test_s000_23_until_1_15_a_pending_pod_was_missing(release: str, proposal: int) -> None:
    computed = propose(cpu(80), crowd=pods("2@300 1:pending"), replicas=3, flags=flags(release=release))
    assert computed.proposal == proposal


@every
def test_s000_19_every_listed_pod_must_have_a_request(release: str) -> None:
    proposal = propose(cpu(50), crowd=pods("2@500") + pods("1", request=None), replicas=3, flags=flags(release=release))
    assert proposal.invalid_code == "metric.invalid.missing_request"
    named = pods("2@500", containers=(("app", 1000, 500), ("side", None, 1)))
    assert propose(container("app", 50), crowd=named, replicas=2, flags=flags(release=release)).valid


@every
def test_s000_25_a_count_against_the_direction_stays(release: str) -> None:
    crowd = pods("5@110 2", request=200)
    proposal = propose(cpu(80), crowd=crowd, replicas=5, flags=flags(release=release))
    assert (proposal.proposal, proposal.adjust_code) == (5, "adjust.count_flip_hold")


@pytest.mark.parametrize(("release", "proposal"), [("1.15.11", 6), ("1.15.12", 5), ("1.17.4", 6), ("1.18", 5)])
def test_s000_25_the_guard_is_a_patch_of_1_15_to_1_17(release: str, proposal: int) -> None:
    crowd = pods("5@110 2", request=200)
    assert propose(cpu(80), crowd=crowd, replicas=5, flags=flags(release=release)).proposal == proposal


@every
def test_s000_26_d06_a_foreign_sample_is_not_in_the_ratio_but_in_the_count(release: str) -> None:
    scene: dict[str, Any] = {"replicas": 3, "flags": flags(release=release)}
    plain = propose(cpu(60), crowd=pods("2@300 1@500:ghost 1", request=200), **scene)
    assert (plain.current_utilization, plain.proposal) == (150, 7)


@every
def test_s000_27_d07_ready_pods_are_multiplied_and_not_current_replicas(release: str) -> None:
    crowd = pods("4@50 1:pending")
    assert propose(per_pod(100), crowd=crowd, replicas=5, flags=flags(release=release)).proposal == 2


@pytest.mark.parametrize("release", ["1.16", "1.28", "1.37"])
def test_s000_28_a_scale_that_made_no_pods_is_written_once_and_is_not_decided_anew(release: str) -> None:
    """The HPA writes the scale and no more: while its target makes no pods, it stays at what it asked for."""
    given = flags(release=release)
    first = decide(cpu(50), crowd=pods("2@100", request=100), replicas=2, flags=given)
    assert (first.desired, [attempt.to for attempt in first.attempts]) == (4, [4])
    later = decide(cpu(50), crowd=pods("2@100", request=100), replicas=4, status_replicas=2, flags=given)
    assert (later.desired, later.attempts) == (4, ())
