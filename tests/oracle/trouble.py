"""Draws trouble: outages, answers that lack something, and people who write what the HPA writes."""

import json

from tests.oracle.draw import Draw, Json
from tests.oracle.hpas import behavior

ERRORS = [
    {"status": 503, "reason": "ServiceUnavailable", "message": "the server is currently unable to handle the request"},
    {"status": 404, "reason": "NotFound", "message": "the server could not find the requested resource"},
    {"status": 403, "reason": "Forbidden", "message": "forbidden: User cannot list resource"},
    {"status": 500, "reason": "InternalError", "message": "Internal error occurred: 100% sure: bad %s query"},
    {"status": 504, "reason": "Timeout", "message": "context deadline exceeded"},
    {"status": 503, "raw": True, "message": "service unavailable\n"},
]


def faults(d: Draw, sc: Json, until: float, step: float) -> list[Json]:
    """Outages, and answers that lack something."""
    out = []
    names = [m["name"] for m in sc["metrics"]]
    used = [m["type"] for m in sc["metrics"]] or ["resource"]
    if any("resource" in json.dumps(h).lower() for h in sc["hpas"]):
        used.append("resource")
    for _ in range(d.whole(1, 5)):
        begin = step * d.whole(0, max(1, int(until / step) - 2)) + d(0, 1, 0.5)
        end = begin + step * d(1, 1, 2, 3, 5, 8)
        fault = {"from_s": begin, "to_s": end}
        api = d(*used, *used, *used, "scale_get", "scale_put", "scale_put", "status_put", "any")
        if api == "any":
            api = d("watch_pods", "watch_hpas")
            out.append({**fault, "api": api})
            continue
        fault["api"] = api
        kind = d(
            "error", "error", "refused", "empty", "drop", "stale", "ghosts", "drop_container", "drop_resource", "twice"
        )
        if api in ("scale_get", "status_put"):
            kind = d("error", "error", "refused")
        if api == "scale_put":
            kind = d("error", "conflict", "conflict")
            fault["to_s"] = begin + step * d(5, 10, 20)
        if api == "external" and kind in ("ghosts", "drop_container", "drop_resource", "twice"):
            kind = "error"
        if api == "object" and kind in ("ghosts", "drop", "drop_container", "drop_resource"):
            kind = "twice"
        if api == "pods" and kind in ("drop_container", "drop_resource"):
            kind = "drop"
        if api == "resource" and kind == "twice":
            kind = "drop"
        fault["kind"] = kind
        if kind == "error":
            fault.update(d(ERRORS))
        elif kind == "refused":
            fault["message"] = "dial tcp 10.0.0.9:443: connect: no route to host"
        elif kind in ("drop", "drop_container", "drop_resource"):
            fault["ordinals"] = sorted({d.whole(0, 8) for _ in range(d.whole(1, 4))})
            fault["name"] = "app" if kind == "drop_container" else d("cpu", "memory")
        elif kind in ("ghosts", "twice"):
            fault["value"] = d("1", "500m", "0", "100", "10m")
        elif kind == "conflict":
            fault["times"] = d(1, 1, 2, 4, 5, 6, 0)
            if d.chance(0.5):
                fault["replicas"] = d.whole(1, 12)
        if names and d.chance(0.3) and api in ("pods", "object", "external"):
            fault["metric"] = d(names)
        out.append(fault)
    return sorted(out, key=lambda f: f["from_s"])


