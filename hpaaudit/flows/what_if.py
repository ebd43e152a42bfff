"""Decides whether a replay is a what-if, and which settings make it one.

A what-if has settings that the user asked for and that differ from those of the audit: what was recorded or declared,
else what is usual. What it decides otherwise than the controller did says nothing of the controller, wherever the audit
agrees with that. So the recording is replayed with the settings of the audit too, and both are compared.
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager
from dataclasses import replace
from typing import TYPE_CHECKING

from hpaaudit.flows.options import ControllerOptions
from hpaaudit.model.audit import DECLARED, Assumption
from hpaaudit.model.what_if import AskedSetting, WhatIf

if TYPE_CHECKING:
    from hpaaudit.flows.prepare import Prepared
    from hpaaudit.results.read import Results

RELEASE = "release"
_PERIOD = "sync-period"
_USER = "user"
_KNOWN = ("observed", DECLARED)
"""Sources of a setting that is known to be the real controller's."""


Audit = Callable[[ControllerOptions], AbstractContextManager["Results"]]
"""Replays the whole recording with these settings, for a while."""


def may_be_what_if(controller: ControllerOptions) -> bool:
    """True if the user asks for a setting without declaring it to be that of the real controller."""
    from hpaaudit.api.flags import LEASE_DURATION, user_flags
    from hpaaudit.engine.behaviours.release import behaviour

    # How long a Lease lasts changes no decision: it says how the recording is read.
    flags = user_flags(controller.flags).keys() - {LEASE_DURATION}
    release = {RELEASE} if controller.release is not None else set()
    return bool({*flags, *map(behaviour, controller.behaviours), *release} - controller.declared)


def what_if(
    prepared: "Prepared", controller: ControllerOptions, real: ControllerOptions, audit: Audit
) -> WhatIf | None:
    """What makes this replay a what-if; None if it decides by the same settings as the audit.

    controller   the settings of this replay
    real         those of the real controller, as far as the user declared them
    """
    from hpaaudit.results.what_if import audited_in

    with audit(real) as results:
        settings = tuple(_asked(prepared, real, results.assumptions))
        audited = audited_in(results)
    if not settings:
        return None
    if len(settings) > 1:
        settings = tuple(_alone(one, controller, real, audit) for one in settings)
    moves_times = any(setting.key == _PERIOD for setting in settings)
    return WhatIf(settings=settings, audited=audited, moves_times=moves_times)


def _alone(one: AskedSetting, controller: ControllerOptions, real: ControllerOptions, audit: Audit) -> AskedSetting:
    """The setting, with what does not match if it alone is as in the audit."""
    from hpaaudit.results.what_if import mismatches

    with audit(_without(one, controller, real)) as results:
        return replace(one, left=mismatches(results))


def _without(one: AskedSetting, controller: ControllerOptions, real: ControllerOptions) -> ControllerOptions:
    """The settings of a what-if, one of them as the real controller has it. Flags of another era are left out."""
    from hpaaudit.api.flags import of_its_time, user_flags
    from hpaaudit.engine.behaviours.release import behaviour

    key = one.key
    flags = {name: text for name, text in user_flags(controller.flags).items() if name != key}
    if key == RELEASE:
        flags = of_its_time(flags, one.recorded)
    flags |= {name: text for name, text in real.flags.items() if name == key}
    behaviours = {name: on for name, on in controller.behaviours.items() if behaviour(name) != key}
    behaviours |= {name: on for name, on in real.behaviours.items() if name == key}
    release = real.release if key == RELEASE else controller.release
    return replace(controller, release=release, flags=flags, behaviours=behaviours)


def marked(assumptions: tuple[Assumption, ...], settings: tuple[AskedSetting, ...]) -> tuple[Assumption, ...]:
    """The assumptions of a what-if, with what the audit has in place of what was asked for."""
    recorded = {setting.key: setting.recorded for setting in settings}
    return tuple(
        replace(one, in_place_of=recorded[one.key]) if one.source == _USER and one.key in recorded else one
        for one in assumptions
    )


def _asked(prepared: "Prepared", real: ControllerOptions, audited: tuple[Assumption, ...]) -> Iterator[AskedSetting]:
    """The settings that were asked for and differ from those of the audit."""
    from hpaaudit.flows.prepare import with_settings

    usual = with_settings(prepared.recording, prepared.plan, real)
    by_key = {one.key: one for one in audited}
    for one in prepared.assumptions:
        if one.source != _USER:
            continue
        if one.key == RELEASE:
            if _other_rules(prepared, usual):
                yield _setting(one, RELEASE, by_key[RELEASE])
        elif one.value in ("on", "off"):
            yield from _rule(prepared, usual, one)
        elif _differs(one, by_key):
            before = by_key.get(one.key) or Assumption(key=one.key, value="none", source="default")
            yield _setting(one, one.key, before)


def _setting(asked: Assumption, kind: str, audited: Assumption) -> AskedSetting:
    return AskedSetting(
        key=asked.key, value=asked.value, kind=kind, alternative=audited.value, recorded=audited.value,
        is_recorded=audited.source in _KNOWN,
    )  # fmt: skip


def _differs(asked: Assumption, audited: Mapping[str, Assumption]) -> bool:
    """True if a process has another value in the audit: a later one's setting has its time behind the name."""
    own = [one for key, one in audited.items() if key == asked.key or key.startswith(f"{asked.key} ")]
    return not own or any(one.value != asked.value for one in own)


def _other_rules(prepared: "Prepared", usual: "Prepared") -> bool:
    """True if the asked release differs from that of a process by more than a patch without a rule of its own."""
    from hpaaudit.engine.behaviours.release import behaviours_of, version_of

    for seen in (None, *prepared.plan.controllers):
        asked, own = (one.flags if seen is None else one.flags_of(seen) for one in (prepared, usual))
        if version_of(asked.release)[:2] != version_of(own.release)[:2]:
            return True
        if behaviours_of(replace(own, release=asked.release)) != behaviours_of(own):
            return True
    return False


def _rule(prepared: "Prepared", usual: "Prepared", asked: Assumption) -> Iterator[AskedSetting]:
    """A rule or gate that was switched, if it is not so in the audit anyway."""
    from hpaaudit.engine.behaviours.gates import GATES
    from hpaaudit.engine.behaviours.release import behaviours_of, field_of

    gate = next((gate.name for gate in GATES if gate.rule == asked.key), None)
    field = field_of(asked.key)
    for seen in (None, *prepared.plan.controllers):
        is_on, was_on = (
            bool(getattr(behaviours_of(one.flags if seen is None else one.flags_of(seen)), field))
            for one in (prepared, usual)
        )
        if is_on == was_on:
            continue
        name = gate or asked.key
        yield AskedSetting(
            key=asked.key,
            value=f"{name} {asked.value}",
            kind="feature-gate" if gate else "rule",
            alternative=f"{'--with' if was_on else '--without'} {name}",
            recorded="on" if was_on else "off",
            is_recorded=seen is not None,
        )
        return
