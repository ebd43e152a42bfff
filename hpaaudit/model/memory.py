"""What the controller remembers of one HPA between reconciles, lost when its process ends."""

from dataclasses import dataclass

from hpaaudit.model.units import Micros


@dataclass(frozen=True, slots=True, kw_only=True)
class Recommendation:
    """A raw proposal and when it was made."""

    replicas: int
    at_us: Micros


@dataclass(frozen=True, slots=True, kw_only=True)
class ScaleEvent:
    """A scale by this HPA: replicas moved, when; `outdated` slots are used again."""

    change: int
    at_us: Micros
    outdated: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Memory:
    """Slots in upstream's order: expired ones are overwritten, never removed.

    recommendations   None until the first pass that reads the scale
    selector          of the scale, as last stored; None until the first pass that reaches the metrics
    """

    recommendations: tuple[Recommendation, ...] | None = None
    up: tuple[ScaleEvent, ...] | None = None
    down: tuple[ScaleEvent, ...] | None = None
    selector: str | None = None


EMPTY = Memory()
