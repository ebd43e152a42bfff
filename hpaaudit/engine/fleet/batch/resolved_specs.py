"""Resolves the specs of one slice, row by row: each with each selector of its target, its metrics and their samples."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from hpaaudit.engine.controller.metric_target import AVERAGE, NOTHING, POD_VALUES, UTILIZATION
from hpaaudit.engine.fleet.batch.records import FLOATS
from hpaaudit.engine.fleet.batch.sources import SourceTable
from hpaaudit.engine.fleet.columns.batch import (
    NONE,
    MetricReads,
    Metrics,
    Ranges,
    ResolvedSpecs,
    ScalingPolicies,
)
from hpaaudit.engine.fleet.columns.column_codes import BAD_SPEC
from hpaaudit.engine.fleet.input.ids import Array, Ids, each_pair, paired
from hpaaudit.engine.fleet.input.metric_answers import MetricAnswers
from hpaaudit.engine.fleet.input.pod_states import SelectedPods
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
        self._specs: list[ResolvedSpecs] = []
        self._metrics: list[Metrics] = []
        self._policies: list[ScalingPolicies] = []
        self._sources = SourceTable(stream, pod)
        self._selected_pods: list[Array] = []
        self._selected_names: list[Array] = []
        self._pods = 0

    def add(self, resolved: ResolvedSpec, *, next_selector: int) -> int:
        """Adds a resolved spec; returns its row. `next_selector` is the row of the same spec with another selector."""
        row, spec = len(self._specs), resolved.spec
        up_from, up_to = self._add_policies(spec.up)
        down_from, down_to = self._add_policies(spec.down)
        self._selected_pods.append(resolved.pods.histories)
        self._selected_names.append(resolved.pods.names)
        self._pods += len(resolved.pods.histories)
        metric_from = len(self._metrics)
        sources: dict[tuple[int, int], tuple[int, int]] = {}
        for metric in resolved.metrics:
            self._add_metric(metric, resolved.pods, sources)
        self.metrics += resolved.metrics
        self.metric_specs += spec.hpa.spec.metrics
        self.specs.append(spec)
        self._expiry_ages += spec.expiry_ages_us
        self._specs.append(
            ResolvedSpecs(
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
                pod_from=self._pods - len(resolved.pods.histories),
                pod_to=self._pods,
            )
        )
        return row

    def _add_policies(self, direction: Policies) -> tuple[int, int]:
        first = len(self._policies)
        for kind, value, period_us in zip(direction.kinds, direction.values, direction.periods_us, strict=True):
            self._policies.append(ScalingPolicies(kind=kind, value=value, period_us=period_us))
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
        self._metrics.append(
            Metrics(
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
                self._sources.add(stream, pods.names, is_whole_namespace=self._answers.is_whole_namespace(stream))
        return first, len(self._sources)

    def columns(self) -> dict[str, Any]:
        """The fields of `InputBatch` that this table has."""
        return {
            "specs": _columns(ResolvedSpecs, self._specs),
            "expiry_ages_us": np.array(self._expiry_ages, np.int64),
            "policies": _columns(ScalingPolicies, self._policies),
            "metrics": _columns(Metrics, self._metrics),
            "selected_pods": np.concatenate([*self._selected_pods, np.empty(0, np.int64)]),
            "selected_names": np.concatenate([*self._selected_names, np.empty(0, np.int64)]),
            **self._sources.columns(),
        }


def _columns(table: type[Any], rows: Sequence[tuple[Any, ...]]) -> Any:
    """The columns of a table, whose rows are tuples of the same fields."""
    columns = zip(*rows, strict=True) if rows else [()] * len(table._fields)
    kinds = (np.float64 if name in FLOATS else np.int64 for name in table._fields)
    return table(*(np.array(values, kind) for values, kind in zip(columns, kinds, strict=True)))


def _by_request(ranges: Ranges, reads: MetricReads) -> dict[int, list[int]]:
    """The streams of every request that has answers."""
    streams: dict[int, list[int]] = {}
    answers = np.asarray(ranges.row_to) - np.asarray(ranges.row_from)
    pairs = np.unique(paired(np.repeat(np.arange(len(answers)), answers), np.asarray(reads.stream)))
    for request, stream in each_pair(pairs):
        streams.setdefault(request, []).append(stream)
    return streams
