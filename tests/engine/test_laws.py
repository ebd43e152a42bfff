"""Laws of the engine that hold for every decision, over random worlds."""

import pickle
import re
from dataclasses import replace
from itertools import pairwise
from random import Random
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hpaaudit.engine.controller.reconcile import reconcile
from hpaaudit.engine.replay.plan import plan
from hpaaudit.engine.replay.process import replay
from hpaaudit.model.audit import ReplayedReconcile
from hpaaudit.model.decision import Decision
from hpaaudit.model.facts import Fact
from hpaaudit.model.memory import EMPTY, Memory
from hpaaudit.model.observation import Observation
from hpaaudit.model.units import SECOND
from tests.engine.recorded_facts import facts_of_observations, moved, process_of, replayed
from tests.engine.scenes import RELEASE_1_36, Metric, cpu, memory, per_pod, pods, propose
from tests.engine.worlds import World, observations, world
from tests.same import texts

steady = settings(
    max_examples=60,
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.large_base_example],
)
seeds = st.integers(0, 2**32 - 1)
BY_CHANCE = re.compile(r"of Pod \S+|in Pod \S+")


def _world(seed: int) -> World:
    return world(Random(seed))  # noqa: S311 (a seed makes a world)


def _run(drawn: World, count: int) -> list[tuple[Observation, Memory, Decision, Memory]]:
    """Reconcile a world in a closed loop: what was seen, remembered, decided, and remembered then."""
    steps: list[tuple[Observation, Memory, Decision, Memory]] = []
    before = EMPTY
    for observation in observations(drawn, count):
        decision, after = reconcile(observation, before, drawn.flags)
        steps.append((observation, before, decision, after))
        before = after
        if decision.desired is not None:
            drawn.replicas = decision.desired
    return steps


def _essence(reconciles: list[ReplayedReconcile]) -> list[str]:
    return texts(
        (replayed.instant, replayed.decision, replayed.memory, replayed.band_lo, replayed.band_hi)
        for replayed in reconciles
    )


@steady
@given(seeds, st.integers(1, 7))
def test_fold_a_replay_in_two_parts_equals_the_whole(seed: int, cut: int) -> None:
    """What is carried over is the process and its memory; they survive being written down."""
    drawn = _world(seed)
    facts = facts_of_observations(observed for observed, *_ in _run(drawn, 8))
    laid_out = plan(facts, None)
    index = laid_out.reconciles[cut - 1].index
    first = process_of(laid_out, drawn.flags)
    done = list(replay(facts[:index], replace(laid_out, reconciles=laid_out.reconciles[:cut]), first, ()))
    second = pickle.loads(pickle.dumps(first))  # noqa: S301 (written a word before)
    rest = [replace(planned, index=planned.index - index) for planned in laid_out.reconciles[cut:]]
    continued = list(replay(facts[index:], replace(laid_out, reconciles=rest), second, ()))
    assert _essence([*done, *continued]) == _essence(replayed(facts, drawn.flags))


@steady
@given(seeds)
def test_a_replay_of_what_was_told_decides_as_the_reconciles_did(seed: int) -> None:
    drawn = _world(seed)
    run_steps = _run(drawn, 6)
    for done, (_, _, decision, after) in zip(
        replayed(facts_of_observations(s for s, *_ in run_steps), drawn.flags), run_steps, strict=True
    ):
        assert (done.decision.raw_desired, done.decision.desired) == (decision.raw_desired, decision.desired)
        assert replace(done.memory, selector=after.selector) == after


@steady
@given(seeds, st.integers(-(10**9), 10**9).map(lambda seconds: seconds * SECOND))
def test_shift_all_instants_moved_decide_the_same_at_moved_times(seed: int, delta_us: int) -> None:
    drawn = _world(seed)
    for observed, before, decision, after in _run(drawn, 4):
        shifted, remembered = reconcile(moved(observed, delta_us), moved(before, delta_us), drawn.flags)
        assert remembered == moved(after, delta_us)
        # As text, for a ratio that is not a number differs from itself.
        assert repr(shifted) == repr(moved(decision, delta_us))


