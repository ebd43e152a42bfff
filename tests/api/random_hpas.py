"""Draws HPAs of every API version by chance: right ones, and ones that an API server refuses."""

import random
from typing import Any

Json = dict[str, Any]

NEW = ("autoscaling/v2", "autoscaling/v2beta2")


class Draw:
    """A source of choices; the same seed gives the same HPAs."""

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)  # noqa: S311 (chance that can be repeated)

    def one(self, *choices: Any) -> Any:
        """One of the choices."""
        return self.rng.choice(choices)

    def chance(self, probability: float) -> bool:
        """Whether something happens that does so this often."""
        return self.rng.random() < probability

    def some(self, **fields: Any) -> Json:
        """Most of the fields."""
        return {name: value for name, value in fields.items() if self.chance(0.85)}


def quantity(d: Draw) -> Any:
    """A quantity; seldom one that is not positive."""
    return (
        d.one("1", "500m", "0.1", "1k", "1500m", "1Gi", "1.5Gi", "2k", 5, "100n", "1000m", "0", "-1")
        if d.chance(0.3)
        else d.one("10", "250m", "64Mi", "3")
    )


def selector(d: Draw) -> Json:
    """A label selector."""
    expression = d.one({"key": "zone", "operator": "Exists"}, {"key": "b", "operator": "In", "values": ["x", "y"]})
    return d.one({}, {"matchLabels": {"queue": "a", "b": "<c>"}}, {"matchExpressions": [expression]})


def reference(d: Draw, kind: str = "Deployment") -> Json:
    """A reference to an object; seldom one without a part."""
    name = d.one("web", "web", "web", "web", "a/b", "", "..", "50%")
    version = d.one("apps/v1", "apps/v1", "apps/v1", "v1", "", "a/b/c")
    return {"kind": d.one(kind, kind, kind, "ReplicationController", ""), "name": name, "apiVersion": version}


def name_of_metric(d: Draw) -> str:
    """The name of a metric; seldom one that no path can hold."""
    return str(d.one("qps", "qps", "rps", "a.b", "a/b", ""))


def percent(d: Draw) -> int:
    """A utilization."""
    return int(d.one(50, 60, 80, 250, 0, -1) if d.chance(0.3) else 70)


def source(d: Draw, kind: str, *, old: bool) -> Json:
    """The source of a metric in either shape."""
    if old:
        return old_source(d, kind)
    target = d.some(type=d.one("Utilization", "Value", "AverageValue", "Other") if d.chance(0.3) else "AverageValue")
    wanted = {"object": "value", "external": "value"}.get(kind, "averageValue")
    if "esource" in kind and d.chance(0.7):
        wanted, target["type"] = "averageUtilization", "Utilization"
    target[wanted] = percent(d) if wanted == "averageUtilization" else quantity(d)
    if d.chance(0.15):
        target["averageValue"] = quantity(d)
    if d.chance(0.1):
        target.pop(wanted)
    if "esource" in kind:
        resource = d.one("cpu", "cpu", "cpu", "memory", "", "gpu", "example.com/gpu", "a b")
        return {"name": resource, "target": target} | container(d, kind)
    metric = {"name": name_of_metric(d)} | ({"selector": selector(d)} if d.chance(0.3) else {})
    return {"metric": metric, "target": target} | (
        {"describedObject": reference(d, "Ingress")} if kind == "object" else {}
    )


def container(d: Draw, kind: str) -> Json:
    """The container that a ContainerResource metric is of."""
    return {"container": d.one("app", "app", "app", "", "App_1")} if kind == "containerResource" else {}


