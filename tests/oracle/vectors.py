"""Single cases by hand: what a random world would hardly meet."""

from collections.abc import Iterator
from typing import Any

from tests.oracle.draw import Json

MOST = 2147483647
"""The largest int32."""


def world(name: str, release: str, replicas: int, metrics: list[Json], sources: list[Json], **more: Any) -> Json:
    """One target with few pods, one HPA without limits; `more`: `low`, `high`, `behavior`, fields of the scenario."""
    spec = {
        "scaleTargetRef": {"apiVersion": "apps/v1", "kind": "Deployment", "name": "web"},
        "minReplicas": more.pop("low", 1),
        "maxReplicas": more.pop("high", MOST),
        "metrics": metrics,
    }
    if "behavior" in more:
        spec["behavior"] = more.pop("behavior")
    target = {
        "name": "web",
        "replicas": replicas,
        "max_pods": 3,
        "containers": [{"name": "app", "requests": {"cpu": "100m"}}],
        "usage": [{"container": "app", "resource": "cpu", "mode": "each", "signal": {"points": [[0, 110]]}}],
    }
    return {
        "name": f"vector-{name}",
        "release": release,
        "profile": "vectors",
        "seed": 1,
        "until_s": more.pop("until", 100),
        "targets": [target],
        "hpas": [{"name": "web", "object": {"spec": spec}}],
        "metrics": sources,
        **more,
    }


def external(points: list[list[Any]], target: Json, *, series: int = 1) -> tuple[list[Json], list[Json]]:
    """An External metric, and what each of its series says."""
    metric = {"type": "External", "external": {"metric": {"name": "flood"}, "target": target}}
    labels: list[Json] = [{}] if series == 1 else [{"n": str(number)} for number in range(series)]
    labelled_series = [{"labels": own, "signal": {"points": points}} for own in labels]
    return [metric], [{"type": "external", "name": "flood", "series": labelled_series}]


def of_object(points: list[list[Any]], target: Json) -> tuple[list[Json], list[Json]]:
    """An Object metric, and what it says."""
    described = {"kind": "Service", "name": "front", "apiVersion": "v1"}
    metric = {"type": "Object", "object": {"metric": {"name": "flood"}, "target": target, "describedObject": described}}
    source = {"type": "object", "name": "flood", "object": "front", "kind": "Service", "api_version": "v1"}
    return [metric], [{**source, "signal": {"points": points}}]


def cpu(target: int) -> list[Json]:
    """A Resource metric with a utilization as its target."""
    return [
        {
            "type": "Resource",
            "resource": {"name": "cpu", "target": {"type": "Utilization", "averageUtilization": target}},
        }
    ]


def policy(kind: str, value: int, **rules: Any) -> Json:
    """Rules of one policy that holds for 15 s."""
    return {**rules, "policies": [{"type": kind, "value": value, "periodSeconds": 15}]}


def vectors(release: str) -> Iterator[Json]:
    """Every case, in order."""
    yield from _limits(release)
    yield from _policies(release)
    yield from _utilizations(release)
    yield from _selectors(release)
    yield from _targets(release)
    yield from _floods(release)
    yield from _pods(release)


def _limits(release: str) -> Iterator[Json]:
    up = external([[0, "1"], [20, "2000000000"]], {"type": "AverageValue", "averageValue": "1"})
    yield world("limit-wraps-without-behavior", release, 1200000000, *up)
    most = {"scaleUp": policy("Pods", MOST)}
    yield world("limit-wraps-with-behavior", release, 1200000000, *up, behavior=most)
    double = {"scaleUp": policy("Percent", 100, selectPolicy="Min")}
    yield world("percent-limit-wraps", release, 1200000000, *up, behavior=double)
    down = external([[0, "2147483647"], [20, "1"]], {"type": "AverageValue", "averageValue": "1"})
    at_once = {"scaleDown": policy("Pods", MOST, stabilizationWindowSeconds=0)}
    yield world("down-from-the-end", release, MOST, *down, behavior=at_once)


