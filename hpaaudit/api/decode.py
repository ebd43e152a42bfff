"""Decodes an HPA of any supported version of `autoscaling` into the model."""

import json
from functools import lru_cache

from hpaaudit.api import extensions, v1, v2, v2beta1
from hpaaudit.model.facts import HpaSeen
from hpaaudit.model.hpa import Hpa, HpaSpec, HpaStatus, MetricType

V1, V2BETA1, EXTENSIONS = "autoscaling/v1", "autoscaling/v2beta1", "extensions/v1beta1"
V2ALPHA1 = "autoscaling/v2alpha1"
SHOWN_WHOLE = ("autoscaling/v2", "autoscaling/v2beta2")
"""Versions whose status is one JSON document of the same shape."""

WHOLE_STATUS = (*SHOWN_WHOLE, V2BETA1, V2ALPHA1)
"""Versions whose status is one JSON document that shows every metric. Others show one, the rest is in annotations."""

READ = (*SHOWN_WHOLE, V2BETA1, V2ALPHA1, V1, EXTENSIONS)
"""The supported versions. v2beta2 has the shape of v2, and v2alpha1 that of v2beta1 without a behavior."""

TARGET_ANNOTATION = "alpha/target.custom-metrics.podautoscaler.kubernetes.io"


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
        created_us=fact.created_us,
        custom_metrics=_custom_metrics(fact.annotations_json),
        cpu_target=_cpu_target(fact.api_version, fact.spec_json, fact.annotations_json),
    )


# Both are read of every HPA that a recording shows, and differ seldom.
@lru_cache(maxsize=4096)
def _custom_metrics(annotations_json: str) -> str | None:
    annotation: str | None = json.loads(annotations_json).get(TARGET_ANNOTATION)
    return annotation


@lru_cache(maxsize=4096)
def _cpu_target(version: str, spec_json: str, annotations_json: str) -> int | None:
    """The cpu target as the controllers of 1.2 to 1.5 saw it: the field of `autoscaling/v1`.

    In newer versions it is the first utilization of cpu, for that is what they become in v1.
    """
    if version == V1:
        percent = json.loads(spec_json).get("targetCPUUtilizationPercentage")
        return None if percent is None else int(percent)
    metrics = decode_spec(version, spec_json, annotations_json).metrics
    of_cpu = (metric.target for metric in metrics if metric.type == MetricType.RESOURCE and metric.name == "cpu")
    return next((target.average_utilization for target in of_cpu if target and target.average_utilization), None)


def decode_spec(version: str, spec_json: str, annotations_json: str) -> HpaSpec:
    """The spec of an HPA, defaults filled in."""
    if version == V1:
        return v1.decode_spec(spec_json, annotations_json)
    if version == EXTENSIONS:
        return extensions.decode_spec(spec_json)
    if version == V2BETA1:
        return v2beta1.decode_spec(spec_json, annotations_json)
    if version == V2ALPHA1:
        return v2beta1.decode_spec(spec_json, "{}")
    return v2.decode_spec(spec_json)


def decode_status(fact: HpaSeen) -> HpaStatus:
    """The status of an HPA."""
    if fact.api_version == V1:
        return v1.decode_status(fact.status_json, fact.annotations_json)
    if fact.api_version == EXTENSIONS:
        return extensions.decode_status(fact.status_json, fact.annotations_json)
    if fact.api_version in (V2BETA1, V2ALPHA1):
        return v2beta1.decode_status(fact.status_json)
    return v2.decode_status(fact.status_json)
