"""Calculates a number of replicas from the values of one metric (`replica_calculator`)."""

from collections.abc import Mapping
from dataclasses import dataclass

from hpaaudit.engine import measure
from hpaaudit.engine.group import Groups, group, running_and_ready
from hpaaudit.engine.measure import Problem, Sample
from hpaaudit.engine.requests import requests
from hpaaudit.engine.rules import propose as rules
from hpaaudit.engine.rules.numbers import cut, wrap64
from hpaaudit.engine.sight import Sight
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
    groups: Groups | None
    samples: Mapping[str, Sample] | None
    requests: Mapping[str, Milli] | None


def utilization(
    metric: MetricSpec, samples: Mapping[str, Sample], target: int, at_us: Micros, sight: Sight
) -> Count | Problem:
    """`GetResourceReplicas`: usage in percent of what the pods request."""
    if not sight.pods:
        return _NO_PODS
    groups = _groups(samples, metric.name, at_us, sight)
    counted = _counted(samples, groups, sight)
    if not counted and sight.rules.samples_before_requests:
        return _no_samples(sight)
    asked = requests(sight.pods, metric.container, metric.name, sight.rules)
    if isinstance(asked, Problem):
        return asked
    if not counted:
        return _no_samples(sight)
    first = _percent(counted, asked, target)
    if isinstance(first, Problem):
        return first
    percent, ratio, average = first
    current = sight.current
    rescue = rules.rescues_unready(len(groups.unready), ratio)
    if not rescue and not groups.missing:
        inside = sight.inside(ratio)
        replicas = current if inside else rules.replicas_of(ratio, len(groups.ready))
        return _count(replicas, average, percent, ratio, None, "adjust.none", groups, counted, asked)
    filled = dict(counted)
    for name in groups.missing:
        if ratio < 1.0:
            filled[name] = _filled(rules.missing_utilization(asked[name], target, sight.rules.missing_up_to_target))
        elif ratio > 1.0:
            filled[name] = _filled(0)
    if rescue:
        filled |= {name: _filled(0) for name in groups.unready}
    second = _percent(filled, asked, target)
    if isinstance(second, Problem):
        return second
    guarded = sight.rules.utilization_guard
    replicas, code = _refilled(ratio, second[1], len(filled), current, rescue=rescue, guarded=guarded, sight=sight)
    return _count(replicas, average, percent, ratio, second[1], code, groups, filled, asked)


def plain(samples: Mapping[str, Sample], target: Milli, resource: str, at_us: Micros, sight: Sight) -> Count | Problem:
    """`calcPlainMetricReplicas`, 1.36: samples of pods that are not listed count too."""
    if not sight.pods:
        return _NO_PODS
    groups = _groups(samples, resource, at_us, sight)
    counted = _counted(samples, groups, sight)
    if not counted:
        return _no_samples(sight)
    usage = _average(counted)
    ratio = rules.usage_ratio(usage, target)
    current = sight.current
    rescue = rules.rescues_unready(len(groups.unready), ratio)
    if not rescue and not groups.missing:
        inside = sight.inside(ratio)
        replicas = current if inside else rules.replicas_of(ratio, len(groups.ready))
        return _count(replicas, usage, None, ratio, None, "adjust.none", groups, counted, None)
    filled = dict(counted)
    if ratio < 1.0:
        filled |= {name: _filled(target) for name in groups.missing}
    elif ratio > 1.0 or not sight.rules.exact_ratio_fills_nothing:
        filled |= {name: _filled(0) for name in groups.missing}
    if rescue:
        filled |= {name: _filled(0) for name in groups.unready}
    second = rules.usage_ratio(_average(filled), target)
    guarded = sight.rules.plain_guard
    replicas, code = _refilled(ratio, second, len(filled), current, rescue=rescue, guarded=guarded, sight=sight)
    return _count(replicas, usage, None, ratio, second, code, groups, filled, None)


