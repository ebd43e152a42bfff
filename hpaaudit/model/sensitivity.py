"""A setting of the controller that explains divergences."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Compared:
    """One reconcile of a replay: its decision, the real number of replicas after it, and its divergence.

    divergence_id   None: replay and controller agree
    """

    reconcile_id: int
    hpa: str
    desired: int | None
    real: int | None
    divergence_id: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Sensitivity:
    """A setting, the value that the replay used, and one that explains divergences of an HPA.

    explained   reconciles that differed and agree with the other value, out of `differing`;  broken   the reverse
    """

    hpa: str
    key: str
    value: str
    alternative: str
    differing: int
    explained: int
    broken: int
    divergence_ids: tuple[int, ...]
