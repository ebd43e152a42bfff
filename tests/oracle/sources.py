"""Draws the metrics of an HPA, with the sources that answer for them."""

from tests.oracle.draw import NUDGES, Draw, Json, levels, milli, signal
from tests.oracle.workload import request_milli


def metrics(
    d: Draw, sc: Json, owner: Json, count: int, until: float, step: float, *, allow_zero: bool = False
) -> list[Json]:
    """Metric specs of an HPA, and the sources that answer for them."""
    specs, replicas = [], owner["replicas"]
    kinds = ["Resource", "Resource", "Resource", "Pods", "Object", "External", "External"]
    if d.minor >= 20:
        kinds.append("ContainerResource")
    if allow_zero:
        kinds = ["External", "External", "Object", "Resource"]
    for index in range(count):
        kind = d(kinds) if not (allow_zero and index == 0) else d("External", "Object")
        if kind in ("Resource", "ContainerResource"):
            name = d("cpu", "cpu", "cpu", "memory")
            body = {"name": name}
            container = None
            if kind == "ContainerResource":
                container = d([c["name"] for c in owner["containers"]] + (["zz"] if d.chance(0.15) else []))
                body["container"] = container
            if d.chance(0.75):
                body["target"] = {
                    "type": "Utilization",
                    "averageUtilization": d(50, 50, 60, 70, 80, 30, 100, 200, 1, 124),
                }
            else:
                average = request_milli(owner["containers"], name, container) * d(50, 60, 80) // 100 or 100
                body["target"] = {"type": "AverageValue", "averageValue": milli(max(1, average))}
            key = "resource" if kind == "Resource" else "containerResource"
            specs.append({"type": kind, key: body})
        elif kind == "Pods":
            name = f"qps{index}"
            wanted = d(10000, 100, 1, 1500, 333, 1000000, 7)
            mode, points = signal(d, until, wanted, step, replicas)
            source = {
                "type": "pods",
                "name": name,
                "target": owner["name"],
                "mode": mode,
                "signal": points,
                "unit": d("milli", "micro"),
                "scrape": {"interval_s": d(1, 15, 30), "lag_s": d(0, 5), "first_s": d(0, 15)},
            }
            if d.chance(0.3):
                source["scrape"]["window_s"] = d(30, 60, 90)
            if d.chance(0.3):
                source["offsets"] = [d(NUDGES) * d(1, 10, wanted // 2 + 1) for _ in range(d.whole(2, 4))]
            sc["metrics"].append(source)
            metric = {"name": name}
            if d.chance(0.2):
                metric["selector"] = {"matchLabels": {"verb": "GET"}}
            specs.append(
                {
                    "type": "Pods",
                    "pods": {"metric": metric, "target": {"type": "AverageValue", "averageValue": milli(wanted)}},
                }
            )
        elif kind == "Object":
            name = f"requests{index}"
            wanted = d(10000, 2000, 1, 500, 1000000, 30000)
            per_pod = d.chance(0.5)
            base = wanted * replicas if per_pod else wanted
            object_kind, version, object_name = d(
                ("Service", "v1", "front"),
                ("Ingress", "networking.k8s.io/v1", "edge"),
                ("Deployment", "apps/v1", owner["name"]),
                ("Namespace", "v1", "shop"),
                ("Pod", "v1", "db-0"),
            )
            sc["metrics"].append(
                {
                    "type": "object",
                    "name": name,
                    "object": object_name,
                    "kind": object_kind,
                    "api_version": version,
                    "signal": {"points": levels(d, until, base, step)},
                    "unit": d("milli", "micro"),
                    "scrape": {"interval_s": d(1, 15), "lag_s": d(0, 5)},
                }
            )
            goal = (
                {"type": "AverageValue", "averageValue": milli(wanted)}
                if per_pod
                else {"type": "Value", "value": milli(wanted)}
            )
            metric = {"name": name}
            if d.chance(0.15):
                metric["selector"] = {
                    "matchExpressions": [
                        {
                            "key": "path",
                            "operator": "In",
                            "values": d(["cart", "home"], ["cart", "home"], ["/", "/cart"]),
                        }
                    ]
                }
            specs.append(
                {
                    "type": "Object",
                    "object": {
                        "metric": metric,
                        "target": goal,
                        "describedObject": {"kind": object_kind, "name": object_name, "apiVersion": version},
                    },
                }
            )
        else:
            name = f"queue{index}"
            wanted = d(30000, 10000, 100, 1, 1000, 5000000)
            per_pod = d.chance(0.6)
            base = wanted * replicas if per_pod else wanted
            parts = d(1, 1, 2, 3)
            series = []
            for part in range(parts):
                points = levels(d, until, max(base // parts, 1), step)
                if allow_zero:
                    points = [[at, value if at == 0 or d.chance(0.5) else 0] for at, value in points]
                    points = [[at, 0] if d.chance(0.1) else [at, value] for at, value in points]
                series.append(
                    {
                        "labels": {"queue": d("a", "a", "b"), "part": str(part)},
                        "signal": {"points": points},
                        "unit": d("milli", "micro"),
                    }
                )
            sc["metrics"].append(
                {
                    "type": "external",
                    "name": name,
                    "series": series,
                    "scrape": {"interval_s": d(1, 15), "lag_s": d(0, 5)},
                }
            )
            metric = {"name": name}
            if d.chance(0.4):
                metric["selector"] = d(
                    {"matchLabels": {"queue": "a"}},
                    {"matchExpressions": [{"key": "queue", "operator": "In", "values": ["a", "b"]}]},
                    {},
                    {"matchExpressions": [{"key": "queue", "operator": "Exists"}]},
                )
            goal = (
                {"type": "AverageValue", "averageValue": milli(wanted)}
                if per_pod
                else {"type": "Value", "value": milli(wanted)}
            )
            specs.append({"type": "External", "external": {"metric": metric, "target": goal}})
    return specs


def extreme(d: Draw, sc: Json, owner: Json) -> Json:
    """Values at the ends of int32, int64 and of what a quantity can say."""
    name = "flood"
    text = d(
        "300000000",
        "9223372036854775",
        "9223372036854775807",
        "1e18",
        "-5",
        "-1m",
        "0.0001",
        "1n",
        "1500u",
        "-1500u",
        "2147483647",
        "2147483648",
        "4e9",
        "1Ei",
        "8Ei",
        "123456789.123456789",
        "0.9999",
        "1.0001",
        "214748364700",
        "922337203685477580",
        "1e15",
        "3e11",
    )
    goal = d("100m", "1m", "1", "10", "1k", "0.5", "1Gi", "2147483647")
    values = [[0, "1"], [45, text], [150, "0"], [195, text], [240, d("5", "10", "1m", "-3")]]
    kind = d("External", "External", "Object", "Pods")
    if kind == "Pods":
        sc["metrics"].append(
            {"type": "pods", "name": name, "target": owner["name"], "mode": "each", "signal": {"points": values}}
        )
        spec = {
            "type": "Pods",
            "pods": {"metric": {"name": name}, "target": {"type": "AverageValue", "averageValue": goal}},
        }
    else:
        per_pod = d.chance(0.6)
        target_ = {"type": "AverageValue", "averageValue": goal} if per_pod else {"type": "Value", "value": goal}
        if kind == "External":
            copies = d(1, 1, 2, 3)
            sc["metrics"].append(
                {
                    "type": "external",
                    "name": name,
                    "series": [{"labels": {"n": str(i)}, "signal": {"points": values}} for i in range(copies)],
                }
            )
            spec = {"type": "External", "external": {"metric": {"name": name}, "target": target_}}
        else:
            sc["metrics"].append(
                {
                    "type": "object",
                    "name": name,
                    "object": "front",
                    "kind": "Service",
                    "api_version": "v1",
                    "signal": {"points": values},
                }
            )
            spec = {
                "type": "Object",
                "object": {
                    "metric": {"name": name},
                    "target": target_,
                    "describedObject": {"kind": "Service", "name": "front", "apiVersion": "v1"},
                },
            }
    return spec
