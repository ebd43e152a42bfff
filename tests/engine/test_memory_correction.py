"""What the memory holds after a reconcile follows the status that was published, and never a guess."""

from dataclasses import replace

from hpaaudit.engine.controller.reconcile import reconcile
from hpaaudit.engine.replay.memory_correction import corrected
from hpaaudit.model.hpa import Hpa
from hpaaudit.model.memory import EMPTY, Memory
from hpaaudit.model.observation import Observation
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
