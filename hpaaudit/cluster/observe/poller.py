"""Polls what cannot be watched, metrics and scales: each path once per interval, however many HPAs need it."""

import asyncio
import zlib
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from hashlib import blake2b
from typing import TYPE_CHECKING, Any

from hpaaudit.api import requests
from hpaaudit.api.pod_metrics import pod_sample
from hpaaudit.api.to_facts import metrics_read, scale_read
from hpaaudit.api.type_check import type_checked
from hpaaudit.cluster.client.client import BURST
from hpaaudit.cluster.client.http_answer import OK, Answer
from hpaaudit.cluster.decoding.decoders import ANY, UNFIT, USAGE, VALUES, decoded
from hpaaudit.cluster.observe.context import ObserverContext
from hpaaudit.cluster.observe.metric_changes import Averages, averages
from hpaaudit.cluster.observe.poll_phase import PollPhase
from hpaaudit.model.counted import counted
from hpaaudit.model.facts import ResourceMetricsRead, ScaleRead, ValuesRead
from hpaaudit.model.units import SECOND, Micros

if TYPE_CHECKING:
    from hpaaudit.cluster.decoding.decoders import Json

RESOURCE_METRICS = f"/apis/{requests.RESOURCE_METRICS}/"
MAX_LATE_INTERVALS = 1.0
"""A read that is later than this was missed."""
NO_PROBE = "--no-probe: the metric is not to be read"
UNCHANGED = object()
"""The body of an answer with the same bytes as the one before."""
Read = ScaleRead | ResourceMetricsRead | ValuesRead


@dataclass(slots=True)
class Poller:
    """One task per path. `on_scale_read` is called with every scale.

    unprobed   paths of metrics that are not to be read;  read_us  when each path was last answered
    metric_changes   how often an answer had other values than the one before on its path
    """

    context: ObserverContext
    on_scale_read: Callable[[ScaleRead], None]
    tasks: "dict[str, asyncio.Task[None]]" = field(default_factory=dict)
    answers: dict[str, "LastAnswer"] = field(default_factory=dict)
    unprobed: set[str] = field(default_factory=set)
    read_us: dict[str, Micros] = field(default_factory=dict)
    metric_changes: int = 0

    def set_paths(self, paths: set[str]) -> None:
        """Polls these paths from now on, and no others. A few new ones are read at once, many over an interval."""
        for path in self.tasks.keys() - paths:
            self.tasks.pop(path).cancel()
            self.answers.pop(path, None)
            self.read_us.pop(path, None)
            self.context.gaps.end(path, self.context.now())
        new_paths = sorted(paths - self.tasks.keys())
        for path in new_paths:
            self.tasks[path] = self.context.spawn(self._poll(path, at_once=len(new_paths) <= BURST))

    def set_unprobed(self, paths: set[str]) -> None:
        """Never read these paths, and record a gap for each."""
        now = self.context.now()
        for path in self.unprobed - paths:
            self.context.gaps.end(path, now)
        for path in paths - self.unprobed:
            self.context.gaps.begin(path, now, NO_PROBE)
        self.unprobed = paths

    async def _poll(self, path: str, *, at_once: bool) -> None:
        """Reads a path once, then at its own offset in every interval, so that reads are spread."""
        loop, interval = asyncio.get_running_loop(), self.context.scope.interval_us / SECOND
        if not at_once:
            await asyncio.sleep(self._seconds_to_offset(path))
        phase = PollPhase(interval) if path.startswith(RESOURCE_METRICS) else None
        due, before = loop.time(), SampleTimes(await self._read(path))
        due += self._seconds_to_offset(path)
        while True:
            late = loop.time() - due
            if late > MAX_LATE_INTERVALS * interval:
                now = self.context.now()
                cause = f"the recorder was late and missed {counted(int(late / interval), 'read')}"
                self.context.gaps.add(path, Micros(now - int(late * SECOND)), now, cause)
                due += late // interval * interval
            await asyncio.sleep(max(0, due - loop.time()))
            after = SampleTimes(await self._read(path))
            due += phase.next(is_fresh=before.differ_from(after)) if phase else interval
            before = after

    def _seconds_to_offset(self, path: str) -> float:
        """The time until the offset of this path in the interval. It is the same in every run."""
        interval_us = self.context.scope.interval_us
        offset_us = zlib.crc32(path.encode()) % interval_us
        return ((offset_us - self.context.now()) % interval_us) / SECOND

    async def _read(self, path: str) -> Read:
        """Reads a path once, and emits the answer as a fact."""
        last = self.answers.setdefault(path, LastAnswer(_decoder(path)))
        item = pod_sample if path.startswith(RESOURCE_METRICS) else None
        answer = await self.context.client.get(path, decode=last.decode, item=item)
        self._update_gap(path, answer)
        fact = last.fact_of(answer)
        self.metric_changes += last.is_changed_by(fact)
        self.context.sink(fact)
        if isinstance(fact, ScaleRead):
            self.on_scale_read(fact)
        return fact

    def _update_gap(self, path: str, answer: Answer) -> None:
        """Opens a gap for an answer that is too long for us, because the controller may have read it."""
        if answer.too_long:
            self.context.gaps.begin(path, self.read_us.get(path, answer.sent_us), answer.error)
        elif answer.status:
            self.context.gaps.end(path, answer.at_us)
            self.read_us[path] = answer.at_us


