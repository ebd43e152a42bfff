"""Draws workloads: their pods' fates, what their containers request and use."""

from tests.oracle.draw import NUDGES, Draw, Json, in_mode, levels, milli, signal


def containers(d: Draw) -> list[Json]:
    """Containers of a pod and their requests."""
    request = d(1000, 1000, 500, 100, 250, 1500, 1, 4000, 333)
    specs = [{"name": "app", "requests": {"cpu": milli(request), "memory": d("1Gi", "512Mi", "100M", "1500Mi")}}]
    if d.chance(0.3):
        specs.append({"name": "proxy", "requests": {"cpu": milli(d(100, 50, 10, 1000)), "memory": "64Mi"}})
    if d.has("edges", "pods") and d.chance(0.2):
        del specs[-1]["requests"][d("cpu", "memory")]
    return specs


def request_milli(specs: list[Json], resource: str, container: str | None = None) -> int:
    units = {"Gi": 2**30 * 1000, "Mi": 2**20 * 1000, "M": 10**9, "m": 1}
    total = 0
    for spec in specs:
        if container is not None and spec["name"] != container:
            continue
        text = spec["requests"].get(resource, "0")
        for suffix, factor in units.items():
            if text.endswith(suffix):
                total += int(text[: -len(suffix)]) * factor
                break
        else:
            total += int(text) * 1000
    return total


def target(d: Draw, name: str, until: float, step: float) -> Json:
    """A workload, its pods' fates and what its containers use."""
    replicas = d(1, 2, 3, 3, 4, 5, 5, 6, 7, 8, 10, 12)
    kind, version = d(
        ("Deployment", "apps/v1"),
        ("Deployment", "apps/v1"),
        ("Deployment", "apps/v1"),
        ("StatefulSet", "apps/v1"),
        ("ReplicaSet", "apps/v1"),
        ("ReplicationController", "v1"),
        ("Rollout", "argoproj.io/v1alpha1"),
    )
    specs = containers(d)
    out = {
        "name": name,
        "kind": kind,
        "api_version": version,
        "replicas": replicas,
        "containers": specs,
        "max_pods": d(12, 16, 24, 40),
        "age_s": d(3600, 3600, 3600, 100, 300, 299, 301, 600),
        "delays": {
            "create_s": d(0, 0.1, 0.5, 1),
            "schedule_s": d(0, 0.5, 1, 2),
            "start_s": d(1, 2, 3, 5, 20),
            "ready_s": d(0, 1, 5, 10, 15, 30, 60),
            "terminate_s": d(0, 1, 5, 30, 60),
        },
    }
    if d.has("pods", "edges") and d.chance(0.3):
        out["init_containers"] = [
            {"name": "sidecar", "requests": {"cpu": "100m", "memory": "16Mi"}, "restart_policy": "Always"},
            {"name": "setup", "requests": {"cpu": "2", "memory": "16Mi"}},
        ][: d(1, 2)]
    if d.minor >= 32 and d.has("pods", "edges") and d.chance(0.25):
        out["pod_requests"] = d({"cpu": "2"}, {"memory": "2Gi"}, {"cpu": "900m", "memory": "1Gi"})
        if d.chance(0.5):
            out["overhead"] = {"cpu": "50m", "memory": "20Mi"}
    out["scrape"] = {
        "interval_s": d(15, 15, 15, 30, 60, 10, 1),
        "lag_s": d(0, 0, 1, 5, 14, 20),
        "first_s": d(0, 0, 1, 15, 60),
    }
    if d.chance(0.8):
        out["scrape"]["window_s"] = d(15, 30, 60, 60, 10, 14.5, 0.5, 300)
    usage = []
    names = [spec["name"] for spec in specs] + [
        c["name"] for c in out.get("init_containers", []) if c.get("restart_policy")
    ]
    cpu_mode, _ = signal(d, until, 1, step, 1)
    for container in names:
        mine = [spec for spec in specs if spec["name"] == container]
        for resource in ("cpu", "memory"):
            base = request_milli(mine, resource) * d(30, 50, 60, 70, 80) // 100 if mine else 10
            if base <= 0:
                base = 100
            mode, points = signal(d, until, base, step, replicas)
            if resource == "memory":
                mode, points = "each", {"points": [[0, base]] if d.chance(0.5) else levels(d, until, base, step)}
            if resource == "cpu" and d.chance(0.8):
                points = in_mode(points, mode, cpu_mode, replicas)
                mode = cpu_mode
            use = {
                "container": container,
                "resource": resource,
                "mode": mode,
                "signal": points,
                "unit": d("nano", "nano", "milli", "micro") if resource == "cpu" else "binary",
            }
            if d.chance(0.25) and resource == "cpu":
                use["offsets"] = [d(NUDGES) * d(1, 10, 100) for _ in range(d.whole(2, 5))]
            if mode == "share" and d.chance(0.5):
                use["cap"] = base * d(2, 3, 5)
            usage.append(use)
    out["usage"] = usage
    out["fates"] = fates(d, replicas, until)
    if d.has("edges") and d.chance(0.15):
        out["selector"] = d(
            "app=" + name + ",tier",
            "app in (" + name + ")",
            "app=" + name + ",!canary",
            "app notin (other)",
            "app!=other",
            "app==" + name,
        )
    return out


