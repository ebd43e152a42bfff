"""What the API server refuses of an HPA, in its own words and order.

The words are those of the newest release that serves the version: 1.37 for v1 and v2, 1.25 for v2beta2, 1.24 for
v2beta1, 1.7 for v2alpha1, 1.5 for `extensions/v1beta1`. Upstream: pkg/apis/autoscaling/validation.
"""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from hpaaudit.api import names, quantity
from hpaaudit.api.conversion import ALPHA, EXTENSIONS, V1, Internal
from hpaaudit.api.metric_shapes import old_metric
from hpaaudit.api.shapes import Json

MAX_WINDOW_SECONDS, MAX_PERIOD_SECONDS = 3600, 1800
_TYPES = ("ContainerResource", "External", "Object", "Pods", "Resource")
_IN_DEPTH = ("object", "external", "pods", "resource", "containerResource")
"""The order in which sources are looked at; only the first one that is there is looked at in depth."""


@dataclass(frozen=True, slots=True)
class Words:
    """How the words of releases differ.

    is_new         1.36 and newer: maxReplicas is required, and the target's API group since 1.34
    is_old         1.11 and older: metrics in their old shape
    minimum        what minReplicas must be at least
    subdomain, label  how the forms of names are called
    """

    is_new: bool = False
    is_old: bool = False
    minimum: int = 1
    subdomain: str = names.RFC_SUBDOMAIN
    label: str = names.RFC_LABEL


def _words(version: str) -> Words:
    if version in (V1, "autoscaling/v2"):
        return Words(is_new=True, minimum=0)
    is_old = version in (EXTENSIONS, ALPHA)
    return Words(is_old=True, subdomain="a DNS-1123 subdomain", label="a DNS-1123 label") if is_old else Words()


def refusals(hpa: Internal) -> tuple[str, ...]:
    """Every reason for which the API server refuses to create this HPA, each once; none if it accepts it."""
    words = _words(hpa.version)
    return tuple(dict.fromkeys([*_name(hpa.metadata, words), *_spec(hpa, words)]))


def refusal_text(hpa: Internal, reasons: Sequence[str]) -> str:
    """The refusal as the API server answers it."""
    name = hpa.metadata.get("name") or hpa.metadata.get("generateName") or ""
    told = reasons[0] if len(reasons) == 1 else f"[{', '.join(reasons)}]"
    return f'HorizontalPodAutoscaler.autoscaling "{name}" is invalid: {told}'


def _invalid(path: str, value: Any, detail: str) -> str:
    return f"{path}: Invalid value: {json.dumps(value, ensure_ascii=False)}: {detail}"


def _required(path: str, detail: str) -> str:
    return f"{path}: Required value" + (f": {detail}" if detail else "")


def _forbidden(path: str, detail: str) -> str:
    return f"{path}: Forbidden: {detail}"


def _unsupported(path: str, value: str, supported: Sequence[str]) -> str:
    known = ", ".join(json.dumps(name) for name in supported)
    return f"{path}: Unsupported value: {json.dumps(value)}: supported values: {known}"


def _name(metadata: Json, words: Words) -> Iterator[str]:
    name = metadata.get("name") or ""
    if not name and not metadata.get("generateName"):
        yield _required("metadata.name", "name or generateName is required")
    elif name:
        for detail in _subdomain(str(name), words):
            yield _invalid("metadata.name", name, detail)
    yield from _namespace(metadata.get("namespace") or "", words)


def _namespace(namespace: str, words: Words) -> Iterator[str]:
    """A document without a namespace goes to that of the request."""
    if len(namespace) > names.MAX_LABEL:
        detail = f"must be no more than {names.MAX_LABEL} {'bytes' if words.is_new else 'characters'}"
        yield _invalid("metadata.namespace", namespace, detail)
    if namespace and not names.LABEL.fullmatch(namespace):
        yield _invalid("metadata.namespace", namespace, names.label_form(words.label))


def _subdomain(name: str, words: Words) -> Iterator[str]:
    if len(name) > names.MAX_SUBDOMAIN:
        yield f"must be no more than {names.MAX_SUBDOMAIN} {'bytes' if words.is_new else 'characters'}"
    if not names.SUBDOMAIN.fullmatch(name):
        yield names.subdomain_form(words.subdomain)


def _spec(hpa: Internal, words: Words) -> Iterator[str]:
    spec = hpa.spec
    minimum, maximum = spec["minReplicas"], spec["maxReplicas"]
    if minimum < words.minimum:
        detail = "must be greater than 0" if words.is_old else f"must be greater than or equal to {words.minimum}"
        yield _invalid("spec.minReplicas", minimum, detail)
    if words.is_new and maximum == 0:
        yield _required("spec.maxReplicas", "must be set and greater than 0")
    elif maximum < 1:
        detail = "must be greater than or equal to 1" if words.is_new else "must be greater than 0"
        yield _invalid("spec.maxReplicas", maximum, detail)
    if maximum < minimum:
        yield _invalid("spec.maxReplicas", maximum, "must be greater than or equal to `minReplicas`")
    if hpa.version == EXTENSIONS:
        yield from _utilization_of_extensions(spec)
    reference = spec["scaleTargetRef"]
    may_be_core = reference["kind"] == "ReplicationController"
    yield from _reference(reference, "spec.scaleTargetRef", words, may_be_core=may_be_core)
    if hpa.version != EXTENSIONS:
        yield from _metrics(spec, words)
    yield from _behavior(spec.get("behavior"))


