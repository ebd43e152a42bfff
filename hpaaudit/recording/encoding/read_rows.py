"""Reads, of which only what changed since the last answer is kept: to rows and back."""

from collections.abc import Iterable
from dataclasses import dataclass
from operator import attrgetter
from typing import Generic

from hpaaudit.model.digest import digest
from hpaaudit.model.facts import ResourceMetricsRead, ScaleRead, TargetRef, ValuesRead
from hpaaudit.model.metrics import ContainerUsage, MetricsRequest, MetricValue, PodSample
from hpaaudit.model.units import Micros, Milli
from hpaaudit.recording.encoding.answer_changes import Change, Item, Key, apply_changes, by_key, changes_between
from hpaaudit.recording.encoding.fact_rows import scale_from_columns, scale_to_columns
from hpaaudit.recording.encoding.json_text import pairs_from_json, pairs_to_json
from hpaaudit.recording.format.columns import Row

Read = ScaleRead | ResourceMetricsRead | ValuesRead

# What two reads must share so that one can be told by what changed since the other:
# kind, api, namespace, resource, object, metric, selector, metric_selector, path, by.
Stream = tuple[str, ...]

Last = tuple[dict[Key, bytes] | None, dict[Key, MetricValue] | None]
"""What a stream's last answer held, samples as digests and values; None where there was none."""

SCALE, RESOURCE, VALUES = "scale", "resource", "values"
MILLI = 1000
_BOTH = ("cpu", "memory")

_pod = attrgetter("pod")
_object = attrgetter("object")
_request = attrgetter("api", "namespace", "resource", "object", "metric", "selector", "metric_selector")


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadRows:
    """A read as rows.

    rows      of the read itself and of what changed since the last answer of its stream, each with its table
    changed   items of the answer that have rows among them
    """

    seq: int
    read: Read
    stream: Stream
    rows: list[tuple[str, Row]]
    changed: frozenset[Key] = frozenset()

    @property
    def answered(self) -> bool:
        """Whether later reads of its stream may be told by what changed since."""
        return _items(self.read) is not None

    def unchanged(self) -> list[tuple[str, Row]]:
        """Return the rows of the items that have none, each at its place: with them the answer is known alone."""
        read, rows = self.read, list[tuple[str, Row]]()
        if len(self.changed) == len(_items(read) or ()):
            return rows
        if isinstance(read, ResourceMetricsRead):
            for place, (key, sample) in enumerate(by_key(read.samples or (), _pod).items()):
                if key not in self.changed:
                    rows += _sample_rows(self.seq, read.request, Change(key=key, place=place, item=b""), sample)
        elif isinstance(read, ValuesRead):
            for place, (key, value) in enumerate(by_key(read.values or (), _object).items()):
                if key not in self.changed:
                    change = Change(key=key, place=place, item=value)
                    rows.append(("metric_values", _value_row(self.seq, read.request, change)))
        return rows


def _items(read: Read) -> tuple[PodSample, ...] | tuple[MetricValue, ...] | None:
    """Return the items of an answer, None where there was none, and for scales."""
    if isinstance(read, ScaleRead):
        return None
    return read.samples if isinstance(read, ResourceMetricsRead) else read.values


