"""Reads what cannot be watched, each path once per interval however many HPAs need it."""

import asyncio
import zlib
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from hashlib import blake2b
from typing import TYPE_CHECKING, Any

from hpaaudit.api import requests
from hpaaudit.api.see import metrics_read, scale_read
from hpaaudit.api.typed import typed
from hpaaudit.api.usage import pod_sample
from hpaaudit.cluster.client.client import BURST, OK, Answer, Client
from hpaaudit.cluster.decoding.decoders import ANY, UNFIT, USAGE, VALUES, decoded
from hpaaudit.cluster.observe.poll_phase import Phase
from hpaaudit.cluster.watch.gaps import Gaps
from hpaaudit.model.facts import Fact, ResourceMetricsRead, ScaleRead, ValuesRead
from hpaaudit.model.units import SECOND, Micros

if TYPE_CHECKING:
    import msgspec

RESOURCES = f"/apis/{requests.RESOURCE_METRICS}/"
LATE = 1.0
"""A read this many intervals late was missed."""
SPARED = "--no-probe: the metric is not to be read"
AGAIN = object()
Read = ScaleRead | ResourceMetricsRead | ValuesRead


@dataclass(slots=True)
class Polls:
    """One task per path; `took` is told of every scale that was read.

    read_us   when each path was answered last
    """

    client: Client
    interval_us: Micros
    sink: Callable[[Fact], None]
    gaps: Gaps
    spawn: Callable[..., "asyncio.Task[None]"]
    took: Callable[[ScaleRead], None]
    tasks: "dict[str, asyncio.Task[None]]" = field(default_factory=dict)
    answers: dict[str, "Last"] = field(default_factory=dict)
    spared: set[str] = field(default_factory=set)
    read_us: dict[str, Micros] = field(default_factory=dict)

    def want(self, paths: set[str]) -> None:
        """Read these paths from now on, and no others; a few new ones at once, many spread over an interval."""
        for path in self.tasks.keys() - paths:
            self.tasks.pop(path).cancel()
            self.answers.pop(path, None)
            self.read_us.pop(path, None)
            self.gaps.found(path, self.client.clock.now())
        new = sorted(paths - self.tasks.keys())
        for path in new:
            self.tasks[path] = self.spawn(self._poll(path, at_once=len(new) <= BURST))

    def spare(self, paths: set[str]) -> None:
        """Never read these, and say so."""
        now = self.client.clock.now()
        for path in self.spared - paths:
            self.gaps.found(path, now)
        for path in paths - self.spared:
            self.gaps.lost(path, now, SPARED)
        self.spared = paths

    async def _poll(self, path: str, *, at_once: bool) -> None:
        """Read, and then at an instant of its own in every interval, so that reads are spread."""
        loop, interval = asyncio.get_running_loop(), self.interval_us / SECOND
        if not at_once:
            await asyncio.sleep(self._wait(path))
        phase = Phase(interval) if path.startswith(RESOURCES) else None
        due, before = loop.time(), Instants(await self._read(path))
        due += self._wait(path)
        while True:
            late = loop.time() - due
            if late > LATE * interval:
                now = self.client.clock.now()
                missed = f"{int(late / interval)} reads were not made in time"
                self.gaps.missed(path, Micros(now - int(late * SECOND)), now, missed)
                due += late // interval * interval
            await asyncio.sleep(max(0, due - loop.time()))
            after = Instants(await self._read(path))
            due += phase.next(fresh=before.news(after)) if phase else interval
            before = after

    def _wait(self, path: str) -> float:
        """Until this path's place in the interval: the same in every run."""
        place = zlib.crc32(path.encode()) % self.interval_us
        return ((place - self.client.clock.now()) % self.interval_us) / SECOND

    async def _read(self, path: str) -> Read:
        """Read once more; where the very same bytes come again, they are not decoded again."""
        last = self.answers.setdefault(path, Last(_shape(path)))
        item = pod_sample if path.startswith(RESOURCES) else None
        answer = await self.client.get(path, decode=last.decode, item=item)
        self._bound(path, answer)
        fact = last.fact_of(answer)
        self.sink(fact)
        if isinstance(fact, ScaleRead):
            self.took(fact)
        return fact

    def _bound(self, path: str, answer: Answer) -> None:
        """What is too long for us the controller may well have read: nobody looked, from the last answer on."""
        if answer.too_long:
            self.gaps.lost(path, self.read_us.get(path, answer.sent_us), answer.error)
        elif answer.status:
            self.gaps.found(path, answer.at_us)
            self.read_us[path] = answer.at_us


@dataclass(slots=True)
class Last:
    """The last good answer to one request: its digest, and what was made of it."""

    shape: "msgspec.json.Decoder[Any]"
    digest: bytes = b""
    good: Read | None = None

    def decode(self, data: bytes) -> Any:
        """The body, AGAIN where it is the last one."""
        digest = blake2b(data, digest_size=16).digest()
        if self.good and digest == self.digest:
            return AGAIN
        self.digest, self.good = digest, None
        return decoded(data, self.shape)

    def fact_of(self, answer: Answer) -> Read:
        """The answer as a fact, which shares its values with the last one where they are the same."""
        if self.good and answer.body is AGAIN:
            return replace(self.good, at_us=answer.at_us, took_us=answer.took_us)
        fact = _fact(answer)
        # Usage is new nearly each time, and much.
        if answer.status == OK and not fact.error and not isinstance(fact, ResourceMetricsRead):
            self.good = fact
        return fact


def _shape(path: str) -> "msgspec.json.Decoder[Any]":
    if path.startswith(RESOURCES):
        return USAGE
    return ANY if requests.scale_target(path) else VALUES


def _fact(answer: Answer) -> Read:
    """The answer as a fact; one that nobody can read is a failed read."""
    see = scale_read if requests.scale_target(answer.path) else metrics_read
    try:
        fact = see(answer.at_us, answer.took_us, answer.path, answer.status, answer.body, answer.error, "")
        return fact if isinstance(fact, ResourceMetricsRead) else typed(fact)  # of usage its shape says all
    except UNFIT as problem:
        text = f"the answer cannot be read: {problem}"
        return see(answer.at_us, answer.took_us, answer.path, answer.status, None, text, "")


class Instants:
    """When each sample of an answer was taken: no more of it is kept, for those of 50,000 pods are many."""

    __slots__ = ("samples",)

    def __init__(self, read: Read) -> None:
        samples = read.samples if isinstance(read, ResourceMetricsRead) else None
        self.samples = None if samples is None else {hash((one.pod, one.timestamp_us)) for one in samples}

    def news(self, after: "Instants") -> bool:
        """Whether that read shows other samples than this one; a failure says nothing about that."""
        return self.samples is None or not after.samples or not after.samples <= self.samples
