"""Draws random worlds: an HPA of any shape, pods in every state, and observations on a grid of five seconds.

The grid makes equal ages and exact edges common, which chance alone would never meet.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import Any

from hpaaudit.model.flags import Flags
from hpaaudit.model.hpa import Hpa, HpaStatus
from hpaaudit.model.observation import Observation
from hpaaudit.model.target import Container
from hpaaudit.model.units import SECOND, Micros
from tests.engine.scenes import (
    ASLEEP,
    BLANK,
    Crowd,
    Metric,
    amounts,
    container,
    cpu,
    external,
    failed_scale,
    flags,
    hpa_of,
    memory,
    observation,
    of_object,
    per_pod,
    pods,
)

GRID = 5
STEPS = (1, 3, 3, 3, 6, 12, 60)
"""Times between two observations, in steps of the grid."""

START = 1000
TARGETS = (30, 50, 80, 100, 200)
COUNTS = (0, 1, 2, 3, 5, 8, 13)
VALUES = ((0,), (500,), (1000,), (1100,), (2000,), (12_345,), (700, 300, 4000), (), (99, 1))
USAGES = (0, 100, 250, 450, 500, 550, 800, 1000, 2400)
REQUESTS: tuple[int | None, ...] = (1000, 1000, 1000, 500, 200)

ODD_REQUESTS = (1000, None)
EXACT_COUNTS = (5, 10, 15, 20, 25)
PERCENTS = (12, 35, 68, 70, 95, 140)
"""Percentages of these counts are whole numbers or halves, which each order of the same arithmetic misses otherwise."""

MOST = 2**31 - 1
HUGE_TARGETS = (1, 50, 100)
HUGE_COUNTS = (0, 1, 2**29, 2**30 - 1, 2**30, 2**30 + 1, MOST - 1, MOST)
HUGE_VALUES = (
    (1,), (2**31 * 500,), (2**31 * 1000,), ((2**31 - 1) * 300,), (2**52,), (2**53 + 1,), (2**60,), (2**62, 2**62),
    (2**63 - 1,), (2**63 - 1, 1), (2**63 - 1, 2**63 - 1), (-(2**62),),
)  # fmt: skip
HUGE_USAGES = (0, 1, 500, 2**31, 2**53 + 1, 2**57, 2**62, 2**63 - 1)
HUGE_REQUESTS = (1, 1, 500, 1000, 2**57, 2**62)
HUGE_POLICIES = (1, 50, 100, 300, 2**30, MOST - 1, MOST)
CAPS = ((), ("ReplicasCapped",), ("ReplicasCapped", "TotalAtZero"))
"""Numbers beside which int32, int64 and doubles end: what a spec may hold, and no real metric has."""

_SIDECAR = Container(name="mesh", requests=amounts(cpu=100, memory=100), restart_policy="Always")


@dataclass(slots=True)
class World:
    """One HPA, the flags of its controller, and what chance it is drawn from.

    counts      replicas that somebody sets by hand;  values, usages, requests   what metrics and pods are drawn from
    is_asleep   the condition ScaledToZero is there whatever the replicas are
    """

    random: Random
    flags: Flags
    metrics: tuple[Metric, ...]
    fields: dict[str, Any]
    crowd: Crowd
    replicas: int
    now: float = START
    counts: tuple[int, ...] = COUNTS
    values: tuple[tuple[int, ...], ...] = VALUES
    usages: tuple[int, ...] = USAGES
    requests: tuple[int | None, ...] = REQUESTS
    is_asleep: bool = False

    @property
    def hpa(self) -> Hpa:
        """The HPA, its status blank."""
        return hpa_of(*self.metrics, **self.fields)


def world(random: Random) -> World:
    """Draws a world."""
    metrics = tuple(_metric(random) for _ in range(random.choice((1, 1, 1, 2, 3))))
    minimum = random.choice((None, 0, 1, 1, 2, 3))
    fields: dict[str, Any] = {"minimum": minimum, "maximum": (minimum or 1) + random.choice((0, 1, 4, 12, 60))}
    behavior = _behavior(random)
    if behavior is not None:
        fields["behavior"] = behavior
    gates = (("HPAScaleToZero", random.random() < 0.4), ("HPAConfigurableTolerance", random.random() < 0.9))
    return World(
        random=random,
        flags=flags(
            *gates,
            tolerance=random.choice((0.1, 0.1, 0.1, 0.0, 0.2)),
            downscale_stabilization_us=Micros(random.choice((300, 300, 30, 60, 0)) * SECOND),
            cpu_initialization_period_us=Micros(random.choice((300, 60, 0)) * SECOND),
            initial_readiness_delay_us=Micros(random.choice((30, 10)) * SECOND),
        ),
        metrics=metrics,
        fields=fields,
        crowd=_crowd(random, random.choice((1, 2, 3, 4, 6, 10)), USAGES, REQUESTS),
        replicas=random.choice((0, 1, 2, 3, 4, 6, 10, 20)),
    )


def huge_world(random: Random) -> World:
    """Draws a world at the ends of Go's numbers."""
    drawn = world(random)
    drawn.fields["maximum"] = random.choice((2**30, MOST - 1, MOST, MOST))
    for rules in drawn.fields.get("behavior", {}).values():
        for policy in rules.get("policies", ()):
            policy["value"] = random.choice(HUGE_POLICIES)
    return replace(
        drawn,
        flags=replace(drawn.flags, with_behaviours=random.choice(CAPS)),
        metrics=tuple(_metric(random, HUGE_TARGETS) for _ in drawn.metrics),
        replicas=random.choice(HUGE_COUNTS),
        counts=HUGE_COUNTS,
        values=HUGE_VALUES,
        usages=HUGE_USAGES,
        requests=HUGE_REQUESTS,
        crowd=_crowd(random, 4, HUGE_USAGES, HUGE_REQUESTS),
        is_asleep=random.random() < 1 / 4,
    )


