"""The answers of the metric APIs: requests, the streams of answers to each, their sums, and the series of samples."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from hpaaudit.api.requests import CUSTOM_METRICS, RESOURCE_METRICS
from hpaaudit.engine.behaviours.in_force import Behaviours
from hpaaudit.engine.controller.metrics_client import ZERO_TIME_US
from hpaaudit.engine.fleet.columns.batch import MetricReads, Ranges, SampleSeries
from hpaaudit.engine.fleet.columns.column_codes import API_UNAVAILABLE, FORBIDDEN, NOT_REGISTERED
from hpaaudit.engine.fleet.input.first_items import first_times
from hpaaudit.engine.fleet.input.heapster_samples import HeapsterAnswer, sample_rows
from hpaaudit.engine.fleet.input.ids import Array, Ids, of_pairs, of_words
from hpaaudit.engine.fleet.input.rows import Rows, chosen, empty, in_order, joined, numbers, runs
from hpaaudit.engine.fleet.input.samples import SeriesPart, custom_series, resource_series, series_after, series_of
from hpaaudit.engine.fleet.input.scales import by_controller
from hpaaudit.engine.fleet.input.tables import ReadRows, SampleRows, Tables, ValueRows
from hpaaudit.engine.fleet.input.totals import totals
from hpaaudit.model.metrics import MetricsRequest

EVERY_POD = "*"

_REQUEST = ("api", "namespace", "resource", "object", "metric", "selector", "metric_selector")
_PROBLEMS = {401: FORBIDDEN, 403: FORBIDDEN, 404: NOT_REGISTERED}
_UNASKED = MetricsRequest(api="", namespace="", resource="", object="", metric="", selector="", metric_selector="")
"""A request that nobody makes, so that it has no answer."""

_SAMPLES = ("seq", "gone", "at_us", "window_us")
_READS = (
    "seq",
    "at_us",
    "problem",
    "stream",
    "request",
    "by_controller",
    "items",
    "first_us",
    "sum_for_average",
    "sum_for_value",
)


@dataclass(slots=True)
class SliceAnswers:
    """The answers of one slice: the reads, and the series of samples and values."""

    reads: Rows
    parts: list[SeriesPart] = field(default_factory=list)


class MetricAnswers:
    """The answers of the metric APIs, slice after slice.

    A stream is a run of answers to one request. Streams end with their slice, so those of each slice have new numbers.

    requests     all requests;  unanswered   the number of one that never has an answer
    repeats      some answer names a pod twice
    """

    def __init__(self, behaviours: Behaviours, quantities: Ids[tuple[str, str]], names: Ids[str]) -> None:
        self.requests: Ids[MetricsRequest] = Ids()
        self.unanswered = self.requests.of(_UNASKED)
        self.stream_requests: list[int] = []
        self._behaviours = behaviours
        self._quantities = quantities
        self._names = names
        self._items: Ids[tuple[int, int]] = Ids()
        self._slices: list[SliceAnswers] = []
        self.repeats = False

    def add(self, tables: Tables, first_seq: int, facts: int) -> None:
        """Takes the reads of one more slice of so many facts."""
        if tables.reads is None:
            return
        reads = self._reads(tables.reads)
        slice_ = SliceAnswers(reads=reads)
        streams = np.full(facts, -1, np.int64)
        streams[reads["seq"] - first_seq] = reads["stream"]
        wanted = [self._quantities.named[number] for number in range(len(self._quantities))]
        if tables.samples is not None:
            self.repeats = self.repeats or bool(numbers(tables.samples.occurrence).any())
            slice_.parts += resource_series(tables.samples, streams, first_seq, self._names, wanted)
            if self._behaviours.forbidden_windows:
                self._time_samples(tables.samples, streams, first_seq, slice_)
        if tables.metric_values is not None:
            self._values(tables.metric_values, streams, first_seq, slice_)
        self._slices.append(slice_)

    def add_heapster(self, answers: Sequence[HeapsterAnswer]) -> None:
        """Takes what Heapster answered to the controller itself in the slice that was added last."""
        stream_of: dict[MetricsRequest, int] = {}
        for request in dict.fromkeys(answer.request for answer in answers):
            stream_of[request] = len(self.stream_requests)
            self.stream_requests.append(self.requests.of(request))
        streams = [stream_of[answer.request] for answer in answers]
        items = [len(answer.samples) for answer in answers]
        self.repeats = self.repeats or any(
            len({sample.pod for sample in answer.samples}) < len(answer.samples) for answer in answers
        )
        firsts = [answer.samples[0].timestamp_us if answer.samples else None for answer in answers]
        columns: dict[str, list[int]] = {
            "seq": [answer.seq for answer in answers],
            "at_us": [answer.at_us for answer in answers],
            "problem": [answer.problem for answer in answers],
            "stream": streams,
            "request": [self.stream_requests[stream] for stream in streams],
            "by_controller": [1] * len(answers),
            "items": items,
            "first_us": [ZERO_TIME_US if first is None else first for first in firsts],
            "sum_for_average": [0] * len(answers),
            "sum_for_value": [0] * len(answers),
        }
        reads = {name: np.array(column, np.int64) for name, column in columns.items()}
        rows = sample_rows(answers, streams, self._names, self._quantities.named)
        self._slices.append(SliceAnswers(reads=reads, parts=[series_of(rows)] if len(rows["seq"]) else []))

    def _reads(self, table: ReadRows) -> Rows:
        """The reads of metric APIs, those of a stream together."""
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
        first_new = len(self.stream_requests)
        for row in first:
            texts = [column.words[code] for column, code in zip(columns, codes[:, row], strict=True)]
            request = dict(zip(_REQUEST, texts[: len(_REQUEST)], strict=True))
            self.stream_requests.append(self.requests.of(MetricsRequest(**request)))
        stream = first_new + np.cumsum(other) - 1
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
            "by_controller": by_controller(table.by)[metric],
            "items": items,
            "first_us": np.full(len(items), int(ZERO_TIME_US), np.int64),
            "sum_for_average": nothing,
            "sum_for_value": nothing.copy(),
        }

    def _time_samples(self, table: SampleRows, streams: Array, first_seq: int, slice_: SliceAnswers) -> None:
        """Keeps when the first item of each answer with samples of pods was measured."""
        first_container = numbers(table.container_idx, 0) == 0
        seq = numbers(table.seq)
        rows = {
            "stream": streams[seq - first_seq],
            "seq": seq,
            "item": of_words(self._names, table.pod),
            "place": numbers(table.place, -1),
            "gone": numbers(table.gone).astype(np.int64),
            "at_us": numbers(table.timestamp_us, int(ZERO_TIME_US)),
        }
        _time(slice_.reads, chosen(rows, first_container))

    def _values(self, table: ValueRows, streams: Array, first_seq: int, slice_: SliceAnswers) -> None:
        """Keeps custom metrics of pods as series, and only the sums of all others."""
        seq = numbers(table.seq)
        stream = streams[seq - first_seq]
        if self._behaviours.forbidden_windows:
            rows = {
                "stream": stream,
                "seq": seq,
                "item": self._items_of(table),
                "place": numbers(table.place, -1),
                "gone": numbers(table.gone).astype(np.int64),
                "at_us": numbers(table.timestamp_us, int(ZERO_TIME_US)),
            }
            _time(slice_.reads, rows)
        of_pods = self._of_pods()[stream]
        if of_pods.any():
            self.repeats = self.repeats or bool(numbers(table.occurrence)[of_pods].any())
            series_parts = custom_series(table, streams, first_seq, self._names, len(self._quantities))
            slice_.parts += [_only(part, self._of_pods()) for part in series_parts]
        rest = ~of_pods
        if not rest.any():
            return
        rows = in_order(
            chosen(
                {
                    "seq": seq,
                    "stream": stream,
                    "item": self._items_of(table),
                    "place": numbers(table.place, -1),
                    "gone": numbers(table.gone).astype(np.int64),
                    "value": numbers(table.value_milli),
                },
                rest,
            ),
            "stream",
            "seq",
        )
        reads = slice_.reads
        for number in np.unique(rows["stream"]):
            own = reads["stream"] == number
            per_pod, summed = totals(
                chosen(rows, rows["stream"] == number),
                reads["seq"][own],
                average_clamped=self._behaviours.external_average_clamped,
                value_clamped=self._behaviours.value_clamped,
            )
            reads["sum_for_average"][own], reads["sum_for_value"][own] = per_pod, summed

    def _items_of(self, table: ValueRows) -> Array:
        """The number of each row's item: its object, and which value of that object it is."""
        return of_pairs(self._items, of_words(self._names, table.object), numbers(table.occurrence))

    def _of_pods(self) -> Array:
        """Which streams have a value for each pod."""
        return np.array([*map(self.is_of_pods, self.stream_requests), False])

    def is_of_pods(self, request: int) -> bool:
        """True if a request asks for a value of each pod."""
        named = self.requests.named[request]
        return named.api == CUSTOM_METRICS and named.object == EVERY_POD

    @property
    def has_whole_namespaces(self) -> bool:
        """True if some answer has the samples of a whole namespace."""
        return any(map(self.is_whole_namespace, range(len(self.stream_requests))))

    def is_whole_namespace(self, stream: int) -> bool:
        """True if a stream has the samples of a whole namespace."""
        request = self.requests.named[self.stream_requests[stream]]
        return request.api == RESOURCE_METRICS and request.selector == ""

    def drop_before(self, cut: int) -> None:
        """Drops the answers that no reconcile after fact `cut` can read."""
        everything = (
            in_order(joined([slice_.reads for slice_ in self._slices]), "request", "seq") if self._slices else None
        )
        if everything is None:
            return
        last = np.ones(len(everything["seq"]), bool)
        last[:-1] = (everything["request"][1:] != everything["request"][:-1]) | (everything["seq"][1:] >= cut)
        needed = np.unique(everything["stream"][(everything["seq"] >= cut) | last])
        kept_slices = []
        for slice_ in self._slices:
            mine = np.isin(slice_.reads["stream"], needed)
            if not mine.any():
                continue
            reads = chosen(
                slice_.reads, mine & ((slice_.reads["seq"] >= cut) | _last_of(slice_.reads, everything, last))
            )
            wanted = np.zeros(len(self.stream_requests), bool)
            wanted[needed] = True
            kept_slices.append(
                SliceAnswers(reads=reads, parts=[series_after(part, cut, wanted) for part in slice_.parts])
            )
        self._slices = kept_slices

    def reads(self) -> tuple[Ranges, MetricReads]:
        """The answers as the kernel reads them, and which belong to each request."""
        reads = in_order(joined([slice_.reads for slice_ in self._slices] or [empty(_READS)]), "request", "seq")
        ranges = Ranges(*runs(reads["request"], max(len(self.requests), 1)))
        return ranges, MetricReads(**{name: reads[name] for name in MetricReads._fields})

    def series(self) -> tuple[SampleSeries, Array, Array]:
        """The series as the kernel reads them, and the stream and the pod of each."""
        parts = [part for slice_ in self._slices for part in slice_.parts if len(part.row_from)]
        if not parts:
            nothing = np.empty(0, np.int64)
            series = SampleSeries(*([nothing] * len(SampleSeries._fields)))
            return series, nothing, nothing
        sizes = np.array([len(part.rows["seq"]) for part in parts])
        shift = np.cumsum(sizes) - sizes
        columns = range(len(self._quantities))
        series = SampleSeries(
            row_from=np.concatenate([part.row_from + by for part, by in zip(parts, shift, strict=True)]),
            row_to=np.concatenate([part.row_to + by for part, by in zip(parts, shift, strict=True)]),
            **{name: np.concatenate([part.rows[name] for part in parts]) for name in _SAMPLES},
            value=np.concatenate([part.rows[f"value{number}"] for number in columns for part in parts]),
            state=np.concatenate([part.rows[f"state{number}"] for number in columns for part in parts]),
        )
        stream, pod = (np.concatenate([getattr(part, name) for part in parts]) for name in ("stream", "pod"))
        return series, stream, pod


def _time(reads: Rows, rows: Rows) -> None:
    """Sets when the first item of each answer was measured, of those answers of which there are rows."""
    mine = np.isin(reads["stream"], np.unique(rows["stream"]))
    reads["first_us"][mine] = first_times(rows, chosen({name: reads[name] for name in ("stream", "seq")}, mine))


def _last_of(reads: Rows, everything: Rows, last: Array) -> Array:
    """Where a read is the last of its request before the cut."""
    return np.isin(reads["seq"], everything["seq"][last])


def _only(part: SeriesPart, wanted: Array) -> SeriesPart:
    """The series of some streams."""
    mine = wanted[part.stream]
    return replace(
        part, row_from=part.row_from[mine], row_to=part.row_to[mine], stream=part.stream[mine], pod=part.pod[mine]
    )