def _utilization_of_extensions(spec: Json) -> Iterator[str]:
    percent = spec["metrics"][0]["resource"]["target"]["averageUtilization"]
    if percent < 1:
        yield _invalid("spec.targetCPUUtilizationPercentage", percent, "must be greater than 0")


def _reference(reference: Json, path: str, words: Words, *, may_be_core: bool) -> Iterator[str]:
    for name in ("kind", "name"):
        if not reference[name]:
            yield _required(f"{path}.{name}", "")
        for detail in _path_segment(reference[name]):
            yield _invalid(f"{path}.{name}", reference[name], detail)
    if words.is_new:
        version = reference.get("apiVersion", "")
        if version.count("/") > 1:
            yield _invalid(f"{path}.apiVersion", version, f"unexpected GroupVersion string: {version}")
        elif "/" not in version and not may_be_core:
            yield _invalid(f"{path}.apiVersion", version, "apiVersion must specify API group")


def _path_segment(text: str) -> Iterator[str]:
    if text in (".", ".."):
        yield f"may not be '{text}'"
        return
    for char in "/%":
        if char in text:
            yield f"may not contain '{char}'"


def _metrics(spec: Json, words: Words) -> Iterator[str]:
    for at, metric in enumerate(spec["metrics"]):
        yield from _metric(metric, f"spec.metrics[{at}]", words)
    types = {metric["type"] for metric in spec["metrics"]}
    if spec["minReplicas"] == 0 and not types & {"Object", "External"} and not words.is_old:
        detail = "must specify at least one Object or External metric to support scaling to zero replicas"
        yield _forbidden("spec.metrics", detail)


def _metric(metric: Json, path: str, words: Words) -> Iterator[str]:
    kind = metric["type"]
    types = [name for name in _TYPES if not words.is_old or name in ("Object", "Pods", "Resource")]
    if not kind:
        yield _required(f"{path}.type", "must specify a metric source type")
    if kind not in types:
        yield _unsupported(f"{path}.type", kind, types)
    present = [name for name in _IN_DEPTH if metric.get(name) is not None]
    if present and words.is_old:
        name = present[0]
        yield from _old_source(name, old_metric(metric)[name], f"{path}.{name}", words)
    elif present:
        name = present[0]
        yield from _source(name, metric[name], f"{path}.{name}", words)
    expected = kind.lower() if words.is_old else kind[:1].lower() + kind[1:]
    if expected not in present and (kind in types or words.is_old):
        yield _required(f"{path}.{expected}", "must populate information for the given metric source")
    if len(present) != 1:
        for name in present:
            if name != expected:
                yield _forbidden(f"{path}.{name}", "must populate the given metric source only")


def _source(kind: str, source: Json, path: str, words: Words) -> Iterator[str]:
    target = source["target"]
    if kind == "object":
        yield from _reference(source["describedObject"], f"{path}.describedObject", words, may_be_core=True)
    if "resource" in kind.lower():
        yield from _resource_name(kind, source, path)
    else:
        if not source["metric"]["name"]:
            yield _required(f"{path}.metric.name", "must specify a metric name")
        for detail in _path_segment(source["metric"]["name"]):
            yield _invalid(f"{path}.metric.name", source["metric"]["name"], detail)
    yield from _target(target, f"{path}.target")
    yield from _fields_of_target(kind, target, f"{path}.target")


def _resource_name(kind: str, source: Json, path: str) -> Iterator[str]:
    if not source["name"]:
        yield _required(f"{path}.name", "must specify a resource name")
    elif kind == "containerResource":
        yield from _container_resource(source["name"], f"{path}.name")
    if kind != "containerResource":
        return
    if not source["container"]:
        yield _required(f"{path}.container", "must specify a container")
        return
    container = source["container"]
    if len(container) > names.MAX_LABEL:
        yield _invalid(f"{path}.container", container, f"must be no more than {names.MAX_LABEL} bytes")
    if not names.LABEL.fullmatch(container):
        yield _invalid(f"{path}.container", container, names.label_form())


def _container_resource(name: str, path: str) -> Iterator[str]:
    """The name of a resource that a container may have: one of Kubernetes' own, or one with a domain."""
    errors = names.qualified_name_errors(name)
    for detail in errors:
        yield _invalid(path, name, detail)
    if "/" in name or _is_native(name):
        return
    if not errors:
        yield _invalid(path, name, "must be a standard resource type or fully qualified")
    yield _invalid(path, name, "must be a standard resource for containers")


def _is_native(name: str) -> bool:
    return name in ("cpu", "memory", "ephemeral-storage") or name.startswith("hugepages-")


