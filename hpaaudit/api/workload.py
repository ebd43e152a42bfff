"""Turns built-in and custom workloads into facts: their replicas, who wrote them, and their rollouts."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from hpaaudit.api.canonical import canonical_json
from hpaaudit.api.selector import BadSelector, from_label_selector
from hpaaudit.api.to_facts import metadata, named, owner
from hpaaudit.api.type_check import INT32
from hpaaudit.api.v2 import label_selector
from hpaaudit.model.facts import RolloutSeen, TargetRef, TargetSeen
from hpaaudit.model.target import Scale
from hpaaudit.model.units import Micros

Field = tuple[str, ...]
"""The path to a field of an object."""

_REPLICAS = ("spec", "replicas")
_AVAILABLE = "NewReplicaSetAvailable"


_LONGEST_LIMIT = 64


class NoScale(ValueError):
    """A custom resource has no replicas, which its scale subresource allows."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ScalePaths:
    """Where a custom resource has what its scale subresource shows. `selector` is empty if it shows none."""

    replicas: Field
    status_replicas: Field
    selector: Field


def scale_paths(crd: Mapping[str, Any], version: str) -> ScalePaths | None:
    """The paths of one version of a CustomResourceDefinition. None if it has no scale subresource."""
    spec = crd.get("spec") or {}
    served: Mapping[str, Any] = next((v for v in spec.get("versions") or () if v.get("name") == version), {})
    # apiextensions.k8s.io/v1beta1 may name them once for all versions.
    scale = (served.get("subresources") or spec.get("subresources") or {}).get("scale")
    if not scale or not scale.get("specReplicasPath"):
        return None
    return ScalePaths(
        replicas=_field(scale["specReplicasPath"]),
        status_replicas=_field(scale.get("statusReplicasPath")),
        selector=_field(scale.get("labelSelectorPath")),
    )


def target_seen(
    at_us: Micros, target: TargetRef, raw: Mapping[str, Any], paths: ScalePaths | None = None
) -> TargetSeen:
    """A workload that an HPA scales, and who owns its replicas. A custom one has `paths`.

    NoScale if a custom one has no replicas: its scale subresource fails too. ValueError or TypeError if its fields
    are no scale.
    """
    meta = metadata(raw)
    manager, operation, subresource, written_us = owner(meta, paths.replicas if paths else _REPLICAS)
    return TargetSeen(
        at_us=at_us,
        target=target,
        kind=raw.get("kind", ""),
        uid=meta.get("uid", ""),
        resource_version=meta.get("resourceVersion", ""),
        generation=meta.get("generation") or 0,
        scale=_custom_scale(raw, paths) if paths else _built_in_scale(raw),
        manager=manager,
        operation=operation,
        subresource=subresource,
        written_us=written_us,
        template_hash=_template_hash(raw),
    )


def rollout_seen(at_us: Micros, target: TargetRef, raw: Mapping[str, Any]) -> RolloutSeen:
    """Whether a rollout is under way: pods of an old template are being replaced, or are about to be."""
    meta, spec, status = metadata(raw), _mapping(raw.get("spec")), _mapping(raw.get("status"))
    strategy = _mapping(spec.get("strategy") or spec.get("updateStrategy"))
    limits = _mapping(strategy.get("rollingUpdate"))
    return RolloutSeen(
        at_us=at_us,
        target=target,
        resource_version=meta.get("resourceVersion", ""),
        revision=_template_hash(raw),
        rolling=_is_rolling(raw.get("kind", ""), status),
        max_surge=_text(limits.get("maxSurge")),
        max_unavailable=_text(limits.get("maxUnavailable")),
    )


def _is_rolling(kind: str, status: Mapping[str, Any]) -> bool:
    if kind == "Deployment":
        conditions = status.get("conditions") or ()
        progressing = next((c.get("reason") for c in conditions if c.get("type") == "Progressing"), None)
        # Scaling alone does not change this condition. Without progressDeadlineSeconds there is none.
        if progressing is not None:
            return bool(progressing != _AVAILABLE)
    if "updateRevision" in status:
        return bool(status["updateRevision"] != (status.get("currentRevision") or status["updateRevision"]))
    if "updatedReplicas" not in status and kind != "Deployment":
        return False
    updated, replicas = status.get("updatedReplicas") or 0, status.get("replicas") or 0
    return isinstance(updated, int) and isinstance(replicas, int) and updated < replicas


def _mapping(value: Any) -> Mapping[str, Any]:
    """The value if it is an object, else an empty one: the fields of a custom resource may have any type."""
    return value if isinstance(value, Mapping) else {}


def _built_in_scale(raw: Mapping[str, Any]) -> Scale:
    spec, status = raw.get("spec") or {}, raw.get("status") or {}
    replicas = spec.get("replicas")
    return Scale(
        spec_replicas=1 if replicas is None else replicas,
        status_replicas=status.get("replicas") or 0,
        selector=_selector(spec.get("selector")),
    )


def _custom_scale(raw: Mapping[str, Any], paths: ScalePaths) -> Scale:
    """As the API server does: a missing status is 0, a missing selector empty, a missing spec an error."""
    replicas, status, selector = (_at(raw, path) for path in (paths.replicas, paths.status_replicas, paths.selector))
    if replicas is None:
        raise NoScale(f"{named(metadata(raw))} cannot be scaled: it has no .{'.'.join(paths.replicas)}")
    status, selector = 0 if status is None else status, selector or ""
    for value, path in ((replicas, paths.replicas), (status, paths.status_replicas)):
        if type(value) is not int or not INT32[0] <= value <= INT32[1]:
            raise ValueError(f"cannot be scaled: .{'.'.join(path)} is no number of 32 bits")
    if not isinstance(selector, str):
        raise TypeError(f"cannot be scaled: .{'.'.join(paths.selector)} is no text")
    return Scale(spec_replicas=replicas, status_replicas=status, selector=selector)


def _field(path: str | None) -> Field:
    """A JSON path of a CRD, such as `.spec.replicas`. Brackets are not allowed there."""
    return tuple(path.removeprefix(".").split(".")) if path else ()


def _at(raw: Any, field: Field) -> Any:
    for name in field:
        raw = raw.get(name) if isinstance(raw, Mapping) else None
    return raw if field else None


def _text(limit: Any) -> str:
    """A number or a percentage of pods, empty without one."""
    return str(limit)[:_LONGEST_LIMIT] if isinstance(limit, int | str) else ""


def _selector(raw: Mapping[str, Any] | None) -> str:
    """The selector as the scale subresource shows it. A ReplicationController has a plain map."""
    if not raw:
        return ""
    plain = not {"matchLabels", "matchExpressions"} & raw.keys()
    try:
        return str(from_label_selector(label_selector({"matchLabels": raw} if plain else raw)))
    except BadSelector:
        return ""


def _template_hash(raw: Mapping[str, Any]) -> str:
    """A value that changes with the pod template: a Deployment's revision, else a digest of the template."""
    revision = (metadata(raw).get("annotations") or {}).get("deployment.kubernetes.io/revision")
    if revision:
        return f"revision {revision}"
    template = _mapping(raw.get("spec")).get("template")
    return hashlib.sha256(canonical_json(template).encode()).hexdigest()[:16] if template else ""
