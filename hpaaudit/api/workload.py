"""Workloads that are scaled, built-in and custom: their replicas, who wrote them, and their rollouts."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from hpaaudit.api.canonical import canonical_json
from hpaaudit.api.see import metadata, named, owner
from hpaaudit.api.selector import BadSelector, from_label_selector
from hpaaudit.api.v2 import label_selector
from hpaaudit.model.facts import RolloutSeen, TargetRef, TargetSeen
from hpaaudit.model.target import Scale
from hpaaudit.model.units import Micros

Field = tuple[str, ...]
"""The way to a field of an object."""

_REPLICAS = ("spec", "replicas")
_AVAILABLE = "NewReplicaSetAvailable"


_LONGEST_LIMIT = 64
_INT32 = -(2**31), 2**31 - 1


class NoScale(ValueError):
    """A custom resource that says no replicas, as it may."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ScalePaths:
    """Where a custom resource keeps what its scale subresource shows; `selector` is empty where it shows none."""

    replicas: Field
    status_replicas: Field
    selector: Field


def scale_paths(crd: Mapping[str, Any], version: str) -> ScalePaths | None:
    """The paths of one version of a CustomResourceDefinition; None where that version has no scale."""
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
    """A workload that an HPA scales, and who owns its replicas; `paths` of a custom one.

    NoScale where a custom one says no replicas: its scale subresource fails as well then. ValueError or TypeError
    where what it says is no scale.
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
    """Whether pods of an old template are being replaced, or the new one was not taken up yet."""
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
        # It stays available while it is only scaled; without a deadline for progress there is no condition.
        if progressing is not None:
            return bool(progressing != _AVAILABLE)
    if "updateRevision" in status:
        return bool(status["updateRevision"] != (status.get("currentRevision") or status["updateRevision"]))
    if "updatedReplicas" not in status and kind != "Deployment":
        return False
    updated, replicas = status.get("updatedReplicas") or 0, status.get("replicas") or 0
    return isinstance(updated, int) and isinstance(replicas, int) and updated < replicas


def _mapping(value: Any) -> Mapping[str, Any]:
    """An object, empty where something else stands: what a custom resource holds nobody checks."""
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
    """As the API server makes it of a custom resource: no status is zero, no selector is empty, no spec an error."""
    replicas, status, selector = (_at(raw, path) for path in (paths.replicas, paths.status_replicas, paths.selector))
    if replicas is None:
        raise NoScale(f"{named(metadata(raw))} cannot be scaled: it has no .{'.'.join(paths.replicas)}")
    status, selector = 0 if status is None else status, selector or ""
    for value, path in ((replicas, paths.replicas), (status, paths.status_replicas)):
        if type(value) is not int or not _INT32[0] <= value <= _INT32[1]:
            raise ValueError(f"cannot be scaled: .{'.'.join(path)} is no number of 32 bits")
    if not isinstance(selector, str):
        raise TypeError(f"cannot be scaled: .{'.'.join(paths.selector)} is no text")
    return Scale(spec_replicas=replicas, status_replicas=status, selector=selector)


def _field(path: str | None) -> Field:
    """A JSON path as a CRD names it, `.spec.replicas`; there are none with brackets."""
    return tuple(path.removeprefix(".").split(".")) if path else ()


def _at(raw: Any, field: Field) -> Any:
    for name in field:
        raw = raw.get(name) if isinstance(raw, Mapping) else None
    return raw if field else None


def _text(limit: Any) -> str:
    """A number or a percentage of pods, empty where there is none."""
    return str(limit)[:_LONGEST_LIMIT] if isinstance(limit, int | str) else ""


def _selector(raw: Mapping[str, Any] | None) -> str:
    """A workload's selector as its scale subresource shows it (a replication controller has a plain map)."""
    if not raw:
        return ""
    plain = not {"matchLabels", "matchExpressions"} & raw.keys()
    try:
        return str(from_label_selector(label_selector({"matchLabels": raw} if plain else raw)))
    except BadSelector:
        return ""


def _template_hash(raw: Mapping[str, Any]) -> str:
    """Changes when the pod template does: the deployment's revision, else a digest of the template."""
    revision = (metadata(raw).get("annotations") or {}).get("deployment.kubernetes.io/revision")
    if revision:
        return f"revision {revision}"
    template = _mapping(raw.get("spec")).get("template")
    return hashlib.sha256(canonical_json(template).encode()).hexdigest()[:16] if template else ""
