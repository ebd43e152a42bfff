"""Tells the controller's processes apart, as the replay does: by what a capture says, else by the Lease's holder."""

import json
from collections.abc import Iterator
from typing import Any

from hpaaudit.model.facts import ControllerSeen, LeaseSeen
from hpaaudit.results.batches import Row


class Epochs:
    """Processes in the order in which they took over.

    Number 0 is the one that ran when the recording began; each start, and each new holder, counts one up.
    """

    def __init__(self) -> None:
        self._found: list[dict[str, Any]] = [{}]

    def see_controller(self, fact: ControllerSeen) -> None:
        """`started` opens an epoch, `declared` describes the one that runs, `stopped` ends it."""
        if fact.state == "stopped":
            self._found[-1].setdefault("ended_at", fact.at_us)
            return
        if fact.state == "started":
            self._begin(fact.at_us)
        self._found[-1] |= {
            "acquired_at": self._found[-1].get("acquired_at", fact.at_us),
            "evidence": fact.state,
            "release": fact.release,
            "version": fact.version,
            "flags": json.dumps(dict(fact.flags)),
            "gates": json.dumps(dict(fact.gates)),
        }

    def see_lease(self, fact: LeaseSeen) -> None:
        """A new holder is a new process; the first holder that is seen may have been there for long."""
        if not fact.holder or self._found[-1].get("holder") == fact.holder:
            return
        if any("holder" in epoch for epoch in self._found):
            self._begin(fact.at_us)
        epoch = self._found[-1]
        epoch |= {"holder": fact.holder, "lease_transitions": fact.transitions}
        epoch.setdefault("acquired_at", fact.acquired_us or fact.at_us)
        epoch.setdefault("evidence", "lease")

    def rows(self, replay_id: str) -> Iterator[Row]:
        """One row per process of which anything is known."""
        for epoch_id, row in enumerate(self._found):
            if row:
                yield {"replay_id": replay_id, "epoch_id": epoch_id, **row}

    def _begin(self, at_us: int) -> None:
        if self._found[-1]:
            self._found[-1].setdefault("ended_at", at_us)
        self._found.append({"acquired_at": at_us})
