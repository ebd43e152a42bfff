"""Parses flags and feature gates of the controller, and lists those that change decisions, with their values."""

import re
from collections.abc import Mapping
from dataclasses import replace
from math import isfinite
from typing import Any, NoReturn, TypeVar

from hpaaudit.api import times
from hpaaudit.errors import BadOption
from hpaaudit.model.audit import Assumption
from hpaaudit.model.flags import Flags
from hpaaudit.model.nearest import did_you_mean
from hpaaudit.model.units import Micros

_Value = TypeVar("_Value")

PREFIX = "horizontal-pod-autoscaler-"
_FIELDS = {
    "sync-period": "sync_period_us",
    "downscale-stabilization": "downscale_stabilization_us",
    "cpu-initialization-period": "cpu_initialization_period_us",
    "initial-readiness-delay": "initial_readiness_delay_us",
    "tolerance": "tolerance",
    "upscale-delay": "upscale_delay_us",
    "downscale-delay": "downscale_delay_us",
    "use-rest-clients": "rest_clients",
}
LEASE_DURATION = "leader-elect-lease-duration"
"""The flag that changes no decision, and says when an HPA was not reconciled any more."""
SHORT_NAMES = (*_FIELDS, LEASE_DURATION)
_UNTIL_1_11 = ("upscale-delay", "downscale-delay", "use-rest-clients")
_SINCE_1_12 = ("downscale-stabilization", "cpu-initialization-period", "initial-readiness-delay")
_WITHOUT_WINDOWS = 12
"""The first minor release without forbidden windows and their flags."""

_HEAPSTER_STILL = range(_WITHOUT_WINDOWS, 22)
"""Minor releases since then whose controllers could still be told to ask Heapster. Their replay does not ask."""

_KINDS = {"tolerance": "a number such as 0.1", "rest_clients": "true or false"}


def short_name(name: str) -> str:
    """A flag, in upper or lower case, without dashes in front and without the prefix that all of them share."""
    return name.lower().lstrip("-").replace("_", "-").removeprefix(PREFIX)


def with_flags(flags: Flags, values: Mapping[str, str]) -> Flags:
    """The flags, with the values of those that change a decision. Others are ignored."""
    changes: dict[str, Any] = {}
    for name, text in values.items():
        field = _FIELDS.get(short_name(name))
        if field is None:
            continue
        try:
            changes[field] = _value(field, text)
        except ValueError as error:
            kind = _KINDS.get(field, "a duration such as 15s")
            raise BadOption(f"{name}={text} cannot be read: give {kind}") from error
        if changes[field] < 0 or (changes[field] == 0 and field == "sync_period_us"):
            raise BadOption(f"{name}={text} is too little: no controller runs so")
    return replace(flags, **changes)


def _value(field: str, text: str) -> bool | float | int:
    if field == "rest_clients":
        return {"true": True, "false": False}[text] if text in ("true", "false") else _refuse(text)
    if field != "tolerance":
        return times.duration(text)
    value = float(text)
    return value if isfinite(value) else _refuse(text)


def _refuse(text: str) -> NoReturn:
    raise ValueError(text)


def user_flags(values: Mapping[str, str]) -> Mapping[str, str]:
    """The flags of a user by short name; BadOption for a name that no controller has."""
    short = {short_name(name): text for name, text in values.items()}
    for name in short:
        if name not in SHORT_NAMES:
            hint = did_you_mean(name, SHORT_NAMES, f"known are {', '.join(SHORT_NAMES)}")
            raise BadOption(f"--flag {name} changes no decision: {hint}")
    return short


def given_lease_duration_us(values: Mapping[str, str]) -> Micros | None:
    """How long the Lease lasts as a user says it, by short name; None where nothing is said, BadOption for no time."""
    if LEASE_DURATION not in values:
        return None
    text, given_us = values[LEASE_DURATION], lease_duration_us(values)
    if given_us is None:
        raise BadOption(f"{LEASE_DURATION}={text} cannot be read: give a duration such as 15s")
    if given_us <= 0:
        raise BadOption(f"{LEASE_DURATION}={text} is too little: no controller runs so")
    return given_us


def lease_duration_us(values: Mapping[str, str]) -> Micros | None:
    """How long the Lease of a controller with these flags lasts; None if they do not say it readably."""
    text = next((text for name, text in values.items() if short_name(name) == LEASE_DURATION), "")
    try:
        return Micros(times.duration(text)) if text else None
    except ValueError:
        return None


def of_its_time(values: Mapping[str, _Value], release: str) -> dict[str, _Value]:
    """The flags by short name that change a decision of this release."""
    other_era = _SINCE_1_12 if is_before_1_12(release) else _UNTIL_1_11
    return {name: text for name, text in values.items() if name not in other_era}


def require_of_its_time(values: Mapping[str, str], release: str) -> None:
    """BadOption for a flag by short name that changes no decision of this release."""
    other_era = _SINCE_1_12 if is_before_1_12(release) else _UNTIL_1_11
    for name in values:
        if name in other_era:
            usable_names = ", ".join(own for own in _FIELDS if own not in other_era)
            why = f"known are {usable_names}"
            if name == "use-rest-clients" and _minor(release) in _HEAPSTER_STILL:
                why = "what Heapster answered counts there as if a metrics API had"
            raise BadOption(f"--flag {name} changes no decision of {release}: {why}")


def duration_text(us: int) -> str:
    """A duration as a flag takes it."""
    return f"{us / 1_000_000:.12g}s"


def is_before_1_12(release: str) -> bool:
    """True for the releases with forbidden windows, which have other flags."""
    minor = _minor(release)
    return minor is not None and minor < _WITHOUT_WINDOWS


def _minor(release: str) -> int | None:
    match = re.match(r"v?1\.(\d+)", release)
    return None if match is None else int(match[1])


def assumptions(flags: Flags, observed: Mapping[str, str], user_values: Mapping[str, str]) -> tuple[Assumption, ...]:
    """Each flag that steers a decision, its value, and where that comes from."""
    observed_names = {short_name(name) for name in observed}
    other_era = _SINCE_1_12 if is_before_1_12(flags.release) else _UNTIL_1_11
    settings = []
    for name, field in _FIELDS.items():
        value = getattr(flags, field)
        if name in other_era or value is None:
            continue
        text = f"{value}".lower() if field in _KINDS else duration_text(value)
        source = "user" if name in user_values else ("observed" if name in observed_names else "default")
        settings.append(Assumption(key=name, value=text, source=source))
    return tuple(settings)
