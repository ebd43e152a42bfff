"""Load, readiness, foreign pods, time: a flip that is named changes the decision, and no smaller change does."""

from dataclasses import replace
from pathlib import Path
from typing import Any

from hypothesis import assume, given, settings
from hypothesis import strategies as st

import hpaaudit
from hpaaudit.api.quantity import parse
from hpaaudit.api.times import micros
from hpaaudit.engine.behaviours.release import behaviours_of
from hpaaudit.engine.controller.limits import policies, scale_events
from hpaaudit.engine.controller.reconcile import reconcile
from hpaaudit.engine.replay.process import ReconcileInput
from hpaaudit.engine.rules import limit
from hpaaudit.flows.flips import all_flips
from hpaaudit.flows.policy_budget import policy_budgets
from hpaaudit.model.decision import Decision
from hpaaudit.model.flips import Flip, ForeignPodFlip, LoadFlip, MemoryFlip, ReadyFlip, TimeFlip, UtilizationFlip
from hpaaudit.model.memory import ScaleEvent
from hpaaudit.model.observation import Observation
from hpaaudit.model.units import SECOND, Micros
from tests.engine.scenes import NOW, at, cpu, flags, observation, pods, remembered

RELEASES = ("1.16", "1.18", "1.26", "1.33", "1.36")
POLICIES: tuple[dict[str, Any], ...] = (
    {"type": "Pods", "value": 2, "periodSeconds": 60},
    {"type": "Pods", "value": 4, "periodSeconds": 15},
    {"type": "Percent", "value": 100, "periodSeconds": 60},
    {"type": "Percent", "value": 10, "periodSeconds": 90},
)
Scene = dict[str, Any]


@st.composite
def scenes(draw: st.DrawFn) -> Scene:
    """Pods of each kind and their usage, an HPA, and what the controller remembers."""
    release = draw(st.sampled_from(RELEASES))
    behavior: dict[str, Any] | None = None
    if release != "1.16" and draw(st.booleans()):
        behavior = {
            side: {
                "policies": draw(st.lists(st.sampled_from(POLICIES), min_size=1, max_size=2)),
                "selectPolicy": draw(st.sampled_from(("Max", "Min"))),
                "stabilizationWindowSeconds": draw(st.sampled_from((0, 30, 120))),
            }
            for side in ("scaleUp", "scaleDown")
        }
    ages = st.integers(1, 200)
    return {
        "ready": draw(st.lists(st.integers(50, 2000), min_size=1, max_size=6)),
        "starting": draw(st.lists(st.integers(0, 3000), max_size=4)),
        "missing": draw(st.integers(0, 2)),
        "target": draw(st.integers(20, 100)),
        "replicas": draw(st.integers(1, 12)),
        "minimum": draw(st.integers(1, 2)),
        "maximum": draw(st.integers(8, 30)),
        "behavior": behavior,
        "release": release,
        "memory": draw(st.lists(st.tuples(st.integers(1, 14), ages), max_size=3)),
        "ups": draw(st.lists(st.tuples(st.integers(1, 4), ages), max_size=2)),
        "downs": draw(st.lists(st.tuples(st.integers(1, 4), ages), max_size=2)),
        "foreign": draw(st.integers(0, 2)),
    }


def inputs_of(scene: Scene, permille: int = 1000) -> ReconcileInput:
    """What the engine decides from, with so many thousandths of each usage, as a quantity says it."""
    words = [f"1@{parse(f'{usage * permille}u').milli}" for usage in scene["ready"]]
    words += [f"1@{parse(f'{usage * permille}u').milli}:unready,start-60,since-60" for usage in scene["starting"]]
    words += ["1"] * scene["missing"]
    fields = {name: scene[name] for name in ("replicas", "minimum", "maximum", "behavior")}
    observed = observation(cpu(scene["target"]), crowd=pods(" ".join(words)), **fields)
    owned = tuple(
        replace(pod, owner_kind="ReplicaSet", owner_name="web-api-5d" if index < scene["foreign"] else "web-5d")
        for index, pod in enumerate(observed.pods)
    )
    memory = remembered(*(f"{number}@{NOW - age}" for number, age in scene["memory"]))
    if scene["behavior"] is not None:
        memory = replace(memory, up=_events(scene["ups"]), down=_events(scene["downs"]))
    controller = flags(release=scene["release"])
    return ReconcileInput(observation=replace(observed, pods=owned), memory=memory, flags=controller)


def _events(events: list[tuple[int, int]]) -> tuple[ScaleEvent, ...]:
    return tuple(ScaleEvent(change=change, at_us=at(NOW - age), outdated=False) for change, age in events)


def decide(inputs: ReconcileInput) -> Decision:
    return reconcile(inputs.observation, inputs.memory, inputs.flags, keep_pods=True)[0]


def desired(observed: Observation, inputs: ReconcileInput) -> int | None:
    return decide(replace(inputs, observation=observed)).desired


def flips_of(scene: Scene, kind: type[Flip]) -> list[Any]:
    inputs = inputs_of(scene)
    return [flip for flip in all_flips(decide(inputs), inputs) if isinstance(flip, kind)]


