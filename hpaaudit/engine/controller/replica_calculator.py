"""Calculates a number of replicas from the values of one metric: upstream's `ReplicaCalculator`.

The arithmetic is in `rules.replica_calculator`. This file turns pods and samples into its numbers.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from hpaaudit.engine.controller.group_pods import PodGroups, group_by_readiness, group_pods, running_and_ready
from hpaaudit.engine.controller.metric_context import MetricContext
from hpaaudit.engine.controller.metrics_client import ZERO_TIME_US, Problem, Sample
from hpaaudit.engine.controller.pod_requests import calculate_requests
from hpaaudit.engine.rules import replica_calculator as rules
from hpaaudit.engine.rules.go_numbers import wrap64
from hpaaudit.engine.rules.replica_calculator import PodCount, Proposal, Tally, Target
from hpaaudit.engine.rules.tolerance import within
from hpaaudit.model.hpa import MetricSpec
from hpaaudit.model.units import Micros, Milli

_NO_PODS = Problem("metric.invalid.no_pods", "no pods returned by selector while calculating replica count")
_NO_SAMPLES = Problem(
    "metric.invalid.no_ready_metrics", "did not receive metrics for targeted pods (pods might be unready)"
)
_NO_SAMPLES_BEFORE_1_27 = Problem("metric.invalid.no_ready_metrics", "did not receive metrics for any ready pods")
_LIST_FAILED = "unable to get pods while calculating replica count"
_NO_REQUESTS = Problem("metric.invalid.no_pods", "no metrics returned matched known pods")


@dataclass(frozen=True, slots=True, kw_only=True)
class CalculatedReplicas:
    """The replicas for one metric, with everything that explains them.

    alike     the replicas if missing and unready pods had used as much as the others
    samples   those that counted in the end, with the assumed ones of missing and unready pods
    """

    replicas: int
    alike: int
    current: Milli
    utilization: int | None
    ratio: float
    adjusted: float | None
    adjust_code: str
    inside: bool
    groups: PodGroups | None
    samples: Mapping[str, Sample] | None
    requests: Mapping[str, Milli] | None


def resource_replicas(
    metric: MetricSpec, samples: Mapping[str, Sample], target: int, at_us: Micros, context: MetricContext
) -> CalculatedReplicas | Problem:
    """The replicas for a utilization. Upstream: `GetResourceReplicas`."""
    behaviours = context.behaviours
    listed = context.with_listed_pods(_LIST_FAILED)
    if isinstance(listed, Problem):
        return listed
    context = listed
    groups = _groups(samples, metric.name, at_us, context, is_utilization=True)
    counted = _counted(samples, groups, context)
    requests = calculate_requests(context.pods, metric.container, metric.name, behaviours)
    request_milli = {} if isinstance(requests, Problem) else requests
    proposal = rules.resource_replicas(
        _tally(groups, counted, request_milli, target, context),
        Target(target, context.tolerance, is_external=False),
        context.current,
        isinstance(requests, Problem),
        behaviours,
    )
    if proposal.problem == rules.BAD_REQUEST and isinstance(requests, Problem):
        return requests
    if proposal.problem:
        return _problem(proposal.problem, context)
    assumed: dict[str, int] = {}
    if proposal.ratio < 1.0:
        up_to_target = behaviours.missing_up_to_target
        assumed = {
            name: rules.missing_utilization(request_milli[name], target, up_to_target) for name in groups.missing
        }
    elif proposal.ratio > 1.0:
        assumed = dict.fromkeys(groups.missing, 0)
    return _calculated(proposal, groups, _filled(proposal, counted, groups, assumed), request_milli, is_percent=True)


def plain_metric_replicas(
    samples: Mapping[str, Sample], target: Milli, resource: str, at_us: Micros, context: MetricContext
) -> CalculatedReplicas | Problem:
    """The replicas for an average. Upstream: `calcPlainMetricReplicas`."""
    listed = context.with_listed_pods(_LIST_FAILED)
    if isinstance(listed, Problem):
        return listed
    context = listed
    groups = _groups(samples, resource, at_us, context, is_utilization=False)
    counted = _counted(samples, groups, context)
    proposal = rules.plain_metric_replicas(
        _tally(groups, counted, None, target, context),
        Target(target, context.tolerance, is_external=False),
        context.current,
        context.behaviours,
    )
    if proposal.problem == rules.NO_SAMPLES and not context.behaviours.receive_spelled:
        return Problem(_NO_SAMPLES.code, "did not recieve metrics for any ready pods")
    if proposal.problem:
        return _problem(proposal.problem, context)
    assumed: dict[str, int] = {}
    if proposal.ratio != 1.0 or not context.behaviours.exact_ratio_fills_nothing:
        assumed = dict.fromkeys(groups.missing, int(target) if proposal.ratio < 1.0 else 0)
    return _calculated(proposal, groups, _filled(proposal, counted, groups, assumed), None)


def usage_ratio_replicas(
    usage: Milli, target: Milli, context: MetricContext, *, is_external: bool
) -> CalculatedReplicas | Problem:
    """The replicas for an Object or External value. Upstream: `getUsageRatioReplicaCount`."""
    aimed_at = Target(target, context.tolerance, is_external)
    pods = _multiplied_pods(usage, aimed_at, context)
    if isinstance(pods, Problem):
        return pods
    proposal = rules.usage_ratio_replicas(usage, aimed_at, context.current, pods, context.behaviours)
    if proposal.problem:
        return _problem(proposal.problem, context).under("unable to calculate ready pods")
    return _calculated(proposal)


def _multiplied_pods(usage: Milli, target: Target, context: MetricContext) -> PodCount | Problem:
    """The pods that a usage ratio multiplies: the ready ones, up to 1.10 the current replicas.

    In 1.11 the pods of an Object metric were listed only outside the tolerance, those of an External one always.
    """
    if not context.behaviours.ready_pods_multiplied:
        return PodCount(context.current, context.current)
    listed: MetricContext | Problem = context
    if target.is_external or not within(rules.usage_ratio(usage, target.amount), target.tolerance):
        listed = context.with_listed_pods(f"unable to calculate ready pods: {_LIST_FAILED}")
    if isinstance(listed, Problem):
        return listed
    return PodCount(len(listed.pods), running_and_ready(listed.pods))


def per_pod_replicas(usage: Milli, target: Milli, context: MetricContext, *, is_external: bool) -> CalculatedReplicas:
    """The replicas for an Object or External average.

    Upstream: `GetObjectPerPodMetricReplicas`, `GetExternalPerPodMetricReplicas`.
    """
    aimed_at = Target(target, context.tolerance, is_external)
    return _calculated(rules.per_pod_replicas(usage, aimed_at, context.scale.status_replicas, context.behaviours))


def _tally(
    groups: PodGroups,
    counted: Mapping[str, Sample],
    requests: Mapping[str, Milli] | None,
    target: int,
    context: MetricContext,
) -> Tally:
    """The groups in numbers; without requests only what an average needs."""
    usage = own = own_usage = own_requests = missing_requests = missing_usage = unready_requests = 0
    for name, sample in counted.items():
        usage = wrap64(usage + sample.value)
        request = None if requests is None else requests.get(name)
        if request is not None:
            own, own_usage, own_requests = own + 1, wrap64(own_usage + sample.value), wrap64(own_requests + request)
    if requests:
        for name in groups.missing:
            missing_requests = wrap64(missing_requests + requests[name])
            full = rules.missing_utilization(requests[name], target, context.behaviours.missing_up_to_target)
            missing_usage = wrap64(missing_usage + full)
        for name in groups.unready:
            unready_requests = wrap64(unready_requests + requests[name])
    return Tally(
        listed=len(context.pods),
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
    proposal: Proposal, counted: Mapping[str, Sample], groups: PodGroups, assumed: Mapping[str, int]
) -> Mapping[str, Sample]:
    """The samples that counted in the end: missing pods with their assumed values, unready pods as idle."""
    if proposal.adjust == rules.UNADJUSTED:
        return counted
    filled = {**counted, **{name: _assumed_sample(value) for name, value in assumed.items()}}
    if rules.counts_unready(len(groups.unready), proposal.ratio):
        filled |= {name: _assumed_sample(0) for name in groups.unready}
    return filled


def _assumed_sample(value: int) -> Sample:
    return Sample(Milli(value), ZERO_TIME_US, Micros(0))


def _groups(
    samples: Mapping[str, Sample], resource: str, at_us: Micros, context: MetricContext, *, is_utilization: bool
) -> PodGroups:
    behaviours = context.behaviours
    if behaviours.readiness_by_time:
        return group_pods(context.pods, samples, resource, at_us, context.flags, behaviours)
    return group_by_readiness(context.pods, samples, skips_failed=is_utilization and behaviours.failed_pods_skipped)


def _counted(samples: Mapping[str, Sample], groups: PodGroups, context: MetricContext) -> Mapping[str, Sample]:
    """The samples without those of unready pods and, up to 1.11 and since 1.20, of ignored ones.

    Upstream: `removeMetricsForPods`.
    """
    removed = {*groups.unready, *(groups.ignored if context.behaviours.ignored_samples_removed else ())}
    return {name: sample for name, sample in samples.items() if name not in removed} if removed else samples


def _problem(problem: int, context: MetricContext) -> Problem:
    """Why the calculator gives no number, in the words of this release."""
    if problem == rules.NO_PODS:
        return _NO_PODS
    if problem == rules.NO_REQUESTS:
        return _NO_REQUESTS
    return _NO_SAMPLES if context.behaviours.text_pods_might_be_unready else _NO_SAMPLES_BEFORE_1_27


def _calculated(
    proposal: Proposal,
    groups: PodGroups | None = None,
    samples: Mapping[str, Sample] | None = None,
    requests: Mapping[str, Milli] | None = None,
    *,
    is_percent: bool = False,
) -> CalculatedReplicas:
    return CalculatedReplicas(
        replicas=proposal.replicas,
        alike=proposal.alike,
        current=Milli(proposal.current),
        utilization=proposal.percent if is_percent else None,
        ratio=proposal.ratio,
        adjusted=None if proposal.adjust == rules.UNADJUSTED else proposal.adjusted,
        adjust_code=rules.ADJUST_CODES[proposal.adjust],
        inside=proposal.inside,
        groups=groups,
        samples=samples,
        requests=requests,
    )