def exact_world(random: Random) -> World:
    """Draws a world whose percentages doubles miss by a little, and where every other pod lacks a request."""
    drawn = world(random)
    direction = {"stabilizationWindowSeconds": 0, "selectPolicy": random.choice(("Max", "Min"))}
    percents = [{"type": "Percent", "value": value, "periodSeconds": GRID} for value in random.sample(PERCENTS, 1)]
    drawn.fields |= {"maximum": 100, "behavior": {"scaleUp": direction | {"policies": percents}}}
    drawn.fields["behavior"]["scaleDown"] = drawn.fields["behavior"]["scaleUp"]
    return replace(drawn, replicas=10, counts=EXACT_COUNTS, requests=ODD_REQUESTS)


def observations(
    drawn: World, count: int, *, status: HpaStatus = BLANK, steps: Sequence[int] = STEPS
) -> Iterator[Observation]:
    """Draws the next observations of a world; whoever decides them sets `drawn.replicas` in between."""
    random = drawn.random
    for _ in range(count):
        drawn.now += GRID * random.choice(steps)
        if random.random() < 0.3:
            drawn.crowd = _crowd(random, random.choice((0, 1, 2, 3, 4, 6, 10)), drawn.usages, drawn.requests)
        if random.random() < 0.1:
            drawn.replicas = random.choice(drawn.counts)
        metrics = tuple(_answer(random, metric, drawn.values) for metric in drawn.metrics)
        asleep = drawn.is_asleep or (drawn.replicas == 0 and random.random() < 0.7)
        observed = observation(
            *metrics,
            replicas=drawn.replicas,
            status_replicas=min(max(0, drawn.replicas + random.choice((0, 0, 0, -1, 2))), MOST),
            crowd=drawn.crowd,
            now=drawn.now,
            status=ASLEEP if asleep else status,
            **drawn.fields,
        )
        unreadable = random.random() < 0.03
        yield replace(observed, scale_reads=(failed_scale(503, "down", drawn.now),)) if unreadable else observed


