"""Turns JSON of the Kubernetes API into facts, reduced to what a decision or a verdict needs."""

from collections.abc import Iterable, Mapping
from typing import Annotated, Any, TypedDict

import msgspec

from hpaaudit.api import client_errors, quantity, requests, times
from hpaaudit.api.canonical import canonical_json
from hpaaudit.api.client_errors import TODAY
from hpaaudit.api.metric_values import MetricValueList, metric_values
from hpaaudit.api.pod_metrics import PodMetricsList, pod_samples
from hpaaudit.model.facts import (
    ApiServiceSeen,
    EventSeen,
    HeapsterRead,
    HpaSeen,
    LeaseSeen,
    PodSeen,
    PodsListed,
    ResourceMetricsRead,
    ScaleRead,
    ValuesRead,
)
from hpaaudit.model.target import Container, Pod, Scale
from hpaaudit.model.units import Micros

ANNOTATIONS = (
    "autoscaling.alpha.kubernetes.io/",
    "alpha/target.custom-metrics.podautoscaler.kubernetes.io",
    "alpha/status.custom-metrics.podautoscaler.kubernetes.io",
)
"""How the annotations begin that the HPA controller reads or writes; those of `alpha/` until 1.5."""

_OK = range(200, 300)


def metadata(raw: Mapping[str, Any]) -> Mapping[str, Any]:
    """The metadata of an object, empty if it has none."""
    return raw.get("metadata") or {}


def named(meta: Mapping[str, Any]) -> str:
    """The name of an object. ValueError if it has none."""
    name = meta.get("name")
    if not name:
        raise ValueError("the object has no name")
    return str(name)


def owner(meta: Mapping[str, Any], field: tuple[str, ...]) -> tuple[str, str, str, Micros | None]:
    """The owner of a field by managedFields: manager, operation, subresource and time; empty if nobody owns it.

    `field` is a path such as `("spec", "replicas")`. Of several owners the one that wrote last.
    """
    owners = [entry for entry in meta.get("managedFields") or () if _owns(entry.get("fieldsV1"), field)]
    if not owners:
        return "", "", "", None
    last = max(owners, key=lambda entry: entry.get("time") or "")
    return (
        last.get("manager", ""),
        last.get("operation", ""),
        last.get("subresource", ""),
        times.maybe_micros(last.get("time")),
    )


def last_manager(meta: Mapping[str, Any], field: str) -> str:
    """The manager that changed something within a field last, by managedFields; empty if that is not known.

    Their times are seconds: of two managers within one second neither is the last.
    """
    owners = [entry for entry in meta.get("managedFields") or () if _owns(entry.get("fieldsV1"), (field,))]
    last_time = max((entry.get("time") or "" for entry in owners), default="")
    last = {entry.get("manager", "") for entry in owners if (entry.get("time") or "") == last_time}
    return last.pop() if len(last) == 1 else ""


def _owns(fields: Any, field: tuple[str, ...]) -> bool:
    for name in field:
        fields = fields.get(f"f:{name}") if isinstance(fields, Mapping) else None
    return fields is not None


def hpa_seen(at_us: Micros, raw: Mapping[str, Any]) -> HpaSeen:
    """An HPA of any served version. ValueError if it has no name, as a bookmark."""
    meta = metadata(raw)
    return HpaSeen(
        at_us=at_us,
        namespace=meta.get("namespace", ""),
        name=named(meta),
        uid=meta.get("uid", ""),
        api_version=raw.get("apiVersion") or "autoscaling/v2",
        resource_version=meta.get("resourceVersion", ""),
        generation=meta.get("generation") or 0,
        created_us=times.maybe_micros(meta.get("creationTimestamp")),
        spec_json=canonical_json(raw.get("spec") or {}),
        status_json=canonical_json(raw.get("status") or {}),
        annotations_json=canonical_json(
            {k: v for k, v in (meta.get("annotations") or {}).items() if k.startswith(ANNOTATIONS)}
        ),
        spec_manager=last_manager(meta, "spec"),
        labels_json=canonical_json(meta.get("labels") or {}),
    )


