"""Everything that one reconcile may have seen: the newest inputs, and those within its uncertainty."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import islice, product

from hpaaudit.api.requests import RESOURCE_METRICS, requests_of, target_ref
from hpaaudit.api.selector import BadSelector, scale_selector
from hpaaudit.engine.world import MetricsRead, World, whole_namespace
from hpaaudit.model.facts import ScaleRead
from hpaaudit.model.hpa import Hpa
from hpaaudit.model.metrics import MetricsRequest
from hpaaudit.model.observation import Observation
from hpaaudit.model.target import Pod
from hpaaudit.model.units import Micros

MOST = 32


def candidates(world: World, seen: Observation, earlier: int, reach_us: Micros) -> Iterator[Observation]:
    """The observation itself, then its alternatives, the likelier first.

    earlier    after how many facts pods and scale may have been seen
    reach_us   how much later an answer may have come that the controller saw in our stead
    Answers: the newest and the next. Pods and scale: as they are, and as they were. All metrics that
    make one request saw one answer: samples of two scrapes are never mixed.
    """
    yield seen
    hpa = seen.hpa
    if hpa is None:
        return
    scales = _scales(world, seen, hpa, earlier)
    pods = _pods(world, seen, earlier)
    for scale, view in product(scales, pods):
        answers = _answers(world, seen, hpa, scale, reach_us)
        for chosen in islice(product(*answers.values()), MOST):
            by_request = dict(zip(answers, chosen, strict=True))
            metrics = tuple(None if request is None else by_request.get(request) for request in _wanted(hpa, scale))
            other = replace(
                seen,
                scale_reads=() if scale is None else (scale,),
                pods=view,
                metrics=metrics,
                metric_us=tuple(seen.at_us for _ in metrics),
            )
            if other != seen:
                yield other


def unread(seen: Observation) -> Iterator[Observation]:
    """The observation without one of its answers, then without any: the controller's own read may have failed.

    Each request in turn, in the order in which they are made.
    """
    asked = list(dict.fromkeys(read.request for read in seen.metrics if read is not None))
    for gone in [*({request} for request in asked), *([set(asked)] if len(asked) > 1 else [])]:
        metrics = tuple(None if read is None or read.request in gone else read for read in seen.metrics)
        yield replace(seen, metrics=metrics)


def _scales(world: World, seen: Observation, hpa: Hpa, facts: int) -> list[ScaleRead | None]:
    newest = seen.scale_reads[0] if seen.scale_reads else None
    earlier = world.earlier_scale(world.served(target_ref(hpa.namespace, hpa.spec.target)), facts)
    return [newest] if earlier is None else [newest, earlier]


def _pods(world: World, seen: Observation, facts: int) -> list[tuple[Pod, ...]]:
    earlier = world.earlier_pods(seen.namespace, facts)
    return [seen.pods] if earlier is None else [seen.pods, earlier]


def _wanted(hpa: Hpa, scale: ScaleRead | None) -> tuple[MetricsRequest | None, ...]:
    if scale is None or scale.scale is None:
        return ()
    try:
        return requests_of(hpa, str(scale_selector(scale.scale.selector)))
    except BadSelector:
        return ()


def _answers(
    world: World, seen: Observation, hpa: Hpa, scale: ScaleRead | None, reach_us: Micros
) -> dict[MetricsRequest, list[MetricsRead | None]]:
    """For each distinct request the newest answer, and the next if it came soon enough."""
    found: dict[MetricsRequest, list[MetricsRead | None]] = {}
    for request in _wanted(hpa, scale):
        if request is None or request in found:
            continue
        asked = request
        if request not in world.metrics and request.api == RESOURCE_METRICS:
            asked = whole_namespace(request)
        options: list[MetricsRead | None] = [world.metrics.get(asked)]
        following = world.upcoming.get(asked)
        if following and following[0].at_us - seen.at_us <= reach_us:
            options.append(following[0])
        found[request] = options
    return found
