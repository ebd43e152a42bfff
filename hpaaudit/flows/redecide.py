"""Decides one reconcile of a recording again, in full detail, from the small part of it that matters."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import TYPE_CHECKING

from hpaaudit.flows.options import ControllerOptions
from hpaaudit.flows.prepare import with_settings
from hpaaudit.model.decision import Decision
from hpaaudit.model.facts import Gap, HpaSeen
from hpaaudit.model.flags import Flags
from hpaaudit.model.units import SECOND, Micros

if TYPE_CHECKING:
    from hpaaudit.engine.replay.process import ReconcileInput
    from hpaaudit.model.facts import Fact
    from hpaaudit.recording.reading.one_hpa import KeptTables
    from hpaaudit.recording.reading.recording import Recording

MARGIN_US = 120 * SECOND
"""What is read more than what counts: before the longest window, and after the last answer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplaySettings:
    """How a recording was replayed, as its results say.

    api_server   as the controller's error texts name it
    period_us    the sync period, which the times of inferred reconciles depend on
    own_us       the sync period of each HPA that has its own
    """

    controller: ControllerOptions
    api_server: str
    period_us: Micros
    own_us: Mapping[str, Micros] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Redecided:
    """A decision made again, and what it was made from.

    unseen_us   what the controller remembered from before it is not known; None: all of its memory is
    """

    decision: Decision
    inputs: "ReconcileInput"
    unseen_us: Micros | None = None


def redecide(
    recording: "Recording", key: str, at_us: Micros, settings: ReplaySettings, place: int = 0
) -> Redecided | None:
    """The decision of the HPA `namespace/name` at this instant, None if it made none then.

    place   of several in that instant the one after so many

    The memory is built by deciding all reconciles of the longest window before. What is older no longer counts.
    """
    from hpaaudit.engine.replay.plan import plan
    from hpaaudit.engine.replay.process import Process, replay

    recording = _until(recording, at_us)
    flags = with_settings(recording, plan((), None), settings.controller).flags
    kept: KeptTables = {}
    since_us = Micros(at_us - longest_window_us(recording, key, flags, kept) - MARGIN_US)
    namespace, name = key.split("/", 1)
    period_us = settings.own_us.get(key, settings.period_us)
    # A reconcile may have read what was recorded up to two periods after it. Nothing later is looked at.
    until_us = Micros(at_us + 2 * period_us + MARGIN_US)
    facts = list(recording.facts_of_hpa(namespace, name, since_us, until_us=until_us, kept=kept))
    planned = plan(facts, period_us)
    reconciles = [
        reconcile
        for reconcile in planned.reconciles
        if reconcile.key == key and since_us <= reconcile.instant.at_us <= at_us
    ]
    prepared = with_settings(recording, replace(planned, reconciles=reconciles), settings.controller)
    flags = replace(prepared.flags, api_server=settings.api_server)
    prepared = replace(prepared, flags=flags)
    process = Process(prepared.plan, flags, prepared.flags_of, keep_pods=True)
    then = (one for one in replay(facts, prepared.plan, process, ()) if one.instant.at_us == at_us)
    for reconcile in islice(then, place, None):
        if process.last_input is not None:
            unseen_us = process.unseen_us.get(key)
            if unseen_us == reconciles[0].instant.at_us and _is_known_before(facts, key, since_us):
                unseen_us = None
            return Redecided(decision=reconcile.decision, inputs=process.last_input, unseen_us=unseen_us)
    return None


def _is_known_before(facts: Sequence["Fact"], key: str, since_us: Micros) -> bool:
    """True if all that may still count was recorded before `since_us`: the HPA was seen, and there is no gap after it.

    A process that begins there takes the memory of an HPA for unknown, although the HPA was seen before.
    """
    seen_us = min(one.at_us for one in facts if isinstance(one, HpaSeen) and f"{one.namespace}/{one.name}" == key)
    return seen_us < since_us and not any(isinstance(one, Gap) and one.until_us > since_us for one in facts)


def _until(recording: "Recording", at_us: Micros) -> "Recording":
    """The recording without the segments that begin after this instant."""
    segments = recording.segments
    last = next((segment.number for segment in segments if segment.last_us >= at_us), None)
    if last is None:
        return recording
    return replace(recording, segments=tuple(segment for segment in segments if segment.number <= last))


def longest_window_us(recording: "Recording", key: str, flags: Flags, kept: "KeptTables") -> Micros:
    """The longest stabilization window or policy period that the HPA ever had.

    kept   is given what was read for that
    """
    from hpaaudit.api.decode import decode_hpa
    from hpaaudit.engine.replay import unseen_memory

    namespace, name = key.split("/", 1)
    after_the_end_us = Micros(max((segment.last_us for segment in recording.segments), default=0) + 1)
    facts = recording.facts_of_hpa(namespace, name, after_the_end_us, before=("hpas",), kept=kept)
    longest_us = flags.downscale_stabilization_us
    for fact in facts:
        if isinstance(fact, HpaSeen) and f"{fact.namespace}/{fact.name}" == key:
            behavior = decode_hpa(fact).spec.behavior
            period_us = 0 if behavior is None else unseen_memory.longest_period_us(behavior)
            longest_us = max(longest_us, unseen_memory.longest_window_us(behavior, flags), Micros(period_us))
    return longest_us
