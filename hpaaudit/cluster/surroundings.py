"""Follows what makes verdicts certain: the controller's Lease, API services, version and clock."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

from hpaaudit.api.see import api_service_seen, lease_seen
from hpaaudit.api.typed import typed
from hpaaudit.cluster.client import Client
from hpaaudit.cluster.clock import Offset
from hpaaudit.cluster.shapes import VERSION
from hpaaudit.cluster.states import States
from hpaaudit.cluster.watch import Key
from hpaaudit.model.facts import ApiServiceSeen, Fact, LeaseSeen, VersionRead
from hpaaudit.model.units import SECOND, Micros

LEASES_PATH = "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases"
CONTROLLER_LEASE = {"fieldSelector": "metadata.name=kube-controller-manager"}
API_SERVICES_PATH = "/apis/apiregistration.k8s.io/v1/apiservices"
DELETED = "Deleted"
LEASE_US = 15 * SECOND
"""A Lease is renewed every 2 s; its life is written down so often, and every change of holder at once."""


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


def api_services(sink: Callable[[Fact], None], groups: tuple[str, ...]) -> States[ApiServiceSeen]:
    """The aggregated APIs of some groups: whether each is there, and who serves it."""

    def see(at_us: Micros, raw: dict[str, Any]) -> ApiServiceSeen | None:
        return api_service_seen(at_us, raw) if (raw.get("spec") or {}).get("group") in groups else None

    return States(sink, see, _unserved)


def _unserved(last: ApiServiceSeen, at_us: Micros) -> ApiServiceSeen:
    """Nobody serves it: nothing can be said of its availability."""
    return replace(last, at_us=at_us, available="", reason=DELETED, message="", service="")


@dataclass(slots=True)
class Surroundings:
    """What is asked now and then; `version` of the API server, empty while it is not known."""

    client: Client
    sink: Callable[[Fact], None]
    offset: Offset = field(default_factory=Offset)
    version: str = ""

    async def ask(self) -> None:
        """Ask for version and clock."""
        answer = await self.client.get("/version", decode=VERSION)
        if answer.good:
            self.version = answer.body.get("gitVersion") or ""
            self.sink(
                VersionRead(
                    at_us=answer.at_us,
                    version=self.version,
                    clock_offset_us=self.offset.read(answer.date, answer.sent_us, answer.at_us),
                    round_trip_us=answer.took_us,
                )
            )