def _metric(random: Random, targets: Sequence[int] = TARGETS) -> Metric:
    target = random.choice(targets)
    match random.choice(("cpu", "cpu", "memory", "average", "container", "pods", "object", "external", "each", "one")):
        case "cpu":
            return cpu(target)
        case "memory":
            return memory(target)
        case "average":
            return cpu(average=target * 10)
        case "container":
            return container(random.choice(("app", "app", "mesh")), target)
        case "pods":
            selector = random.choice((None, None, {}, {"matchLabels": {"path": "/"}}))
            return per_pod(target * 10, selector=selector)
        case "object":
            return of_object(value=target * 10)
        case "one":
            return of_object(average=target * 10)
        case "external":
            return external(value=target * 10)
    return external(average=target * 10, selector=random.choice((None, {"matchLabels": {"queue": "a"}})))


def _answer(random: Random, metric: Metric, choices: Sequence[tuple[int, ...]]) -> Metric:
    if random.random() < 0.06:
        return metric.failing()
    if metric.values is None:
        return metric
    return replace(metric, values=random.choice(choices))


def _crowd(random: Random, count: int, usages: Sequence[int], requests: Sequence[int | None]) -> Crowd:
    """Draws pods; most are whole, and times stand on the grid."""
    crowd_pods: Crowd = ()
    for _ in range(count):
        usage = random.choice(usages)
        text = f"1@{usage}" if random.random() < 0.85 else "1"
        states = []
        if random.random() < 0.35:
            states.append(random.choice(("pending", "failed", "succeeded", "terminating", "unready", "unknown")))
            states.append(random.choice(("", "unconditioned", "unstarted", "ghost")) if random.random() < 0.3 else "")
        if random.random() < 0.4:
            states.append(f"start-{GRID * random.choice((1, 2, 4, 6, 12, 59, 60, 61, 200))}")
            states.append(f"since-{GRID * random.choice((0, 1, 3, 5, 6, 11, 12, 13, 59, 194))}")
            states.append(f"age-{GRID * random.choice((0, 0, 1, 3, 6))}")
            states.append(f"window-{GRID * random.choice((3, 6, 12))}")
        fields: dict[str, Any] = {}
        chance = random.random()
        if chance < 0.08:
            fields["level"] = amounts(cpu=800)
            fields["overhead"] = random.choice(((), amounts(cpu=50)))
        elif chance < 0.16:
            fields["init"] = (_SIDECAR,)
        request = None if random.random() < 0.01 else random.choice(requests)
        crowd_pods += pods(":".join(filter(None, (text, ",".join(filter(None, states))))), request=request, **fields)
    return crowd_pods


def _behavior(random: Random) -> dict[str, Any] | None:
    if random.random() < 0.4:
        return None
    behavior: dict[str, Any] = {}
    for direction in ("scaleUp", "scaleDown"):
        rules: dict[str, Any] = {}
        if random.random() < 0.5:
            rules["stabilizationWindowSeconds"] = random.choice((0, 15, 30, 60, 300))
        if random.random() < 0.4:
            rules["selectPolicy"] = random.choice(("Max", "Min", "Disabled"))
        if random.random() < 0.6:
            rules["policies"] = [
                {
                    "type": random.choice(("Pods", "Percent")),
                    "value": random.choice((1, 2, 4, 10, 30, 50, 100, 300)),
                    "periodSeconds": GRID * random.choice((1, 3, 6, 12, 60)),
                }
                for _ in range(random.choice((1, 2)))
            ]
        if random.random() < 0.25:
            rules["tolerance"] = random.choice(("0", "9m", "50m", "200m"))
        if rules or random.random() < 0.5:
            behavior[direction] = rules
    return behavior
