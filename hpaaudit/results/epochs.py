"""Lists the controller's processes: as a capture names them, else one for each holder of the Lease."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from hpaaudit.api.flags import lease_duration_us
from hpaaudit.api.lease_holders import passing_states
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
    lease_duration_us   so long the Lease lasts, as the user says; None: as it says itself, or the flags, or the default
    """

    def __init__(
        self, release: str = "", releases: Mapping[str, str] | None = None, lease_duration_us: Micros | None = None
    ) -> None:
        self._lease_duration_us = lease_duration_us
        self._release = release
        self._releases = releases or {}
        self._epochs: list[dict[str, Any]] = [{}]
        self._facts: list[ControllerSeen | LeaseSeen] = []
        self._holder = ""

    def add(self, fact: ControllerSeen | LeaseSeen) -> None:
        """Keeps a fact: whether a holder of the Lease gave it back is known only after the last one."""
        self._facts.append(fact)

    def _add_controller(self, fact: ControllerSeen) -> None:
        """Takes a controller's state: `started` opens an epoch, `declared` describes it, `stopped` ends it."""
        if fact.state == "stopped":
            self._epochs[-1].setdefault("ended_at", fact.at_us)
            return
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

    def _add_lease(self, fact: LeaseSeen) -> None:
        """Takes a Lease. A new holder is a new process; the first one may have held it for long."""
        if not fact.holder:
            return
        if self._holder not in ("", fact.holder):
            self._begin(fact.at_us)
        self._holder = fact.holder
        epoch = self._epochs[-1]
        epoch["renewed_at"] = fact.renewed_us
        if "holder" in epoch:
            return
        epoch |= {"holder": fact.holder, "lease_transitions": fact.transitions}
        epoch.setdefault("acquired_at", fact.acquired_us or fact.at_us)
        epoch.setdefault("evidence", "lease")
        epoch.setdefault("decided_as", self._release)

    def _add_other_holder(self, fact: LeaseSeen, *, is_passing: bool) -> None:
        """Notes who held the Lease for a while beside its process, and when that ended."""
        others = self._epochs[-1].get("other_holders", [])
        last = others[-1] if others and others[-1]["until_us"] is None else None
        if last is not None and last["holder"] == fact.holder:
            return
        if last is not None:
            last["until_us"] = fact.at_us
        if is_passing and fact.holder:
            taken = {"holder": fact.holder, "from_us": fact.at_us, "until_us": None}
            self._epochs[-1]["other_holders"] = [*others, taken]

    def outages(self, unseen: Sequence[tuple[Micros, Micros]], ended_us: Micros) -> tuple[Outage, ...]:
        """The times without a leader. `unseen` are the gaps of the watch of Leases."""
        controllers = [fact for fact in self._facts if isinstance(fact, ControllerSeen) and fact.state != "stopped"]
        flags = dict(controllers[-1].flags) if controllers else {}
        given_us = self._lease_duration_us
        duration_us = given_us or lease_duration_us(flags) or LEASE_DURATION_US
        passing = passing_states(self._leases)
        states = [lease for lease in self._leases if lease not in passing]
        return tuple(lease_outages(states, unseen, ended_us, duration_us, is_given=given_us is not None))

    def rows(self, replay_id: str, outages: Iterable[Outage] = ()) -> Iterator[Row]:
        """One row per process about which anything is known. It ends at the latest when its Lease runs out."""
        passing = passing_states(self._leases)
        for fact in self._facts:
            if isinstance(fact, ControllerSeen):
                self._add_controller(fact)
                continue
            self._add_other_holder(fact, is_passing=fact in passing)
            if fact not in passing:
                self._add_lease(fact)
        self._end_lapsed(outages)
        for epoch_id, row in enumerate(self._epochs):
            if row:
                others = json.dumps(row["other_holders"]) if "other_holders" in row else None
                yield {"replay_id": replay_id, "epoch_id": epoch_id, **row, "other_holders": others}

    def _end_lapsed(self, outages: Iterable[Outage]) -> None:
        for outage in outages:
            begun = [epoch for epoch in self._epochs if epoch.get("acquired_at", 0) <= outage.renewed_us]
            # A process that renews its Lease again was only halted.
            is_last = outage.until_us is None or any(
                epoch.get("acquired_at", 0) > outage.renewed_us for epoch in self._epochs
            )
            for epoch in begun[-1:] if is_last else ():
                epoch["ended_at"] = min(epoch.get("ended_at", outage.lapsed_us), outage.lapsed_us)

    @property
    def _leases(self) -> list[LeaseSeen]:
        return [fact for fact in self._facts if isinstance(fact, LeaseSeen)]

    def _begin(self, at_us: int) -> None:
        if self._epochs[-1]:
            self._epochs[-1].setdefault("ended_at", at_us)
        self._epochs.append({"acquired_at": at_us})
