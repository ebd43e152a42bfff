"""An answer that was not recorded may make a decision unknown; it never makes it another number.

A closed loop is told as a recorder sees it: answers that it polled itself, objects that it watched, statuses that the
controller wrote, and no line that says when a reconcile was or what it saw. Usages differ from poll to poll, for what
publishes the same averages cannot be told apart.
"""

from collections.abc import Collection, Sequence
from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from hpaaudit.model.audit import ReplayedReconcile
from hpaaudit.model.facts import (
    ControllerSeen,
    Ended,
    Fact,
    Gap,
    HpaSeen,
    PodSeen,
    ResourceMetricsRead,
    TargetSeen,
)
from hpaaudit.model.target import Scale
from hpaaudit.model.units import SECOND, Micros
from tests.engine.recorded_facts import hpa_seen, replayed
from tests.engine.scenes import RELEASE_1_36, TARGET, Loop, at, cpu, hpa_of, observation, pods

PERIOD = 15
usages = st.lists(st.integers(5, 150).map(lambda tens: tens * 10), min_size=6, max_size=12, unique=True)
steady = settings(max_examples=50, deadline=None, derandomize=True, database=None)


def _target(at_us: Micros, replicas: int) -> TargetSeen:
    return TargetSeen(
        at_us=at_us, target=TARGET, kind="Deployment", uid="uid-target", resource_version="1", generation=1,
        scale=Scale(spec_replicas=replicas, status_replicas=replicas, selector="app=web"),
        manager="kube-controller-manager", operation="Update", subresource="scale", written_us=at_us,
    )  # fmt: skip


def _recorded(usage: Sequence[int], refused: Collection[int] = ()) -> tuple[list[Fact], list[int]]:
    """Tells a loop of one pod in three states of load, and the numbers that the controller truly decided.

    refused   reconciles in which the controller was refused the metrics that the recorder was given
    """
    loop, truth = Loop(3), []
    started = ControllerSeen(at_us=at(1000), state="started", release="1.36", version="", flags=(), gates=())
    born = replace(hpa_seen(at(1000), hpa_of(cpu(50))), created_us=at(1000))
    facts: list[Fact] = [started, born, _target(at(1000), loop.replicas)]
    known_pods: set[str] = set()
    for number, amount in enumerate(usage, 1):
        now = 1000 + PERIOD * number
        crowd = pods(f"{loop.replicas}@{amount}", age=2)
        observed = observation(cpu(50), replicas=loop.replicas, crowd=crowd, now=now)
        new = [pod for pod in observed.pods if pod.name not in known_pods]
        facts += [PodSeen(at_us=at(now - 3), pod=pod) for pod in new]
        known_pods |= {pod.name for pod in new}
        # The recorder polls a little before each reconcile.
        facts += [replace(read, at_us=at(now - 1)) for read in observed.metrics if read is not None]
        before = loop.replicas
        own = [
            replace(read, status=403, error="forbidden", samples=None) for read in observed.metrics if read is not None
        ]
        decision = loop.reconcile(now, cpu(50), crowd=crowd, **({"metrics": tuple(own)} if number in refused else {}))
        truth.append(loop.replicas)
        if loop.replicas != before:
            facts.append(_target(Micros(at(now) + 20_000), loop.replicas))
        if decision.writes_status:
            facts.append(hpa_seen(Micros(at(now) + 40_000), replace(hpa_of(cpu(50)), status=loop.status)))
    return [*facts, Ended(at_us=at(1000 + PERIOD * len(usage) + 1))], truth


def _by_number(reconciles: list[ReplayedReconcile]) -> dict[int, ReplayedReconcile]:
    """Finds which reconcile of the loop each replayed one stands for."""
    return {round((reconcile.instant.at_us - at(1000)) / (PERIOD * SECOND)): reconcile for reconcile in reconciles}


@steady
@given(usages)
def test_what_was_recorded_whole_is_proven_and_decided_as_it_was(usage: list[int]) -> None:
    facts, truth = _recorded(usage)
    by_number = _by_number(replayed(facts, RELEASE_1_36))
    for number, desired in enumerate(truth, 1):
        reconcile = by_number[number]
        assert (reconcile.evidence, reconcile.decision.desired) == ("proven", desired)
        assert (reconcile.band_lo, reconcile.band_hi) == (desired, desired)


