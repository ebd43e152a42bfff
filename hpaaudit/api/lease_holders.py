"""Tells which holders of the controller's Lease were processes of it, and who only stood in it for a while."""

import re
from bisect import bisect_right
from collections.abc import Sequence

from hpaaudit.model.facts import LeaseSeen

_PROCESS = re.compile(r".+_[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")


def names_a_process(holder: str) -> bool:
    """True if no other process can have this identity: kube-controller-manager adds a UUID to its host's name.

    Upstream: `id = id + "_" + string(uuid.NewUUID())` in `controllermanager.go`. A host's name alone is that of each
    process on this host.
    """
    return _PROCESS.fullmatch(holder) is not None


def passing_states(leases: Sequence[LeaseSeen]) -> frozenset[LeaseSeen]:
    """The states of a Lease that somebody took and gave back: their holder was no new controller process.

    A controller ends when it finds its Lease in other hands, and starts with another identity. One that comes back with
    the same identity and renews its Lease never noticed, and remembers all that it knew.

    leases   all states, in their order
    """
    places: dict[str, list[int]] = {}
    for place, lease in enumerate(leases):
        if names_a_process(lease.holder):
            places.setdefault(lease.holder, []).append(place)
    passing, place = set[LeaseSeen](), 0
    while place + 1 < len(leases):
        holder, other = leases[place].holder, leases[place + 1]
        back = place + 1
        if other.holder != holder:
            own = places.get(holder, [])
            later = own[bisect_right(own, place) :]
            # An old state that is only shown again, by a cache that lags behind, is no return.
            back = next((one for one in reversed(later) if _is_renewed(leases[one], other)), back)
        passing.update(lease for lease in leases[place + 1 : back] if lease.holder != holder)
        place = back
    return frozenset(passing)


def _is_renewed(lease: LeaseSeen, other: LeaseSeen) -> bool:
    """True if a Lease was renewed after somebody else had taken it."""
    return lease.renewed_us is None or other.renewed_us is None or lease.renewed_us > other.renewed_us
