"""Draws worlds for 1.1 to 1.11: those that all releases share, without what a release of that time does not know."""

import json
import random
from collections.abc import Iterator
from datetime import datetime, timedelta

from tests.oracle.draw import Json
from tests.oracle.worlds import scenario

PROFILES = [
    "calm", "failures", "edges", "pods", "people", "restart", "several", "legacy", "slow", "windows", "common",
    "everything",
]  # fmt: skip
NEWEST = "1.12"
"""The release whose worlds all eras live in, as far as they know what is in them."""

DELAYS = ["0s", "15s", "30s", "30s", "1m0s", "1m0s", "1m30s", "2m0s", "3m0s", "5m0s"]
CUSTOM_METRICS = "alpha/target.custom-metrics.podautoscaler.kubernetes.io"


def is_era(release: str) -> bool:
    """True for the releases whose controllers are those of 1.1 to 1.11."""
    return int(release.split(".")[1]) < 12  # noqa: PLR2004, RUF100 (1.12)


def era_scenario(seed: int, profile: str, release: str, index: int) -> Json:
    """One world of an era; the same arguments give the same world."""
    world = scenario(seed, {"windows": "calm"}.get(profile, profile), NEWEST, index)
    world |= {"name": f"{profile}-{seed}-{index:04d}", "profile": profile, "release": release}
    world.setdefault("metrics", [])
    adapted = Era(world, release, profile, f"{seed}/{profile}/{index}").adapted()
    return {name: value for name, value in adapted.items() if value not in ([], {})}


