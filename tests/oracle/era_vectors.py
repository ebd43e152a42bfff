"""Single cases by hand for 1.1 to 1.11: utilizations, windows, pods of every kind, limits, outages, selectors."""

import json
from collections.abc import Iterator
from typing import Any

from tests.oracle import vectors
from tests.oracle.draw import Json
from tests.oracle.eras import NEWEST, Era


def era_vectors(release: str) -> Iterator[Json]:
    """Every case that a release can live through, in order."""
    minor = int(release.split(".")[1])
    for case in cases():
        text = json.dumps(case)
        if (minor <= 5 and ('"External"' in text or '"Object"' in text)) or (minor == 1 and '"Pods"' in text):
            continue
        case.update(release=release, gates={}, latency=[])
        adapted = Era(case, release, "vectors", case["name"]).adapted()
        yield {name: value for name, value in adapted.items() if value not in ([], {})}


def cpu(target: int) -> list[Json]:
    """A metric of cpu, in percent."""
    return [
        {
            "type": "Resource",
            "resource": {"name": "cpu", "target": {"type": "Utilization", "averageUtilization": target}},
        }
    ]


def qps(goal: str) -> list[Json]:
    """A metric of the pods."""
    return [
        {"type": "Pods", "pods": {"metric": {"name": "qps"}, "target": {"type": "AverageValue", "averageValue": goal}}}
    ]


def pods_source(milli: int) -> list[Json]:
    """What every pod says of it."""
    return [
        {
            "type": "pods",
            "name": "qps",
            "target": "web",
            "mode": "each",
            "signal": {"points": [[0, milli]]},
            "unit": "milli",
            "scrape": {"interval_s": 20},
        }
    ]


def world(
    name: str,
    replicas: int,
    metrics: list[Json],
    usage: Any,
    sources: Any = (),
    until: float = 95,
    fates: Json | None = None,
    last: int | None = None,
    **more: Any,
) -> Json:
    """One target, every pod of which uses the same part of its request of 100 thousandths; reconciled each 30 s."""
    one = vectors.world(name, NEWEST, replicas, metrics, list(sources), until=until, **more)
    target = one["targets"][0]
    target["max_pods"], target["kind"], target["api_version"] = 60, "Deployment", "apps/v1"
    target["usage"][0]["signal"]["points"] = usage if isinstance(usage, list) else [[0, usage]]
    target["scrape"] = {"interval_s": 20, "lag_s": 0}
    target["delays"] = {"create_s": 0, "schedule_s": 0, "start_s": 1, "ready_s": 1, "terminate_s": 50}
    if fates:
        target["fates"] = fates
    if last is not None:
        one["hpas"][0]["last_scale_s"] = last
    one["controller"] = {"sync_period": "30s"}
    return one


