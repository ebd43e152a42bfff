"""Reads of the metric APIs and what they brought: requests, streams, sums, and the series behind them."""

from dataclasses import dataclass, field, replace

import numpy as np

from hpaaudit.api.requests import CUSTOM_METRICS, RESOURCE_METRICS
from hpaaudit.engine.behaviours.table import Rules
from hpaaudit.engine.fleet.columns.codes import API_UNAVAILABLE, FORBIDDEN, NOT_REGISTERED
from hpaaudit.engine.fleet.columns.tables import Reads, Series
from hpaaudit.engine.fleet.input.ids import Array, Ids, of_pairs, of_words
from hpaaudit.engine.fleet.input.rows import Rows, chosen, empty, in_order, joined, numbers, runs
from hpaaudit.engine.fleet.input.samples import Part, kept_part, of_samples, of_values
from hpaaudit.engine.fleet.input.scales import by_controller
from hpaaudit.engine.fleet.input.tables import ReadRows, Tables, ValueRows
from hpaaudit.engine.fleet.input.totals import totals
from hpaaudit.model.metrics import MetricsRequest

EVERY_POD = "*"

_REQUEST = ("api", "namespace", "resource", "object", "metric", "selector", "metric_selector")
_PROBLEMS = {401: FORBIDDEN, 403: FORBIDDEN, 404: NOT_REGISTERED}
_NOBODYS = MetricsRequest(api="", namespace="", resource="", object="", metric="", selector="", metric_selector="")
"""A request that nobody makes, and that has no answer."""

_SAMPLES = ("seq", "gone", "at_us", "window_us")
_READS = ("seq", "at_us", "problem", "stream", "request", "own", "items", "per_pod", "summed")


@dataclass(slots=True)
class Era:
    """What one slice brought: its reads, and series of samples and values."""

    reads: Rows
    parts: list[Part] = field(default_factory=list)


