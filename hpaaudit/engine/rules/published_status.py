"""Reads a published status back: what it proves of the inputs and of the memory of the reconcile that wrote it.

Upstream has no such thing. A recorder outside of the controller sees statuses only, so what the controller saw and
remembers is found out from them.
"""

from typing import NamedTuple

from hpaaudit.engine.rules.go_numbers import MIN_INT64, NONE

NEVER = MIN_INT64
"""The lastScaleTime of a target that was never scaled."""

RESCALED = 6
"""The code of AbleToScale=True/SucceededRescale."""

# What becomes of the scale event of a reconcile.
KEPT = 0
UNDONE = 1
REPLACED = 2

# Whether something bent the recommendation, as conditions say.
BENT = 0
FAILING = 1
UNBENT = 2


class Told(NamedTuple):
    """What a status tells: current replicas, and conditions as codes, NONE where one is missing.

    Two codes are equal where status and reason of the conditions are. Only RESCALED has a fixed number.
    """

    current: int
    able: int
    active: int
    limited: int


def fits_inputs(ours: Told, published: Told) -> bool:
    """Whether our inputs may be those behind the published status; its currentMetrics must fit as well.

    Only what follows from inputs alone is compared, never the decision itself. Without AbleToScale nothing was
    published yet: `reconcileAutoscaler` sets it before anything else.
    """
    return published.able != NONE and ours.current == published.current and ours.active == published.active


def fits_memory(ours: Told, published: Told) -> bool:
    """Whether stabilization and limits held the number as the published conditions say.

    A successful write overwrites AbleToScale, and with it what stabilization did: then that proves nothing.
    """
    if NONE in (ours.able, published.able):
        return True
    if ours.able != published.able and RESCALED not in (ours.able, published.able):
        return False
    return NONE in (ours.limited, published.limited) or ours.limited == published.limited


def tells_scale(scaled_us: int, before_us: int) -> bool:
    """Whether a status tells of a scale: its lastScaleTime is not that of the status before it."""
    return scaled_us not in (NEVER, before_us)


def followed(scaled: bool, published_desired: int, published_current: int, desired: int, current: int) -> int:
    """What becomes of the scale event of a reconcile: KEPT as we decided, UNDONE, or REPLACED by what was published.

    scaled             the published status tells of a scale
    desired, current   what we decided, and the replicas that we saw

    UNDONE only where the controller saw the same replicas: else the status is that of another reconcile.
    """
    if scaled and published_desired != desired:
        return REPLACED
    if not scaled and desired != current and published_current == current:
        return UNDONE
    return KEPT


def bend(fails: bool, ready: bool, within: bool, active: bool) -> int:
    """Whether something bent the recommendation.

    fails    ScalingActive is False: nothing was recommended, which is known as well
    ready    AbleToScale is ReadyForNewScale: the recommendation was not stabilized
    within   ScalingLimited is DesiredWithinRange: no limit changed it
    active   there is a condition ScalingActive

    Where nothing did (UNBENT), the recommendation is the published number.
    """
    if fails:
        return FAILING
    return UNBENT if ready and within and active else BENT
