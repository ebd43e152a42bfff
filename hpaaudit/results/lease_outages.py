"""Tells from the Lease of kube-controller-manager when no process of it led.

The leader renews its Lease every 2 s and stops leading 10 s after its last renewal (`leaderelection.go`,
`RenewDeadline`).
Another process takes over when the Lease has run out, `leaseDurationSeconds` after that renewal. Version 0.1.0 did not
record that number.

We see some of the renewals only. A Lease that was seen renewed again and again, and then is not, was lost; so was one
whose last renewal was long ago when we first saw it. A single fresh state says nothing of later.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from statistics import median

from hpaaudit.model.facts import LeaseSeen
from hpaaudit.model.flags import LEASE_DURATION_US
from hpaaudit.model.units import SECOND, Micros

_CLOCKS_DIFFER_US = 5 * SECOND
_RENEWALS_KNOWN = 3
"""From so many renewals on we know how often we see one."""
_SILENCE = 3
"""So many times longer than usual is no renewal that we just did not see."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outage:
    """A time without a leader.

    renewed_us    the last renewal before it: the leader may have ended then
    lapsed_us     when the Lease ran out: from then on nobody led
    until_us      when a process led again; None: never while we looked
    was_renewed   we saw the Lease renewed before; otherwise it may be one that nobody uses any more
    """

    renewed_us: Micros
    lapsed_us: Micros
    until_us: Micros | None
    was_renewed: bool


def lease_outages(
    lease_states: Sequence[LeaseSeen],
    unseen: Sequence[tuple[Micros, Micros]],
    ended_us: Micros,
    duration_us: Micros = LEASE_DURATION_US,
    *,
    is_given: bool = False,
) -> Iterator[Outage]:
    """The times without a leader, in order.

    lease_states   the states of the Lease
    unseen         when its watch was interrupted;  ended_us   when the recording ended
    duration_us    so long after its last renewal it runs out, if the state does not say it
    is_given       the user says so: it holds whatever the states say
    """
    states = [state for state in lease_states if state.at_us <= ended_us]
    if not states:
        return
    if is_given:
        states = [replace(state, duration_seconds=None) for state in states]
    patience_us = _patience_us(states, duration_us)
    last, looked_us, renewals = states[0], states[0].at_us, 0
    for state in states[1:]:
        if state.holder and not _is_renewal(last, state):
            looked_us = state.at_us
            continue
        # A clock that is far behind makes every renewal look old.
        is_old = _is_old(last, looked_us, renewals, duration_us) and not _is_old(state, state.at_us, 0, duration_us)
        if not last.holder or is_old or _is_silent(last, state.at_us, patience_us, unseen):
            if not state.holder:
                continue
            yield _outage(last, _acquired(state, last), duration_us, was_renewed=renewals > 0)
        renewals += bool(state.holder)
        last, looked_us = state, state.at_us
    if (
        not last.holder
        or _is_old(last, looked_us, renewals, duration_us)
        or _is_silent(last, ended_us, patience_us, unseen)
    ):
        yield _outage(last, None, duration_us, was_renewed=renewals > 0)


def _is_renewal(last: LeaseSeen, state: LeaseSeen) -> bool:
    return state.holder != last.holder or _renewed(state) > _renewed(last)


def _is_old(state: LeaseSeen, looked_us: Micros, renewals: int, duration_us: Micros) -> bool:
    """True if a Lease had run out when we looked at it. A renewal that we saw counts from when we saw it."""
    since_us = state.at_us if renewals else _renewed(state)
    return bool(state.holder) and looked_us > since_us + (state.lasts_us or duration_us) + _CLOCKS_DIFFER_US


def _patience_us(states: Sequence[LeaseSeen], duration_us: Micros) -> int | None:
    """The time after which a Lease without a new state was not renewed; None if we do not know how often we see one."""
    between = [
        later.at_us - earlier.at_us
        for earlier, later in pairwise(states)
        if earlier.holder == later.holder and _renewed(later) > _renewed(earlier)
    ]
    if len(between) < _RENEWALS_KNOWN:
        return None
    return max(int(_SILENCE * median(between)), 2 * max(state.lasts_us or duration_us for state in states))


def _is_silent(
    last: LeaseSeen, until_us: Micros, patience_us: int | None, unseen: Sequence[tuple[Micros, Micros]]
) -> bool:
    """True if the Lease was watched for longer than `patience_us` and not renewed.

    A gap of the watch hides no renewal for good: its newest state is seen when the gap ends.
    """
    if patience_us is None:
        return False
    looks_us = last.at_us
    for from_us, to_us in sorted(unseen):
        if min(from_us, until_us) - looks_us > patience_us:
            return True
        looks_us = max(looks_us, to_us)
    return until_us - looks_us > patience_us


def _outage(last: LeaseSeen, until_us: Micros | None, duration_us: Micros, *, was_renewed: bool) -> Outage:
    """The outage after a state. It begins at once if the holder gave up the Lease."""
    renewed_us = _renewed(last) if last.holder else last.at_us
    lapsed_us = Micros(renewed_us + (last.lasts_us or duration_us)) if last.holder else renewed_us
    if until_us is not None:
        lapsed_us = min(lapsed_us, until_us)
    return Outage(renewed_us=renewed_us, lapsed_us=lapsed_us, until_us=until_us, was_renewed=was_renewed)


def _renewed(state: LeaseSeen) -> Micros:
    return state.at_us if state.renewed_us is None else state.renewed_us


def _acquired(state: LeaseSeen, last: LeaseSeen) -> Micros:
    """When the holder of a state began to lead again after the state before."""
    if state.holder != last.holder and state.acquired_us is not None and state.acquired_us > last.at_us:
        return min(state.acquired_us, state.at_us)
    return state.at_us
