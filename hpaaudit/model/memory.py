"""What the controller remembers of one HPA between reconciles. It is lost when the controller's process ends."""

from dataclasses import dataclass

from hpaaudit.model.hpa import HpaStatus
from hpaaudit.model.units import Micros


@dataclass(frozen=True, slots=True, kw_only=True)
class Recommendation:
    """A recommendation before stabilization, and when it was computed. Upstream: `timestampedRecommendation`."""

    replicas: int
    at_us: Micros


@dataclass(frozen=True, slots=True, kw_only=True)
class ScaleEvent:
    """A change of replicas by this HPA, and when. Upstream: `timestampedScaleEvent`.

    outdated   the next scale event replaces it
    """

    change: int
    at_us: Micros
    outdated: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Memory:
    """The lists in upstream's order: expired entries are overwritten, never removed.

    recommendations   None until the first reconcile that reads the scale
    up, down          scale events of each direction
    selector          of the scale, as last stored; None until the first reconcile that computes metrics
    """

    recommendations: tuple[Recommendation, ...] | None = None
    up: tuple[ScaleEvent, ...] | None = None
    down: tuple[ScaleEvent, ...] | None = None
    selector: str | None = None
    cached: HpaStatus | None = None
    known_uid: str = ""


EMPTY = Memory()
