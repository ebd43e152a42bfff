"""The store of the controller's Lease: who leads, and whether it still does."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from hpaaudit.api.to_facts import lease_seen
from hpaaudit.api.type_check import type_checked
from hpaaudit.cluster.watch.store import Key
from hpaaudit.model.facts import Fact, LeaseSeen
from hpaaudit.model.units import SECOND, Micros

LEASES_PATH = "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases"
CONTROLLER_LEASE = {"fieldSelector": "metadata.name=kube-controller-manager"}
LEASE_US = 15 * SECOND
"""The holder renews the Lease every 2 s. A renewal is recorded this often, a new holder at once."""


@dataclass(slots=True)
class LeaseStore:
    """The one Lease of kube-controller-manager. `on_new_holder` is called with every new holder.

    renewed_us   when it was renewed last, by the controller's clock; also of renewals that are not recorded
    """

    sink: Callable[[Fact], None]
    on_new_holder: Callable[[str], None]
    last: LeaseSeen | None = None
    renewed_us: Micros | None = None

    def retain(self, keys: set[Key], at_us: Micros) -> None:
        """Nothing to do: there is one Lease, and its deletion comes as an event."""

    def update(self, raw: dict[str, Any], at_us: Micros) -> None:
        """Takes a renewal, or a new holder."""
        fact, before = type_checked(lease_seen(at_us, raw)), self.last
        self.renewed_us = fact.renewed_us
        is_same = before and _held(before) == _held(fact)
        if before is None or not is_same or at_us - before.at_us >= LEASE_US:
            self.last = fact
            self.sink(fact)
        if fact.holder and (before is None or before.holder != fact.holder):
            self.on_new_holder(fact.holder)

    def delete(self, raw: dict[str, Any], at_us: Micros) -> None:
        """Takes a deletion: the Lease has no holder then."""
        self.last = replace(type_checked(lease_seen(at_us, raw)), holder="")
        self.sink(self.last)


def _held(lease: LeaseSeen) -> tuple[str, int, int | None]:
    """What is recorded at once if it changes: who holds the Lease, and how long it lasts."""
    return lease.holder, lease.transitions, lease.duration_seconds