class Era:
    """Takes from a scenario what a release does not know."""

    def __init__(self, world: Json, release: str, profile: str, key: str) -> None:
        self.world, self.minor, self.profile = world, int(release.split(".")[1]), profile
        self.rng = random.Random(f"legacy {key}")  # noqa: S311 (chance that can be repeated)
        self.heapster = False

    @property
    def is_by_hand(self) -> bool:
        """Whether this is a single case, of which nothing is drawn."""
        return self.profile == "vectors"

    def adapted(self) -> Json:
        """The scenario as this era has it. It is changed in place."""
        world = self.world
        for name in ("gates", "custom_metrics"):
            world.pop(name, None)
        self._controller()
        for target in world["targets"]:
            self._target(target)
        for hpa in world["hpas"]:
            hpa["object"] = self._whole(self._spec(hpa["object"]["spec"]))
        self._history()
        world["events"] = list(self._events())
        world["faults"] = [self._fault(fault) for fault in world.get("faults", [])]
        for metric in world.get("metrics", []):
            self._scrape(metric)
        if self.minor <= 2 and not self.is_by_hand:
            for target in world["targets"]:
                target["scrape"].update(interval_s=self._one(60, 60, 60, 30, 20), lag_s=self._one(0, 0, 5, 20))
        return world

    def _one(self, *choices: int | str) -> int | str:
        return self.rng.choice(choices)

    def _chance(self, probability: float) -> bool:
        return self.rng.random() < probability

    def _controller(self) -> None:
        flags = self.world["controller"]
        for name in ("downscale_stabilization", "cpu_initialization_period", "initial_readiness_delay"):
            flags.pop(name, None)
        if self.minor < 9:
            flags.pop("tolerance", None)
        if self.is_by_hand:
            self.heapster = self.minor <= 5
        else:
            self._drawn_flags(flags)
        if self.heapster:
            flags["heapster"] = True

    def _drawn_flags(self, flags: Json) -> None:
        if self.profile == "calm":
            flags["sync_period"] = "30s"
        elif self.minor >= 7:
            if self._chance(0.8):
                flags["upscale_delay"], flags["downscale_delay"] = self._one(*DELAYS), self._one(*DELAYS)
        elif self._chance(0.5):
            flags["sync_period"] = self._one("30s", "30s", "20s", "1m0s", "29.999s")
        self.heapster = self.minor <= 5 or self._chance(0.5 if self.minor <= 8 else 0.2)

    def _target(self, target: Json) -> None:
        if self.minor <= 8:
            old = {
                "ReplicationController": ("ReplicationController", "v1"),
                "ReplicaSet": ("ReplicaSet", "extensions/v1beta1"),
            }
            kind, version = old.get(target["kind"], ("Deployment", "extensions/v1beta1"))
            target["kind"] = "Deployment" if self.minor == 1 and kind == "ReplicaSet" else kind
            target["api_version"] = version
        target.pop("pod_requests", None)
        target.pop("overhead", None)
        for container in target.get("init_containers", []):
            container.pop("restart_policy", None)
        containers = {container["name"] for container in target["containers"]}
        target["usage"] = [usage for usage in target["usage"] if usage["container"] in containers]
        if self.minor <= 1 and not is_simple(target.get("selector", "app=x")):
            target.pop("selector")

    def _metric(self, metric: Json) -> Json:
        """One metric in the shape of v2beta1."""
        kind = metric["type"]
        if kind == "Resource":
            goal = metric["resource"]["target"]
            name = "averageUtilization" if "averageUtilization" in goal else "averageValue"
            target = {f"target{name[:1].upper()}{name[1:]}": goal[name]}
            return {"type": kind, "resource": {"name": metric["resource"]["name"], **target}}
        if kind == "Pods":
            pods = metric["pods"]
            body = {"metricName": pods["metric"]["name"], "targetAverageValue": pods["target"]["averageValue"]}
            return {"type": kind, "pods": body}
        goal = metric[kind.lower()]["target"]
        value = goal.get("value") or goal.get("averageValue")
        if kind == "Object":
            described = dict(metric["object"]["describedObject"])
            if described["kind"] == "Ingress":
                described["apiVersion"] = "extensions/v1beta1"
            body = {"target": described, "metricName": metric["object"]["metric"]["name"], "targetValue": value}
            return {"type": kind, "object": body}
        named = metric["external"]["metric"]
        if self.minor >= 10:
            body = {"metricName": named["name"]}
            if "selector" in named:
                body["metricSelector"] = named["selector"]
            body["targetValue" if "value" in goal else "targetAverageValue"] = value
            return {"type": kind, "external": body}
        return self._of_an_object(named["name"], value)

    def _of_an_object(self, name: str, value: str) -> Json:
        """Before 1.10 there is no external metric: the same signal is that of an object."""
        front = {"object": "front", "kind": "Service", "api_version": "v1"}
        for source in self.world["metrics"]:
            if source["type"] == "external" and source["name"] == name:
                signal = source.pop("series")[0]["signal"]
                source.update({"type": "object", **front, "signal": signal})
        described = {"kind": "Service", "name": "front", "apiVersion": "v1"}
        return {"type": "Object", "object": {"target": described, "metricName": name, "targetValue": value}}

    def _spec(self, given: Json) -> Json:
        """A spec of v2beta1 out of one of v2beta2 or of v1."""
        spec: Json = json.loads(json.dumps(given))
        spec.pop("behavior", None)
        if spec.get("minReplicas") == 0:
            del spec["minReplicas"]
        owner = next(each for each in self.world["targets"] if each["name"] == spec["scaleTargetRef"]["name"])
        spec["scaleTargetRef"] = {"apiVersion": owner["api_version"], "kind": owner["kind"], "name": owner["name"]}
        if "metrics" in spec:
            metrics = [self._metric(metric) for metric in spec["metrics"] if metric["type"] != "ContainerResource"]
            if self.heapster and self.minor >= 6 and not self._chance(0.15):
                metrics = [metric for metric in metrics if metric["type"] in ("Resource", "Pods")]
            spec["metrics"] = metrics
        return spec

    def _whole(self, spec: Json) -> Json:
        """An object of the version of the time."""
        if self.minor >= 6:
            newest = "autoscaling/v2beta1" if self.minor >= 8 else "autoscaling/v2alpha1"
            return {"apiVersion": newest if "metrics" in spec else "autoscaling/v1", "spec": spec}
        metrics = spec.pop("metrics", [])
        pods = [metric["pods"] for metric in metrics if metric["type"] == "Pods"]
        items = [{"name": each["metricName"], "value": each["targetAverageValue"]} for each in pods]
        resources = [metric["resource"] for metric in metrics if metric["type"] == "Resource"]
        cpu = [resource.get("targetAverageUtilization", 70) for resource in resources]
        percent = spec.pop("targetCPUUtilizationPercentage", cpu[0] if cpu else None)
        whole: Json = {"apiVersion": "autoscaling/v1", "spec": spec}
        if self.minor >= 2 and items:
            text = json.dumps({"items": items}, separators=(",", ":"))
            whole["metadata"] = {"annotations": {CUSTOM_METRICS: text}}
        if self.minor == 1 or (self.minor == 2 and self._chance(0.7)) or self._chance(0.1):
            whole["apiVersion"] = "extensions/v1beta1"
            spec["scaleRef"] = {**spec.pop("scaleTargetRef"), "subresource": "scale"}
            if percent is not None:
                spec["cpuUtilization"] = {"targetPercentage": percent}
        elif percent is not None:
            spec["targetCPUUtilizationPercentage"] = percent
        return whole

    def _fault(self, fault: Json) -> Json:
        if fault["api"] == "watch_pods" or (self.minor <= 1 and fault["api"] == "watch_hpas"):
            message = "etcdserver: request timed out"
            fault |= {"api": "pod_list", "kind": "error", "status": 500, "reason": "InternalError", "message": message}
        if fault["api"] == "external" and self.minor < 10:
            kept = fault["kind"] in ("error", "refused", "empty", "stale")
            fault |= {"api": "object", "kind": fault["kind"] if kept else "stale"}
        if self.minor <= 5 and fault["api"] in ("object", "external"):
            fault["api"] = "resource"
        return fault

    def _events(self) -> Iterator[Json]:
        for event in self.world.get("events", []):
            if event["do"] == "watch_drop" and (event["watch"] == "pods" or self.minor <= 1):
                continue
            if event["do"] == "hpa_edit":
                event["spec"] = self._whole(self._spec(event["spec"]))
            elif event["do"] == "hpa_create":
                event["object"] = self._whole(self._spec(event["object"]["spec"]))
            elif event["do"] == "selector" and self.minor <= 1 and not is_simple(event["selector"]):
                continue
            yield event

    def _history(self) -> None:
        """Some HPAs have been scaled before, so that a window is open, or closes on an edge."""
        start = datetime.fromisoformat(self.world.get("start", "2026-03-02T14:05:00Z"))
        flags = self.world["controller"]
        replicas = self.world["targets"][0]["replicas"]
        for hpa in self.world["hpas"]:
            if "last_scale_s" in hpa:
                hpa["object"]["status"] = _scaled(replicas, start + timedelta(seconds=hpa.pop("last_scale_s")))
                continue
            if hpa.get("at_s", 0) > 0 or self.is_by_hand or not self._chance(0.5):
                continue
            down, up = seconds(flags.get("downscale_delay", "5m0s")), seconds(flags.get("upscale_delay", "3m0s"))
            ago = self.rng.choice([up, down, up, down, 600]) - self.rng.choice([0, 15, 30, 60, 90, 120, 15, 30])
            ago += self.rng.choice([0, 0, 0, 1, -1])
            hpa["object"]["status"] = _scaled(replicas, start - timedelta(seconds=int(max(ago, 0))))

    def _scrape(self, metric: Json) -> None:
        """How often Heapster looks, which is seldom."""
        if self.minor < 8:
            metric.get("scrape", {}).pop("window_s", None)
        if self.minor <= 5 and not self.is_by_hand:
            metric["unit"] = self._one("milli", "milli", "micro")
        if metric["type"] == "object" and metric["kind"] == "Ingress":
            metric["api_version"] = "extensions/v1beta1"
        if not self.is_by_hand and (self.minor <= 5 or self.heapster):
            metric["scrape"] = {
                "interval_s": self._one(60, 60, 30, 20),
                "lag_s": self._one(0, 0, 5, 20),
                "first_s": self._one(0, 0, 60),
            }


def _scaled(replicas: int, last: datetime) -> Json:
    shown = last.strftime("%Y-%m-%dT%H:%M:%SZ")
    return {"currentReplicas": replicas, "desiredReplicas": replicas, "lastScaleTime": shown}


def seconds(duration: str) -> float:
    """A duration of minutes and seconds in seconds."""
    minutes, _, rest = duration.rpartition("m")
    return 60 * int(minutes or 0) + float(rest.rstrip("s") or 0)


def is_simple(selector: str) -> bool:
    """Whether a selector can be a map of labels, as it was in 1.1."""
    parts = selector.split(",")
    return all(part.count("=") == 1 and not set("!<>() ") & set(part) and part[:1] != "=" for part in parts)
