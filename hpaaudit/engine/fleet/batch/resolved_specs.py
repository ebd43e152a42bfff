"""Resolves the specs of one slice, row by row: each with each selector of its target, its metrics and their samples."""

from typing import Any, NamedTuple

import numpy as np

from hpaaudit.engine.controller.metric_target import AVERAGE, NOTHING, POD_VALUES, UTILIZATION
from hpaaudit.engine.fleet.columns.batch import (
    NONE,
    MetricReads,
    Metrics,
    Ranges,
    ResolvedSpecs,
    SampleSources,
    ScalingPolicies,
)
from hpaaudit.engine.fleet.columns.codes import BAD_SPEC
from hpaaudit.engine.fleet.input.ids import Array, Ids
from hpaaudit.engine.fleet.input.metric_answers import MetricAnswers
from hpaaudit.engine.fleet.input.pods import SelectedPods
from hpaaudit.engine.fleet.input.specs import ResolvedMetric, Spec
from hpaaudit.engine.fleet.input.statuses import StatusKey
from hpaaudit.engine.rules.limit import Policies
from hpaaudit.model.hpa import MetricSpec  # noqa: TC001 (a NamedTuple's types are read when it is made)
from hpaaudit.model.metrics import MetricsRequest

_SAMPLED = (UTILIZATION, AVERAGE, POD_VALUES)


class ResolvedSpec(NamedTuple):
    """A spec with one selector of its target: its number, why it cannot be used, and the metrics and pods of it."""

    spec: Spec
    selector: int
    selector_problem: int
    metrics: list[ResolvedMetric]
    pods: SelectedPods


class _Table:
    """Columns that grow by a row at a time."""

    def __init__(self, names: tuple[str, ...]) -> None:
        self.columns: dict[str, list[Any]] = {name: [] for name in names}
        self._first = names[0]

    def __len__(self) -> int:
        return len(self.columns[self._first])

    def add(self, **row: float) -> None:
        for name, value in row.items():
            self.columns[name].append(value)

    def arrays(self) -> dict[str, Array]:
        return {
            name: np.array(values, np.float64 if name.startswith("tolerance") else np.int64)
            for name, values in self.columns.items()
        }


class _Lists:
    """Lists of numbers, one after the other in one column."""

    def __init__(self) -> None:
        self._lists: list[Array] = []
        self.size = 0

    def add(self, numbers: Array) -> int:
        """Appends a list; returns where it begins."""
        begin = self.size
        self._lists.append(numbers)
        self.size += len(numbers)
        return begin

    def column(self) -> Array:
        return np.concatenate([*self._lists, np.empty(0, np.int64)])