def pod_seen(at_us: Micros, raw: Mapping[str, Any]) -> PodSeen:
    """A pod, reduced to the fields that a reconcile reads."""
    meta, spec, status = metadata(raw), raw.get("spec") or {}, raw.get("status") or {}
    ready: Mapping[str, Any] = next((c for c in status.get("conditions") or () if c.get("type") == "Ready"), {})
    pod_level = (spec.get("resources") or {}).get("requests")
    owner: Mapping[str, Any] = next((o for o in meta.get("ownerReferences") or () if o.get("controller")), {})
    return PodSeen(
        at_us=at_us,
        pod=Pod(
            namespace=meta.get("namespace", ""),
            name=named(meta),
            uid=meta.get("uid", ""),
            resource_version=meta.get("resourceVersion", ""),
            labels=_pairs(meta.get("labels")),
            phase=status.get("phase", ""),
            deleting_us=times.maybe_micros(meta.get("deletionTimestamp")),
            start_us=times.maybe_micros(status.get("startTime")),
            ready=ready.get("status", ""),
            ready_transition_us=times.maybe_micros(ready.get("lastTransitionTime")),
            containers=_containers(spec.get("containers")),
            init_containers=_containers(spec.get("initContainers")),
            pod_requests=None if pod_level is None else quantity.amounts(pod_level),
            overhead=quantity.amounts(spec.get("overhead")),
            created_us=times.maybe_micros(meta.get("creationTimestamp")),
            owner_kind=owner.get("kind", ""),
            owner_name=owner.get("name", ""),
        ),
    )


_Replicas = Annotated[int, msgspec.Meta(ge=-(2**31), le=2**31 - 1)]


class _ScaleSpec(TypedDict, total=False):
    replicas: _Replicas | None


class _ScaleStatus(TypedDict, total=False):
    replicas: _Replicas | None
    selector: str | dict[str, str] | None
    targetSelector: str | None


class _ScaleMeta(TypedDict, total=False):
    resourceVersion: str


class _Scale(TypedDict, total=False):
    """The fields that are read of a Scale, with the types that Go's decoder accepts."""

    metadata: _ScaleMeta | None
    spec: _ScaleSpec | None
    status: _ScaleStatus | None


def scale_of(raw: Mapping[str, Any]) -> Scale:
    """A Scale. Its JSON leaves out zero replicas. ValueError if it has another shape."""
    try:
        msgspec.convert(raw, _Scale)
    except msgspec.ValidationError as problem:
        raise ValueError(f"no scale: {problem}") from None
    spec, status = raw.get("spec") or {}, raw.get("status") or {}
    selector = status.get("selector") or ""
    if isinstance(selector, Mapping) or not selector:  # extensions/v1beta1: a map cannot say every selector
        as_map = ",".join(f"{k}={v}" for k, v in sorted((selector or {}).items()))
        selector = status.get("targetSelector") or as_map
    return Scale(
        spec_replicas=spec.get("replicas") or 0, status_replicas=status.get("replicas") or 0, selector=selector
    )


def scale_read(  # noqa: PLR0913  # an answer as a capture has it, a line of JSON, and as the recorder has it
    at_us: Micros, took_us: Micros, path: str, status: int, body: Any, error: str, by: str, minor: int = TODAY
) -> ScaleRead:
    """A GET of a scale, answered or failed. ValueError if the path is not a scale's."""
    target = requests.scale_target(path)
    if target is None:
        raise ValueError(f"{path} is not the path of a scale")
    good = status in _OK and isinstance(body, Mapping)
    return ScaleRead(
        at_us=at_us,
        took_us=took_us,
        target=target,
        path=path,
        status=status,
        error="" if good else client_errors.error_text("get", path, status, body, error, minor),
        by=by,
        scale=scale_of(body) if good else None,
        resource_version=metadata(body).get("resourceVersion", "") if good else "",
    )


def metrics_read(  # noqa: PLR0913  # likewise
    at_us: Micros, took_us: Micros, path: str, status: int, body: Any, error: str, by: str, minor: int = TODAY
) -> ResourceMetricsRead | ValuesRead:
    """A read of one of the three metrics APIs. ValueError if the path belongs to none of them.

    body   JSON, a PodMetricsList, a MetricValueList, or the text that came instead
    """
    request = requests.metrics_request(path)
    if request is None:
        raise ValueError(f"{path} is not the path of a metric")
    good = status in _OK and isinstance(body, Mapping | PodMetricsList | MetricValueList)
    text = "" if good else client_errors.error_text("get", path, status, body, error, minor)
    if request.api == requests.RESOURCE_METRICS:
        return ResourceMetricsRead(
            at_us=at_us,
            took_us=took_us,
            request=request,
            path=path,
            status=status,
            error=text,
            by=by,
            samples=pod_samples(body, single=bool(request.object)) if good else None,
        )
    return ValuesRead(
        at_us=at_us,
        took_us=took_us,
        request=request,
        path=path,
        status=status,
        error=text,
        by=by,
        values=metric_values(body, external=request.api == requests.EXTERNAL_METRICS) if good else None,
    )


