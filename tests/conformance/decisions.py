"""Compares our decisions with those of the real controller in memory, in a tenth of the time that files take."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from hpaaudit.api.encode import PLAIN, status_object
from hpaaudit.api.flags import with_flags
from hpaaudit.api.times import micros
from hpaaudit.engine.replay.plan import plan
from hpaaudit.engine.replay.process import Process, replay
from hpaaudit.importers.capture import Reader
from hpaaudit.model.audit import ReplayedReconcile
from hpaaudit.model.decision import Decision
from hpaaudit.model.facts import ControllerSeen, Fact
from hpaaudit.model.flags import Flags
from hpaaudit.model.memory import ScaleEvent
from tests.conformance.expected import (
    Outcome,
    by_chance,
    comparable_events,
    differing,
    expected_of,
    name_of,
    remembered,
    settled,
    standing_after,
    status_pairs,
)


def compare(capture: Path) -> Outcome:
    """Replays a capture without files; an engine that raises is a difference, too."""
    expected = expected_of(capture)
    lines: list[str] = []
    try:
        lines += differences(facts_of(capture), expected)
    except Exception as error:  # noqa: BLE001 (whatever it is, it is a finding, and the others are compared)
        lines.append(f"{type(error).__name__}: {error}")
    return Outcome(name_of(capture), len(expected), tuple(lines))


def facts_of(capture: Path) -> list[Fact]:
    """The facts of a capture."""
    return list(Reader((capture,)).facts())


def differences(facts: Sequence[Fact], expected: Sequence[dict[str, Any]]) -> Iterator[str]:
    """What our engine decides otherwise: replicas, writes, status, events, errors and memory, no tolerance."""
    laid_out = plan(facts, None)
    process = Process(laid_out, Flags(), flags_of, keep_pods=False)
    start_us = facts[0].at_us
    standing: dict[str, Any] = {}
    uids: dict[str, str] = {}
    if len(expected) != len(laid_out.reconciles):
        yield f"{len(expected)} reconciles, {len(laid_out.reconciles)} replayed"
    for want, replayed in zip(expected, replay(facts, laid_out, process, ()), strict=False):
        decision = replayed.decision
        pairs = {
            **_decided(want, decision),
            "memory": (remembered(want.get("memory", {})), _memory(replayed, start_us)),
        }
        if decision.status is not None and not want.get("gone"):
            shown = status_object(decision.status, decision.status_version)
            ours = shown if decision.writes_status else None
            if uids.get(want["hpa"]) != decision.uid:
                # A new object. In v2alpha1 (1.6) a pass that failed computed no status, and what stood is not known.
                failed = decision.status_version == "autoscaling/v2alpha1" and ours is None and bool(decision.error)
                standing[want["hpa"]] = None if failed else shown
            uids[want["hpa"]] = decision.uid
            if decision.status_version in PLAIN:
                pairs["annotation"] = (want.get("annotation", ""), decision.status.custom_metrics if ours else "")
            pairs |= status_pairs(want, ours, standing.get(want["hpa"]))
            standing[want["hpa"]] = standing_after(want, standing.get(want["hpa"]))
        yield from differing(want, pairs)
        if not _is_told_once(decision):
            yield f"{want['at']} {want['hpa']}: metrics {decision.proposals}"


def _is_told_once(decision: Decision) -> bool:
    """True if each metric has its own place, and at most one is the winner."""
    places = [one.metric_idx for one in decision.proposals]
    return places == [*range(len(places))] and sum(one.is_winner for one in decision.proposals) <= 1


def flags_of(controller: ControllerSeen) -> Flags:
    return replace(
        with_flags(Flags(release=controller.version or controller.release), dict(controller.flags)),
        gates=controller.gates,
    )


def _decided(want: dict[str, Any], decision: Decision) -> dict[str, tuple[Any, Any]]:
    events = [[event.type, event.reason, event.message] for event in decision.events]
    chance = by_chance(want, writes=decision.writes_status)
    return {
        "at": (micros(want["at"]), decision.at_us),
        "hpa": (want["hpa"], f"{decision.namespace}/{decision.name}"),
        "gone": (want.get("gone", False), decision.gone),
        "spec replicas": (want.get("spec_replicas"), decision.spec_replicas),
        "status replicas": (want.get("status_replicas"), decision.status_replicas),
        "scale writes": (
            [[put["to"], put["status"]] for put in want.get("scale_puts", [])],
            [[attempt.to, attempt.status] for attempt in decision.attempts],
        ),
        "events": (comparable_events(want.get("events", []), chance=chance), comparable_events(events, chance=chance)),
        "error": (_errors(want.get("error", ""), chance=chance), _errors(decision.error, chance=chance)),
    }


def _errors(text: str, *, chance: bool) -> list[str]:
    """What the error handler was told, line by line, as `told` tells events."""
    lines = str(settled(text)).split("\n")
    return [line for line in lines if not (chance and line.startswith("failed to update status"))]


def _memory(reconcile: ReplayedReconcile, start_us: int) -> dict[str, Any]:
    memory = reconcile.memory

    def events(scale_events: tuple[ScaleEvent, ...] | None) -> list[list[Any]] | None:
        if scale_events is None:
            return None
        return [
            [event.change, event.at_us - start_us, *(["outdated"] if event.outdated else [])] for event in scale_events
        ]

    slots = memory.recommendations
    return {
        "recommendations": None if slots is None else [[slot.replicas, slot.at_us - start_us] for slot in slots],
        "up": events(memory.up),
        "down": events(memory.down),
    }