def cases() -> Iterator[Json]:
    """The cases in the shape of 1.12."""
    for milli in (110, 111, 109, 90, 89, 91, 100):
        yield world(f"utilization-{milli}-of-100", 3, cpu(100), milli, high=10)
    for milli in (28, 29, 57, 58, 7, 14, 113, 115):
        yield world(f"truncation-{milli}", 10, cpu(milli), milli, high=100)
        yield world(f"truncation-half-{milli}", 10, cpu(max(1, milli // 2)), milli, high=100)
    for last in (-181, -180, -179, -150, -149, -121, -120, -119):
        yield world(f"up-window-{-last}", 3, cpu(50), 100, high=10, until=155, last=last)
    for last in (-301, -300, -299, -270, -241, -240, -239):
        yield world(f"down-window-{-last}", 6, cpu(100), 20, high=10, until=155, last=last)
    for name, fate in (
        ("pending", {"never_schedule": True}),
        ("failed", {"phase": "Failed", "ready_status": "False"}),
        ("succeeded", {"phase": "Succeeded", "ready_status": "False"}),
        ("unready", {"never_ready": True}),
        ("unknown", {"ready_status": "Unknown"}),
        ("silent", {"no_metrics": True}),
        ("greedy", {"requests": {"app": {"cpu": "900m"}}}),
        ("unasked", {"requests": {"app": {"memory": "1Gi"}}}),
        ("foreign", {"labels": {"app": "other"}}),
    ):
        for usage in (200, 131, 104, 100, 60):
            yield world(f"{name}-pod-cpu-{usage}", 5, cpu(100), usage, high=20, fates={"4": fate})
            yield world(
                f"{name}-pod-custom-{usage}", 5, qps("1"), 100, pods_source(usage * 10), high=20, fates={"4": fate}
            )
    yield world("limit", 3, cpu(10), 100, high=100)
    yield world("limit-from-one", 1, cpu(1), 100, high=100)
    yield world("limit-above-max", 5, cpu(10), 100, high=7)
    yield world("limit-is-max", 5, cpu(10), 100, high=10)
    yield world("nothing-used", 4, cpu(50), 0, high=10, low=3)
    yield world("nothing-used-to-one", 4, cpu(50), 0, high=10)
    for last in (None, -100, -400):
        tag = "never" if last is None else -last
        one = world(f"above-max-{tag}", 4, cpu(100), 100, high=6, last=last)
        one["events"] = [{"at_s": 20, "do": "scale", "target": "web", "replicas": 9, "by": "alice"}]
        yield one
        one = world(f"below-min-{tag}", 4, cpu(100), 100, high=6, low=3, last=last)
        one["events"] = [{"at_s": 20, "do": "scale", "target": "web", "replicas": 1, "by": "alice"}]
        yield one
        one = world(f"paused-{tag}", 4, cpu(100), 100, high=6, low=2, last=last, until=155)
        one["events"] = [{"at_s": 20, "do": "scale", "target": "web", "replicas": 0, "by": "alice"}]
        yield one
        one = world(f"status-zero-{tag}", 4, cpu(100), 100, high=6, last=last)
        one["events"] = [{"at_s": 20, "do": "status_replicas", "target": "web", "replicas": 0}]
        yield one
    for fault in (
        {"kind": "error", "status": 500, "reason": "InternalError", "message": "boom"},
        {"kind": "error", "status": 503, "raw": True, "message": "no\n"},
        {"kind": "empty"},
        {"kind": "ghosts", "value": "100m"},
        {"kind": "drop", "ordinals": [1]},
    ):
        for api, metrics, sources in (("resource", cpu(50), ()), ("pods", qps("500m"), pods_source(1000))):
            one = world(
                f"{api}-{fault['kind']}-{'raw' if fault.get('raw') else fault.get('status', '')}",
                3,
                metrics,
                100,
                sources,
                high=10,
            )
            one["faults"] = [{"api": api, "from_s": 10, "to_s": 70, **fault}]
            yield one
    for selector in ("app!=other", "app==web", "app in (web)", "app=web,app", "!canary", "", "a b"):
        one = world(
            "selector-" + "".join(c if c.isalnum() else f"{ord(c):x}" for c in selector), 3, cpu(50), 100, high=10
        )
        one["targets"][0]["selector"] = selector
        yield one
    for api in ("status_put", "scale_get", "scale_put", "pod_list", "resource"):
        for status in (401, 404, 409, 500, 503, 504):  # answers of somebody in front of the API server
            one = world(f"raw-{api}-{status}", 3, cpu(50), [[0, 60], [40, 100]], high=10, until=155)
            fault = {"kind": "error", "status": status, "raw": True, "message": "no\n"}
            one["faults"] = [{"api": api, "from_s": 0, "to_s": 100, **fault}]
            yield one
    one = world("status-refused", 3, cpu(50), [[0, 60], [40, 20]], high=10, until=400)
    one["faults"] = [
        {
            "api": "status_put",
            "from_s": 0,
            "to_s": 35,
            "kind": "error",
            "status": 500,
            "reason": "InternalError",
            "message": "boom",
        }
    ]
    yield one
    one = world("two-metrics", 3, cpu(50) + qps("1"), 60, pods_source(3000), high=10)
    yield one
    one = world("two-metrics-tie", 3, cpu(50) + qps("1"), 100, pods_source(2000), high=10)
    yield one
    one = world("two-metrics-second-fails", 3, cpu(50) + qps("1"), 100, pods_source(2000), high=10)
    one["faults"] = [
        {
            "api": "pods",
            "from_s": 0,
            "to_s": 70,
            "kind": "error",
            "status": 500,
            "reason": "InternalError",
            "message": "boom",
        }
    ]
    yield one
    for kind in ("External", "Object"):
        for value in (2000, 1050, 600):
            for per_pod in (False, True):
                goal = {"type": "AverageValue", "averageValue": "1"} if per_pod else {"type": "Value", "value": "1"}
                signal = {"points": [[0, value * (5 if per_pod else 1)]]}
                if kind == "External":
                    spec, source = (
                        {"external": {"metric": {"name": "flood"}, "target": goal}},
                        {"type": "external", "name": "flood", "series": [{"labels": {}, "signal": signal}]},
                    )
                else:
                    spec = {
                        "object": {
                            "metric": {"name": "flood"},
                            "target": goal,
                            "describedObject": {"kind": "Service", "name": "front", "apiVersion": "v1"},
                        }
                    }
                    source = {
                        "type": "object",
                        "name": "flood",
                        "object": "front",
                        "kind": "Service",
                        "api_version": "v1",
                        "signal": signal,
                    }
                yield world(
                    f"{kind}-{value}-{'each' if per_pod else 'all'}",
                    5,
                    [{"type": kind, **spec}],
                    100,
                    [source],
                    high=20,
                    fates={"4": {"never_ready": True}},
                )
