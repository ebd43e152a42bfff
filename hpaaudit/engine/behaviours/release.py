"""Which behaviours are in force: those of a release, its feature gates, and what the user switched."""

import difflib
import re
from dataclasses import replace
from functools import lru_cache

from hpaaudit.engine.behaviours.flags_and_api import API
from hpaaudit.engine.behaviours.gates import GATES
from hpaaudit.engine.behaviours.in_force import Behaviours
from hpaaudit.engine.behaviours.release_number import Version, parsed
from hpaaudit.engine.behaviours.table import BEHAVIOURS
from hpaaudit.errors import BadOption, UnknownRelease
from hpaaudit.model.flags import Flags

KNOWN = tuple(f"1.{minor}" for minor in range(1, 38))
"""The releases that the engine knows, oldest first."""

ALPHA = "1.38"
"""A release that is not out yet. Its behaviours are known from its changelog and pull requests, up to alpha.2."""

NEWEST_OLD_PATCH = 999
"""The patch level of a release that is given without one: its last patch is meant."""


def version_of(text: str) -> Version:
    """A release as numbers; without a patch level its last patch is meant.

    A suffix such as `-eks-abc`, `-gke.100` or `-alpha.1` is ignored.

    Raises UnknownRelease, which names the nearest known one, for a release that the engine does not know.
    """
    match = re.match(r"v?(\d+)\.(\d+)(?:\.(\d+))?", text)
    release = f"{match[1]}.{match[2]}" if match else text
    if match is None or release not in (*KNOWN, ALPHA):
        raise UnknownRelease(f"release {text} is not known to this engine: try --release {_nearest(release)}")
    return (int(match[1]), int(match[2]), int(match[3]) if match[3] else NEWEST_OLD_PATCH)


def _nearest(release: str) -> str:
    """The known release with the nearest number, else a similar text or the newest; never one that is not out yet.

    Of another major version that is the newest.
    """
    match = re.fullmatch(r"1\.(\d+)", release)
    if match is None and re.fullmatch(r"\d+\.\d+", release):
        return KNOWN[-1]
    if match is None:
        return next(iter(difflib.get_close_matches(release, KNOWN, n=1, cutoff=0.5)), KNOWN[-1])
    return min(KNOWN, key=lambda other: abs(int(other.split(".")[1]) - int(match[1])))


def known_release(text: str) -> str:
    """A release as the table names it: `v1.36.3` stays exact as `1.36.3`, `1.36` is its last patch.

    One that is not out yet is called `-alpha`, so that whoever reads it knows what our rules are.
    """
    major, minor, patch = version_of(text)
    if f"{major}.{minor}" == ALPHA:
        return f"{ALPHA}-alpha"
    return f"{major}.{minor}" if patch == NEWEST_OLD_PATCH else f"{major}.{minor}.{patch}"


def newest_serving(api_versions: frozenset[str]) -> str:
    """The newest known release whose API server serves HPAs in all of these versions; the newest if none does."""
    served = [behaviour for behaviour in API if behaviour.name in api_versions]
    serving = (name for name in reversed(KNOWN) if all(behaviour.holds(version_of(name)) for behaviour in served))
    return next(serving, KNOWN[-1])


def field_of(name: str) -> str:
    """The field of `Behaviours` that a rule of the table is."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()


def behaviour_names() -> tuple[str, ...]:
    """Everything that `--with` and `--without` take: behaviours, and gates by either name."""
    return (*(b.name for b in BEHAVIOURS), *(g.name for g in GATES))


@lru_cache(maxsize=64)
def behaviours_of(flags: Flags) -> Behaviours:
    """The behaviours that a release has and that these flags switch on or off."""
    version = version_of(flags.release)
    switched_gates = dict(flags.gates)
    on = {field_of(behaviour.name): behaviour.holds(version) for behaviour in BEHAVIOURS}
    for gate in GATES:
        is_known = version >= parsed(gate.since)
        default = version >= parsed(gate.on)
        free = not gate.locked or version < parsed(gate.locked)
        on[field_of(gate.rule)] = is_known and (switched_gates.get(gate.name, default) if free else True)
    # Before the controller asked the gate it computed a container's metric whenever the API let one through.
    on["container_metrics"] = on["container_metrics"] or version < parsed("1.27")
    behaviours = Behaviours(**{name: on[name] for name in Behaviours._fields})
    changes = {field_of(name): True for name in flags.with_behaviours}
    changes |= {field_of(name): False for name in flags.without_behaviours}
    return behaviours._replace(**changes)


def gates_missed(flags: Flags, stored: frozenset[str]) -> tuple[str, ...]:
    """Those of the gates that an API server has on which a controller with these flags has off, and can have on."""
    return tuple(
        gate.name
        for gate in GATES
        if gate.name in stored
        and not getattr(behaviours_of(flags), field_of(gate.rule))
        and getattr(behaviours_of(replace(flags, gates=((gate.name, True),))), field_of(gate.rule))
    )


def behaviour(name: str) -> str:
    """A behaviour or gate, in upper or lower case, by the name that the table gives its rule.

    Raises BadOption for an unknown one.
    """
    rules = {behaviour.name.casefold(): behaviour.name for behaviour in BEHAVIOURS}
    rules |= {own.casefold(): gate.rule for gate in GATES for own in (gate.rule, gate.name)}
    if name.casefold() in rules:
        return rules[name.casefold()]
    similar = difflib.get_close_matches(name, behaviour_names(), n=3, cutoff=0.5)
    hint = f"did you mean {', '.join(similar)}?" if similar else "`hpaaudit releases` lists them"
    raise BadOption(f"{name} is no behaviour that differs between releases: {hint}")
