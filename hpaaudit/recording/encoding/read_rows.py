"""Converts reads of an API to rows, and back. An answer is stored as what changed since the answer before."""

from collections.abc import Iterable
from dataclasses import dataclass
from operator import attrgetter
from typing import Generic

from hpaaudit.model.counted import counted
from hpaaudit.model.digest import digest
from hpaaudit.model.facts import ResourceMetricsRead, ScaleRead, TargetRef, ValuesRead
from hpaaudit.model.metrics import ContainerUsage, MetricsRequest, MetricValue, PodSample
from hpaaudit.model.units import Micros, Milli
from hpaaudit.recording.encoding.answer_changes import Change, Item, Key, apply_changes, by_key, changes_between
from hpaaudit.recording.encoding.json_text import pairs_from_json, pairs_to_json
from hpaaudit.recording.encoding.single_row_facts import scale_from_columns, scale_to_columns
from hpaaudit.recording.format.column_types import Row

Read = ScaleRead | ResourceMetricsRead | ValuesRead

Stream = tuple[str, ...]
"""Reads of one stream agree in kind, api, namespace, resource, object, metric, selector, metric_selector, path and by.
An answer is stored as what changed since the last answer of its stream."""

LastAnswer = tuple[dict[Key, bytes] | None, dict[Key, MetricValue] | None]
"""Digests of the samples, and the values, of a stream's last answer. None if there was none."""

SCALE, RESOURCE, VALUES = "scale", "resource", "values"
MILLI = 1000
_CPU_AND_MEMORY = ("cpu", "memory")

_pod = attrgetter("pod")
_object = attrgetter("object")
_request = attrgetter("api", "namespace", "resource", "object", "metric", "selector", "metric_selector")


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadRows:
    """A read as rows.

    rows      of the read itself, and of what changed since the last answer of its stream; each with its table
    changed   items of the answer that have rows
    """

    seq: int
    read: Read
    stream: Stream
    rows: list[tuple[str, Row]]
    changed: frozenset[Key] = frozenset()

    @property
    def answered(self) -> bool:
        """True if later answers of its stream are stored as changes to this one."""
        return _items(self.read) is not None

    def unchanged(self) -> list[tuple[str, Row]]:
        """Rows of the items that have none, each with its place. With them no earlier answer is needed."""
        read, rows = self.read, list[tuple[str, Row]]()
        if len(self.changed) == len(_items(read) or ()):
            return rows
        if isinstance(read, ResourceMetricsRead):
            for position, (key, sample) in enumerate(by_key(read.samples or (), _pod).items()):
                if key not in self.changed:
                    rows += _sample_rows(self.seq, read.request, Change(key=key, place=position, item=b""), sample)
        elif isinstance(read, ValuesRead):
            for position, (key, value) in enumerate(by_key(read.values or (), _object).items()):
                if key not in self.changed:
                    change = Change(key=key, place=position, item=value)
                    rows.append(("metric_values", _value_row(self.seq, read.request, change)))
        return rows


def _items(read: Read) -> tuple[PodSample, ...] | tuple[MetricValue, ...] | None:
    """The items of an answer. None if the read failed, and for scales."""
    if isinstance(read, ScaleRead):
        return None
    return read.samples if isinstance(read, ResourceMetricsRead) else read.values


class ReadEncoder:
    """Converts reads to rows. Each segment has its own encoder, so that it can be read by itself."""

    def __init__(self) -> None:
        # As digests the last samples of 50,000 pods take a third of the memory.
        self._samples: dict[Stream, dict[Key, bytes]] = {}
        self._values: dict[Stream, dict[Key, MetricValue]] = {}

    def last_answer(self, read: Read) -> LastAnswer:
        """The last answer of a read's stream."""
        stream = _stream(read)
        return self._samples.get(stream), self._values.get(stream)

    def restore(self, read: Read, last_answer: LastAnswer) -> None:
        """Forgets a read. `last_answer` is what `last_answer` returned before it."""
        stream, (samples, values) = _stream(read), last_answer
        self._samples.pop(stream, None)
        self._values.pop(stream, None)
        if samples is not None:
            self._samples[stream] = samples
        if values is not None:
            self._values[stream] = values

    def rows(self, seq: int, read: Read) -> ReadRows:
        """The rows of a read, each with its table."""
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
            for value_change in changes_between(self._values.get(stream, {}), values):
                rows.append(("metric_values", _value_row(seq, read.request, value_change)))
                changed += [value_change.key] if value_change.item is not None else []
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
    existing = (*head, False, sample.timestamp_us, sample.window_us)
    if not sample.containers:
        return [("samples", (*existing, None, None, None, None, None))]
    return [
        ("samples", (*existing, index, container.name, *_usage_to_columns(container.usage)))
        for index, container in enumerate(sample.containers)
    ]


def _usage_to_columns(usage: tuple[tuple[str, Milli], ...]) -> tuple[int | None, int | None, str | None]:
    """Cpu in milli, memory in bytes, and the whole usage as JSON if these two do not say it exactly."""
    if len(usage) == len(_CPU_AND_MEMORY) and (usage[0][0], usage[1][0]) == _CPU_AND_MEMORY and not usage[1][1] % MILLI:
        return usage[0][1], usage[1][1] // MILLI, None  # nearly all of them
    amounts = dict(usage)
    cpu, memory = amounts.get("cpu"), amounts.get("memory")
    memory_bytes = None if memory is None or memory % MILLI else memory // MILLI
    columns = (cpu, memory_bytes, None)
    return columns if _usage_from_columns(*columns) == usage else (cpu, memory_bytes, pairs_to_json(usage))


