"""Reads a published status: what it proves of the inputs and of the memory of the reconcile that wrote it.

Upstream has no such thing. A recorder outside of the controller sees only statuses, so what the controller read and
remembers must follow from them.
"""

from typing import NamedTuple

from hpaaudit.engine.behaviours.in_force import Behaviours
from hpaaudit.engine.rules.go_numbers import MIN_INT64, NONE

NEVER = MIN_INT64
"""The lastScaleTime of a target that was never scaled."""

UNREAD = 1
"""The code of the condition AbleToScale=False with the reason FailedGetScale."""

RESCALED = 6
"""The code of the condition AbleToScale=True with the reason SucceededRescale."""

# What becomes of the scale event of a reconcile, once its status is known.
EVENT_KEPT = 0
EVENT_UNDONE = 1
EVENT_REPLACED = 2

# What the conditions say about the recommendation.
RECOMMENDATION_ADJUSTED = 0
NO_RECOMMENDATION = 1
RECOMMENDATION_PUBLISHED = 2


def has_conditions(behaviours: Behaviours) -> bool:
    """True if the status has conditions (1.7, #46550). Before, those that somebody else put there stay as they are."""
    return behaviours.conditions or not behaviours.forbidden_windows


class StatusCodes(NamedTuple):
    """A status: its current replicas, and its conditions as codes, NONE for a missing one.

    Two codes are equal if status and reason of the conditions are, and what the message of ScalingActive=False tells
    of the failure. Only UNREAD and RESCALED have fixed numbers.
    """

    current: int
    able: int
    active: int
    limited: int


def fits_inputs(decided: StatusCodes, published: StatusCodes, conditional: bool, failed: bool) -> bool:
    """True if the controller may have had our inputs. The currentMetrics must fit as well, which the caller compares.

    Only what follows from inputs is compared, never the decision itself: else every divergence would look like wrong
    inputs. A status without AbleToScale was not written by a reconcile: `reconcileAutoscaler` sets that condition
    first. It is FailedGetScale only if the scale could not be read, and everything else is left as it was then.

    conditional   the status has conditions;  failed   the reconcile ends with an error: without conditions that leaves
                  the status as it was, or nearly, which proves nothing
    """
    if not conditional:
        return not failed and decided.current == published.current
    if published.able == NONE or (decided.able == UNREAD) != (published.able == UNREAD):
        return False
    return decided.current == published.current and decided.active == published.active


def fits_memory(decided: StatusCodes, published: StatusCodes) -> bool:
    """True if our memory stabilizes and limits as the published conditions say.

    A successful write replaces AbleToScale, and with it what stabilization set there. Then that condition proves
    nothing.
    """
    if NONE in (decided.able, published.able):
        return True
    if decided.able != published.able and RESCALED not in (decided.able, published.able):
        return False
    return NONE in (decided.limited, published.limited) or decided.limited == published.limited


def shows_scale(scaled_us: int, before_us: int) -> bool:
    """True if a status shows that the target was scaled: its lastScaleTime is not that of the status before it.

    Upstream: `setStatus` sets lastScaleTime only after a successful write.
    """
    return scaled_us not in (NEVER, before_us)


def scale_event_outcome(
    scaled: bool, published_desired: int, published_current: int, desired: int, current: int
) -> int:
    """Whether the published status confirms the scale event of a reconcile: EVENT_KEPT, EVENT_UNDONE or EVENT_REPLACED.

    scaled             the published status shows that the target was scaled
    desired, current   what we decided, and the replicas that we saw

    The event is undone only if the controller saw the same replicas: else the status is that of another reconcile.
    """
    if scaled and published_desired != desired:
        return EVENT_REPLACED
    if not scaled and desired != current and published_current == current:
        return EVENT_UNDONE
    return EVENT_KEPT


def recommendation_shown(fails: bool, ready: bool, within: bool, has_active: bool) -> int:
    """What the conditions say about the recommendation.

    fails        ScalingActive is False: there was none, which is known then
    ready        AbleToScale is ReadyForNewScale: it was not stabilized
    within       ScalingLimited is DesiredWithinRange: it was not limited
    has_active   there is a condition ScalingActive

    A recommendation that was neither stabilized nor limited is the published number (RECOMMENDATION_PUBLISHED).
    """
    if fails:
        return NO_RECOMMENDATION
    return RECOMMENDATION_PUBLISHED if ready and within and has_active else RECOMMENDATION_ADJUSTED