@steady
@given(usages, st.data())
def test_a_lost_answer_is_never_made_up_for_by_another(usage: list[int], data: st.DataObject) -> None:
    facts, truth = _recorded(usage)
    answers = [index for index, fact in enumerate(facts) if isinstance(fact, ResourceMetricsRead)]
    lost = data.draw(st.integers(1, len(answers) - 1))
    by_number = _by_number(replayed([fact for i, fact in enumerate(facts) if i != answers[lost]], RELEASE_1_36))
    replayed_reconcile = by_number[lost + 1]
    assert replayed_reconcile.evidence == "assumed" or replayed_reconcile.decision.desired == truth[lost]


@steady
@given(usages, st.data())
def test_a_lost_change_of_the_target_is_never_made_up_for_by_another(usage: list[int], data: st.DataObject) -> None:
    facts, truth = _recorded(usage)
    changes = [index for index, fact in enumerate(facts) if isinstance(fact, TargetSeen)]
    lost = data.draw(st.sampled_from(changes))
    by_number = _by_number(replayed([fact for i, fact in enumerate(facts) if i != lost], RELEASE_1_36))
    for number, desired in enumerate(truth, 1):
        if number in by_number:
            assert by_number[number].evidence == "assumed" or by_number[number].decision.desired == desired


@steady
@given(usages, st.data())
def test_an_answer_that_the_controller_was_refused_is_known_from_what_it_published(
    usage: list[int], data: st.DataObject
) -> None:
    """The last one may have come after the end, unless it left a trace: then it is not replayed at all."""
    refused = data.draw(st.sets(st.integers(1, len(usage)), min_size=1))
    facts, truth = _recorded(usage, refused)
    by_number = _by_number(replayed(facts, RELEASE_1_36))
    assert set(by_number) >= set(range(1, len(truth)))
    for number, desired in enumerate(truth, 1):
        if number not in by_number:
            continue
        reconcile = by_number[number]
        assert (reconcile.evidence, reconcile.decision.desired) == ("proven", desired)
        assert (reconcile.decision.reason_code == "gate.all_metrics_invalid") == (number in refused)


@steady
@given(usages, st.data())
def test_what_only_our_own_read_missed_is_remembered_as_it_was_published(usage: list[int], data: st.DataObject) -> None:
    """Its recommendation holds later ones: no later reconcile is proven to have decided otherwise."""
    missed = data.draw(st.sets(st.integers(1, len(usage) - 1), min_size=1))
    facts, truth = _recorded(usage)
    failed_us = {at(1000 + PERIOD * number - 1) for number in missed}
    seen = [
        replace(fact, status=503, error="unavailable", samples=None)
        if isinstance(fact, ResourceMetricsRead) and fact.at_us in failed_us
        else fact
        for fact in facts
    ]
    by_number = _by_number(replayed(seen, RELEASE_1_36))
    for number, desired in enumerate(truth, 1):
        if number in missed or by_number[number].evidence == "assumed":
            continue
        low, high = by_number[number].band_lo, by_number[number].band_hi
        assert low is not None
        assert high is not None
        assert low <= desired <= high


def _interrupted(facts: Sequence[Fact], since: int, until: int) -> list[Fact]:
    """Tells it as a recorder that was not there between two reconciles: after them it tells what has changed."""
    gap = Gap(at_us=at(1000 + PERIOD * since + 2), until_us=at(1000 + PERIOD * until + 2), prefix="*", cause="it died")
    missed = [fact for fact in facts if gap.at_us < fact.at_us < gap.until_us]
    last = {type(fact): fact for fact in missed if isinstance(fact, HpaSeen | TargetSeen)}
    later_facts = [*(fact for fact in missed if isinstance(fact, PodSeen)), *last.values()]
    return [
        *(fact for fact in facts if fact.at_us <= gap.at_us),
        gap,
        *(replace(fact, at_us=gap.until_us) for fact in later_facts),
        *(fact for fact in facts if fact.at_us >= gap.until_us),
    ]


@steady
@given(usages, st.data())
def test_what_was_decided_after_a_gap_is_within_what_may_have_been_decided(
    usage: list[int], data: st.DataObject
) -> None:
    facts, truth = _recorded(usage)
    since = data.draw(st.integers(1, len(usage) - 3))
    until = data.draw(st.integers(since + 2, len(usage) - 1))
    by_number = _by_number(replayed(_interrupted(facts, since, until), RELEASE_1_36))
    for number in range(until + 1, len(usage) + 1):
        replayed_reconcile, desired = by_number[number], truth[number - 1]
        assert (
            replayed_reconcile.evidence == "assumed"
            or replayed_reconcile.band_lo <= desired <= replayed_reconcile.band_hi
        ), (number, replayed_reconcile)
