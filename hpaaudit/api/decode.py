"""Decodes an HPA of any supported version of `autoscaling` into the model."""

from hpaaudit.api import v1, v2, v2beta1
from hpaaudit.model.facts import HpaSeen
from hpaaudit.model.hpa import Hpa, HpaSpec, HpaStatus

V1, V2BETA1 = "autoscaling/v1", "autoscaling/v2beta1"
SHOWN_WHOLE = ("autoscaling/v2", "autoscaling/v2beta2")
"""Versions whose status is one JSON document of the same shape."""

READ = (*SHOWN_WHOLE, V2BETA1, V1)
"""The supported versions. v2beta2 has the shape of v2."""


def decode_hpa(fact: HpaSeen) -> Hpa:
    """An HPA as the controller's cache holds it, defaults filled in."""
    return Hpa(
        namespace=fact.namespace,
        name=fact.name,
        uid=fact.uid,
        resource_version=fact.resource_version,
        generation=fact.generation,
        spec=decode_spec(fact.api_version, fact.spec_json, fact.annotations_json),
        status=decode_status(fact),
    )


def decode_spec(version: str, spec_json: str, annotations_json: str) -> HpaSpec:
    """The spec of an HPA, defaults filled in."""
    if version == V1:
        return v1.decode_spec(spec_json, annotations_json)
    if version == V2BETA1:
        return v2beta1.decode_spec(spec_json, annotations_json)
    return v2.decode_spec(spec_json)


def decode_status(fact: HpaSeen) -> HpaStatus:
    """The status of an HPA."""
    if fact.api_version == V1:
        return v1.decode_status(fact.status_json, fact.annotations_json)
    if fact.api_version == V2BETA1:
        return v2beta1.decode_status(fact.status_json)
    return v2.decode_status(fact.status_json)
