"""A simple second engine, object by object, which ours is compared with.

Written from the published behaviour of kube-controller-manager 1.36 and from nothing of our engine: no shared rule, no
cache, dictionaries for the memory. It decides replicas, the raw proposal and the memory; it writes no status and no
text. Every write of the scale succeeds. Numbers beyond int32 and int64 are outside what it can tell.
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass, field

from hpaaudit.model.facts import ResourceMetricsRead, ValuesRead
from hpaaudit.model.flags import Flags
from hpaaudit.model.hpa import Hpa, LabelSelector, MetricSpec, ScalingPolicy, ScalingRules
from hpaaudit.model.observation import Observation
from hpaaudit.model.target import Pod, Scale

SECOND = 1_000_000
Samples = dict[str, tuple[int, int, int]]
"""By pod: value, when, window."""


class InvalidMetric(Exception):
    """A metric that gives no proposal."""


@dataclass(slots=True)
class Process:
    """What the controller process keeps, by `namespace/name`: lists of lists, as they are changed in place."""

    recommendations: dict[str, list[list[int]]] = field(default_factory=dict)
    up: dict[str, list[list[int]]] = field(default_factory=dict)
    down: dict[str, list[list[int]]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Verdict:
    """One reconcile: the raw proposal (None where no metric was consulted, or all failed) and the replicas to be."""

    raw: int | None
    desired: int | None


def reconcile(observation: Observation, process: Process, flags: Flags) -> Verdict:
    """One reconcile of one HPA."""
    key, hpa = f"{observation.namespace}/{observation.name}", observation.hpa
    if hpa is None:
        for entries_by_hpa in (process.recommendations, process.up, process.down):
            entries_by_hpa.pop(key, None)
        return Verdict(None, None)
    scale = observation.scale_reads[0].scale if observation.scale_reads else None
    if scale is None:
        return Verdict(None, None)
    current = scale.spec_replicas
    process.recommendations.setdefault(key, [[current, observation.scale_us]])
    minimum = 1 if hpa.spec.min_replicas is None else hpa.spec.min_replicas
    raw: int | None = None
    if current == 0 and not _wakes(hpa, minimum, flags):
        return Verdict(None, 0)
    if current > hpa.spec.max_replicas:
        desired = hpa.spec.max_replicas
    elif 0 < current < minimum:
        desired = minimum
    else:
        proposal = _best_proposal(hpa, scale, observation, flags)
        if proposal is None:
            return Verdict(None, current)
        raw = max(0, proposal)
        if hpa.spec.behavior is None:
            stabilized = _highest_recent(process.recommendations[key], raw, observation.decided_us, flags)
            desired = _double_at_most(stabilized, current, minimum, hpa.spec.max_replicas)
        else:
            stabilized = _between_windows(
                hpa, process.recommendations[key], raw, current, observation.decided_us, flags
            )
            desired = _by_policies(hpa, process, key, stabilized, current, minimum, observation.decided_us)
        if current == 0 and minimum > 0:
            desired = max(desired, minimum)
    if desired != current and hpa.spec.behavior is not None:
        _store_scale(hpa, process, key, current, desired, observation.decided_us)
    return Verdict(raw, desired)


def _wakes(hpa: Hpa, minimum: int, flags: Flags) -> bool:
    if not dict(flags.gates).get("HPAScaleToZero", False):
        return False
    if not any(condition.type == "ScaledToZero" and condition.status == "True" for condition in hpa.status.conditions):
        return False
    return minimum > 0 or any(metric.type in ("Object", "External") for metric in hpa.spec.metrics)


# --- metrics -----------------------------------------------------------------------------------------------


def _best_proposal(hpa: Hpa, scale: Scale, observation: Observation, flags: Flags) -> int | None:
    if not scale.selector:
        return None
    key, _, value = scale.selector.partition("=")
    pods = [pod for pod in observation.pods if dict(pod.labels).get(key) == value]
    best, invalid = 0, 0
    for metric, read, at_us in zip(hpa.spec.metrics, observation.metrics, observation.metric_us, strict=True):
        try:
            best = max(best, _Metric(hpa, metric, scale, pods, at_us, flags).propose(read))
        except InvalidMetric:
            invalid += 1
    if invalid == len(hpa.spec.metrics) or (invalid and best < scale.spec_replicas):
        return None
    return best


@dataclass(slots=True)
class _Metric:
    """The calculation of one metric."""

    hpa: Hpa
    metric: MetricSpec
    scale: Scale
    pods: list[Pod]
    now: int
    flags: Flags

    def propose(self, read: ResourceMetricsRead | ValuesRead | None) -> int:
        if read is None or read.status != 200:
            raise InvalidMetric
        target, kind = self.metric.target, self.metric.type
        if target is None or not _selectable(self.metric.selector):
            raise InvalidMetric
        if isinstance(read, ResourceMetricsRead):
            samples = self._resource_samples(read)
            if target.average_value is not None:
                return self._per_pod(samples, self.metric.name, target.average_value.milli, None)
            if target.average_utilization is not None:
                return self._per_pod(samples, self.metric.name, None, target.average_utilization)
            raise InvalidMetric
        values = [value.value for value in read.values or ()]
        if not values or (kind == "Object" and len(values) != 1):
            raise InvalidMetric
        if kind == "Pods" and target.average_value is not None:
            usage: Samples = {
                v.object: (v.value, v.timestamp_us or 0, v.window_us or 60 * SECOND) for v in read.values or ()
            }
            return self._per_pod(usage, "", target.average_value.milli, None)
        by_average = target.type == "AverageValue" if kind == "Object" else target.average_value is not None
        if by_average and target.average_value is not None:
            return self._against_status(sum(values), target.average_value.milli)
        if target.value is not None:
            return self._times_ready(sum(values), target.value.milli)
        raise InvalidMetric

    def _within(self, ratio: float) -> bool:
        down = up = self.flags.tolerance
        behavior = self.hpa.spec.behavior
        if behavior is not None and dict(self.flags.gates).get("HPAConfigurableTolerance", True):
            if behavior.scale_down.tolerance is not None:
                down = behavior.scale_down.tolerance.milli * 0.001
            if behavior.scale_up.tolerance is not None:
                up = behavior.scale_up.tolerance.milli * 0.001
        return 1.0 - down <= ratio <= 1.0 + up

    def _against_status(self, usage: int, target: int) -> int:
        status = self.scale.status_replicas
        if status > 0 and self._within(usage / (float(target) * status)):
            return status
        return math.ceil(usage / target)

    def _times_ready(self, usage: int, target: int) -> int:
        ratio = usage / target
        if self.scale.spec_replicas == 0:
            return math.ceil(ratio)
        if self._within(ratio):
            return self.scale.spec_replicas
        if not self.pods:
            raise InvalidMetric
        return math.ceil(ratio * sum(pod.phase == "Running" and pod.ready == "True" for pod in self.pods))

    def _resource_samples(self, read: ResourceMetricsRead) -> Samples:
        if not read.samples:
            raise InvalidMetric
        samples: Samples = {}
        for item in read.samples:
            usages = [dict(used.usage).get(self.metric.name) for used in item.containers]
            if self.metric.container:
                named = [used.name for used in item.containers]
                usages = [usages[named.index(self.metric.container)]] if self.metric.container in named else []
            if usages and None not in usages:
                samples[item.pod] = (sum(u for u in usages if u is not None), item.timestamp_us or 0, item.window_us)
        return samples

    def _per_pod(self, samples: Samples, resource: str, average: int | None, percent: int | None) -> int:
        """Of the target an average, or a percentage of the requests."""
        if not self.pods:
            raise InvalidMetric
        ready, unready, missing = 0, [], []
        measured = dict(samples)
        for pod in self.pods:
            if pod.deleting_us is not None or pod.phase == "Failed":
                measured.pop(pod.name, None)
            elif pod.phase == "Pending":
                unready.append(pod.name)
            elif pod.name not in samples:
                missing.append(pod.name)
            elif resource == "cpu" and self._too_young(pod, *samples[pod.name][1:]):
                unready.append(pod.name)
            else:
                ready += 1
        for name in unready:
            measured.pop(name, None)
        if not measured:
            raise InvalidMetric
        requests = {} if percent is None else {pod.name: self._request(pod) for pod in self.pods}
        values = {name: sample[0] for name, sample in measured.items()}
        current = self.scale.spec_replicas
        ratio = self._ratio(values, requests, average, percent)
        rescue = bool(unready) and ratio > 1.0
        if not rescue and not missing:
            return current if self._within(ratio) else math.ceil(ratio * ready)
        for name in missing:
            if ratio < 1.0:
                full = average if average is not None else requests[name] * max(100, percent or 0) // 100
                values[name] = full
            elif ratio > 1.0:
                values[name] = 0
        if rescue:
            values |= dict.fromkeys(unready, 0)
        second = self._ratio(values, requests, average, percent)
        if self._within(second) or (ratio < 1.0 < second) or (ratio > 1.0 > second):
            return current
        count = math.ceil(second * len(values))
        if (second < 1.0 and count > current) or (second > 1.0 and count < current):
            return current
        return count

    def _ratio(
        self, values: dict[str, int], requests: dict[str, int], average: int | None, percent: int | None
    ) -> float:
        if average is not None:
            return float(sum(values.values()) // len(values)) / float(average)
        both = [(value, requests[name]) for name, value in values.items() if name in requests]
        asked = sum(request for _, request in both)
        if asked == 0:
            raise InvalidMetric
        return float(sum(value for value, _ in both) * 100 // asked) / float(percent or 0)

    def _too_young(self, pod: Pod, sampled: int, window: int) -> bool:
        if not pod.ready or pod.start_us is None:
            return True
        transition = pod.ready_transition_us or 0
        if pod.start_us + self.flags.cpu_initialization_period_us > self.now:
            return pod.ready == "False" or sampled < transition + window
        return pod.ready == "False" and pod.start_us + self.flags.initial_readiness_delay_us > transition

    def _request(self, pod: Pod) -> int:
        own = dict(pod.pod_requests or ())
        containers = [*pod.containers, *(c for c in pod.init_containers if c.restart_policy == "Always")]
        asked = [(container.name, dict(container.requests).get(self.metric.name)) for container in containers]
        if self.metric.container:
            asked = [pair for pair in asked if pair[0] == self.metric.container][:1]
            if not asked:
                raise InvalidMetric
        elif self.metric.name in own and dict(self.flags.gates).get("PodLevelResources", True):
            return own[self.metric.name] + dict(pod.overhead).get(self.metric.name, 0)
        if any(request is None for _, request in asked):
            raise InvalidMetric
        return sum(request or 0 for _, request in asked)


def _selectable(selector: LabelSelector | None) -> bool:
    """Refuses a label value with a slash."""
    return selector is None or all("/" not in value for _, value in selector.match_labels)


# --- stabilize, limit, remember ----------------------------------------------------------------------------


def _store(entries: list[list[int]], free: list[int], entry: list[int]) -> None:
    if free:
        entries[free[-1]] = entry
    else:
        entries.append(entry)


def _highest_recent(entries: list[list[int]], raw: int, now: int, flags: Flags) -> int:
    since = now - flags.downscale_stabilization_us
    stabilized = max([raw, *(replicas for replicas, when in entries if when >= since)])
    _store(entries, [index for index, entry in enumerate(entries) if entry[1] < since], [raw, now])
    return stabilized


def _double_at_most(stabilized: int, current: int, minimum: int, maximum: int) -> int:
    return minimum if stabilized < minimum else min(stabilized, maximum, max(2 * current, 4))


def _between_windows(hpa: Hpa, entries: list[list[int]], raw: int, current: int, now: int, flags: Flags) -> int:
    if hpa.spec.behavior is None:
        raise AssertionError("only with a behavior")
    down = hpa.spec.behavior.scale_down.stabilization_window_seconds
    if down is None:
        down = flags.downscale_stabilization_us // SECOND
    since_up = now - (hpa.spec.behavior.scale_up.stabilization_window_seconds or 0) * SECOND
    since_down = now - down * SECOND
    lowest = min([raw, *(replicas for replicas, when in entries if when > since_up)])
    highest = max([raw, *(replicas for replicas, when in entries if when > since_down)])
    _store(entries, [i for i, entry in enumerate(entries) if entry[1] < min(since_up, since_down)], [raw, now])
    return min(max(current, lowest), highest)


def _by_policies(hpa: Hpa, process: Process, key: str, stabilized: int, current: int, minimum: int, now: int) -> int:
    if hpa.spec.behavior is None or stabilized == current:
        return stabilized
    rules = hpa.spec.behavior.scale_up if stabilized > current else hpa.spec.behavior.scale_down
    limits = [_allowed(policy, process, key, current, now, up=stabilized > current) for policy in rules.policies]
    if stabilized > current:
        limit = max(current, _chosen(rules, current, limits, up=True))
        return min(stabilized, limit, hpa.spec.max_replicas)
    limit = min(current, _chosen(rules, current, limits, up=False))
    return max(stabilized, limit, minimum)


def _chosen(rules: ScalingRules, current: int, limits: list[int], *, up: bool) -> int:
    """Max is the greatest change, Min the smallest: upward the most and the fewest replicas, downward the reverse."""
    if rules.select_policy == "Disabled":
        return current
    return max(limits) if up != (rules.select_policy == "Min") else min(limits)


def _allowed(policy: ScalingPolicy, process: Process, key: str, current: int, now: int, *, up: bool) -> int:
    since = now - policy.period_seconds * SECOND
    start = current - _moved(process.up.get(key, ()), since) + _moved(process.down.get(key, ()), since)
    if policy.type == "Pods":
        return start + policy.value if up else start - policy.value
    if up:
        return math.ceil(float(start) * (1.0 + float(policy.value) / 100.0))
    return int(float(start) * (1.0 - float(policy.value) / 100.0))


def _moved(entries: Iterable[list[int]], since: int) -> int:
    return sum(entry[0] for entry in entries if entry[1] > since)


def _store_scale(hpa: Hpa, process: Process, key: str, current: int, desired: int, now: int) -> None:
    if hpa.spec.behavior is None:
        return
    rising = desired > current
    rules = hpa.spec.behavior.scale_up if rising else hpa.spec.behavior.scale_down
    entries = (process.up if rising else process.down).setdefault(key, [])
    longest = max(policy.period_seconds for policy in rules.policies) * SECOND
    for entry in entries:
        entry[2] = int(bool(entry[2]) or entry[1] < now - longest)
    _store(entries, [i for i, entry in enumerate(entries) if entry[2]], [abs(desired - current), now, 0])