def pods_listed(  # noqa: PLR0913  # likewise
    at_us: Micros, took_us: Micros, path: str, status: int, body: Any, error: str, by: str, minor: int = TODAY
) -> PodsListed:
    """A list of pods by labels, answered or failed. ValueError if the path is not one's."""
    asked = requests.pod_list(path)
    if asked is None:
        raise ValueError(f"{path} is not the path of a list of pods by labels")
    good = status in _OK and isinstance(body, Mapping)
    return PodsListed(
        at_us=at_us,
        took_us=took_us,
        namespace=asked[0],
        selector=asked[1],
        path=path,
        status=status,
        error="" if good else client_errors.error_text("get", path, status, body, error, minor),
        by=by,
    )


def heapster_read(  # noqa: PLR0913  # likewise
    at_us: Micros, took_us: Micros, path: str, status: int, body: Any, error: str, by: str, minor: int = TODAY
) -> HeapsterRead:
    """A request to Heapster, answered or failed. ValueError if the path is not Heapster's."""
    namespace = requests.heapster_namespace(path)
    if namespace is None:
        raise ValueError(f"{path} is not a path of Heapster")
    return HeapsterRead(
        at_us=at_us,
        took_us=took_us,
        namespace=namespace,
        path=path,
        status=status,
        error="" if status in _OK else client_errors.raw_error_text("get", path, status, body, error, minor),
        by=by,
        body=body if isinstance(body, str) else "" if body is None else canonical_json(body),
    )


def event_seen(at_us: Micros, raw: Mapping[str, Any]) -> EventSeen:
    """An Event of either API group."""
    meta = metadata(raw)
    about = raw.get("involvedObject") or raw.get("regarding") or {}
    series = raw.get("series") or {}
    return EventSeen(
        at_us=at_us,
        namespace=meta.get("namespace", ""),
        name=named(meta),
        uid=meta.get("uid", ""),
        type=raw.get("type", ""),
        reason=raw.get("reason", ""),
        message=raw.get("message") or raw.get("note") or "",
        kind=about.get("kind", ""),
        object_namespace=about.get("namespace", ""),
        object_name=about.get("name", ""),
        object_uid=about.get("uid", ""),
        component=(raw.get("source") or {}).get("component") or raw.get("reportingComponent") or "",
        first_us=times.maybe_micros(raw.get("firstTimestamp") or raw.get("eventTime")),
        last_us=times.maybe_micros(raw.get("lastTimestamp") or series.get("lastObservedTime") or raw.get("eventTime")),
        count=raw.get("count") or series.get("count") or 1,
    )


def lease_seen(at_us: Micros, raw: Mapping[str, Any]) -> LeaseSeen:
    """A leader election Lease."""
    meta, spec = metadata(raw), raw.get("spec") or {}
    return LeaseSeen(
        at_us=at_us,
        namespace=meta.get("namespace", ""),
        name=named(meta),
        holder=spec.get("holderIdentity") or "",
        acquired_us=times.maybe_micros(spec.get("acquireTime")),
        renewed_us=times.maybe_micros(spec.get("renewTime")),
        transitions=spec.get("leaseTransitions") or 0,
        duration_seconds=spec.get("leaseDurationSeconds"),
    )


def api_service_seen(at_us: Micros, raw: Mapping[str, Any]) -> ApiServiceSeen:
    """Whether an aggregated API is available, and which Service answers for it."""
    meta, spec, status = metadata(raw), raw.get("spec") or {}, raw.get("status") or {}
    condition: Mapping[str, Any] = next((c for c in status.get("conditions") or () if c.get("type") == "Available"), {})
    service = spec.get("service") or {}
    return ApiServiceSeen(
        at_us=at_us,
        name=named(meta),
        available=condition.get("status", ""),
        reason=condition.get("reason", ""),
        message=condition.get("message", ""),
        service=f"{service['namespace']}/{service['name']}" if service.get("name") else "",
    )


def _pairs(mapping: Mapping[str, str] | None) -> tuple[tuple[str, str], ...]:
    return tuple(sorted((mapping or {}).items()))


def _containers(raw: Iterable[Mapping[str, Any]] | None) -> tuple[Container, ...]:
    return tuple(
        Container(
            name=item.get("name", ""),
            requests=quantity.amounts((item.get("resources") or {}).get("requests")),
            restart_policy=item.get("restartPolicy") or "",
        )
        for item in raw or ()
    )
