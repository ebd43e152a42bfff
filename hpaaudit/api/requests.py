"""The requests of a reconcile: API paths to requests, and back.

Paths are those of the controller's clients, escaped as by Go.
"""

import re
from functools import lru_cache
from urllib.parse import parse_qs, quote, quote_plus, unquote

from hpaaudit.api import selector as selectors
from hpaaudit.model.facts import TargetRef
from hpaaudit.model.hpa import Hpa, MetricSpec, MetricType, ObjectRef
from hpaaudit.model.metrics import MetricsRequest

RESOURCE_METRICS = "metrics.k8s.io"
CUSTOM_METRICS = "custom.metrics.k8s.io"
EXTERNAL_METRICS = "external.metrics.k8s.io"
_GROUPS = {
    RESOURCE_METRICS: RESOURCE_METRICS,
    CUSTOM_METRICS: CUSTOM_METRICS,
    EXTERNAL_METRICS: EXTERNAL_METRICS,
    "metrics": RESOURCE_METRICS,
    "custom-metrics.metrics.k8s.io": CUSTOM_METRICS,
}
"""The groups of the metrics APIs, those of 1.6 and 1.7 under the names that they have since 1.8."""

_EXTENSIONS = "extensions"
_MOVED = {"deployments": "apps", "replicasets": "apps", "daemonsets": "apps", "replicationcontrollers": ""}

_PROXY = re.compile(
    r"/api/v1/(?:proxy/namespaces/[^/]+/services/[^/]*heapster[^/]*|namespaces/[^/]+/services/[^/]*heapster[^/]*/proxy)(/.*)"
)
"""The two forms of a path through the proxy for Services, the second since Kubernetes 1.6."""


def split(path: str) -> tuple[list[str], dict[str, str]]:
    """A request path as its unescaped segments and its query."""
    plain, _, query = path.partition("?")
    values = {key: texts[-1] for key, texts in parse_qs(query, keep_blank_values=True).items()}
    return [unquote(part) for part in plain.strip("/").split("/")], values


def is_dry_run(path: str) -> bool:
    """True if a write is only tried: the API server answers as if it had stored it, and stores nothing."""
    return "dryRun=" in path and bool(split(path)[1].get("dryRun"))


def canonical_selector(text: str) -> str:
    """The canonical text of a selector. One that does not parse is returned unchanged."""
    try:
        return str(selectors.parse(text))
    except selectors.BadSelector:
        return text


@lru_cache(maxsize=16384)
def metrics_request(path: str) -> MetricsRequest | None:
    """The request of a path of the metrics APIs, None for any other path."""
    parts, query = split(path)
    if len(parts) < 4 or parts[0] != "apis" or parts[1] not in _GROUPS:  # noqa: PLR2004 (apis, group, version, rest)
        return None
    group, rest = _GROUPS[parts[1]], parts[3:]
    selector = canonical_selector(query.get("labelSelector", ""))
    metric_selector = canonical_selector(query.get("metricLabelSelector", ""))
    namespace, resource, name, metric = "", "", "", ""
    match group, rest:
        case "metrics.k8s.io", ["pods"]:
            resource = "pods"
        case "metrics.k8s.io", ["namespaces", namespace, "pods"]:
            resource = "pods"
        case "metrics.k8s.io", ["namespaces", namespace, "pods", name]:
            resource = "pods"
        case "custom.metrics.k8s.io", ["namespaces", namespace, "metrics", metric]:
            resource, name = "namespaces", namespace
        case "custom.metrics.k8s.io", ["namespaces", namespace, resource, name, metric]:
            pass
        case "external.metrics.k8s.io", ["namespaces", namespace, metric]:
            pass
        case _:
            return None
    return MetricsRequest(
        api=group,
        namespace=namespace,
        resource=resource,
        object=name,
        metric=metric,
        selector=selector,
        metric_selector=metric_selector,
    )


def path_of(request: MetricsRequest, version: str) -> str:
    """The controller's path for a request, with the API version that the server serves."""
    base = f"/apis/{request.api}/{version}/namespaces/{_segment(request.namespace)}"
    query = {"labelSelector": request.selector, "metricLabelSelector": request.metric_selector}
    encoded = "&".join(f"{key}={quote_plus(value)}" for key, value in sorted(query.items()) if value)
    match request.api:
        case "metrics.k8s.io":
            path = f"{base}/pods"
        case "external.metrics.k8s.io":
            path = f"{base}/{_segment(request.metric)}"
        case _ if request.resource == "namespaces":
            path = f"{base}/metrics/{_segment(request.metric)}"
        case _:
            path = f"{base}/{_segment(request.resource)}/{_segment(request.object)}/{_segment(request.metric)}"
    return f"{path}?{encoded}" if encoded else path


def _segment(text: str) -> str:
    # Go's url.URL escapes a path by its own table; of the marks only these stay.
    return quote(text, safe="$&+,:;=@-_.~")


