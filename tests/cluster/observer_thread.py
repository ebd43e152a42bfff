"""Runs an observer in a thread, so that a test can act and wait for what the observer sees."""

import asyncio
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from hpaaudit.cluster.access.kubeconfig import load_config
from hpaaudit.cluster.client.client import Client
from hpaaudit.cluster.client.clock import Clock
from hpaaudit.cluster.observe.observer import Observer
from hpaaudit.cluster.observe.preflight import check
from hpaaudit.cluster.scope import Scope
from hpaaudit.model.facts import Fact
from hpaaudit.model.note import Event, Note
from hpaaudit.model.units import SECOND, Micros

Seen = TypeVar("Seen")


class ObserverThread:
    """An observer at work: `facts` grow while it runs, `notes` say what it cannot see."""

    def __init__(self, kubeconfig: Path, namespace: str, *, selector: str = "", interval_seconds: float = 0.5) -> None:
        self.access = load_config(kubeconfig, None)
        interval = Micros(round(interval_seconds * SECOND))
        self.scope = Scope(namespace=namespace, selector=selector, interval_us=interval)
        self.facts: list[Fact] = []
        self.notes: list[str] = []
        self.estimates: list[str] = []
        self.observer: Observer | None = None
        self.loop: asyncio.AbstractEventLoop | None = None
        self.problem: BaseException | None = None
        self.thread = threading.Thread(target=self.run)
        self.thread.start()

    def run(self) -> None:
        """The thread: observe until told to end."""

        async def observe() -> None:
            self.loop = asyncio.get_running_loop()
            async with Client(self.access, Clock()) as client:
                await check(client, self.scope)
                self.observer = Observer(client, self.scope, self.facts.append, self.note)
                await self.observer.run()

        try:
            asyncio.run(observe())
        except BaseException as problem:  # noqa: BLE001  # told to the test
            self.problem = problem

    def note(self, line: str) -> None:
        """What it says when it begins to poll is no complaint."""
        is_estimate = isinstance(line, Note) and line.event is Event.ESTIMATE
        (self.estimates if is_estimate else self.notes).append(line)

    def of(self, kind: type[Seen]) -> list[Seen]:
        """The facts of one kind so far."""
        return [fact for fact in list(self.facts) if isinstance(fact, kind)]

    def until(self, kind: type[Seen], test: Callable[[Seen], bool] = lambda _: True, *, after: int = 0) -> Seen:
        """Waits for a fact of this kind, not among the first `after` facts, that passes a test."""
        end = time.monotonic() + 60
        while time.monotonic() < end:
            for fact in self.facts[after:]:
                if isinstance(fact, kind) and test(fact):
                    return fact
            if self.problem:
                raise self.problem
            time.sleep(0.05)
        raise TimeoutError(f"no such {kind.__name__} among {len(self.facts)} facts; notes: {self.notes}")

    def end(self) -> list[Fact]:
        """Stops, and returns all facts; ending twice is ending once."""
        if self.observer and self.loop and not self.loop.is_closed():
            self.loop.call_soon_threadsafe(self.observer.stop)
        self.thread.join(30)
        return self.facts