@settings(max_examples=40, deadline=None, derandomize=True, database=None)
@given(scenes())
def test_so_much_more_load_changes_the_number_and_no_less_does(scene: Scene) -> None:
    before = decide(inputs_of(scene)).desired
    flips = flips_of(scene, LoadFlip)
    named = {flip.permille > 0: flip for flip in flips}
    assert len(named) == len(flips)
    for flip in flips:
        assert decide(inputs_of(scene, 1000 + flip.permille)).desired == flip.desired != before
    is_named_by_utilization = bool(flips_of(scene, UtilizationFlip))
    for is_up in () if is_named_by_utilization else (True, False):
        reach = abs(named[is_up].permille) if is_up in named else 1000
        for nearer in range(1, min(reach, 1001), 13):
            assert decide(inputs_of(scene, 1000 + (nearer if is_up else -nearer))).desired == before, nearer


@settings(max_examples=100, deadline=None, derandomize=True, database=None)
@given(scenes())
def test_the_pods_that_are_named_change_the_number_and_one_fewer_does_not(scene: Scene) -> None:
    inputs = inputs_of(scene)
    observed, before = inputs.observation, decide(inputs).desired
    for flip in flips_of(scene, ReadyFlip):
        assert set(flip.pods) <= {f"web-{len(scene['ready']) + index}" for index in range(len(scene["starting"]))}
        for names, number in ((flip.pods, flip.desired), (flip.pods[:-1], before)):
            crowd = tuple(
                replace(pod, ready="True", start_us=at(0), ready_transition_us=at(1)) if pod.name in names else pod
                for pod in observed.pods
            )
            assert desired(replace(observed, pods=crowd), inputs) == number
    for flip in flips_of(scene, ForeignPodFlip):
        assert (flip.owners, flip.foreign) == (("ReplicaSet/web-api-5d",), scene["foreign"])
        fewer = {**scene, "ready": scene["ready"][len(flip.pods) :], "foreign": 0}
        assume(fewer["ready"])
        assert decide(inputs_of(fewer)).desired == flip.desired != before


@settings(max_examples=20, deadline=None, derandomize=True, database=None)
@given(scenes())
def test_the_time_that_is_named_changes_the_number_and_no_earlier_one_does(scene: Scene) -> None:
    inputs = inputs_of(scene)
    observed, before = inputs.observation, decide(inputs).desired
    assume(not flips_of(scene, MemoryFlip))
    flips: list[TimeFlip] = flips_of(scene, TimeFlip)

    def later(by_us: int) -> int | None:
        now = Micros(observed.decided_us + by_us)
        return desired(replace(observed, decided_us=now, scale_us=now, metric_us=(now,)), inputs)

    for flip in flips:
        assert flip.at_us == observed.decided_us + flip.later_us
        assert later(flip.later_us) == flip.desired != before == later(flip.later_us - 1)
    reach = flips[0].later_us if flips else 400 * SECOND
    for earlier in range(SECOND // 2, min(reach, 400 * SECOND), SECOND):
        assert later(earlier) == before, earlier / SECOND


@settings(max_examples=200, deadline=None, derandomize=True, database=None)
@given(scenes())
def test_a_budget_is_what_the_policies_allow_and_is_free_again_when_it_says(scene: Scene) -> None:
    inputs = inputs_of(scene)
    decision, hpa = decide(inputs), inputs.observation.hpa
    budgets = list(policy_budgets(decision, inputs))
    wanted_to_move = decision.stabilized not in (None, decision.spec_replicas)
    assert bool(budgets) == (scene["behavior"] is not None and wanted_to_move)
    if not budgets or hpa is None or hpa.spec.behavior is None or decision.spec_replicas is None:
        return
    is_up = budgets[0].direction == "up"
    rules = hpa.spec.behavior.scale_up if is_up else hpa.spec.behavior.scale_down
    history = limit.ScaleEventHistory(scale_events(inputs.memory.up), scale_events(inputs.memory.down))
    in_force = limit.policy_behaviours(behaviours_of(inputs.flags))

    def allowed(now_us: int) -> int:
        return limit.policies_allow(is_up, decision.spec_replicas or 0, policies(rules), history, now_us, in_force)

    if in_force.min_moves:
        best = max if (rules.select_policy == "Max") == is_up else min
        assert best(budget.allowed for budget in budgets) == allowed(inputs.observation.decided_us)
    if len(budgets) == 1 and rules.policies[0].type == "Pods" and in_force.min_moves:
        for frees_us in {used.frees_us for used in budgets[0].used_by}:
            freed = sum(used.change for used in budgets[0].used_by if used.frees_us == frees_us)
            assert allowed(frees_us) - allowed(frees_us - 1) == freed


def test_a_pod_of_another_deployment_whose_name_begins_alike_is_foreign() -> None:
    scene: Scene = {
        "ready": [900, 900, 300, 300], "starting": [], "missing": 0, "target": 60, "replicas": 2, "minimum": 1,
        "maximum": 10, "behavior": None, "release": "1.36", "memory": [], "ups": [], "downs": [], "foreign": 2,
    }  # fmt: skip
    [flip] = flips_of(scene, ForeignPodFlip)
    assert (flip.pods, flip.foreign, flip.owners) == (("web-0",), 2, ("ReplicaSet/web-api-5d",))


def test_of_two_things_that_are_too_old_at_the_same_instant_the_one_is_named_that_counts() -> None:
    """In 1.20 the window on the way up holds 3; it ends when a recommendation leaves the window on the way down."""
    recording = Path(__file__).parents[2] / "recordings" / "1.20-two-windows"
    decision = hpaaudit.explain(recording, at="14:09:15")
    [flip] = [flip for flip in decision.flips if isinstance(flip, TimeFlip)]
    assert (flip.later_us, flip.cause, flip.desired) == (105 * SECOND, "recommendation", 8)
    assert flip.cause_us == micros("2026-03-02T14:09:00Z")
