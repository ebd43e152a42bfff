"""What differs between Kubernetes releases, as one table: behaviour by release."""

import difflib
from dataclasses import dataclass

from hpaaudit.errors import UnknownRelease
from hpaaudit.model.flags import Flags

KNOWN = ("1.36",)
"""Releases whose decisions agree with the real controller's, oldest first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Gate:
    """A feature gate that changes decisions: its default in each release that we know."""

    name: str
    on_in: tuple[str, ...]
    reference: str


GATES = (
    Gate(name="HPAScaleToZero", on_in=(), reference="KEP-2021: alpha until 1.36"),
    Gate(name="HPAConfigurableTolerance", on_in=("1.36",), reference="KEP-4951: beta and on since 1.35"),
    Gate(name="PodLevelResources", on_in=("1.36",), reference="KEP-2837: beta and on since 1.34"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """The behaviours in force for one controller process."""

    scale_to_zero: bool
    configurable_tolerance: bool
    pod_level_resources: bool


def known_release(text: str) -> str:
    """A release as the table names it: `1.36`, `v1.36.3` and `1.36.3` are the same.

    UnknownRelease, with the nearest known, for one that the engine does not know.
    """
    parts = text.removeprefix("v").split(".")
    release = ".".join(parts[:2])
    if release not in KNOWN:
        nearest = difflib.get_close_matches(release, KNOWN, n=1, cutoff=0.0)[0]
        raise UnknownRelease(f"release {text} is not known to this engine: try --release {nearest}")
    return release


def rules_of(flags: Flags) -> Rules:
    """The behaviours that these flags switch on."""
    release = known_release(flags.release)
    given = dict(flags.gates)

    def on(name: str) -> bool:
        gate = next(gate for gate in GATES if gate.name == name)
        return given.get(name, release in gate.on_in)

    return Rules(
        scale_to_zero=on("HPAScaleToZero"),
        configurable_tolerance=on("HPAConfigurableTolerance"),
        pod_level_resources=on("PodLevelResources"),
    )
