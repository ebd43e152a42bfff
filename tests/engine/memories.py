"""Turns short texts into memories, and memories and decisions back into texts."""

from collections.abc import Sequence

from hpaaudit.model.decision import Decision
from hpaaudit.model.hpa import Condition
from hpaaudit.model.memory import Memory, Recommendation, ScaleEvent
from hpaaudit.model.units import SECOND, Micros
from tests.engine.crowds import ZERO_US, at


def remembered(*entries: str, up: Sequence[str] = (), down: Sequence[str] = ()) -> Memory:
    """Writes a memory: recommendations as `10@800`, scale events as `5@990`, with `!` where outdated."""
    return Memory(
        recommendations=tuple(
            Recommendation(replicas=int(number), at_us=at(float(when)))
            for number, when in (entry.split("@") for entry in entries)
        ),
        up=_events(up),
        down=_events(down),
    )


def _events(entries: Sequence[str]) -> tuple[ScaleEvent, ...] | None:
    scale_events = tuple(
        ScaleEvent(change=int(number), at_us=at(float(when.rstrip("!"))), outdated=when.endswith("!"))
        for number, when in (entry.split("@") for entry in entries)
    )
    return scale_events or None


def _seconds(at_us: Micros) -> str:
    return f"{(at_us - ZERO_US) / SECOND:g}"


def slots(memory: Memory) -> str:
    """Prints the recommendations as `remembered` reads them."""
    return " ".join(f"{entry.replicas}@{_seconds(entry.at_us)}" for entry in memory.recommendations or ())


def events(scale_events: tuple[ScaleEvent, ...] | None) -> str:
    """Prints scale events as `remembered` reads them."""
    return " ".join(f"{event.change}@{_seconds(event.at_us)}{'!' * event.outdated}" for event in scale_events or ())


def condition(decision: Decision, kind: str) -> Condition:
    """Finds a condition of the status that was decided."""
    if decision.status is None:
        raise AssertionError("this reconcile has no status")
    return next(shown for shown in decision.status.conditions if shown.type == kind)


def says(decision: Decision, kind: str) -> str:
    """Prints a condition as `True/ScaleUpLimit`."""
    shown = condition(decision, kind)
    return f"{shown.status}/{shown.reason}"


def posted(decision: Decision) -> list[str]:
    """Prints the reasons of the events."""
    return [event.reason for event in decision.events]