def _target(target: Json, path: str) -> Iterator[str]:
    if not target["type"]:
        yield _required(f"{path}.type", "must specify a metric target type")
    if target["type"] not in ("Utilization", "Value", "AverageValue"):
        yield _invalid(f"{path}.type", target["type"], "must be either Utilization, Value, or AverageValue")
    for name in ("value", "averageValue"):
        if name in target and not _is_positive(target[name]):
            yield _invalid(f"{path}.{name}", target[name], "must be positive")
    if target.get("averageUtilization", 1) < 1:
        yield _invalid(f"{path}.averageUtilization", target["averageUtilization"], "must be greater than 0")


def _is_positive(text: str) -> bool:
    return quantity.parse(text).nano > 0


def _fields_of_target(kind: str, target: Json, path: str) -> Iterator[str]:
    value, average, percent = (target.get(name) for name in ("value", "averageValue", "averageUtilization"))
    match kind:
        case "pods" if average is None:
            yield _required(f"{path}.averageValue", "must specify a positive target averageValue")
        case "object" if value is None and average is None:
            yield _required(f"{path}.averageValue", "must set either a target value or averageValue")
        case "external" if value is None and average is None:
            yield _required(f"{path}.averageValue", "must set either a target value for metric or a per-pod target")
        case "external" if value is not None and average is not None:
            yield _forbidden(f"{path}.value", "may not set both a target value for metric and a per-pod target")
        case "resource" | "containerResource" if percent is None and average is None:
            yield _required(f"{path}.averageUtilization", "must set either a target raw value or a target utilization")
        case "resource" | "containerResource" if percent is not None and average is not None:
            yield _forbidden(f"{path}.averageValue", "may not set both a target raw value and a target utilization")


def _old_source(kind: str, source: Json, path: str, words: Words) -> Iterator[str]:
    """A metric as 1.6 and 1.7 look at it."""
    if kind == "object":
        yield from _reference(source["target"], f"{path}.target", words, may_be_core=True)
    name = "name" if kind == "resource" else "metricName"
    if not source[name]:
        yield _required(f"{path}.{name}", f"must specify a {'resource' if kind == 'resource' else 'metric'} name")
    if kind != "resource":
        value = "targetValue" if kind == "object" else "targetAverageValue"
        if not _is_positive(source[value]):
            yield _required(f"{path}.{value}", "must specify a positive target value")
        return
    percent, average = source.get("targetAverageUtilization"), source.get("targetAverageValue")
    if percent is None and average is None:
        detail = "must set either a target raw value or a target utilization"
        yield _required(f"{path}.targetAverageUtilization", detail)
    if percent is not None and percent < 1:
        yield _invalid(f"{path}.targetAverageUtilization", percent, "must be greater than 0")
    if percent is not None and average is not None:
        detail = "may not set both a target raw value and a target utilization"
        yield _forbidden(f"{path}.targetAverageValue", detail)
    if average is not None and not _is_positive(average):
        yield _invalid(f"{path}.targetAverageValue", average, "must be positive")


def _behavior(behavior: Json | None) -> Iterator[str]:
    for direction in ("scaleUp", "scaleDown"):
        rules = (behavior or {}).get(direction)
        if rules is not None:
            yield from _rules(rules, f"spec.behavior.{direction}")


def _rules(rules: Json, path: str) -> Iterator[str]:
    window = rules.get("stabilizationWindowSeconds")
    if window is not None and window < 0:
        yield _invalid(f"{path}.stabilizationWindowSeconds", window, "must be greater than or equal to zero")
    if window is not None and window > MAX_WINDOW_SECONDS:
        detail = f"must be less than or equal to {MAX_WINDOW_SECONDS}"
        yield _invalid(f"{path}.stabilizationWindowSeconds", window, detail)
    if rules.get("selectPolicy", "Max") not in ("Disabled", "Max", "Min"):
        yield _unsupported(f"{path}.selectPolicy", rules["selectPolicy"], ("Disabled", "Max", "Min"))
    if not rules.get("policies"):
        yield _required(f"{path}.policies", "must specify at least one Policy")
    for at, policy in enumerate(rules.get("policies") or ()):
        yield from _policy(policy, f"{path}.policies[{at}]")
    tolerance = rules.get("tolerance")
    if tolerance is not None and quantity.parse(tolerance).nano < 0:
        yield _invalid(f"{path}.tolerance", tolerance, "must be greater than or equal to 0")


def _policy(policy: Json, path: str) -> Iterator[str]:
    if policy["type"] not in ("Pods", "Percent"):
        yield _unsupported(f"{path}.type", policy["type"], ("Percent", "Pods"))
    for name in ("value", "periodSeconds"):
        if policy[name] <= 0:
            yield _invalid(f"{path}.{name}", policy[name], "must be greater than zero")
    if policy["periodSeconds"] > MAX_PERIOD_SECONDS:
        detail = f"must be less than or equal to {MAX_PERIOD_SECONDS}"
        yield _invalid(f"{path}.periodSeconds", policy["periodSeconds"], detail)