def people(d: Draw, sc: Json, owner: Json, until: float, step: float) -> list[Json]:
    """What other writers do."""
    out = []
    original = sc["hpas"][0]["object"]["spec"]
    for _ in range(d.whole(2, 7)):
        at = step * d.whole(1, max(2, int(until / step) - 1)) + d(0, 1, 7, -0.001, 0.001, 5)
        kind = d(
            "scale",
            "scale",
            "scale",
            "limits",
            "limits",
            "metrics",
            "behavior",
            "touch",
            "recreate",
            "target",
            "selector",
            "surge",
            "pause",
            "status",
            "pod",
            "watch",
        )
        if kind == "scale":
            out.append(
                {
                    "at_s": at,
                    "do": "scale",
                    "target": owner["name"],
                    "replicas": d(0, 1, 1, 2, 3, 5, 8, 12, 15, 25),
                    "by": d("alice", "argocd", "deploy-bot"),
                }
            )
        elif kind == "pause":
            out.append({"at_s": at, "do": "scale", "target": owner["name"], "replicas": 0, "by": "alice"})
            if d.chance(0.7):
                out.append(
                    {
                        "at_s": at + step * d(1, 2, 4),
                        "do": "scale",
                        "target": owner["name"],
                        "replicas": d(1, 3, 6),
                        "by": "alice",
                    }
                )
        elif kind in ("limits", "metrics", "behavior"):
            spec = json.loads(json.dumps(original))
            if kind == "limits":
                spec["maxReplicas"] = d(1, 2, 4, 6, 10, 15, 20)
                spec["minReplicas"] = d.whole(1, min(8, spec["maxReplicas"]))
            elif kind == "behavior":
                if d.chance(0.3):
                    spec.pop("behavior", None)
                else:
                    spec["behavior"] = behavior(d)
            elif spec["metrics"]:
                spec["metrics"] = d.rng.sample(spec["metrics"], d.whole(1, len(spec["metrics"])))
            original = spec
            out.append(
                {"at_s": at, "do": "hpa_edit", "hpa": sc["hpas"][0]["name"], "spec": spec, "by": d("alice", "argocd")}
            )
        elif kind == "touch":
            out.append({"at_s": at, "do": "hpa_touch", "hpa": sc["hpas"][0]["name"]})
        elif kind == "recreate":
            out.append({"at_s": at, "do": "hpa_delete", "hpa": sc["hpas"][0]["name"]})
            if d.chance(0.85):
                back = at + d(0.001, 1, 5, step - 1, step, step + 1, 2 * step, 3 * step)
                out.append(
                    {"at_s": back, "do": "hpa_create", "hpa": sc["hpas"][0]["name"], "object": {"spec": original}}
                )
        elif kind == "target":
            out.append({"at_s": at, "do": "target_delete", "target": owner["name"]})
            if d.chance(0.8):
                out.append({"at_s": at + step * d(1, 2, 3), "do": "target_create", "target": owner["name"]})
        elif kind == "selector":
            out.append(
                {
                    "at_s": at,
                    "do": "selector",
                    "target": owner["name"],
                    "selector": d("", "a b c", "app=nobody", "!!", "app=" + owner["name"]),
                }
            )
            out.append(
                {
                    "at_s": at + step * d(1, 2, 4),
                    "do": "selector",
                    "target": owner["name"],
                    "selector": "app=" + owner["name"],
                }
            )
        elif kind == "surge":
            out.append({"at_s": at, "do": "surge", "target": owner["name"], "replicas": d(1, 2, 3)})
            out.append({"at_s": at + step * d(1, 2, 4), "do": "surge", "target": owner["name"], "replicas": 0})
        elif kind == "status":
            out.append({"at_s": at, "do": "status_replicas", "target": owner["name"], "replicas": d(0, 1, 3, 7, 20)})
            out.append({"at_s": at + step * d(1, 2), "do": "status_replicas", "target": owner["name"]})
        elif kind == "pod":
            out.append(
                {
                    "at_s": at,
                    "do": "pod",
                    "target": owner["name"],
                    "ordinal": d.whole(0, 8),
                    "set": d("delete", "gone", "Failed", "Succeeded", "False", "Unknown", "True"),
                }
            )
        elif kind == "watch":
            out.append({"at_s": at, "do": "watch_drop", "watch": d("pods", "hpas")})
    return sorted(out, key=lambda e: e["at_s"])
