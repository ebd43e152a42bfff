"""What another release would have decided otherwise, as values."""

from dataclasses import dataclass

from hpaaudit.model.account import Metric
from hpaaudit.model.history import Change
from hpaaudit.model.units import Micros


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """What one release wants in a reconcile: the number, why, and by which metric."""

    replicas: int
    reason_code: str
    metric: Metric | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Cause:
    """A change between the two releases that alone makes an episode.

    own_decides_so     the own release decides as the other one if this one rule is switched
    other_decides_so   the other release decides as the own one if this one rule is switched
    """

    change: Change
    own_decides_so: bool
    other_decides_so: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Episode:
    """Reconciles in a row in which the two releases want different numbers, each always the same for the same reason.

    replicas   `spec.replicas` at the first of them
    own, other what each wants;  causes  proven by replays, empty if no change alone makes it
    """

    hpa: str
    first_us: Micros
    last_us: Micros
    reconciles: int
    replicas: int | None
    own: Wanted
    other: Wanted
    causes: tuple[Cause, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparedHpa:
    """How many reconciles of an HPA both replays have, how many of these differ, and how many cannot be compared.

    unknown   those that cannot
    """

    hpa: str
    reconciles: int
    differing: int
    unknown: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """The replay of a recording as another release beside its audit.

    audit            the results file of the audit
    causes_searched  every change between the releases was tried; else there were too many reconciles
    """

    audit: str
    own_release: str
    other_release: str
    started_us: Micros
    ended_us: Micros
    hpas: tuple[ComparedHpa, ...]
    episodes: tuple[Episode, ...]
    causes_searched: bool
