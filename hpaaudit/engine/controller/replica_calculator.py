"""Calculates a number of replicas from the values of one metric (`replica_calculator`)."""

from collections.abc import Mapping
from dataclasses import dataclass

from hpaaudit.engine.controller import metrics_client as measure
from hpaaudit.engine.controller.group_pods import Groups, group, running_and_ready
from hpaaudit.engine.controller.metric_context import Sight
from hpaaudit.engine.controller.metrics_client import Problem, Sample
from hpaaudit.engine.controller.pod_requests import requests
from hpaaudit.engine.rules import replica_calculator as rules
from hpaaudit.engine.rules.go_numbers import wrap64
from hpaaudit.engine.rules.replica_calculator import Proposal, Tally
from hpaaudit.model.hpa import MetricSpec
from hpaaudit.model.units import Micros, Milli

_NO_PODS = Problem("metric.invalid.no_pods", "no pods returned by selector while calculating replica count")
_NO_SAMPLES = Problem(
    "metric.invalid.no_ready_metrics", "did not receive metrics for targeted pods (pods might be unready)"
)
_NO_SAMPLES_BEFORE = Problem("metric.invalid.no_ready_metrics", "did not receive metrics for any ready pods")
_NO_REQUESTS = Problem("metric.invalid.no_pods", "no metrics returned matched known pods")


@dataclass(frozen=True, slots=True, kw_only=True)
class Count:
    """What the calculator made of one metric."""

    replicas: int
    current: Milli
    utilization: int | None
    ratio: float
    adjusted: float | None
    adjust_code: str
    inside: bool
    groups: Groups | None
    samples: Mapping[str, Sample] | None
    requests: Mapping[str, Milli] | None


def utilization(
    metric: MetricSpec, samples: Mapping[str, Sample], target: int, at_us: Micros, sight: Sight
) -> Count | Problem:
    """Usage in percent of what the pods request."""
    groups = _groups(samples, metric.name, at_us, sight)
    counted = _counted(samples, groups, sight)
    asked = requests(sight.pods, metric.container, metric.name, sight.rules)
    known = {} if isinstance(asked, Problem) else asked
    made = rules.utilization(
        _tally(groups, counted, known, target, sight),
        target,
        sight.current,
        sight.tolerance,
        isinstance(asked, Problem),
        sight.rules,
    )
    if made.problem == rules.BAD_REQUEST and isinstance(asked, Problem):
        return asked
    if made.problem:
        return _problem(made.problem, sight)
    fill: dict[str, int] = {}
    if made.ratio < 1.0:
        upto = sight.rules.missing_up_to_target
        fill = {name: rules.missing_utilization(known[name], target, upto) for name in groups.missing}
    elif made.ratio > 1.0:
        fill = dict.fromkeys(groups.missing, 0)
    return _count(made, groups, _filled(made, counted, groups, fill), known, percent=True)


def plain(samples: Mapping[str, Sample], target: Milli, resource: str, at_us: Micros, sight: Sight) -> Count | Problem:
    """Average usage against a target each."""
    groups = _groups(samples, resource, at_us, sight)
    counted = _counted(samples, groups, sight)
    made = rules.plain(
        _tally(groups, counted, None, target, sight),
        target,
        sight.current,
        sight.tolerance,
        sight.rules,
    )
    if made.problem:
        return _problem(made.problem, sight)
    fill: dict[str, int] = {}
    if made.ratio != 1.0 or not sight.rules.exact_ratio_fills_nothing:
        fill = dict.fromkeys(groups.missing, int(target) if made.ratio < 1.0 else 0)
    return _count(made, groups, _filled(made, counted, groups, fill), None)


def value(usage: Milli, target: Milli, sight: Sight, *, external: bool) -> Count | Problem:
    """Object Value and External value."""
    made = rules.value(
        usage,
        target,
        sight.current,
        len(sight.pods),
        running_and_ready(sight.pods),
        sight.tolerance,
        external,
        sight.rules,
    )
    if made.problem:
        return _problem(made.problem, sight).under("unable to calculate ready pods")
    return _count(made)