def _policies(release: str) -> Iterator[Json]:
    """Percentages whose double is a little beside the whole number, and periods that int32 cannot count."""
    each = {"type": "AverageValue", "averageValue": "1"}
    for start, percent in ((5, 140), (10, 140), (10, 190), (5, 380)):
        many = external([[0, str(start)], [20, "400"]], each)
        rules = {"scaleUp": policy("Percent", percent)}
        yield world(f"up-by-{percent}-percent-of-{start}", release, start, *many, behavior=rules)
    for start, percent in ((10, 70), (20, 35), (20, 95), (50, 82)):
        none = external([[0, str(start)], [20, "0"]], each)
        rules = {"scaleDown": policy("Percent", percent, stabilizationWindowSeconds=0)}
        yield world(f"down-by-{percent}-percent-of-{start}", release, start, *none, behavior=rules)
    half = {"scaleDown": {**policy("Percent", 50, stabilizationWindowSeconds=0)}}
    half["scaleDown"]["policies"][0]["periodSeconds"] = 1800
    fewer = external([[0, "500000000"]], each)
    wraps = world("period-start-wraps", release, 2000000000, *fewer, behavior=half)
    wraps["events"] = [{"at_s": 40, "do": "scale", "target": "web", "replicas": 1900000000, "by": "alice"}]
    yield wraps
    rise = external([[0, "2"], [20, "12"], [50, "1"]], each)
    long = {"scaleUp": policy("Pods", 20), "scaleDown": policy("Pods", MOST, stabilizationWindowSeconds=0)}
    for rules in long.values():
        rules["policies"][0]["periodSeconds"] = 600
    below = world("pods-limit-wraps-below", release, 2, *rise, behavior=long)
    below["events"] = [{"at_s": 40, "do": "scale", "target": "web", "replicas": 2, "by": "alice"}]
    yield below


def _utilizations(release: str) -> Iterator[Json]:
    for milli in (110, 111, 109, 90, 89, 100):
        one = world(f"utilization-{milli}-of-100", release, 3, cpu(100), [], high=10)
        one["targets"][0]["usage"][0]["signal"]["points"] = [[0, milli]]
        yield one


def _selectors(release: str) -> Iterator[Json]:
    for selector in (
        "app!=other",
        "app notin (other)",
        "app==web",
        "app in (web)",
        "app=web,app",
        "!canary",
        "",
        "a b",
    ):
        name = "".join(c if c.isalnum() else f"{ord(c):x}" for c in selector)
        one = world(f"selector-{name}", release, 3, cpu(50), [], high=10)
        one["targets"][0]["selector"] = selector
        yield one


def _targets(release: str) -> Iterator[Json]:
    """Scale targets that the controller cannot resolve, and one that becomes resolvable."""
    for version, kind in (
        ("example.com/v1", "Gizmo"),
        ("v1", "Gizmo"),
        ("apps/v7", "Deployment"),
        ("a/b/c", "Deployment"),
    ):
        one = world(f"target-{version.replace('/', '-')}-{kind}".lower(), release, 3, cpu(50), [], high=10)
        one["hpas"][0]["object"]["spec"]["scaleTargetRef"] |= {"apiVersion": version, "kind": kind}
        yield one
    mended = world("target-mended", release, 3, cpu(50), [], high=10, until=200)
    spec = mended["hpas"][0]["object"]["spec"]
    right = spec["scaleTargetRef"]
    spec["scaleTargetRef"] = {**right, "kind": "Gizmo"}
    edits = ((50, right), (110, {**right, "kind": "Gadget"}))
    mended["events"] = [
        {"at_s": at, "do": "hpa_edit", "hpa": "web", "spec": {**spec, "scaleTargetRef": reference}}
        for at, reference in edits
    ]
    yield mended


def _floods(release: str) -> Iterator[Json]:
    """Ratios beyond int32 and sums beyond int64, for every kind of target."""
    much = [[0, "1"], [20, "9223372036854775"], [65, "1"]]
    for kind, target in (
        ("value", {"type": "Value", "value": "1m"}),
        ("average", {"type": "AverageValue", "averageValue": "1m"}),
    ):
        yield world(f"object-{kind}-beyond-int32", release, 3, *of_object(much, target))
        yield world(f"external-{kind}-beyond-int32", release, 3, *external(much, target))
        yield world(f"external-{kind}-sum-beyond-int64", release, 3, *external(much, target, series=2))
        yield world(f"external-{kind}-sum-wraps-to-positive", release, 3, *external(much, target, series=3))


def _pods(release: str) -> Iterator[Json]:
    """No pod at all; requests that are said for the pod, but not of this resource."""
    target = {"type": "Value", "value": "1"}
    for name, (metrics, sources) in (
        ("external", external([[0, "5"]], target)),
        ("object", of_object([[0, "5"]], target)),
        ("external-within", external([[0, "1"]], target)),
        ("object-within", of_object([[0, "1"]], target)),
        ("cpu", (cpu(50), [])),
    ):
        none = world(f"no-pods-{name}", release, 3, metrics, sources, high=10)
        none["targets"][0]["max_pods"] = 0
        yield none
    for name, container in (("said", {"cpu": "100m"}), ("unsaid", {})):
        level = world(f"pod-level-lacks-cpu-{name}", release, 3, cpu(50), [], high=10)
        level["targets"][0] |= {
            "pod_requests": {"memory": "1Gi"},
            "containers": [{"name": "app", "requests": container}],
        }
        yield level