@steady
@given(seeds, seeds)
def test_order_of_pods_does_not_matter_but_for_a_pod_named_by_chance(seed: int, order: int) -> None:
    drawn = _world(seed)
    for observed, before, decision, after in _run(drawn, 4):
        shuffled = list(observed.pods)
        Random(order).shuffle(shuffled)  # noqa: S311 (an order, no secret)
        again, remembered = reconcile(replace(observed, pods=tuple(shuffled)), before, drawn.flags)
        assert remembered == after
        assert BY_CHANCE.sub("", repr(again)) == BY_CHANCE.sub("", repr(decision))


@steady
@given(seeds)
def test_bounds_hold_whatever_the_metrics_say(seed: int) -> None:
    drawn = _world(seed)
    least = 1 if drawn.fields["minimum"] is None else drawn.fields["minimum"]
    for _, _, decision, _ in _run(drawn, 6):
        if decision.desired is None or decision.spec_replicas == 0 == decision.desired:
            continue  # unreadable, or asleep
        assert least <= decision.desired <= drawn.fields["maximum"]


@steady
@given(seeds)
def test_still_the_same_look_again_decides_no_change_where_none_was_decided(seed: int) -> None:
    drawn = _world(seed)
    for observed, _, decision, after in _run(drawn, 6):
        if decision.action != "hold" or observed.hpa is None or decision.status is None:
            continue
        standing = replace(observed, hpa=replace(observed.hpa, status=decision.status))
        again, _ = reconcile(standing, after, drawn.flags)
        assert (again.action, again.desired, again.attempts) == ("hold", decision.desired, ())
        assert (again.raw_desired, again.status_desired) == (decision.raw_desired, decision.status_desired)


@steady
@given(seeds, seeds)
def test_local_another_namespace_never_changes_a_decision(seed: int, other: int) -> None:
    drawn, strange = _world(seed), _world(other)
    own = facts_of_observations(observed for observed, *_ in _run(drawn, 5))
    foreign = [_elsewhere(fact) for fact in facts_of_observations(observed for observed, *_ in _run(strange, 5))]
    both = sorted([*own, *foreign], key=lambda fact: fact.at_us)
    mixed = [
        replayed_reconcile
        for replayed_reconcile in replayed(both, drawn.flags)
        if replayed_reconcile.decision.namespace == "shop"
    ]
    assert _essence(mixed) == _essence(replayed(own, drawn.flags))


def _elsewhere(fact: Fact) -> Fact:
    """Tells the same of another namespace."""
    changes: dict[str, Any] = {}
    for name in ("pod", "request", "target"):
        if hasattr(fact, name):
            changes[name] = replace(getattr(fact, name), namespace="kitchen")
    if hasattr(fact, "namespace"):
        changes["namespace"] = "kitchen"
    return replace(fact, **changes)


@steady
@given(
    st.sampled_from([cpu(50), memory(80), cpu(average=500), per_pod(300)]),
    st.lists(st.tuples(st.integers(0, 3000), st.integers(0, 3000)), min_size=1, max_size=12),
)
def test_more_never_fewer_when_every_pod_is_ready_and_measured(metric: Metric, usages: list[tuple[int, int]]) -> None:
    less = " ".join(f"1@{min(pair)}" for pair in usages)
    more = " ".join(f"1@{max(pair)}" for pair in usages)
    counts = [propose(metric, crowd=pods(text), replicas=len(usages)).proposal or 0 for text in (less, more)]
    assert counts == sorted(counts)


def test_more_may_be_fewer_when_pods_are_not_ready() -> None:
    """Three asked for, one runs: on target three stay, at twice the target two are proposed."""
    scene: dict[str, Any] = {"replicas": 3, "flags": RELEASE_1_36}
    running = [propose(per_pod(300), crowd=pods(f"1@{usage}"), **scene).proposal for usage in (300, 600)]
    assert running == [3, 2]


@steady
@given(seeds)
def test_recommendations_and_events_are_never_forgotten_only_overwritten(seed: int) -> None:
    run_steps = _run(_world(seed), 8)
    for (*_, earlier), (*_, later) in pairwise(run_steps):
        for kind in ("recommendations", "up", "down"):
            before, after = getattr(earlier, kind) or (), getattr(later, kind) or ()
            first = kind == "recommendations" and not before  # the first look remembers what stands as well
            assert len(before) <= len(after) <= len(before) + 1 + first
