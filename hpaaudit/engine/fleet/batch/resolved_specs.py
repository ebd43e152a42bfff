"""Terms, metrics, policies and sources of one slice, row by row: each HPA's specs with each selector of its target."""

from typing import Any

import numpy as np

from hpaaudit.engine.controller.metric_target import AVERAGE, NOTHING, POD_VALUES, UTILIZATION
from hpaaudit.engine.fleet.columns.codes import BAD_SPEC
from hpaaudit.engine.fleet.columns.tables import NONE, Metrics, Policies, Reads, Sources, Terms
from hpaaudit.engine.fleet.input.ids import Array, Ids
from hpaaudit.engine.fleet.input.metric_answers import Answers
from hpaaudit.engine.fleet.input.pods import Roster
from hpaaudit.engine.fleet.input.specs import Asked, Spec
from hpaaudit.engine.fleet.input.statuses import Shown
from hpaaudit.engine.rules.limit import Policies as Direction
from hpaaudit.model.hpa import MetricSpec
from hpaaudit.model.metrics import MetricsRequest

_SAMPLED = (UTILIZATION, AVERAGE, POD_VALUES)


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


class TermTable:
    """What the HPAs of a slice ask for, and where they find it."""

    def __init__(self, answers: Answers, shown: Ids[Shown], reads: Reads, stream: Array, pod: Array) -> None:
        self.asked: list[Asked] = []
        self.specs: list[Spec] = []
        self._metric_specs: list[MetricSpec] = []
        self._answers = answers
        self._shown = shown
        self._edges: list[int] = []
        self._streams = _by_request(reads)
        order = np.lexsort([pod, stream])
        self._pod, self._places = pod[order], order
        self._series = _spans(stream[order])
        self._terms, self._metrics = _Table(Terms._fields), _Table(Metrics._fields)
        self._policies, self._sources = _Table(Policies._fields), _Table(Sources._fields)
        self._roster: list[Array] = []
        self._lookups: list[Array] = []
        self._strays: list[Array] = []
        self._sizes = [0, 0, 0]

    def __len__(self) -> int:
        return len(self._terms)

    def add(self, spec: Spec, selector: int, text: str, asked: list[Asked], roster: Roster, alternative: int) -> int:
        """One row; the number of it."""
        row = len(self._terms)
        up_from, up_to = self._add_policies(spec.up)
        down_from, down_to = self._add_policies(spec.down)
        roster_from = self._sizes[0]
        self._roster.append(roster.tracks)
        self._sizes[0] += len(roster.tracks)
        metric_from = len(self._metrics)
        found: dict[tuple[int, int], tuple[int, int]] = {}
        for metric in asked:
            self._add_metric(metric, roster, found)
        self.asked += asked
        self._metric_specs += spec.hpa.spec.metrics
        self.specs.append(spec)
        self._edges += spec.edges
        self._terms.add(
            selector=selector,
            alternative=alternative,
            unselected=text == "",
            minimum=spec.minimum,
            maximum=spec.maximum,
            rises_at_zero=spec.rises_at_zero,
            behavior=spec.behavior,
            up_window_us=spec.up_window_us,
            down_window_us=spec.down_window_us,
            up_longest_us=spec.up_longest_us,
            down_longest_us=spec.down_longest_us,
            up_select=spec.up.select,
            up_from=up_from,
            up_to=up_to,
            down_select=spec.down.select,
            down_from=down_from,
            down_to=down_to,
            longest_us=spec.longest_us,
            edge_from=len(self._edges) - len(spec.edges),
            edge_to=len(self._edges),
            tolerance_down=spec.tolerance_down,
            tolerance_up=spec.tolerance_up,
            requests=max((metric.rank for metric in asked), default=NONE) + 1,
            metric_from=metric_from,
            metric_to=len(self._metrics),
            roster_from=roster_from,
            roster_to=self._sizes[0],
        )
        return row

    def _add_policies(self, direction: Direction) -> tuple[int, int]:
        first = len(self._policies)
        for kind, value, period_us in zip(direction.kinds, direction.values, direction.periods_us, strict=True):
            self._policies.add(kind=kind, value=value, period_us=period_us)
        return first, len(self._policies)

    def _add_metric(self, asked: Asked, roster: Roster, found: dict[tuple[int, int], tuple[int, int]]) -> None:
        request = self._request(asked.request)
        fallback = self._request(asked.fallback) if asked.fallback else NONE
        sources = (0, 0)
        if asked.how in _SAMPLED:
            if (request, fallback) not in found:
                found[request, fallback] = self._add_sources((request, fallback), roster)
            sources = found[request, fallback]
        self._metrics.add(
            how=asked.how,
            problem=BAD_SPEC if asked.how == NOTHING else NONE,
            reason=asked.reason,
            target=asked.target,
            cpu=asked.cpu,
            quantity=asked.quantity,
            request=request,
            fallback=fallback,
            rank=asked.rank,
            shown=self._shown.of(asked.shown),
            turn=asked.turn,
            uses=asked.uses,
            source_from=sources[0],
            source_to=sources[1],
        )

    def _request(self, request: MetricsRequest | None) -> int:
        """The number of a request that was answered, else of one that never was."""
        number = -1 if request is None else self._answers.requests.known(request)
        return self._answers.nobodys if number < 0 else number

    def _add_sources(self, requests: tuple[int, int], roster: Roster) -> tuple[int, int]:
        """Every stream that answers one of the requests, and where in it the roster's pods stand."""
        first = len(self._sources)
        for request in requests:
            for stream in self._streams.get(request, ()):
                begin, end = self._series.get(stream, (0, 0))
                pods = self._pod[begin:end]
                place = np.searchsorted(pods, roster.names)
                there = place < len(pods)
                there[there] = pods[place[there]] == roster.names[there]
                whole = self._answers.is_whole(stream)
                lookup, stray = self._sizes[1], self._sizes[2]
                series = np.full(len(place), NONE, np.int64)
                series[there] = self._places[begin + place[there]]
                self._lookups.append(series)
                self._sizes[1] += len(place)
                if not whole:
                    strays = self._places[begin:end][~np.isin(pods, roster.names)]
                    self._strays.append(strays)
                    self._sizes[2] += len(strays)
                self._sources.add(stream=stream, whole=whole, lookup=lookup, stray_from=stray, stray_to=self._sizes[2])
        return first, len(self._sources)

    def metric_of(self, number: int) -> MetricSpec:
        """The metric with this number."""
        return self._metric_specs[number]

    def tapes(self) -> tuple[Terms, Policies, Metrics, Sources]:
        """The tables as the kernel reads them."""
        return (
            Terms(**self._terms.arrays()),
            Policies(**self._policies.arrays()),
            Metrics(**self._metrics.arrays()),
            Sources(**self._sources.arrays()),
        )

    def edges(self) -> Array:
        """The ages at which memory ends, of all terms one after the other."""
        return np.array(self._edges, np.int64)

    def lists(self) -> tuple[Array, Array, Array]:
        """Roster, lookups and strays, one after the other."""
        nothing = [np.empty(0, np.int64)]
        roster, lookups, strays = self._roster + nothing, self._lookups + nothing, self._strays + nothing
        return np.concatenate(roster), np.concatenate(lookups), np.concatenate(strays)


def _by_request(reads: Reads) -> dict[int, list[int]]:
    """The streams of every request that has answers."""
    found: dict[int, list[int]] = {}
    begin, end, stream = np.asarray(reads.row_from), np.asarray(reads.row_to), np.asarray(reads.stream)
    for request in np.flatnonzero(end > begin):
        found[int(request)] = [int(number) for number in np.unique(stream[begin[request] : end[request]])]
    return found


def _spans(stream: Array) -> dict[int, tuple[int, int]]:
    """Where the series of each stream begin and end, sorted by stream."""
    if not len(stream):
        return {}
    begins = np.flatnonzero(np.diff(stream, prepend=-1))
    ends = np.append(begins[1:], len(stream))
    return {int(stream[begin]): (int(begin), int(end)) for begin, end in zip(begins, ends, strict=True)}