def value(usage: Milli, target: Milli, sight: Sight, *, external: bool) -> Count | Problem:
    """Object Value and External value: the ratio times the ready pods (`getUsageRatioReplicaCount`)."""
    ratio = rules.usage_ratio(usage, target)
    current = sight.current
    if current == 0:
        replicas = rules.replicas_of(ratio, 1)
    elif external and not sight.rules.value_before_pods and not sight.pods:
        return _NO_PODS.under("unable to calculate ready pods")
    elif sight.inside(ratio):
        replicas = current
    elif not sight.pods:
        return _NO_PODS.under("unable to calculate ready pods")
    elif sight.rules.value_clamped:
        replicas = rules.replicas_of_clamped(ratio, running_and_ready(sight.pods))
    else:
        replicas = rules.replicas_of(ratio, running_and_ready(sight.pods))
    return _count(replicas, usage, None, ratio, None, "adjust.none", None, None, None)


def per_pod(usage: Milli, target: Milli, sight: Sight, *, clamped: bool) -> Count:
    """Object and External average values: against `status.replicas`, pods are not looked at."""
    status_replicas = sight.scale.status_replicas
    ratio = rules.per_pod_ratio(usage, target, status_replicas)
    if not rules.outside(ratio, sight.down, sight.up, sight.rules.inclusive_tolerance):
        replicas = status_replicas
    elif clamped:
        replicas = rules.per_pod_replicas_clamped(usage, target)
    else:
        replicas = rules.per_pod_replicas(usage, target)
    average = Milli(rules.per_pod_status(usage, status_replicas, clamped))
    return _count(replicas, average, None, ratio, None, "adjust.none", None, None, None)


def _refilled(
    first: float, second: float, samples: int, current: int, *, rescue: bool, guarded: bool, sight: Sight
) -> tuple[int, str]:
    """The number of replicas after missing and unready pods were filled in, and what that did."""
    if rules.holds(first, second, sight.down, sight.up, sight.rules.inclusive_tolerance):
        inside = sight.inside(second)
        return current, "adjust.damped_into_tolerance" if inside else "adjust.direction_flip_hold"
    replicas = rules.replicas_of(second, samples)
    if guarded and rules.against_direction(second, replicas, current):
        return current, "adjust.count_flip_hold"
    if rescue:
        return replicas, "adjust.unready_as_zero_up"
    return replicas, "adjust.missing_as_zero_up" if first > 1.0 else "adjust.missing_as_full_down"


def _percent(
    samples: Mapping[str, Sample], asked: Mapping[str, Milli], target: int
) -> tuple[int, float, Milli] | Problem:
    """Percent, ratio and average of the samples whose pod is listed (`GetResourceUtilizationRatio`)."""
    total = requested = entries = 0
    for name, sample in samples.items():
        request = asked.get(name)
        if request is None:
            continue
        total, requested, entries = wrap64(total + sample.value), wrap64(requested + request), entries + 1
    if requested == 0:
        return _NO_REQUESTS
    percent = rules.utilization_percent(total, requested)
    return percent, rules.usage_ratio(percent, target), Milli(cut(total, entries))


def _average(samples: Mapping[str, Sample]) -> Milli:
    total = 0
    for sample in samples.values():
        total = wrap64(total + sample.value)
    return Milli(cut(total, len(samples)))


def _groups(samples: Mapping[str, Sample], resource: str, at_us: Micros, sight: Sight) -> Groups:
    pending = sight.rules.pending_is_unready
    return group(sight.pods, samples, resource, at_us, sight.flags, pending_is_unready=pending)


def _counted(samples: Mapping[str, Sample], groups: Groups, sight: Sight) -> Mapping[str, Sample]:
    """The samples less those of unready pods, and, since 1.20, of ignored ones."""
    gone = {*groups.unready, *(groups.ignored if sight.rules.ignored_samples_removed else ())}
    return {name: sample for name, sample in samples.items() if name not in gone} if gone else samples


def _no_samples(sight: Sight) -> Problem:
    return _NO_SAMPLES if sight.rules.text_pods_might_be_unready else _NO_SAMPLES_BEFORE


def _filled(value: int) -> Sample:
    return Sample(Milli(value), measure.ZERO_TIME_US, Micros(0))


def _count(
    replicas: int,
    current: Milli,
    utilization: int | None,
    ratio: float,
    adjusted: float | None,
    adjust_code: str,
    groups: Groups | None,
    samples: Mapping[str, Sample] | None,
    asked: Mapping[str, Milli] | None,
) -> Count:
    return Count(
        replicas=replicas,
        current=current,
        utilization=utilization,
        ratio=ratio,
        adjusted=adjusted,
        adjust_code=adjust_code,
        groups=groups,
        samples=samples,
        requests=asked,
    )