@dataclass(slots=True)
class LastAnswer:
    """The last good answer on one path: its digest, its fact and averages. The same bytes are not decoded again."""

    decoder: "Json"
    digest: bytes = b""
    fact: Read | None = None
    averages: Averages | None = None

    def decode(self, data: bytes) -> Any:
        """The decoded body, UNCHANGED if it has the same bytes as the last one."""
        digest = blake2b(data, digest_size=16).digest()
        if self.fact and digest == self.digest:
            return UNCHANGED
        self.digest, self.fact = digest, None
        return decoded(data, self.decoder)

    def fact_of(self, answer: Answer) -> Read:
        """The answer as a fact. Unchanged values are shared with the last fact."""
        if self.fact and answer.body is UNCHANGED:
            return replace(self.fact, at_us=answer.at_us, took_us=answer.took_us)
        fact = _fact_of(answer)
        # Resource metrics differ nearly every time, and they are large.
        if answer.status == OK and not fact.error and not isinstance(fact, ResourceMetricsRead):
            self.fact = fact
        return fact

    def is_changed_by(self, fact: Read) -> bool:
        """Whether an answer has other values than the last one that had any, which it then replaces."""
        before, after = self.averages, averages(fact)
        if after is None or after == before:
            return False
        self.averages = after
        return before is not None


def _decoder(path: str) -> "Json":
    if path.startswith(RESOURCE_METRICS):
        return USAGE
    return ANY if requests.scale_target(path) else VALUES


def _fact_of(answer: Answer) -> Read:
    """The answer as a fact. One that cannot be read counts as a failed read."""
    to_fact = scale_read if requests.scale_target(answer.path) else metrics_read
    try:
        fact = to_fact(answer.at_us, answer.took_us, answer.path, answer.status, answer.body, answer.error, "")
        return (
            fact if isinstance(fact, ResourceMetricsRead) else type_checked(fact)
        )  # its decoder has checked all types
    except UNFIT as problem:
        text = f"the answer cannot be read: {problem}"
        return to_fact(answer.at_us, answer.took_us, answer.path, answer.status, None, text, "")


class SampleTimes:
    """When each sample of an answer was taken. Only hashes are kept, because there are many."""

    __slots__ = ("hashes",)

    def __init__(self, read: Read) -> None:
        samples = read.samples if isinstance(read, ResourceMetricsRead) else None
        self.hashes = None if samples is None else {hash((sample.pod, sample.timestamp_us)) for sample in samples}

    def differ_from(self, after: "SampleTimes") -> bool:
        """Whether the later answer has new samples. A failed read counts as new: it says nothing."""
        return self.hashes is None or not after.hashes or not after.hashes <= self.hashes