def old_source(d: Draw, kind: str) -> Json:
    """The source of a metric in the shape of v2beta1."""
    if "esource" in kind:
        fields = d.one(
            {"targetAverageUtilization": percent(d)},
            {"targetAverageUtilization": percent(d)},
            {"targetAverageValue": quantity(d)},
            {"targetAverageUtilization": percent(d), "targetAverageValue": quantity(d)},
            {},
        )
        return {"name": d.one("cpu", "cpu", "memory", ""), **fields} | container(d, kind)
    shown: Json = {"metricName": name_of_metric(d)}
    if d.chance(0.3):
        shown["metricSelector" if kind == "external" else "selector"] = selector(d)
    if kind == "pods":
        return shown | d.some(targetAverageValue=quantity(d))
    if kind == "object":
        average = {"averageValue": quantity(d)} if d.chance(0.3) else {}
        return shown | {"target": reference(d, "Ingress")} | d.some(targetValue=quantity(d)) | average
    return shown | d.one(
        {"targetValue": quantity(d)},
        {"targetAverageValue": quantity(d)},
        {"targetValue": quantity(d), "targetAverageValue": quantity(d)},
        {},
    )


KINDS = {
    "Resource": "resource",
    "Pods": "pods",
    "Object": "object",
    "External": "external",
    "ContainerResource": "containerResource",
}


def metric(d: Draw, *, old: bool) -> Json:
    """A metric of a spec."""
    kind = d.one(*KINDS, "Resource", "Resource")
    shown = {"type": kind, KINDS[kind]: source(d, KINDS[kind], old=old)}
    if d.chance(0.05):
        other = d.one(*KINDS.values())
        shown[other] = source(d, other, old=old)
    if d.chance(0.05):
        shown["type"] = d.one("", "Odd", "Pods")
    return shown


def rules(d: Draw, *, tolerance: bool) -> Json:
    """The rules of one direction."""
    policy = {
        "type": d.one("Pods", "Percent", "Percent", "Odd") if d.chance(0.2) else "Pods",
        "value": d.one(4, 100, 0) if d.chance(0.3) else 2,
        "periodSeconds": d.one(15, 60, 1900, 0) if d.chance(0.3) else 60,
    }
    shown = {}
    if d.chance(0.6):
        shown["stabilizationWindowSeconds"] = d.one(0, 60, 300, 4000, -1) if d.chance(0.3) else 120
    if d.chance(0.5):
        shown["selectPolicy"] = d.one("Min", "Max", "Disabled", "max")
    if d.chance(0.5):
        shown["policies"] = d.one([policy], [policy, {**policy, "type": "Percent"}], [])
    if tolerance and d.chance(0.3):
        shown["tolerance"] = d.one("0.05", "0", "50m", "-0.1")
    return shown


def status_of(d: Draw, version: str) -> Json:
    """A status."""
    shown: Json = {"currentReplicas": d.one(0, 2, 3), "desiredReplicas": d.one(0, 3, 5)}
    if d.chance(0.5):
        shown["lastScaleTime"] = "2026-03-02T14:05:00Z"
    if d.chance(0.3):
        shown["observedGeneration"] = 4
    if version in ("autoscaling/v1", "extensions/v1beta1"):
        return shown | ({"currentCPUUtilizationPercentage": 66} if d.chance(0.6) else {})
    if d.chance(0.7):
        condition = {"type": "AbleToScale", "status": "True", "lastTransitionTime": "2026-03-02T14:05:00Z"}
        shown["conditions"] = [condition | d.some(reason="ReadyForNewScale", message="a < b & c")]
    statuses: list[Json] = []
    for _ in range(d.one(0, 1, 2)):
        average, used = quantity(d), d.one(None, 75)
        kind = d.one("Resource", "Pods", "Object", "External", "")
        if version in NEW:
            current = {"averageValue": average} | ({"averageUtilization": used} if used and kind == "Resource" else {})
            identity = {"metric": {"name": "qps"} | ({"selector": selector(d)} if d.chance(0.3) else {})}
            body = {"name": d.one("cpu", "memory")} if kind == "Resource" else identity
            body |= {"describedObject": {"kind": "Ingress", "name": "i"}} if kind == "Object" else {}
            body["current"] = {"value": average} if kind in ("Object", "External") and d.chance(0.7) else current
        elif kind == "Resource":
            body = {"name": "cpu", "currentAverageValue": average} | ({"currentAverageUtilization": 5} if used else {})
        elif kind == "Pods":
            body = {"metricName": "qps", "currentAverageValue": average}
        else:
            body = {"metricName": "qps", "currentValue": average}
            body |= {"target": {"kind": "Ingress", "name": "i"}} if kind == "Object" else {}
        statuses.append({"type": kind} | ({KINDS[kind]: body} if kind else {}))
    if d.chance(0.8):
        shown["currentMetrics"] = statuses
    return shown