def per_pod(usage: Milli, target: Milli, sight: Sight, *, external: bool) -> Count:
    """Object and External average values."""
    return _count(rules.per_pod(usage, target, sight.scale.status_replicas, sight.tolerance, external, sight.rules))


def _tally(
    groups: Groups, counted: Mapping[str, Sample], asked: Mapping[str, Milli] | None, target: int, sight: Sight
) -> Tally:
    """The groups in numbers; without requests only what an average needs."""
    usage = own = own_usage = own_requests = missing_requests = missing_usage = unready_requests = 0
    for name, sample in counted.items():
        usage = wrap64(usage + sample.value)
        request = None if asked is None else asked.get(name)
        if request is not None:
            own, own_usage, own_requests = own + 1, wrap64(own_usage + sample.value), wrap64(own_requests + request)
    if asked:
        for name in groups.missing:
            missing_requests = wrap64(missing_requests + asked[name])
            full = rules.missing_utilization(asked[name], target, sight.rules.missing_up_to_target)
            missing_usage = wrap64(missing_usage + full)
        for name in groups.unready:
            unready_requests = wrap64(unready_requests + asked[name])
    return Tally(
        listed=len(sight.pods),
        ready=len(groups.ready),
        unready=len(groups.unready),
        missing=len(groups.missing),
        ignored=len(groups.ignored),
        counted=len(counted),
        usage=usage,
        own=own,
        own_usage=own_usage,
        own_requests=own_requests,
        missing_requests=missing_requests,
        missing_usage=missing_usage,
        unready_requests=unready_requests,
    )


def _filled(
    made: Proposal, counted: Mapping[str, Sample], groups: Groups, fill: Mapping[str, int]
) -> Mapping[str, Sample]:
    """The samples as they were counted in the end: missing pods with what was filled in, unready ones idle."""
    if made.adjust == rules.UNADJUSTED:
        return counted
    filled = {**counted, **{name: _made_up(value) for name, value in fill.items()}}
    if rules.rescues_unready(len(groups.unready), made.ratio):
        filled |= {name: _made_up(0) for name in groups.unready}
    return filled


def _groups(samples: Mapping[str, Sample], resource: str, at_us: Micros, sight: Sight) -> Groups:
    in_force = sight.rules
    return group(
        sight.pods,
        samples,
        resource,
        at_us,
        sight.flags,
        pending_is_unready=in_force.pending_is_unready,
        succeeded_ignored=in_force.succeeded_ignored,
    )


def _counted(samples: Mapping[str, Sample], groups: Groups, sight: Sight) -> Mapping[str, Sample]:
    """The samples less those of unready pods, and, since 1.20, of ignored ones."""
    gone = {*groups.unready, *(groups.ignored if sight.rules.ignored_samples_removed else ())}
    return {name: sample for name, sample in samples.items() if name not in gone} if gone else samples


def _problem(problem: int, sight: Sight) -> Problem:
    """Why the calculator gives no number, in the words of this release."""
    if problem == rules.NO_PODS:
        return _NO_PODS
    if problem == rules.NO_REQUESTS:
        return _NO_REQUESTS
    return _NO_SAMPLES if sight.rules.text_pods_might_be_unready else _NO_SAMPLES_BEFORE


def _made_up(value: int) -> Sample:
    return Sample(Milli(value), measure.ZERO_TIME_US, Micros(0))


def _count(
    made: Proposal,
    groups: Groups | None = None,
    samples: Mapping[str, Sample] | None = None,
    asked: Mapping[str, Milli] | None = None,
    *,
    percent: bool = False,
) -> Count:
    return Count(
        replicas=made.replicas,
        current=Milli(made.current),
        utilization=made.percent if percent else None,
        ratio=made.ratio,
        adjusted=None if made.adjust == rules.UNADJUSTED else made.adjusted,
        adjust_code=rules.ADJUST_CODES[made.adjust],
        inside=made.inside,
        groups=groups,
        samples=samples,
        requests=asked,
    )
