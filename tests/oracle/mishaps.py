"""Single cases by hand, of what fails: paths of the controller that only a mishap reaches."""

from collections.abc import Iterator

from tests.oracle.draw import Json
from tests.oracle.vectors import cpu, external, policy, world

ALWAYS = {"from_s": 0, "to_s": 1000}
DOWN = {"kind": "error", "status": 503, "reason": "ServiceUnavailable", "message": "down"}
FIRST_WITH_ZERO = 16
FIRST_WITH_CONTAINERS = 20
BAD_SELECTOR = {"matchExpressions": [{"key": "path", "operator": "In", "values": ["/", "/cart"]}]}


def mishaps(release: str) -> Iterator[Json]:
    """Every case, in order."""
    yield from _writes(release)
    yield from _answers(release)
    yield from _specs(release)
    yield from _memories(release)
    minor = int(release.split(".")[1])
    if minor >= FIRST_WITH_ZERO:
        yield from _zeros(release)
    if minor >= FIRST_WITH_CONTAINERS:
        yield from _containers(release)


def _each(value: str) -> Json:
    return {"type": "AverageValue", "averageValue": value}


def _writes(release: str) -> Iterator[Json]:
    """The status cannot be written, beside everything else that can fail in a reconcile."""
    status = {**ALWAYS, **DOWN, "api": "status_put"}
    for name, fault in (
        ("alone", None),
        ("scale-unreadable", {**ALWAYS, **DOWN, "api": "scale_get"}),
        ("scale-unwritable", {**ALWAYS, **DOWN, "api": "scale_put"}),
        ("metrics-down", {**ALWAYS, **DOWN, "api": "resource"}),
    ):
        both = [status] if fault is None else [fault, status]
        yield world(f"status-unwritable-{name}", release, 3, cpu(50), [], high=10, faults=both)
    unknown = world("status-unwritable-kind-unknown", release, 3, cpu(50), [], high=10, faults=[status])
    unknown["hpas"][0]["object"]["spec"]["scaleTargetRef"] |= {"apiVersion": "example.com/v1", "kind": "Gizmo"}
    yield unknown
    some = [*cpu(50), *external([[0, "1"]], {"type": "Value", "value": "1"})[0]]
    both = [{**ALWAYS, **DOWN, "api": "scale_put"}, status]
    yield world("write-fails-beside-an-invalid-metric", release, 3, some, [], high=10, faults=both)
    for status_code, reason in ((409, "Conflict"), (503, "ServiceUnavailable")):
        refused = {**ALWAYS, **DOWN, "api": "scale_put", "status": status_code, "reason": reason}
        unread = {**DOWN, "api": "scale_get", "from_s": 15.2, "to_s": 16}
        slow = [{"api": "scale_put", "ms": [400]}]
        name = f"scale-unreadable-after-{reason.lower()}"
        yield world(name, release, 3, cpu(50), [], high=10, faults=[refused, unread], latency=slow)
    conflicts = {**ALWAYS, "api": "scale_put", "kind": "conflict", "times": 2, "replicas": 7}
    late = [{"api": "scale_get", "ms": [0, 300, 20]}, {"api": "scale_put", "ms": [5, 40]}]
    yield world("conflicts-take-time", release, 3, cpu(50), [], high=10, faults=[conflicts], latency=late)


def _answers(release: str) -> Iterator[Json]:
    """Answers of the metric APIs that lack something, or speak of pods that are not there."""
    average = {"type": "Resource", "resource": {"name": "cpu", "target": _each("60m")}}
    pods = {"type": "Pods", "pods": {"metric": {"name": "qps"}, "target": _each("1")}}
    source = {"type": "pods", "name": "qps", "target": "web", "mode": "each", "signal": {"points": [[0, 1500]]}}
    ghosts = {"kind": "ghosts", "value": "100m"}
    for name, metric, sources, api in (
        ("utilization", cpu(50)[0], [], "resource"),
        ("average", average, [], "resource"),
        ("pods", pods, [source], "pods"),
    ):
        fault = {**ALWAYS, **ghosts, "api": api}
        nobody = world(f"only-ghosts-{name}", release, 3, [metric], sources, high=10, faults=[fault])
        nobody["targets"][0]["max_pods"] = 0
        yield nobody
        silent = world(f"ghosts-and-silent-pods-{name}", release, 3, [metric], sources, high=10, faults=[fault])
        silent["targets"][0]["fates"] = {str(ordinal): {"no_metrics": True} for ordinal in range(3)}
        yield silent
        empty = {**ALWAYS, "api": api, "kind": "empty"}
        yield world(f"empty-answer-{name}", release, 3, [metric], sources, high=10, faults=[empty])
        for ordinals in ([0], [0, 1, 2]):
            less = {**ALWAYS, "api": "resource", "kind": "drop_resource", "name": "cpu", "ordinals": ordinals}
            if api == "resource":
                yield world(f"{len(ordinals)}-without-cpu-{name}", release, 3, [metric], [], high=10, faults=[less])
        for usage, missing in ((48, 1), (55, 1), (70, 2), (130, 3)):
            crowd = world(f"surge-{usage}-{missing}-{name}", release, 3, [metric], sources, high=10)
            crowd["targets"][0]["max_pods"] = 8
            crowd["targets"][0]["usage"][0]["signal"]["points"] = [[0, usage]]
            crowd["targets"][0]["fates"] = {str(number): {"no_metrics": True} for number in range(missing)}
            crowd["events"] = [{"at_s": 1, "do": "surge", "target": "web", "replicas": 4}]
            yield crowd