def _usage_from_columns(cpu: int | None, memory: int | None, usage: str | None) -> tuple[tuple[str, Milli], ...]:
    if usage is not None:
        return pairs_from_json(usage)
    amounts = []
    if cpu is not None:
        amounts.append(("cpu", Milli(cpu)))
    if memory is not None:
        amounts.append(("memory", Milli(memory * MILLI)))
    return tuple(amounts)


def _value_row(seq: int, request: MetricsRequest, change: Change[MetricValue]) -> Row:
    name, occurrence = change.key
    head = (seq, request.namespace, request.metric, name, occurrence, change.place)
    value = change.item
    if value is None:
        return (*head, True, None, None, None)
    return (*head, False, value.timestamp_us, value.window_us, value.value)


class ReadDecoder:
    """Rebuilds the reads of one segment from the rows of its three tables."""

    def __init__(self, samples: Iterable[Row], values: Iterable[Row]) -> None:
        self._new_samples = _sample_changes(samples)
        self._new_values = _value_changes(values)
        self._samples: dict[Stream, _Answer[PodSample]] = {}
        self._values: dict[Stream, _Answer[MetricValue]] = {}

    def read(self, row: Row) -> tuple[int, Read]:
        """A read and its number. The rows of `reads` must come stream by stream, in the order of `seq`.

        Raises `ValueError` if an answer has another number of items than its row says.
        """
        (
            seq,
            at_us,
            took_us,
            *stream_columns,
            status,
            error,
            items,
            spec_replicas,
            status_replicas,
            scale_selector,
            version,
        ) = row
        stream: Stream = tuple(stream_columns)
        kind, api, namespace, resource, name, metric, selector, metric_selector, path, by = stream
        head = {"at_us": at_us, "took_us": took_us, "path": path, "status": status, "error": error, "by": by}
        if kind == SCALE:
            target = TargetRef(group=api, resource=resource, namespace=namespace, name=name)
            scale = scale_from_columns(spec_replicas, status_replicas, scale_selector)
            return seq, ScaleRead(**head, target=target, scale=scale, resource_version=version)
        request = MetricsRequest(
            api=api,
            namespace=namespace,
            resource=resource,
            object=name,
            metric=metric,
            selector=selector,
            metric_selector=metric_selector,
        )
        if kind == RESOURCE:
            samples = _answer(self._samples, stream, self._new_samples.get(seq), items)
            return seq, ResourceMetricsRead(**head, request=request, samples=samples)
        values = _answer(self._values, stream, self._new_values.get(seq), items)
        return seq, ValuesRead(**head, request=request, values=values)


@dataclass(frozen=True, slots=True)
class _Answer(Generic[Item]):
    """The last answer of a stream. Reads that brought nothing new share its items."""

    by_key: dict[Key, Item]
    items: tuple[Item, ...]


def _answer(
    last: dict[Stream, _Answer[Item]],
    stream: Stream,
    changes: list[Change[Item]] | None,
    items: int | None,
) -> tuple[Item, ...] | None:
    """The items of a read of the stream, None if it failed."""
    if items is None:
        return None
    answer = last.get(stream, _Answer({}, ()))
    if changes:
        new_by_key = apply_changes(answer.by_key, changes)
        answer = _Answer(new_by_key, tuple(new_by_key.values()))
        last[stream] = answer
    if len(answer.items) != items:
        raise ValueError(f"a read of {stream} has {counted(len(answer.items), 'item')} instead of {items}")
    return answer.items


def _sample_changes(rows: Iterable[Row]) -> dict[int, list[Change[PodSample]]]:
    """Changes of samples, by the number of the read that brought them."""
    parts: dict[tuple[int, str, int], tuple[int | None, bool, Micros | None, Micros, list[ContainerUsage]]] = {}
    for seq, _, pod, occurrence, position, gone, timestamp_us, window_us, index, container, *usage in rows:
        key = (seq, pod, occurrence)
        part = parts.get(key)
        if part is None:
            part = parts[key] = (position, gone, timestamp_us, window_us, [])
        if index is not None:
            part[-1].append(ContainerUsage(name=container, usage=_usage_from_columns(*usage)))
    changes: dict[int, list[Change[PodSample]]] = {}
    for (seq, pod, occurrence), (position, gone, timestamp_us, window_us, containers) in parts.items():
        sample = None
        if not gone:
            sample = PodSample(pod=pod, timestamp_us=timestamp_us, window_us=window_us, containers=tuple(containers))
        changes.setdefault(seq, []).append(Change(key=(pod, occurrence), place=position, item=sample))
    return changes


def _value_changes(rows: Iterable[Row]) -> dict[int, list[Change[MetricValue]]]:
    """Changes of values, by the number of the read that brought them."""
    changes: dict[int, list[Change[MetricValue]]] = {}
    for seq, _, _, name, occurrence, position, gone, timestamp_us, window_us, milli in rows:
        value = None
        if not gone:
            value = MetricValue(object=name, timestamp_us=timestamp_us, window_us=window_us, value=milli)
        changes.setdefault(seq, []).append(Change(key=(name, occurrence), place=position, item=value))
    return changes
