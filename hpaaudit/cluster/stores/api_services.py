"""The store of APIServices: whether each aggregated API is available, and which Service answers for it."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from hpaaudit.api.to_facts import api_service_seen
from hpaaudit.cluster.stores.latest import LatestStates
from hpaaudit.model.facts import ApiServiceSeen, Fact
from hpaaudit.model.units import Micros

API_SERVICES_PATH = "/apis/apiregistration.k8s.io/v1/apiservices"
DELETED = "Deleted"


def api_services(sink: Callable[[Fact], None], groups: tuple[str, ...]) -> LatestStates[ApiServiceSeen]:
    """The APIServices of some groups."""

    def read(at_us: Micros, raw: dict[str, Any]) -> ApiServiceSeen | None:
        return api_service_seen(at_us, raw) if (raw.get("spec") or {}).get("group") in groups else None

    return LatestStates(sink, read, _deleted)


def _deleted(last: ApiServiceSeen, at_us: Micros) -> ApiServiceSeen:
    """The fact of a deleted APIService: nothing is known about its availability."""
    return replace(last, at_us=at_us, available="", reason=DELETED, message="", service="")