def fates(d: Draw, replicas: int, until: float) -> Json:
    """What happens to single pods."""
    out = {}
    if not d.has("pods", "edges", "failures"):
        return out
    for ordinal in range(replicas + 8):
        if not d.chance(0.25):
            continue
        initial = ordinal < replicas
        fate = {}
        kind = d(
            "never_ready",
            "never_schedule",
            "fail",
            "succeed",
            "flap",
            "flap",
            "no_start",
            "no_ready",
            "requests",
            "no_metrics",
            "slow",
            "young",
            "young",
            "unknown",
            "foreign",
            "terminating",
            "old_unready",
        )
        if kind == "never_ready":
            fate["never_ready"] = True
        elif kind == "never_schedule":
            fate["never_schedule"] = True
        elif kind == "fail":
            fate["fail_at_s"] = d.whole(5, max(6, int(until)))
        elif kind == "succeed":
            fate["succeed_at_s"] = d.whole(5, max(6, int(until)))
        elif kind == "flap":
            at, fate["flaps"] = 0, []
            for status in ("False", "True", d("Unknown", "False"), "True")[: d.whole(1, 4)]:
                at += d.whole(5, 120)
                fate["flaps"].append({"at_s": at, "status": status})
        elif kind == "no_start":
            fate["no_start_time"] = True
        elif kind == "no_ready":
            fate["no_ready_condition"] = True
        elif kind == "requests":
            fate["requests"] = {
                "app": d(
                    {"cpu": "2"}, {"cpu": "1m", "memory": "1Gi"}, {"memory": "1Gi"}, {"cpu": "750m", "memory": "3Gi"}
                )
            }
        elif kind == "no_metrics":
            fate["no_metrics"] = True
        elif kind == "slow":
            fate["ready_s"] = d(30, 90, 200)
            fate["start_s"] = d(10, 60)
        elif kind == "young" and initial:
            ago = d(0, 10, 30, 60, 285, 299, 300, 301, 315, 330)
            fate["start_ago_s"] = ago
            fate["ready_ago_s"] = d(0, 5, 29, 30, 31, 45, 60, ago)
            fate["ready_ago_s"] = min(fate["ready_ago_s"], ago)
            fate["ready_status"] = d("True", "True", "False", "Unknown")
        elif kind == "old_unready" and initial:
            ago = d(400, 1000)
            fate["start_ago_s"] = ago
            fate["ready_ago_s"] = ago - d(0, 29, 30, 31, 100)
            fate["ready_status"] = "False"
        elif kind == "unknown":
            fate["phase"] = "Unknown"
        elif kind == "foreign":
            fate["labels"] = {"app": "other"}
        elif kind == "terminating":
            fate["delete_at_s"] = d.whole(1, 200)
            fate["terminate_s"] = d(30, 300)
        if fate:
            out[str(ordinal)] = fate
    return out
