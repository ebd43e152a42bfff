"""Turns KEDA's ScaledObjects into facts: the HPA that each owns, its conditions, its pauses."""

from collections.abc import Mapping
from typing import Any

from hpaaudit.api.canonical import canonical_json
from hpaaudit.api.to_facts import metadata, named
from hpaaudit.model.facts import ScaledObjectSeen
from hpaaudit.model.units import Micros

ANNOTATIONS = "autoscaling.keda.sh/"
_OF_A_TRIGGER = ("type", "name", "metricType", "useCachedMetrics")
"""What is kept of a trigger: its metadata hold addresses, and sometimes passwords."""


def scaled_object_seen(at_us: Micros, raw: Mapping[str, Any]) -> ScaledObjectSeen:
    """A ScaledObject; of its triggers and annotations only what a verdict needs."""
    meta, spec, status = metadata(raw), raw.get("spec") or {}, raw.get("status") or {}
    target, fallback = spec.get("scaleTargetRef") or {}, spec.get("fallback") or {}
    conditions = {item.get("type"): item.get("status") or "" for item in status.get("conditions") or ()}
    annotations = {key: text for key, text in (meta.get("annotations") or {}).items() if key.startswith(ANNOTATIONS)}
    triggers = [{key: item[key] for key in _OF_A_TRIGGER if key in item} for item in spec.get("triggers") or ()]
    return ScaledObjectSeen(
        at_us=at_us,
        namespace=meta.get("namespace", ""),
        name=named(meta),
        uid=meta.get("uid", ""),
        resource_version=meta.get("resourceVersion", ""),
        generation=meta.get("generation") or 0,
        target_kind=target.get("kind") or "Deployment",
        target_name=target.get("name") or "",
        hpa_name=status.get("hpaName") or "",
        min_replicas=spec.get("minReplicaCount"),
        max_replicas=spec.get("maxReplicaCount"),
        idle_replicas=spec.get("idleReplicaCount"),
        fallback_replicas=fallback.get("replicas"),
        ready=conditions.get("Ready", ""),
        active=conditions.get("Active", ""),
        fallback=conditions.get("Fallback", ""),
        paused=conditions.get("Paused", ""),
        triggers_json=canonical_json(triggers),
        annotations_json=canonical_json(annotations),
    )
