"""What the memory holds after a reconcile follows the status that was published, and never a guess."""

from dataclasses import replace

from hpaaudit.engine.controller.reconcile import reconcile
from hpaaudit.engine.replay.memory_correction import corrected, without_guess
from hpaaudit.model.hpa import Hpa
from hpaaudit.model.memory import EMPTY, Memory
from hpaaudit.model.observation import Observation
from tests.engine.memories import remembered
from tests.engine.scenes import NOW, RELEASE_1_36, at, cpu, observation, pods

DOUBLE_LOAD = observation(cpu(50), replicas=3, crowd=pods("3@1000"))


def _hpa(observed: Observation) -> Hpa:
    assert observed.hpa is not None
    return observed.hpa


def _recommended(memory: Memory) -> list[tuple[int, int]]:
    return [(entry.replicas, entry.at_us) for entry in memory.recommendations or ()]


def test_a_status_corrects_what_was_recommended_and_not_the_replicas_that_a_new_process_found() -> None:
    decision, after = reconcile(DOUBLE_LOAD, EMPTY, RELEASE_1_36)
    assert decision.status is not None
    assert _recommended(after) == [(3, at(NOW)), (6, at(NOW))]
    reasons = {"AbleToScale": "ReadyForNewScale", "ScalingLimited": "DesiredWithinRange"}
    conditions = tuple(replace(one, reason=reasons.get(one.type, one.reason)) for one in decision.status.conditions)
    published = replace(decision.status, desired_replicas=5, conditions=conditions)
    assert _recommended(corrected(EMPTY, after, decision, _hpa(DOUBLE_LOAD), published)) == [(3, at(NOW)), (5, at(NOW))]


def test_a_recommendation_that_was_guessed_holds_no_later_number() -> None:
    decision, after = reconcile(DOUBLE_LOAD, remembered("3@990"), RELEASE_1_36)
    assert _recommended(after) == [(3, at(990)), (6, at(NOW))]
    kept = without_guess(after, decision)
    assert _recommended(kept)[0] == (3, at(990))
    later = observation(cpu(50), replicas=6, crowd=pods("6@100"), now=NOW + 15)
    held, _ = reconcile(later, after, RELEASE_1_36)
    free, _ = reconcile(later, kept, RELEASE_1_36)
    assert (held.desired, free.desired) == (6, 3)


def test_a_reconcile_that_recommended_nothing_leaves_nothing_to_forget() -> None:
    decision, _ = reconcile(DOUBLE_LOAD, EMPTY, RELEASE_1_36)
    assert without_guess(EMPTY, decision) == EMPTY
    assert without_guess(remembered("3@990"), decision) == remembered("3@990")
