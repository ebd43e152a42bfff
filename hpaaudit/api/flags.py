"""Parses flags and feature gates of the controller, and lists those that change decisions, with their values."""

from collections.abc import Mapping
from dataclasses import replace
from math import isfinite
from typing import Any

from hpaaudit.api import times
from hpaaudit.errors import BadOption
from hpaaudit.model.audit import Assumption
from hpaaudit.model.flags import Flags
from hpaaudit.model.nearest import did_you_mean

PREFIX = "horizontal-pod-autoscaler-"
_FIELDS = {
    "sync-period": "sync_period_us",
    "downscale-stabilization": "downscale_stabilization_us",
    "cpu-initialization-period": "cpu_initialization_period_us",
    "initial-readiness-delay": "initial_readiness_delay_us",
    "tolerance": "tolerance",
}
SHORT_NAMES = tuple(_FIELDS)


def short_name(name: str) -> str:
    """A flag without dashes in front and without the prefix that all of them share."""
    return name.lstrip("-").replace("_", "-").removeprefix(PREFIX)


def with_flags(flags: Flags, values: Mapping[str, str]) -> Flags:
    """The flags with those that change a decision set; others are the controller's business only."""
    changes: dict[str, Any] = {}
    for name, text in values.items():
        field = _FIELDS.get(short_name(name))
        if field is None:
            continue
        try:
            changes[field] = _tolerance(text) if field == "tolerance" else times.duration(text)
        except ValueError as error:
            kind = "a number such as 0.1" if field == "tolerance" else "a duration such as 15s"
            raise BadOption(f"{name}={text} is not a flag that can be read: give {kind}") from error
        if changes[field] < 0 or (changes[field] == 0 and field == "sync_period_us"):
            raise BadOption(f"{name}={text} is too little: no controller runs so")
    return replace(flags, **changes)


def _tolerance(text: str) -> float:
    value = float(text)
    if not isfinite(value):
        raise ValueError(text)
    return value


def user_flags(values: Mapping[str, str]) -> Mapping[str, str]:
    """The flags of a user by short name; BadOption for a name that no controller has."""
    short = {short_name(name): text for name, text in values.items()}
    for name in short:
        if name not in _FIELDS:
            hint = did_you_mean(name, SHORT_NAMES, f"known are {', '.join(SHORT_NAMES)}")
            raise BadOption(f"--flag {name} changes no decision: {hint}")
    return short


def duration_text(us: int) -> str:
    """A duration as a flag takes it."""
    return f"{us / 1_000_000:.12g}s"


def assumptions(flags: Flags, observed: Mapping[str, str], user_values: Mapping[str, str]) -> tuple[Assumption, ...]:
    """Each flag that steers a decision, its value, and where that comes from."""
    observed_names = {short_name(name) for name in observed}
    settings = []
    for name, field in _FIELDS.items():
        value = getattr(flags, field)
        text = f"{value}" if field == "tolerance" else duration_text(value)
        source = "user" if name in user_values else ("observed" if name in observed_names else "default")
        settings.append(Assumption(key=name, value=text, source=source))
    return tuple(settings)