def annotations(d: Draw, version: str) -> Json:
    """Annotations, among them those in which v1 keeps what it cannot say."""
    import json

    prefix = "autoscaling.alpha.kubernetes.io/"
    shown: Json = {"team": "a"} if d.chance(0.4) else {}
    if version not in ("autoscaling/v1", "autoscaling/v2beta1") and not d.chance(0.1):
        return shown
    if d.chance(0.5):
        metrics = [metric(d, old=True) for _ in range(d.one(0, 1, 2))]
        shown[f"{prefix}metrics"] = d.one(json.dumps(metrics), json.dumps(metrics), "{not json", '{"a":1}')
    if d.chance(0.4):
        window = {"StabilizationWindowSeconds": d.one(0, 60, None)}
        policies = {"Policies": [{"Type": "Pods", "Value": 2, "PeriodSeconds": 30}]}
        kept = d.one({"ScaleUp": window | policies}, {"scaleDown": {"stabilizationWindowSeconds": 9}}, {}, {"a": 1})
        shown[f"{prefix}behavior"] = json.dumps(kept)
    if d.chance(0.3):
        current = {"name": "cpu", "currentAverageUtilization": 75, "currentAverageValue": "75m"}
        shown[f"{prefix}current-metrics"] = json.dumps([{"type": "Resource", "resource": current}])
    if d.chance(0.3):
        kept_condition = {"type": "AbleToScale", "status": "True", "lastTransitionTime": "2020-01-01T00:00:00Z"}
        shown[f"{prefix}conditions"] = json.dumps([kept_condition])
    return shown


def hpa(seed: int, version: str) -> Json:
    """One HPA of a version; the same arguments give the same."""
    d = Draw(seed)
    spec: Json = {"maxReplicas": d.one(5, 9, 20) if d.chance(0.92) else d.one(0, -1, 1)}
    target = reference(d) if d.chance(0.3) else {"kind": "Deployment", "name": "web", "apiVersion": "apps/v1"}
    spec["scaleRef" if version == "extensions/v1beta1" else "scaleTargetRef"] = target
    if d.chance(0.6):
        spec["minReplicas"] = d.one(1, 2, 3, 0, 7) if d.chance(0.5) else 1
    if d.chance(0.05):
        spec.pop("maxReplicas")
    if version == "autoscaling/v1":
        spec |= {"targetCPUUtilizationPercentage": percent(d)} if d.chance(0.6) else {}
    elif version == "extensions/v1beta1":
        spec |= {"cpuUtilization": {"targetPercentage": percent(d)}} if d.chance(0.6) else {}
    elif d.chance(0.9):
        spec["metrics"] = [metric(d, old=version not in NEW) for _ in range(d.one(0, 1, 1, 2, 3))]
    if version in NEW and d.chance(0.4):
        directions = {name: rules(d, tolerance=version == "autoscaling/v2") for name in ("scaleUp", "scaleDown")}
        spec["behavior"] = d.some(**directions)
    metadata: Json = {"name": d.one("web", "web", "web", "web.v1", "My_HPA", "-a") if d.chance(0.2) else "web"}
    if given := annotations(d, version):
        metadata["annotations"] = given
    document = {"apiVersion": version, "kind": "HorizontalPodAutoscaler", "metadata": metadata, "spec": spec}
    return document | ({"status": status_of(d, version)} if d.chance(0.5) else {})