def _containers(release: str) -> Iterator[Json]:
    """A container that one pod of three does not have, and one that none has."""
    target = {"type": "Utilization", "averageUtilization": 50}
    for name, lacking in (("one-pod", 1), ("no-pod", 3)):
        metric = {
            "type": "ContainerResource",
            "containerResource": {"name": "cpu", "container": "app", "target": target},
        }
        one = world(f"container-lacking-in-{name}", release, 3, [metric], [], high=10)
        one["gates"] = {"HPAContainerMetrics": True}
        other = {"containers": [{"name": "other", "requests": {"cpu": "100m"}}]}
        one["targets"][0]["fates"] = {str(ordinal): other for ordinal in range(lacking)}
        yield one


def _specs(release: str) -> Iterator[Json]:
    """Selectors of metrics that validation lets pass, and the controller cannot read."""
    value = {"type": "Value", "value": "1"}
    per_pod = _each("1")
    named = {"name": "flood", "selector": BAD_SELECTOR}
    described = {"kind": "Service", "name": "front", "apiVersion": "v1"}
    for name, metric in (
        ("pods", {"type": "Pods", "pods": {"metric": named, "target": per_pod}}),
        ("object", {"type": "Object", "object": {"metric": named, "target": value, "describedObject": described}}),
        ("external-value", {"type": "External", "external": {"metric": named, "target": value}}),
        ("external-average", {"type": "External", "external": {"metric": named, "target": per_pod}}),
    ):
        yield world(f"bad-metric-selector-{name}", release, 3, [metric], [], high=10)


def _memories(release: str) -> Iterator[Json]:
    """A policy that allows less than what was done in its period: nothing moves, and nothing moves back."""
    for direction, points in (("scaleDown", [[0, "12"], [20, "1"]]), ("scaleUp", [[0, "3"], [20, "30"]])):
        metrics, sources = external(points, _each("1"))
        at_once = {"stabilizationWindowSeconds": 0}
        rules = {"scaleDown": at_once, direction: {**at_once, **_per_minute(6)}}
        replicas = int(points[0][1])
        one = world(f"policy-cut-{direction}".lower(), release, replicas, metrics, sources, high=40, behavior=rules)
        one["until_s"] = 200
        spec = one["hpas"][0]["object"]["spec"]
        later = {**rules, direction: {**at_once, **_per_minute(1)}}
        one["events"] = [{"at_s": 38, "do": "hpa_edit", "hpa": "web", "spec": {**spec, "behavior": later}}]
        yield one


def _per_minute(value: int) -> Json:
    return {"policies": [{"type": "Pods", "value": value, "periodSeconds": 60}]}


def _zeros(release: str) -> Iterator[Json]:
    """At zero, minReplicas rises; then there is something to do, more slowly than minReplicas asks for."""
    points = [[0, "1"], [20, "0"], [80, "1"]]
    slow = {"scaleUp": policy("Pods", 1), "scaleDown": {"stabilizationWindowSeconds": 0}}
    for name, raised in (("raised", 3), ("kept", 0)):
        metrics, sources = external(points, _each("1"))
        one = world(f"zero-minimum-{name}", release, 1, metrics, sources, low=0, high=9, until=160, behavior=slow)
        one["gates"] = {"HPAScaleToZero": True}
        spec = one["hpas"][0]["object"]["spec"]
        one["events"] = [{"at_s": 62, "do": "hpa_edit", "hpa": "web", "spec": {**spec, "minReplicas": raised}}]
        yield one
