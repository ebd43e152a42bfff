"""Lists the controller's processes: as a capture names them, else one for each holder of the Lease."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from hpaaudit.api.flags import lease_duration_us
from hpaaudit.model.facts import ControllerSeen, LeaseSeen
from hpaaudit.model.flags import LEASE_DURATION_US
from hpaaudit.model.units import Micros
from hpaaudit.results.batches import Row
from hpaaudit.results.lease_outages import Outage, lease_outages


class Epochs:
    """The controller's processes in the order in which they took over, as the replay counts them.

    Number 0 is the process that ran when the recording began. Each start and each new holder counts one up.

    release    the release as which the first process is decided
    releases   that of another one, by the version or release that a capture gives it; else it is that of the one before
    """

    def __init__(self, release: str = "", releases: Mapping[str, str] | None = None) -> None:
        self._release = release
        self._releases = releases or {}
        self._epochs: list[dict[str, Any]] = [{}]
        self._leases: list[LeaseSeen] = []
        self._lease_duration_us = LEASE_DURATION_US

    def add_controller(self, fact: ControllerSeen) -> None:
        """Takes a controller's state: `started` opens an epoch, `declared` describes it, `stopped` ends it."""
        if fact.state == "stopped":
            self._epochs[-1].setdefault("ended_at", fact.at_us)
            return
        self._lease_duration_us = lease_duration_us(dict(fact.flags)) or LEASE_DURATION_US
        if fact.state == "started":
            self._begin(fact.at_us)
        self._release = self._releases.get(fact.version or fact.release, self._release)
        self._epochs[-1] |= {
            "decided_as": self._release,
            "acquired_at": self._epochs[-1].get("acquired_at", fact.at_us),
            "evidence": fact.state,
            "release": fact.release,
            "version": fact.version,
            "flags": json.dumps(dict(fact.flags)),
            "gates": json.dumps(dict(fact.gates)),
        }

    def add_lease(self, fact: LeaseSeen) -> None:
        """Takes a Lease. A new holder is a new process; the first one may have held it for long."""
        self._leases.append(fact)
        if fact.holder and fact.holder == self._epochs[-1].get("holder"):
            self._epochs[-1]["renewed_at"] = fact.renewed_us
        if not fact.holder or self._epochs[-1].get("holder") == fact.holder:
            return
        if any("holder" in epoch for epoch in self._epochs):
            self._begin(fact.at_us)
        epoch = self._epochs[-1]
        epoch |= {"holder": fact.holder, "lease_transitions": fact.transitions, "renewed_at": fact.renewed_us}
        epoch.setdefault("acquired_at", fact.acquired_us or fact.at_us)
        epoch.setdefault("evidence", "lease")
        epoch.setdefault("decided_as", self._release)

    def outages(self, unseen: Sequence[tuple[Micros, Micros]], ended_us: Micros) -> tuple[Outage, ...]:
        """The times without a leader. `unseen` are the gaps of the watch of Leases."""
        return tuple(lease_outages(self._leases, unseen, ended_us, self._lease_duration_us))

    def rows(self, replay_id: str, outages: Iterable[Outage] = ()) -> Iterator[Row]:
        """One row per process about which anything is known. It ends at the latest when its Lease runs out."""
        self._end_lapsed(outages)
        for epoch_id, row in enumerate(self._epochs):
            if row:
                yield {"replay_id": replay_id, "epoch_id": epoch_id, **row}

    def _end_lapsed(self, outages: Iterable[Outage]) -> None:
        for outage in outages:
            begun = [epoch for epoch in self._epochs if epoch.get("acquired_at", 0) <= outage.renewed_us]
            # A process that renews its Lease again was only halted.
            is_last = outage.until_us is None or any(
                epoch.get("acquired_at", 0) > outage.renewed_us for epoch in self._epochs
            )
            for epoch in begun[-1:] if is_last else ():
                epoch["ended_at"] = min(epoch.get("ended_at", outage.lapsed_us), outage.lapsed_us)

    def _begin(self, at_us: int) -> None:
        if self._epochs[-1]:
            self._epochs[-1].setdefault("ended_at", at_us)
        self._epochs.append({"acquired_at": at_us})
