"""The store of KEDA's ScaledObjects."""

from collections.abc import Callable
from dataclasses import replace

from hpaaudit.api.keda import scaled_object_seen
from hpaaudit.cluster.stores.latest import LatestStates
from hpaaudit.model.facts import Fact, ScaledObjectGone, ScaledObjectSeen
from hpaaudit.model.units import Micros

GROUP, RESOURCE, KIND = "keda.sh", "scaledobjects", "ScaledObject"


def scaled_objects(sink: Callable[[Fact], None]) -> LatestStates[ScaledObjectSeen]:
    """The ScaledObjects of the scope, also those without an HPA: a paused one has none."""
    return LatestStates(sink, scaled_object_seen, _deleted, _is_same)


def _is_same(before: ScaledObjectSeen, after: ScaledObjectSeen) -> bool:
    """True if nothing changed but the time that KEDA writes into the status every few seconds."""
    return replace(before, at_us=after.at_us, resource_version=after.resource_version) == after


def _deleted(last: ScaledObjectSeen, at_us: Micros) -> ScaledObjectGone:
    return ScaledObjectGone(at_us=at_us, namespace=last.namespace, name=last.name, uid=last.uid)
