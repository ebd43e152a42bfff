"""Follows APIServices: whether each aggregated API is available, and which Service answers for it."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from hpaaudit.api.see import api_service_seen
from hpaaudit.cluster.stores.latest import States
from hpaaudit.model.facts import ApiServiceSeen, Fact
from hpaaudit.model.units import Micros

API_SERVICES_PATH = "/apis/apiregistration.k8s.io/v1/apiservices"
DELETED = "Deleted"


def api_services(sink: Callable[[Fact], None], groups: tuple[str, ...]) -> States[ApiServiceSeen]:
    """The aggregated APIs of some groups: whether each is there, and who serves it."""

    def see(at_us: Micros, raw: dict[str, Any]) -> ApiServiceSeen | None:
        return api_service_seen(at_us, raw) if (raw.get("spec") or {}).get("group") in groups else None

    return States(sink, see, _unserved)


def _unserved(last: ApiServiceSeen, at_us: Micros) -> ApiServiceSeen:
    """Nobody serves it: nothing can be said of its availability."""
    return replace(last, at_us=at_us, available="", reason=DELETED, message="", service="")
