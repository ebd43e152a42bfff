"""A setting of the controller that explains divergences."""

from dataclasses import dataclass


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


@dataclass(frozen=True, slots=True, kw_only=True)
class Sensitivity:
    """A setting, the value that the replay used, and one that explains divergences of an HPA.

    explained   reconciles that differed and agree with the other value, out of `differing`;  broken   the reverse
    also_…      a second setting, if only both together explain them
    is_recorded   the value that the replay used was recorded: that another one explains something proves nothing
    """

    hpa: str
    key: str
    value: str
    alternative: str
    differing: int
    explained: int
    broken: int
    divergence_ids: tuple[int, ...]
    also_key: str | None = None
    also_value: str | None = None
    also_alternative: str | None = None
    is_recorded: bool = False