class ReadEncoder:
    """Turns reads into rows; begins anew with every segment, so that each can be read alone."""

    def __init__(self) -> None:
        # Digests: the last samples of 50,000 pods take a third of what they take as they are.
        self._samples: dict[Stream, dict[Key, bytes]] = {}
        self._values: dict[Stream, dict[Key, MetricValue]] = {}

    def last(self, read: Read) -> Last:
        """Return what is known of a read's stream."""
        stream = _stream(read)
        return self._samples.get(stream), self._values.get(stream)

    def restore(self, read: Read, last: Last) -> None:
        """Be as if a read had not been seen; `last` as it was before."""
        stream, (samples, values) = _stream(read), last
        self._samples.pop(stream, None)
        self._values.pop(stream, None)
        if samples is not None:
            self._samples[stream] = samples
        if values is not None:
            self._values[stream] = values

    def rows(self, seq: int, read: Read) -> ReadRows:
        """Return the rows of a read, each with its table."""
        stream = _stream(read)
        head = (seq, read.at_us, read.took_us, *stream, read.status, read.error)
        if isinstance(read, ScaleRead):
            row = (*head, None, *scale_to_columns(read.scale), read.resource_version)
            return ReadRows(seq=seq, read=read, stream=stream, rows=[("reads", row)])
        items = _items(read)
        rows: list[tuple[str, Row]] = [
            ("reads", (*head, None if items is None else len(items), None, None, None, None))
        ]
        changed: list[Key] = []
        if isinstance(read, ResourceMetricsRead):
            if read.samples is not None:
                samples = by_key(read.samples, _pod)
                digests = {key: digest(sample) for key, sample in samples.items()}
                for change in changes_between(self._samples.get(stream, {}), digests):
                    rows += _sample_rows(seq, read.request, change, samples.get(change.key))
                    changed += [change.key] if change.item is not None else []
                self._samples[stream] = digests
        elif read.values is not None:
            values = by_key(read.values, _object)
            for found in changes_between(self._values.get(stream, {}), values):
                rows.append(("metric_values", _value_row(seq, read.request, found)))
                changed += [found.key] if found.item is not None else []
            self._values[stream] = values
        return ReadRows(seq=seq, read=read, stream=stream, rows=rows, changed=frozenset(changed))


def _stream(read: Read) -> Stream:
    if isinstance(read, ScaleRead):
        target = read.target
        return (SCALE, target.group, target.namespace, target.resource, target.name, "", "", "", read.path, read.by)
    kind = RESOURCE if isinstance(read, ResourceMetricsRead) else VALUES
    return (kind, *_request(read.request), read.path, read.by)


def _sample_rows(
    seq: int, request: MetricsRequest, change: Change[bytes], sample: PodSample | None
) -> list[tuple[str, Row]]:
    pod, occurrence = change.key
    head = (seq, request.namespace, pod, occurrence, change.place)
    if sample is None:
        return [("samples", (*head, True, None, None, None, None, None, None, None))]
    seen = (*head, False, sample.timestamp_us, sample.window_us)
    if not sample.containers:
        return [("samples", (*seen, None, None, None, None, None))]
    return [
        ("samples", (*seen, index, container.name, *_usage_to_columns(container.usage)))
        for index, container in enumerate(sample.containers)
    ]


def _usage_to_columns(usage: tuple[tuple[str, Milli], ...]) -> tuple[int | None, int | None, str | None]:
    """Return cpu in milli, memory in bytes, and the usage as JSON where these two cannot say it exactly."""
    if len(usage) == len(_BOTH) and (usage[0][0], usage[1][0]) == _BOTH and not usage[1][1] % MILLI:
        return usage[0][1], usage[1][1] // MILLI, None  # nearly all of them
    given = dict(usage)
    cpu, memory = given.get("cpu"), given.get("memory")
    whole = None if memory is None or memory % MILLI else memory // MILLI
    columns = (cpu, whole, None)
    return columns if _usage_from_columns(*columns) == usage else (cpu, whole, pairs_to_json(usage))


def _usage_from_columns(cpu: int | None, memory: int | None, usage: str | None) -> tuple[tuple[str, Milli], ...]:
    if usage is not None:
        return pairs_from_json(usage)
    found = []
    if cpu is not None:
        found.append(("cpu", Milli(cpu)))
    if memory is not None:
        found.append(("memory", Milli(memory * MILLI)))
    return tuple(found)


def _value_row(seq: int, request: MetricsRequest, change: Change[MetricValue]) -> Row:
    name, occurrence = change.key
    head = (seq, request.namespace, request.metric, name, occurrence, change.place)
    value = change.item
    if value is None:
        return (*head, True, None, None, None)
    return (*head, False, value.timestamp_us, value.window_us, value.value)


