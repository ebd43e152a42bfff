"""Follows KEDA's ScaledObjects, where there are any."""

from collections.abc import Callable
from dataclasses import replace

from hpaaudit.api.keda import scaled_object_seen
from hpaaudit.cluster.stores.latest import States
from hpaaudit.model.facts import Fact, ScaledObjectGone, ScaledObjectSeen
from hpaaudit.model.units import Micros

GROUP, RESOURCE, KIND = "keda.sh", "scaledobjects", "ScaledObject"


def scaled_objects(sink: Callable[[Fact], None]) -> States[ScaledObjectSeen]:
    """The ScaledObjects of the scope; those without an HPA too, for a paused one has none."""
    return States(sink, scaled_object_seen, _ended, _same)


def _same(before: ScaledObjectSeen, after: ScaledObjectSeen) -> bool:
    """Its operator writes a time into the status every few seconds, which changes nothing that we keep."""
    return replace(before, at_us=after.at_us, resource_version=after.resource_version) == after


def _ended(last: ScaledObjectSeen, at_us: Micros) -> ScaledObjectGone:
    return ScaledObjectGone(at_us=at_us, namespace=last.namespace, name=last.name, uid=last.uid)
