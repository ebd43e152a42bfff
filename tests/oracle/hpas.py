"""Draws HPAs: their limits, their metrics, their behavior."""

from tests.oracle.draw import NUDGES, Draw, Json, milli
from tests.oracle.sources import extreme, metrics

WINDOWS = [0, 0, 15, 15, 30, 30, 45, 60, 60, 90, 120, 300]

PERIODS = [1, 14, 15, 15, 16, 30, 45, 60, 90, 120, 1800]


def behavior(d: Draw) -> Json:
    """One behavior, with edges in windows, periods, policies and tolerances."""

    def rules(direction: str) -> Json:
        """The rules of one direction."""
        rule = {}
        if d.chance(0.7):
            rule["stabilizationWindowSeconds"] = d(WINDOWS)
        if d.chance(0.7):
            rule["selectPolicy"] = d("Max", "Max", "Min", "Min", "Disabled")
        if d.chance(0.75):
            policies = []
            for _ in range(d.whole(1, 3)):
                if d.chance(0.5):
                    value = d(1, 1, 2, 2, 3, 4, 5, 10, 100, 2147483647)
                    policies.append({"type": "Pods", "value": value, "periodSeconds": d(PERIODS)})
                else:
                    value = d(1, 5, 10, 10, 20, 25, 30, 33, 50, 50, 80, 90, 100, 100, 150, 200, 300, 1000)
                    if direction == "scaleDown":
                        value = min(value, 100)
                    policies.append({"type": "Percent", "value": value, "periodSeconds": d(PERIODS)})
            rule["policies"] = policies
        if d.minor >= 33 and d.chance(0.3):
            rule["tolerance"] = d("0", "50m", "100m", "9m", "200m", "0.05", "1", "15m", "0.0001")
        return rule

    out = {}
    if d.chance(0.8):
        out["scaleUp"] = rules("scaleUp")
    if d.chance(0.8):
        out["scaleDown"] = rules("scaleDown")
    return out


def hpa(d: Draw, sc: Json, owner: Json, until: float, step: float, name: str = "web") -> Json:
    """An HPA object for a target."""
    zero = d.has("zero")
    count = d(1, 1, 1, 2, 2, 3, 4)
    spec = {
        "scaleTargetRef": {"apiVersion": owner["api_version"], "kind": owner["kind"], "name": owner["name"]},
        "maxReplicas": d(5, 8, 10, 10, 12, 16, 20, 30, 40),
    }
    if d.chance(0.7):
        spec["minReplicas"] = d(1, 1, 2, 2, 3, 5)
    if spec.get("minReplicas", 1) > spec["maxReplicas"]:
        spec["minReplicas"] = 1
    spec["metrics"] = metrics(d, sc, owner, count, until, step, allow_zero=zero)
    if zero and d.chance(0.8):
        spec["minReplicas"] = 0
    if d.has("edges") and d.chance(0.35):
        spec["metrics"] = [*spec["metrics"][: d(0, 1)], extreme(d, sc, owner)]
        spec["maxReplicas"] = d(20, 2147483647, 1000)
    if d.profile in ("behavior", "slow") or d.chance(0.4):
        spec["behavior"] = behavior(d)
    if d.chance(0.05) and not zero:
        spec["metrics"] = []
    return {"name": name, "object": {"spec": spec}}


def to_zero_hpa(d: Draw, sc: Json, owner: Json, until: float, step: float) -> Json:
    """An HPA that may go to zero and come back: the queue or the requests run dry for a while."""
    specs = []
    for index in range(d(1, 1, 1, 2)):
        name, wanted, per_pod = f"depth{index}", d(10000, 1000, 30000, 1), d.chance(0.6)
        points, at, full = [], 0, True
        while at < until:
            value = d(wanted, wanted * 3, wanted * 7, wanted // 2 or 1, wanted * 11 // 10) if full else 0
            points.append([at, value])
            at += step * d(2, 3, 5, 8, 13) + d(NUDGES)
            full = not full if d.chance(0.85) else full
        goal = (
            {"type": "AverageValue", "averageValue": milli(wanted)}
            if per_pod
            else {"type": "Value", "value": milli(wanted)}
        )
        if d.chance(0.6):
            sc["metrics"].append(
                {
                    "type": "external",
                    "name": name,
                    "series": [{"labels": {"q": "a"}, "signal": {"points": points}, "unit": "milli"}],
                    "scrape": {"interval_s": d(1, 15), "lag_s": d(0, 5)},
                }
            )
            specs.append({"type": "External", "external": {"metric": {"name": name}, "target": goal}})
        else:
            sc["metrics"].append(
                {
                    "type": "object",
                    "name": name,
                    "object": "front",
                    "kind": "Service",
                    "api_version": "v1",
                    "signal": {"points": points},
                    "unit": "milli",
                    "scrape": {"interval_s": d(1, 15), "lag_s": d(0, 5)},
                }
            )
            specs.append(
                {
                    "type": "Object",
                    "object": {
                        "metric": {"name": name},
                        "target": goal,
                        "describedObject": {"kind": "Service", "name": "front", "apiVersion": "v1"},
                    },
                }
            )
    if d.chance(0.25):
        specs.append(
            {
                "type": "Resource",
                "resource": {"name": "cpu", "target": {"type": "Utilization", "averageUtilization": d(50, 80)}},
            }
        )
    spec = {
        "scaleTargetRef": {"apiVersion": owner["api_version"], "kind": owner["kind"], "name": owner["name"]},
        "minReplicas": d(0, 0, 0, 0, 1),
        "maxReplicas": d(3, 8, 20),
        "metrics": specs,
    }
    if d.chance(0.6):
        down = {"stabilizationWindowSeconds": d(0, 0, 15, 30, 60)}
        if d.chance(0.3):
            down["policies"] = [{"type": d("Pods", "Percent"), "value": d(1, 50, 100), "periodSeconds": d(15, 30)}]
        spec["behavior"] = {"scaleDown": down}
        if d.chance(0.3):
            spec["behavior"]["scaleUp"] = {"stabilizationWindowSeconds": d(0, 15, 45)}
    return {"name": "web", "object": {"spec": spec}}


def legacy_hpa(d: Draw, owner: Json) -> Json:
    """An HPA as autoscaling/v1 knows it."""
    spec = {
        "scaleTargetRef": {"apiVersion": owner["api_version"], "kind": owner["kind"], "name": owner["name"]},
        "minReplicas": d(1, 2, 3),
        "maxReplicas": d(8, 10, 20),
    }
    if d.chance(0.8):
        spec["targetCPUUtilizationPercentage"] = d(50, 60, 70, 80)
    return {"apiVersion": "autoscaling/v1", "spec": spec}
