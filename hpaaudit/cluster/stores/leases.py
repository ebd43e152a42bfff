"""Follows the Lease of kube-controller-manager: who leads, and that it still does."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from hpaaudit.api.see import lease_seen
from hpaaudit.api.typed import typed
from hpaaudit.cluster.watch.reflector import Key
from hpaaudit.model.facts import Fact, LeaseSeen
from hpaaudit.model.units import SECOND, Micros

LEASES_PATH = "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases"
CONTROLLER_LEASE = {"fieldSelector": "metadata.name=kube-controller-manager"}
LEASE_US = 15 * SECOND
"""The holder renews the Lease every 2 s. A renewal is recorded this often, a new holder at once."""


@dataclass(slots=True)
class Leases:
    """Who leads, and that it still does; `took_over` is called with every new holder."""

    sink: Callable[[Fact], None]
    took_over: Callable[[str], None]
    seen: LeaseSeen | None = None

    def only(self, keys: set[Key], at_us: Micros) -> None:
        """There is one Lease, and its deletion comes as an event."""

    def changed(self, raw: dict[str, Any], at_us: Micros) -> None:
        """Renewed, or taken over."""
        fact, before = typed(lease_seen(at_us, raw)), self.seen
        same = before and (before.holder, before.transitions) == (fact.holder, fact.transitions)
        if before is None or not same or at_us - before.at_us >= LEASE_US:
            self.seen = fact
            self.sink(fact)
        if fact.holder and (before is None or before.holder != fact.holder):
            self.took_over(fact.holder)

    def gone(self, raw: dict[str, Any], at_us: Micros) -> None:
        """Deleted: nobody holds it."""
        self.seen = replace(typed(lease_seen(at_us, raw)), holder="")
        self.sink(self.seen)
