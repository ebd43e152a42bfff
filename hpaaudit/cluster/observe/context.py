"""What all parts of an observer share."""

from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from hpaaudit.cluster.client.client import Client
from hpaaudit.cluster.scope import Scope
from hpaaudit.cluster.watch.gaps import Gaps
from hpaaudit.model.facts import Fact
from hpaaudit.model.units import Micros

if TYPE_CHECKING:
    import asyncio

Spawn = Callable[[Coroutine[Any, Any, None]], "asyncio.Task[None]"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ObserverContext:
    """The client, what to record, and where facts, gaps and log lines go. `spawn` starts a task of the observer."""

    client: Client
    scope: Scope
    gaps: Gaps
    sink: Callable[[Fact], None]
    note: Callable[[str], None]
    spawn: Spawn

    def now(self) -> Micros:
        """The time now."""
        return self.client.clock.now()
