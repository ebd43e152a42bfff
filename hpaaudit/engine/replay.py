"""Replays a recording: each reconcile sees what was recorded, and memory follows reality."""

from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import replace

from hpaaudit.engine.instants import Plan, Planned
from hpaaudit.engine.reconcile import reconcile
from hpaaudit.engine.world import World
from hpaaudit.model.audit import Pass
from hpaaudit.model.facts import ControllerSeen, Fact, HpaGone, HpaSeen, LeaseSeen
from hpaaudit.model.flags import Flags
from hpaaudit.model.memory import EMPTY, Memory
from hpaaudit.model.units import Micros


class Process:
    """The controller process of one recording: its world, its flags, what it remembers of every HPA."""

    def __init__(self, flags: Flags, flags_of: Callable[[ControllerSeen], Flags], *, keep_pods: bool) -> None:
        self.world = World()
        self.flags = flags
        self.flags_of = flags_of
        self.keep_pods = keep_pods
        self.epoch_id = 0
        self.memories: dict[str, Memory] = {}
        self.previous_us: dict[str, Micros] = {}
        self.holder = ""

    def apply(self, fact: Fact) -> None:
        """One more fact: the world moves, a new process forgets."""
        self.world.apply(fact)
        match fact:
            case ControllerSeen(state="started"):
                self.flags = self.flags_of(fact)
                self._forget()
            case ControllerSeen(state="declared"):
                self.flags = self.flags_of(fact)
            case LeaseSeen(holder=holder) if holder:
                if self.holder and holder != self.holder:
                    self._forget()
                self.holder = holder
            case HpaSeen():
                self.memories.setdefault(f"{fact.namespace}/{fact.name}", EMPTY)
            case HpaGone():
                # The registry of selectors lets go at once, the rest only at the next reconcile.
                key = f"{fact.namespace}/{fact.name}"
                self.memories[key] = replace(self.memories.get(key, EMPTY), selector=None)

    def _forget(self) -> None:
        self.epoch_id += 1
        self.memories = dict.fromkeys(self.world.hpas, EMPTY)
        self.previous_us.clear()

    def reconcile(self, planned: Planned, number: int) -> Pass:
        """One reconcile, now."""
        key, instant = planned.key, planned.instant
        memory = self.memories.get(key, EMPTY)
        seen = self.world.observe(
            key,
            began_us=instant.began_us,
            at_us=instant.at_us,
            since_us=self.previous_us.get(key, Micros(0)),
            rivals=self._rivals(key),
            scale_writes=tuple(planned.scale_writes),
            status_write=planned.status_write,
        )
        decision, after = reconcile(seen, memory, self.flags, keep_pods=self.keep_pods)
        self.memories[key] = after
        self.previous_us[key] = instant.at_us
        return Pass(
            reconcile_id=number,
            instant=instant,
            epoch_id=self.epoch_id,
            decision=decision,
            memory=after,
            band_lo=decision.desired,
            band_hi=decision.desired,
            evidence="seen",
            missing_input="",
        )

    def _rivals(self, key: str) -> tuple[tuple[str, str], ...]:
        namespace = key.split("/", 1)[0] + "/"
        return tuple(
            (other, memory.selector)
            for other, memory in self.memories.items()
            if memory.selector is not None and other != key and other.startswith(namespace)
        )


def replay(facts: Iterable[Fact], plan: Plan, process: Process, hpas: Collection[str]) -> Iterator[Pass]:
    """The passes of a plan over its facts, in order; of these HPAs only, where any are named.

    All HPAs are replayed even then where they share a namespace: selectors make them rivals.
    """
    waiting = iter(plan.passes)
    planned = next(waiting, None)
    number = 0
    for index, fact in enumerate(facts):
        while planned is not None and planned.index <= index:
            number += 1
            made = process.reconcile(planned, number)
            if not hpas or planned.key in hpas:
                yield made
            planned = next(waiting, None)
        process.apply(fact)
    while planned is not None:
        number += 1
        made = process.reconcile(planned, number)
        if not hpas or planned.key in hpas:
            yield made
        planned = next(waiting, None)
