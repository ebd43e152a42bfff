"""Random worlds as an outside recorder sees them: polled answers, watched objects, statuses, no `reconcile` lines."""

from dataclasses import replace
from pathlib import Path
from random import Random

from hpaaudit.engine.eras.reconcile import reconcile
from hpaaudit.model.facts import ControllerSeen, Ended, Fact, PodGone, PodSeen, TargetSeen
from hpaaudit.model.flags import Flags
from hpaaudit.model.hpa import HpaStatus
from hpaaudit.model.memory import EMPTY
from hpaaudit.model.observation import Observation
from hpaaudit.model.target import Pod, Scale
from hpaaudit.model.units import SECOND, Micros
from tests.engine.recorded_facts import hpa_seen
from tests.engine.scenes import ASLEEP, TARGET
from tests.engine.worlds import GRID, observations, world
from tests.fleet.chance import ROWS, flags_of, with_status, write

STEPS = (2, 2, 2, 2, 2, 4, 6, 12)
"""The sync period is two steps of the grid. So half of it is one: ages stand exactly at the edge of what is near."""

LATE = 200_000
"""So much later than a reconcile its status is seen, in µs."""


def draw_told(folder: Path, seed: int, count: int, rows: int = ROWS, *, is_old: bool = False) -> Flags:
    """Writes a world whose replicas and statuses follow its decisions; returns the flags of its controller.

    Odd seeds begin while the controller runs already, so that it remembers what nobody saw.
    """
    chance = Random(seed)  # noqa: S311 (a seed makes a world)
    drawn = world(chance)
    flags = flags_of(seed, drawn.flags, is_old=is_old)
    unseen = count // 3 if seed % 2 else 0
    memory, status, pods_before = EMPTY, ASLEEP if drawn.replicas == 0 else None, dict[str, Pod]()
    facts: list[Fact] = []
    for number, observation in enumerate(observations(drawn, count, steps=STEPS)):
        observed = with_status(observation, status)
        decision, memory = reconcile(observed, memory, flags)
        replicas, status = drawn.replicas, decision.status or status
        if decision.desired is not None:
            drawn.replicas = decision.desired
        if number < unseen:
            continue
        if not facts:
            facts = _first(observed, flags, is_start=unseen == 0)
        facts += _seen(observed, pods_before, replicas, chance)
        pods_before = {pod.name: pod for pod in observed.pods}
        if observed.hpa is not None and decision.writes_status and status is not None:
            status = _edited(status, chance)
            facts.append(hpa_seen(Micros(observed.at_us + LATE), replace(observed.hpa, status=status)))
    facts.sort(key=lambda fact: fact.at_us)
    write(folder, [*facts, Ended(at_us=facts[-1].at_us)], rows)
    return flags


def _edited(status: HpaStatus, chance: Random) -> HpaStatus:
    """The status, now and then with what somebody else who may write it took out at once."""
    if chance.random() < 1 / 10:
        status = replace(status, last_scale_us=None)
    if chance.random() < 1 / 10:
        gone = chance.choice(("AbleToScale", "ScalingLimited"))
        status = replace(
            status, conditions=tuple(condition for condition in status.conditions if condition.type != gone)
        )
    return status


def _first(observation: Observation, flags: Flags, *, is_start: bool) -> list[Fact]:
    """The HPA as it stood at first, and the start of its controller if it was seen."""
    if observation.hpa is None:
        raise AssertionError("every drawn HPA exists")
    first_us = Micros(observation.at_us - GRID * SECOND)
    seen_hpa = replace(hpa_seen(first_us, observation.hpa), created_us=first_us if is_start else None)
    state = "started" if is_start else "declared"
    controller = ControllerSeen(at_us=first_us, state=state, release=flags.release, version="", flags=(), gates=())
    return [controller, seen_hpa]


def _seen(observation: Observation, pods_before: dict[str, Pod], replicas: int, chance: Random) -> list[Fact]:
    """The pods and the target as they changed before a reconcile, and the answers of its metrics.

    A change may come so shortly before it that its cache may not have had it, an answer so shortly after it that it may
    have been the reconcile's.
    """
    changed_us = Micros(observation.at_us - chance.choice((0, 300_000, 3_000_000)))
    here = {pod.name: pod for pod in observation.pods}
    facts: list[Fact] = [
        PodGone(at_us=changed_us, namespace=observation.namespace, name=name, uid=pods_before[name].uid)
        for name in sorted(pods_before.keys() - here.keys())
    ]
    facts += [PodSeen(at_us=changed_us, pod=pod) for pod in observation.pods if pods_before.get(pod.name) != pod]
    if observation.scale_reads[-1].scale is not None:
        scale: Scale = observation.scale_reads[-1].scale
        scaled_us = Micros(observation.at_us - chance.choice((0, 300_000, 3_000_000, 8_000_000)))
        facts.append(
            TargetSeen(
                at_us=scaled_us, target=TARGET, kind="Deployment", uid="uid-target", resource_version="1", generation=1,
                scale=replace(scale, spec_replicas=replicas), manager="kubectl", operation="Update",
                subresource="scale", written_us=scaled_us,
            )
        )  # fmt: skip
    answered_us = Micros(observation.at_us - chance.choice((0, 1_000_000, -1_000_000)))
    facts += [
        replace(read, at_us=answered_us) for read in observation.metrics if read is not None and chance.random() < 0.9
    ]
    return facts
