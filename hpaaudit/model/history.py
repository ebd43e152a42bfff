"""What changed in the HPA between Kubernetes releases, as values."""

from dataclasses import dataclass
from enum import StrEnum


class ChangeKind(StrEnum):
    """The kind of thing that a release changed."""

    BEHAVIOUR = "behaviour"
    GATE = "gate"
    FLAG = "flag"
    API = "api"


class ChangeVerb(StrEnum):
    """What became of that thing."""

    BEGAN = "began"
    ENDED = "ended"
    ON_BY_DEFAULT = "on by default"
    ALWAYS_ON = "always on"
    PLANNED = "planned"


class KnownBy(StrEnum):
    """How we know of a change."""

    EXECUTED = "executed"
    VECTORS = "vectors"
    READ = "read"


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One change of one release.

    name         as `--with` and `--without` take it; of what cannot be switched its own name
    release      the release that brought the change: `1.16`, or `1.4.4` where it came with a patch
    backports    the patch releases of older minor releases that brought it too
    reference    upstream's pull request, KEP or source
    description  the rule itself; of one that ended the rule that held until then
    """

    name: str
    kind: ChangeKind
    verb: ChangeVerb
    release: str
    backports: tuple[str, ...]
    reference: str
    known_by: KnownBy
    description: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Releases:
    """The changes between two releases, oldest first. `newer` and `older` are named as `--release` takes them."""

    older: str
    newer: str
    is_whole: bool
    changes: tuple[Change, ...]
