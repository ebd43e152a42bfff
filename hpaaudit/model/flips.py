"""The nearest changes of a reconcile's inputs that change its decision, and how much of a policy was used."""

from dataclasses import dataclass
from typing import TypeAlias

from hpaaudit.model.times import At, MaybeAt
from hpaaudit.model.units import Micros


@dataclass(frozen=True, slots=True, kw_only=True)
class UtilizationFlip:
    """The nearest utilization of a metric at which a reconcile would have decided another number.

    desired   what it would have decided then
    """

    metric: str
    utilization_percent: int
    desired: int


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryFlip:
    """When a remembered recommendation leaves the stabilization window, and the same metrics lead to another number.

    desired   what is decided from then on
    """

    recommended_us: Micros
    leaves_us: Micros
    desired: int

    recommended = At("recommended_us")
    leaves = At("leaves_us")


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadFlip:
    """How much more load, or less if negative, on every metric leads to another number.

    permille   the change in tenths of a percent of each measured value
    """

    permille: int
    desired: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadyFlip:
    """How many of the pods that counted as unready must count as ready, with the usage that was measured of each.

    pods      these, by name;  unready   how many there were
    """

    pods: tuple[str, ...]
    unready: int
    desired: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ForeignPodFlip:
    """How many pods of other owners must not match the selector.

    pods      these, by name;  foreign   how many there were;  owners   theirs, as `Job/report`
    """

    pods: tuple[str, ...]
    foreign: int
    owners: tuple[str, ...]
    desired: int


@dataclass(frozen=True, slots=True, kw_only=True)
class TimeFlip:
    """When the same metrics lead to another number, only because time passes.

    later_us   so much after the reconcile
    cause      what is old enough then: `recommendation`, `scale_event`, `last_scale` or `pod`
    cause_us   since when it was there
    """

    at_us: Micros
    later_us: int
    cause: str
    cause_us: Micros
    desired: int

    at = At("at_us")
    cause_at = At("cause_us")


Flip: TypeAlias = UtilizationFlip | MemoryFlip | LoadFlip | ReadyFlip | ForeignPodFlip | TimeFlip
"""Any of them. Each is proven: the reconcile was decided again with the change, and with the next smaller one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class UsedBy:
    """A scale event that used a part of a policy's budget, negative if it removed pods.

    frees_us   from when on it no longer counts
    """

    at_us: Micros
    change: int
    frees_us: Micros

    at = At("at_us")
    frees = At("frees_us")


@dataclass(frozen=True, slots=True, kw_only=True)
class PolicyBudget:
    """What one policy allowed, and how much of that was used.

    direction   `up` or `down`;  type   `Pods` or `Percent`
    start       replicas at the start of the period, by the scale events since
    allowed     the number that the policy allows now
    unseen_us   scale events from before it, which may have used some of it too, are not known; None: all are known
    scaled_us   one of these, by `status.lastScaleTime`; None: it tells of none
    """

    direction: str
    type: str
    value: int
    period_seconds: int
    start: int
    allowed: int
    used_by: tuple[UsedBy, ...]
    unseen_us: Micros | None = None
    scaled_us: Micros | None = None

    unseen = MaybeAt("unseen_us")
    scaled = MaybeAt("scaled_us")