def plural(kind: str) -> str:
    """The resource of a kind, by the rule that custom resources usually follow too."""
    lower = kind.lower()
    if lower == "endpoints":
        return lower
    if lower.endswith(("s", "x", "ch", "sh")):
        return lower + "es"
    if lower.endswith("y") and lower[-2:-1] not in "aeiou":
        return lower[:-1] + "ies"
    return lower + "s"


def group_of(api_version: str) -> str:
    """The group of an apiVersion: empty for core."""
    group, slash, _ = api_version.partition("/")
    return group if slash else ""


def target_ref(namespace: str, target: ObjectRef) -> TargetRef:
    """The scale target that an HPA names. The controller ignores its version, and so do we."""
    resource = plural(target.kind)
    return TargetRef(
        group=_today(group_of(target.api_version), resource), resource=resource, namespace=namespace, name=target.name
    )


def target_by_kind(namespace: str, target: ObjectRef) -> TargetRef:
    """The scale target that the controllers up to 1.8 found: by kind alone, in the group `extensions`."""
    resource = plural(target.kind)
    return TargetRef(group=_today(_EXTENSIONS, resource), resource=resource, namespace=namespace, name=target.name)


def _today(group: str, resource: str) -> str:
    """The group in which a workload is served now. Up to 1.8 the scales of all workloads were read in `extensions`."""
    return _MOVED.get(resource, group) if group == _EXTENSIONS else group


def scale_path(target: TargetRef, version: str) -> str:
    """The path of a target's scale subresource."""
    base = f"/apis/{target.group}/{version}" if target.group else f"/api/{version}"
    return f"{base}/namespaces/{target.namespace}/{target.resource}/{target.name}/scale"


def scale_target(path: str) -> TargetRef | None:
    """The target of a path to a scale subresource, None for any other path."""
    parts, _ = split(path)
    match parts:
        case ["api", _, "namespaces", namespace, resource, name, "scale"]:
            return TargetRef(group="", resource=resource, namespace=namespace, name=name)
        case ["apis", group, _, "namespaces", namespace, resource, name, "scale"]:
            return TargetRef(group=_today(group, resource), resource=resource, namespace=namespace, name=name)
    return None


def pod_list(path: str) -> tuple[str, str] | None:
    """Namespace and selector of a list of pods, None for any other path."""
    parts, query = split(path)
    match parts:
        case ["api", "v1", "namespaces", namespace, "pods"]:
            return namespace, canonical_selector(query.get("labelSelector", ""))
    return None


def heapster_path(path: str) -> str | None:
    """The part of a path that Heapster itself gets, None for a path that is not Heapster's."""
    match = _PROXY.fullmatch(path)
    return match[1] if match else None


def heapster_namespace(path: str) -> str | None:
    """The namespace of the pods that Heapster was asked about, None for a path that is not Heapster's."""
    asked = heapster_path(path)
    if asked is None:
        return None
    parts, _ = split(asked)
    index = parts.index("namespaces") + 1 if "namespaces" in parts else len(parts)
    return parts[index] if index < len(parts) else ""


def request_of(namespace: str, metric: MetricSpec, pod_selector: str) -> MetricsRequest | None:
    """The controller's request for one metric, None if it makes none.

    `pod_selector` is that of the scale, canonical. BadSelector if the metric's own selector is not valid.
    """
    if metric.target is None:
        return None
    own = str(selectors.from_label_selector(metric.selector))
    match metric.type:
        case MetricType.RESOURCE | MetricType.CONTAINER_RESOURCE:
            return MetricsRequest(
                api=RESOURCE_METRICS,
                namespace=namespace,
                resource="pods",
                object="",
                metric="",
                selector=pod_selector,
                metric_selector="",
            )
        case MetricType.PODS:
            return MetricsRequest(
                api=CUSTOM_METRICS,
                namespace=namespace,
                resource="pods",
                object="*",
                metric=metric.name,
                selector=pod_selector,
                metric_selector=own,
            )
        case MetricType.OBJECT if metric.described is not None:
            group = group_of(metric.described.api_version)
            resource, name = plural(metric.described.kind), metric.described.name
            if metric.described.kind == "Namespace" and not group:
                resource, name = "namespaces", namespace  # the reference's own name is ignored
            return MetricsRequest(
                api=CUSTOM_METRICS,
                namespace=namespace,
                resource=f"{resource}.{group}" if group else resource,
                object=name,
                metric=metric.name,
                selector="",
                metric_selector=own,
            )
        case MetricType.EXTERNAL:
            return MetricsRequest(
                api=EXTERNAL_METRICS,
                namespace=namespace,
                resource="",
                object="",
                metric=metric.name,
                selector=own,
                metric_selector="",
            )
    return None


def requests_of(hpa: Hpa, pod_selector: str) -> tuple[MetricsRequest | None, ...]:
    """One request per metric of an HPA, in order. None if the controller makes none."""
    metric_requests: list[MetricsRequest | None] = []
    for metric in hpa.spec.metrics:
        try:
            metric_requests.append(request_of(hpa.namespace, metric, pod_selector))
        except selectors.BadSelector:
            metric_requests.append(None)
    return tuple(metric_requests)
