"""Draws scenarios: worlds whose values sit on the edges of the controller's rules."""

from tests.oracle.draw import Draw, Json
from tests.oracle.hpas import hpa, legacy_hpa, to_zero_hpa
from tests.oracle.trouble import faults, people
from tests.oracle.workload import target

STABILIZATIONS = ["0s", "15s", "15s", "30s", "30s", "45s", "1m0s", "1m30s", "2m0s", "5m0s"]

PROFILES = [
    "calm",
    "behavior",
    "failures",
    "edges",
    "pods",
    "people",
    "restart",
    "zero",
    "tozero",
    "several",
    "legacy",
    "slow",
    "common",
    "everything",
]


def gates(d: Draw) -> dict[str, bool]:
    """Feature gates, for the releases that have them."""
    out = {}
    if d.profile == "common":
        return {"HPAScaleToZero": True}
    if d.profile == "tozero":
        out["HPAScaleToZero"] = d([True] * 5 + [False])
    elif d.has("zero") or (d.minor >= 36 and d.chance(0.3)):
        out["HPAScaleToZero"] = d([True] * 3 + [False])
    if d.minor >= 20 and d.minor <= 26:
        out["HPAContainerMetrics"] = True
    elif d.minor in (27, 28, 29) and d.chance(0.1):
        out["HPAContainerMetrics"] = False
    if d.minor >= 33:
        out["HPAConfigurableTolerance"] = d.chance(0.8)
    if d.minor >= 37:
        for name in ("HPAGeneration", "StaleControllerConsistencyHPA", "HPAOptimizedSelectorStore"):
            if d.chance(0.2):
                out[name] = False
        out.pop("HPAConfigurableTolerance")
    if d.minor >= 34 and d.chance(0.1):
        out["PodLevelResources"] = False
    return out


def scenario(seed: int, profile: str, release: str, index: int) -> Json:
    """One world and what happens in it, as the harness reads it; the same arguments give the same world."""
    d = Draw(seed, profile, release, index)
    period = (
        d("15s", "15s", "15s", "15s", "10s", "30s", "5s", "15.001s", "14.999s", "7.5s") if profile != "calm" else "15s"
    )
    step = float(period[:-1])
    until = d(20, 30, 40, 60) * step + d(0, 1)
    if profile == "calm":
        until = d(900, 1200, 1800)
    sc = {
        "name": f"{profile}-{seed}-{index:04d}",
        "release": release,
        "profile": profile,
        "seed": seed,
        "until_s": until,
        "controller": {"sync_period": period},
        "gates": gates(d),
        "custom_metrics": d("v1beta2", "v1beta2", "v1beta1"),
        "targets": [],
        "hpas": [],
        "metrics": [],
        "events": [],
        "faults": [],
        "latency": [],
    }
    flags = sc["controller"]
    if profile != "calm" or d.chance(0.3):
        flags["downscale_stabilization"] = d(STABILIZATIONS)
    if d.chance(0.25):
        flags["tolerance"] = d(0.05, 0.2, 0.01, 0.15, 0.5, 0.3, -1)
    if d.has("pods", "edges"):
        flags["cpu_initialization_period"] = d("5m0s", "0s", "30s", "1m0s", "2m0s")
        flags["initial_readiness_delay"] = d("30s", "0s", "10s", "1m0s")
    owner = target(d, "web", until, step)
    sc["targets"].append(owner)
    if d.profile == "zero" and d.chance(0.4):
        owner["replicas"] = 0
    if profile == "legacy":
        sc["hpas"].append({"name": "web", "object": legacy_hpa(d, owner)})
    elif profile == "tozero":
        flags["downscale_stabilization"] = d("0s", "15s", "30s", "1m0s")
        sc["hpas"].append({"name": "web", "object": {**to_zero_hpa(d, sc, owner, until, step)["object"]}})
    else:
        sc["hpas"].append(hpa(d, sc, owner, until, step))
    first = sc["hpas"][0]
    if profile == "zero" and owner["replicas"] == 0 and d.chance(0.7):
        first["object"]["status"] = at_zero(d)
    if d.chance(0.3):
        first["at_s"] = d(0.5, 1, 3, 15, 20)
    if d.has("several"):
        add_rival(d, sc, owner, until, step)
    if d.has("failures"):
        sc["faults"] = faults(d, sc, until, step)
    if d.has("people") and profile != "legacy":
        sc["events"] = people(d, sc, owner, until, step)
    # After a restart, and by long reconciles, several HPAs fall due at one instant, and a map decides who is first.
    alone = len(sc["hpas"]) == 1
    if alone and d.has("restart"):
        add_restarts(d, sc, until, step)
    if profile != "calm" and alone and d.chance(0.35):
        sc["latency"].append({"api": "scale_get", "ms": [d(0, 0, 0, 1, 1, 2, 5, 1000) for _ in range(d(1, 3, 5, 7))]})
    if alone and d.has("slow"):
        for api in ("resource", "pods", "object", "external", "scale_put", "status"):
            if d.chance(0.5):
                sc["latency"].append({"api": api, "ms": [d(0, 0, 1, 1, 3, 20, 400) for _ in range(d(1, 3, 5))]})
    return {k: v for k, v in sc.items() if v not in ([], {})}


def at_zero(d: Draw) -> Json:
    """The status of an HPA whose target stands at zero before the controller starts."""
    return {
        "currentReplicas": 0,
        "desiredReplicas": 0,
        "conditions": [
            {
                "type": "AbleToScale",
                "status": "True",
                "lastTransitionTime": "2026-03-02T13:00:00Z",
                "reason": "ReadyForNewScale",
                "message": "recommended size matches current size",
            },
            {
                "type": "ScaledToZero",
                "status": d("True", "True", "False"),
                "lastTransitionTime": "2026-03-02T13:00:00Z",
                "reason": d("ScaledToZero", "NotScaledToZero"),
                "message": "scaled",
            },
        ],
    }


def add_rival(d: Draw, sc: Json, owner: Json, until: float, step: float) -> None:
    """A second target and a second HPA, which may select the same pods."""
    second = target(d, "api", until, step)
    if d.chance(0.6):
        second["labels"] = {"app": d("web", "api"), "tier": "back"}
        second["selector"] = d("app=web", "tier=back", "app=api")
    if second.get("labels") is None:
        second["labels"] = {"app": "api"}
    sc["targets"].append(second)
    other = hpa(d, sc, d(owner, second, second), until, step, name="api")
    other["at_s"] = d(2, 4, 7, 33)
    sc["hpas"].append(other)


def add_restarts(d: Draw, sc: Json, until: float, step: float) -> None:
    """Add restarts of the controller; each waits until the one before it is over."""
    for _ in range(d(1, 1, 2, 3)):
        at = step * d.whole(2, max(3, int(until / step) - 2)) + d(0, 1, 0.5)
        sc["events"].append({"at_s": at, "do": "restart", "down_s": d(0, 0.5, 1, 2, 17, 60)})
    sc["events"].sort(key=lambda event: event["at_s"])
    free = 0
    for event in sc["events"]:
        if event["do"] == "restart":
            event["at_s"] = max(event["at_s"], free)
            free = event["at_s"] + event["down_s"] + 20
    sc["events"].sort(key=lambda event: event["at_s"])