class ResolvedSpecTable:
    """The resolved specs of a slice, and where each metric finds its samples.

    metrics        the metrics, by row of `Metrics`;  metric_specs   the same as the specs have them
    specs          the specs, by row of `ResolvedSpecs`
    status_keys    what entries of currentMetrics show, with their numbers
    stream, pod    of every series of `reads`
    """

    def __init__(
        self,
        answers: MetricAnswers,
        status_keys: Ids[StatusKey],
        reads: tuple[Ranges, MetricReads],
        stream: Array,
        pod: Array,
    ) -> None:
        self.metrics: list[ResolvedMetric] = []
        self.metric_specs: list[MetricSpec] = []
        self.specs: list[Spec] = []
        self._answers = answers
        self._status_keys = status_keys
        self._expiry_ages: list[int] = []
        self._streams = _by_request(*reads)
        order = np.lexsort([pod, stream])
        self._series_pod, self._series_number = pod[order], order
        self._series_of_stream = _spans(stream[order])
        self._specs, self._metrics = _Table(ResolvedSpecs._fields), _Table(Metrics._fields)
        self._policies, self._sources = _Table(ScalingPolicies._fields), _Table(SampleSources._fields)
        self._selected_pods, self._pod_series, self._unlisted = _Lists(), _Lists(), _Lists()

    def add(self, resolved: ResolvedSpec, *, next_selector: int) -> int:
        """Adds a resolved spec; returns its row. `next_selector` is the row of the same spec with another selector."""
        row, spec = len(self._specs), resolved.spec
        up_from, up_to = self._add_policies(spec.up)
        down_from, down_to = self._add_policies(spec.down)
        pod_from = self._selected_pods.add(resolved.pods.histories)
        metric_from = len(self._metrics)
        sources: dict[tuple[int, int], tuple[int, int]] = {}
        for metric in resolved.metrics:
            self._add_metric(metric, resolved.pods, sources)
        self.metrics += resolved.metrics
        self.metric_specs += spec.hpa.spec.metrics
        self.specs.append(spec)
        self._expiry_ages += spec.expiry_ages_us
        self._specs.add(
            selector=resolved.selector,
            next_selector=next_selector,
            selector_problem=resolved.selector_problem,
            minimum=spec.minimum,
            has_minimum=spec.has_minimum,
            maximum=spec.maximum,
            rises_from_zero=spec.rises_from_zero,
            has_behavior=spec.has_behavior,
            up_window_us=spec.windows.up_us,
            down_window_us=spec.windows.down_us,
            up_longest_us=spec.up_longest_us,
            down_longest_us=spec.down_longest_us,
            up_select=spec.up.select,
            up_from=up_from,
            up_to=up_to,
            down_select=spec.down.select,
            down_from=down_from,
            down_to=down_to,
            longest_window_us=spec.longest_window_us,
            age_from=len(self._expiry_ages) - len(spec.expiry_ages_us),
            age_to=len(self._expiry_ages),
            tolerance_down=spec.tolerance_down,
            tolerance_up=spec.tolerance_up,
            request_count=max((metric.request_rank for metric in resolved.metrics), default=NONE) + 1,
            metric_from=metric_from,
            metric_to=len(self._metrics),
            pod_from=pod_from,
            pod_to=self._selected_pods.size,
        )
        return row

    def _add_policies(self, direction: Policies) -> tuple[int, int]:
        first = len(self._policies)
        for kind, value, period_us in zip(direction.kinds, direction.values, direction.periods_us, strict=True):
            self._policies.add(kind=kind, value=value, period_us=period_us)
        return first, len(self._policies)

    def _add_metric(
        self, metric: ResolvedMetric, pods: SelectedPods, sources_by_request: dict[tuple[int, int], tuple[int, int]]
    ) -> None:
        """Adds a metric; `sources_by_request` has the sources of the requests that the spec made before."""
        request = self._request(metric.request)
        fallback = self._request(metric.fallback) if metric.fallback else NONE
        sources = (0, 0)
        if metric.how in _SAMPLED:
            if (request, fallback) not in sources_by_request:
                sources_by_request[request, fallback] = self._add_sources((request, fallback), pods)
            sources = sources_by_request[request, fallback]
        self._metrics.add(
            how=metric.how,
            problem=BAD_SPEC if metric.how == NOTHING else NONE,
            reason=metric.reason,
            target=metric.target,
            is_cpu=metric.is_cpu,
            quantity=metric.quantity,
            request=request,
            fallback=fallback,
            request_rank=metric.request_rank,
            status_key=self._status_keys.of(metric.status_key),
            turn=metric.turn,
            uses=metric.uses,
            source_from=sources[0],
            source_to=sources[1],
        )

    def _request(self, request: MetricsRequest | None) -> int:
        """The number of a request that was answered, else of one that never was."""
        number = -1 if request is None else self._answers.requests.number_of(request)
        return self._answers.unanswered if number < 0 else number

    def _add_sources(self, requests: tuple[int, int], pods: SelectedPods) -> tuple[int, int]:
        """Adds every stream that answers one of the requests, with the series of the selected pods in it."""
        first = len(self._sources)
        for request in requests:
            for stream in self._streams.get(request, ()):
                begin, end = self._series_of_stream.get(stream, (0, 0))
                names = self._series_pod[begin:end]
                rank = np.searchsorted(names, pods.names)
                has_series = rank < len(names)
                has_series[has_series] = names[rank[has_series]] == pods.names[has_series]
                is_whole = self._answers.is_whole_namespace(stream)
                series = np.full(len(rank), NONE, np.int64)
                series[has_series] = self._series_number[begin + rank[has_series]]
                series_from, unlisted_from = self._pod_series.add(series), self._unlisted.size
                if not is_whole:
                    self._unlisted.add(self._series_number[begin:end][~np.isin(names, pods.names)])
                self._sources.add(
                    stream=stream,
                    is_whole_namespace=is_whole,
                    series_from=series_from,
                    unlisted_from=unlisted_from,
                    unlisted_to=self._unlisted.size,
                )
        return first, len(self._sources)

    def columns(self) -> dict[str, Any]:
        """The fields of `InputBatch` that this table has."""
        return {
            "specs": ResolvedSpecs(**self._specs.arrays()),
            "expiry_ages_us": np.array(self._expiry_ages, np.int64),
            "policies": ScalingPolicies(**self._policies.arrays()),
            "metrics": Metrics(**self._metrics.arrays()),
            "sources": SampleSources(**self._sources.arrays()),
            "pod_series": self._pod_series.column(),
            "unlisted_series": self._unlisted.column(),
            "selected_pods": self._selected_pods.column(),
        }


def _by_request(ranges: Ranges, reads: MetricReads) -> dict[int, list[int]]:
    """The streams of every request that has answers."""
    streams: dict[int, list[int]] = {}
    begin, end, stream = np.asarray(ranges.row_from), np.asarray(ranges.row_to), np.asarray(reads.stream)
    for request in np.flatnonzero(end > begin):
        streams[int(request)] = [int(number) for number in np.unique(stream[begin[request] : end[request]])]
    return streams


def _spans(stream: Array) -> dict[int, tuple[int, int]]:
    """Where the series of each stream begin and end, sorted by stream."""
    if not len(stream):
        return {}
    begins = np.flatnonzero(np.diff(stream, prepend=-1))
    ends = np.append(begins[1:], len(stream))
    return {int(stream[begin]): (int(begin), int(end)) for begin, end in zip(begins, ends, strict=True)}
