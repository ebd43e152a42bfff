"""Decides one reconcile of a fleet again, in full detail, from the little of a recording that it depends on."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from hpaaudit.flows.replay import settled
from hpaaudit.model.decision import Decision
from hpaaudit.model.facts import Fact, HpaSeen
from hpaaudit.model.flags import Flags
from hpaaudit.model.units import SECOND, Micros

if TYPE_CHECKING:
    from hpaaudit.recording.read import Recording

MARGIN_US = 120 * SECOND
"""How much longer ago than the longest window the first of the reconciles is that are decided again."""


def decision_at(
    recording: Path,
    key: str,
    at_us: Micros,
    *,
    release: str | None,
    flags: Mapping[str, str],
    behaviours: Mapping[str, bool],
    api_server: str,
    period_us: Micros,
) -> Decision | None:
    """The decision of the HPA `namespace/name` at this instant, None where it made none then.

    Memory is made again by the reconciles of one longest window before, for what is older no longer counts.

    period_us   the sync period of the replay that told the instant
    """
    from hpaaudit.engine.replay.plan import plan
    from hpaaudit.engine.replay.process import Process, replay
    from hpaaudit.recording.read import open_recording

    opened = open_recording(recording, until_us=at_us)
    given = Flags() if not flags else settled(opened, plan((), None), release, flags, behaviours).flags
    since_us = Micros(at_us - _reach_us(opened, key, given) - MARGIN_US)
    namespace, name = key.split("/", 1)
    facts = list(opened.near(namespace, name, since_us))
    laid_out = plan(facts, period_us)
    passes = [one for one in laid_out.reconciles if one.key == key and since_us <= one.instant.at_us <= at_us]
    prepared = settled(opened, replace(laid_out, reconciles=passes), release, flags, behaviours)
    prepared = replace(prepared, flags=replace(prepared.flags, api_server=api_server))
    process = Process(prepared.plan, prepared.flags, prepared.flags_of, keep_pods=True)
    made = replay(facts, prepared.plan, process, ())
    return next((done.decision for done in made if done.instant.at_us == at_us), None)


def _reach_us(opened: "Recording", key: str, flags: Flags) -> int:
    """How long ago something may have been that this HPA's memory still counts."""
    from hpaaudit.api.decode import decode_hpa
    from hpaaudit.engine.replay.unseen_memory import longest_period_us, longest_window_us

    namespace, name = key.split("/", 1)
    watched: Iterable[Fact] = opened.near(namespace, name, Micros(opened.info.ended_us + 1), before=("hpas",))
    reach_us = flags.downscale_stabilization_us
    for fact in watched:
        if isinstance(fact, HpaSeen) and f"{fact.namespace}/{fact.name}" == key:
            behavior = decode_hpa(fact).spec.behavior
            period_us = 0 if behavior is None else longest_period_us(behavior)
            reach_us = max(reach_us, longest_window_us(behavior, flags), Micros(period_us))
    return reach_us
