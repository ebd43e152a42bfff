"""A setting of the controller that explains divergences."""

from dataclasses import dataclass
from typing import NamedTuple


@dataclass(frozen=True, slots=True, kw_only=True)
class Compared:
    """One reconcile of a replay: its decision, the real number of replicas after it, and its divergence.

    at_us           when it decided
    divergence_id   None: replay and controller agree
    published       the reasons of AbleToScale and ScalingActive, if these alone tell what the controller decided
    predicted       the reasons in the status that the replay computed
    is_seen         it left a trace; otherwise its time was inferred
    """

    reconcile_id: int
    hpa: str
    at_us: int
    desired: int | None
    real: int | None
    divergence_id: int | None
    published: str | None
    predicted: str
    is_seen: bool

    @property
    def wanted(self) -> int | None:
        """The number that the controller decided."""
        return self.desired if self.divergence_id is None else self.real


class Value(NamedTuple):
    """A setting, the value that the replay used, and the other value that was tried."""

    key: str
    value: str
    alternative: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Sensitivity:
    """Other values of settings of the controller that together explain divergences of an HPA.

    settings      one to `MOST_SETTINGS` of them; each is needed
    explained     reconciles that differed and agree with the other values, out of `differing`;  broken   the reverse
    is_recorded   a value that the replay used was recorded: that another one explains something proves nothing
    """

    hpa: str
    settings: tuple[Value, ...]
    differing: int
    explained: int
    broken: int
    divergence_ids: tuple[int, ...]
    is_recorded: bool = False

    @property
    def keys(self) -> tuple[str, ...]:
        """The keys of its settings."""
        return tuple(setting.key for setting in self.settings)


MOST_SETTINGS = 3
"""At most so many settings are tried at once. Test clusters often run with three flags that are not the default."""