class Answers:
    """The answers of a fleet's metric APIs, slice after slice.

    Streams begin anew with every slice, so that those of each are numbers of their own.
    """

    def __init__(self, rules: Rules, quantities: Ids[tuple[str, str]], names: Ids[str]) -> None:
        self.requests: Ids[MetricsRequest] = Ids()
        self.nobodys = self.requests.of(_NOBODYS)
        self.stream_requests: list[int] = []
        self._rules = rules
        self._quantities = quantities
        self._names = names
        self._items: Ids[tuple[int, int]] = Ids()
        self._eras: list[Era] = []
        self.repeats = False

    def add(self, tables: Tables, first_seq: int, facts: int) -> None:
        """Take the reads of one more slice of so many facts."""
        if tables.reads is None:
            return
        reads = self._reads(tables.reads)
        era = Era(reads=reads)
        streams = np.full(facts, -1, np.int64)
        streams[reads["seq"] - first_seq] = reads["stream"]
        wanted = [self._quantities.named[number] for number in range(len(self._quantities))]
        if tables.samples is not None:
            self.repeats = self.repeats or bool(numbers(tables.samples.occurrence).any())
            era.parts += of_samples(tables.samples, streams, first_seq, self._names, wanted)
        if tables.metric_values is not None:
            self._values(tables.metric_values, streams, first_seq, era)
        self._eras.append(era)

    def _reads(self, table: ReadRows) -> Rows:
        """The reads of metric APIs; a stream's stand together."""
        metric = ~table.kind.are("scale")
        columns = [
            table.api,
            table.namespace,
            table.resource,
            table.object,
            table.metric,
            table.selector,
            table.metric_selector,
            table.kind,
            table.path,
            table.by,
        ]
        codes = np.stack([column.codes[metric] for column in columns])
        other = np.ones(codes.shape[1], bool)
        other[1:] = (codes[:, 1:] != codes[:, :-1]).any(axis=0)
        first = np.flatnonzero(other)
        begun = len(self.stream_requests)
        for place in first:
            texts = [column.words[code] for column, code in zip(columns, codes[:, place], strict=True)]
            asked = dict(zip(_REQUEST, texts[: len(_REQUEST)], strict=True))
            self.stream_requests.append(self.requests.of(MetricsRequest(**asked)))
        stream = begun + np.cumsum(other) - 1
        status = numbers(table.status)[metric]
        items = numbers(table.items, -1)[metric]
        problem = np.full(len(items), -1, np.int64)
        problem[items < 0] = [_PROBLEMS.get(int(code), API_UNAVAILABLE) for code in status[items < 0]]
        nothing = np.zeros(len(items), np.int64)
        return {
            "seq": numbers(table.seq)[metric],
            "at_us": numbers(table.at_us)[metric],
            "problem": problem,
            "stream": stream.astype(np.int64),
            "request": np.array([*self.stream_requests, -1], np.int64)[stream],
            "own": by_controller(table.by)[metric],
            "items": items,
            "per_pod": nothing,
            "summed": nothing.copy(),
        }

    def _values(self, table: ValueRows, streams: Array, first_seq: int, era: Era) -> None:
        """Custom metrics of pods are series, all others sums."""
        seq = numbers(table.seq)
        stream = streams[seq - first_seq]
        of_pods = self._of_pods()[stream]
        if of_pods.any():
            self.repeats = self.repeats or bool(numbers(table.occurrence)[of_pods].any())
            found = of_values(table, streams, first_seq, self._names, len(self._quantities))
            era.parts += [_only(part, self._of_pods()) for part in found]
        rest = ~of_pods
        if not rest.any():
            return
        item = of_pairs(self._items, of_words(self._names, table.object), numbers(table.occurrence))
        rows = in_order(
            chosen(
                {
                    "seq": seq,
                    "stream": stream,
                    "item": item,
                    "place": numbers(table.place, -1),
                    "gone": numbers(table.gone).astype(np.int64),
                    "value": numbers(table.value_milli),
                },
                rest,
            ),
            "stream",
            "seq",
        )
        reads = era.reads
        for number in np.unique(rows["stream"]):
            own = reads["stream"] == number
            per_pod, summed = totals(
                chosen(rows, rows["stream"] == number),
                reads["seq"][own],
                average_clamped=self._rules.external_average_clamped,
                value_clamped=self._rules.value_clamped,
            )
            reads["per_pod"][own], reads["summed"][own] = per_pod, summed

    def _of_pods(self) -> Array:
        """Which streams ask for a value of each pod."""
        return np.array([*map(self.is_of_pods, self.stream_requests), False])

    def is_of_pods(self, request: int) -> bool:
        """Whether a request asks for a value of each pod."""
        asked = self.requests.named[request]
        return asked.api == CUSTOM_METRICS and asked.object == EVERY_POD

    def is_whole(self, stream: int) -> bool:
        """Whether a stream lists the samples of a whole namespace."""
        asked = self.requests.named[self.stream_requests[stream]]
        return asked.api == RESOURCE_METRICS and asked.selector == ""

    def keep(self, cut: int) -> None:
        """Let go of what no pass whose own answers begin at the fact number `cut` can see."""
        everything = in_order(joined([era.reads for era in self._eras]), "request", "seq") if self._eras else None
        if everything is None:
            return
        last = np.ones(len(everything["seq"]), bool)
        last[:-1] = (everything["request"][1:] != everything["request"][:-1]) | (everything["seq"][1:] >= cut)
        needed = np.unique(everything["stream"][(everything["seq"] >= cut) | last])
        eras = []
        for era in self._eras:
            mine = np.isin(era.reads["stream"], needed)
            if not mine.any():
                continue
            reads = chosen(era.reads, mine & ((era.reads["seq"] >= cut) | _last_of(era.reads, everything, last)))
            wanted = np.zeros(len(self.stream_requests), bool)
            wanted[needed] = True
            eras.append(Era(reads=reads, parts=[kept_part(part, cut, wanted) for part in era.parts]))
        self._eras = eras

    def tape(self) -> tuple[Reads, Series, Array, Array]:
        """Reads and series as the kernel reads them, and the stream and the pod of every series."""
        reads = in_order(joined([era.reads for era in self._eras] or [empty(_READS)]), "request", "seq")
        begin, end = runs(reads["request"], max(len(self.requests), 1))
        parts = [part for era in self._eras for part in era.parts if len(part.row_from)]
        if not parts:
            nothing = np.empty(0, np.int64)
            series = Series(*([nothing] * len(Series._fields)))
            return _reads_tape(reads, begin, end), series, nothing, nothing
        sizes = np.array([len(part.rows["seq"]) for part in parts])
        shift = np.cumsum(sizes) - sizes
        columns = range(len(self._quantities))
        series = Series(
            row_from=np.concatenate([part.row_from + by for part, by in zip(parts, shift, strict=True)]),
            row_to=np.concatenate([part.row_to + by for part, by in zip(parts, shift, strict=True)]),
            **{name: np.concatenate([part.rows[name] for part in parts]) for name in _SAMPLES},
            value=np.concatenate([part.rows[f"value{number}"] for number in columns for part in parts]),
            state=np.concatenate([part.rows[f"state{number}"] for number in columns for part in parts]),
        )
        stream, pod = (np.concatenate([getattr(part, name) for part in parts]) for name in ("stream", "pod"))
        return _reads_tape(reads, begin, end), series, stream, pod


def _reads_tape(reads: Rows, begin: Array, end: Array) -> Reads:
    return Reads(row_from=begin, row_to=end, **{name: reads[name] for name in Reads._fields if name in reads})


def _last_of(reads: Rows, everything: Rows, last: Array) -> Array:
    """Which reads are the last of their request before the cut."""
    return np.isin(reads["seq"], everything["seq"][last])


def _only(part: Part, wanted: Array) -> Part:
    """The series of some streams."""
    mine = wanted[part.stream]
    return replace(
        part, row_from=part.row_from[mine], row_to=part.row_to[mine], stream=part.stream[mine], pod=part.pod[mine]
    )