class ReadDecoder:
    """Makes the reads of one segment again, from the rows of its three tables."""

    def __init__(self, samples: Iterable[Row], values: Iterable[Row]) -> None:
        self._new_samples = _sample_changes(samples)
        self._new_values = _value_changes(values)
        self._samples: dict[Stream, _Answer[PodSample]] = {}
        self._values: dict[Stream, _Answer[MetricValue]] = {}

    def read(self, row: Row) -> tuple[int, Read]:
        """Return a read and its number; the rows of `reads` must come stream by stream in order of `seq`.

        Raises `ValueError` where an answer has another number of items than its row says.
        """
        seq, at_us, took_us, *words, status, error, items, spec_replicas, status_replicas, selector, version = row
        stream: Stream = tuple(words)
        kind, api, namespace, resource, name, metric, of_pods, of_metric, path, by = stream
        head = {"at_us": at_us, "took_us": took_us, "path": path, "status": status, "error": error, "by": by}
        if kind == SCALE:
            target = TargetRef(group=api, resource=resource, namespace=namespace, name=name)
            scale = scale_from_columns(spec_replicas, status_replicas, selector)
            return seq, ScaleRead(**head, target=target, scale=scale, resource_version=version)
        request = MetricsRequest(
            api=api,
            namespace=namespace,
            resource=resource,
            object=name,
            metric=metric,
            selector=of_pods,
            metric_selector=of_metric,
        )
        if kind == RESOURCE:
            samples = _answer(self._samples, stream, self._new_samples.get(seq), items)
            return seq, ResourceMetricsRead(**head, request=request, samples=samples)
        values = _answer(self._values, stream, self._new_values.get(seq), items)
        return seq, ValuesRead(**head, request=request, values=values)


@dataclass(frozen=True, slots=True)
class _Answer(Generic[Item]):
    """The last answer of a stream: by key, and as the read has it, shared by reads that brought nothing new."""

    by_key: dict[Key, Item]
    items: tuple[Item, ...]


def _answer(
    last: dict[Stream, _Answer[Item]],
    stream: Stream,
    found: list[Change[Item]] | None,
    items: int | None,
) -> tuple[Item, ...] | None:
    """Return what a read of the stream answered, None where it failed."""
    if items is None:
        return None
    answer = last.get(stream, _Answer({}, ()))
    if found:
        by_key = apply_changes(answer.by_key, found)
        answer = _Answer(by_key, tuple(by_key.values()))
        last[stream] = answer
    if len(answer.items) != items:
        raise ValueError(f"a read of {stream} has {len(answer.items)} items instead of {items}")
    return answer.items


def _sample_changes(rows: Iterable[Row]) -> dict[int, list[Change[PodSample]]]:
    """Return what changed in samples, by the number of the read that brought it."""
    parts: dict[tuple[int, str, int], tuple[int | None, bool, Micros | None, Micros, list[ContainerUsage]]] = {}
    for seq, _, pod, occurrence, place, gone, timestamp_us, window_us, index, container, *usage in rows:
        which = (seq, pod, occurrence)
        part = parts.get(which)
        if part is None:
            part = parts[which] = (place, gone, timestamp_us, window_us, [])
        if index is not None:
            part[-1].append(ContainerUsage(name=container, usage=_usage_from_columns(*usage)))
    found: dict[int, list[Change[PodSample]]] = {}
    for (seq, pod, occurrence), (place, gone, timestamp_us, window_us, containers) in parts.items():
        sample = None
        if not gone:
            used = tuple(containers)
            sample = PodSample(pod=pod, timestamp_us=timestamp_us, window_us=window_us, containers=used)
        found.setdefault(seq, []).append(Change(key=(pod, occurrence), place=place, item=sample))
    return found


def _value_changes(rows: Iterable[Row]) -> dict[int, list[Change[MetricValue]]]:
    """Return what changed in values, by the number of the read that brought it."""
    found: dict[int, list[Change[MetricValue]]] = {}
    for seq, _, _, name, occurrence, place, gone, timestamp_us, window_us, milli in rows:
        value = None
        if not gone:
            value = MetricValue(object=name, timestamp_us=timestamp_us, window_us=window_us, value=milli)
        found.setdefault(seq, []).append(Change(key=(name, occurrence), place=place, item=value))
    return found
