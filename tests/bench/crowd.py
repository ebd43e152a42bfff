"""The objects of a crowded cluster as JSON: 5,000 HPAs and 50,000 pods, each text made when it is asked for."""

import json
import random
import time
from dataclasses import dataclass, field
from hashlib import blake2b

PODS_OF_HPA, HPAS_OF_NAMESPACE = 10, 25
SCRAPE_SECONDS = 15
DIGEST = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"
CALCULATED = (
    "the HPA was able to successfully calculate a replica count from cpu resource utilization (percentage of request)"
)
MARK = "\x00{}\x00"
"""Where a template has a hole."""


def stamp(at: float) -> str:
    """RFC 3339, whole seconds."""
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(at))


def _probe() -> dict[str, object]:
    return {"httpGet": {"path": "/healthz", "port": 8080, "scheme": "HTTP"}, "timeoutSeconds": 1, "periodSeconds": 10,
            "successThreshold": 1, "failureThreshold": 3}  # fmt: skip


def _fields(*names: str) -> dict[str, object]:
    return {f"f:{name}": {".": {}, "f:name": {}, "f:value": {}} for name in names}


def _container(name: str) -> dict[str, object]:
    env = [{"name": f"SETTING_{n}", "value": f"value-of-setting-{n}"} for n in range(12)]
    return {
        "name": name, "image": f"registry.example.com/shop/{name}@sha256:{DIGEST}", "env": env,
        "ports": [{"containerPort": 8080, "protocol": "TCP"}], "livenessProbe": _probe(), "readinessProbe": _probe(),
        "resources": {"requests": {"cpu": "100m", "memory": "128Mi"}, "limits": {"memory": "256Mi"}},
        "volumeMounts": [{"name": "token", "readOnly": True, "mountPath": "/var/run/secrets/kubernetes.io"}],
        "terminationMessagePath": "/dev/termination-log", "terminationMessagePolicy": "File",
    }  # fmt: skip


def _template(value: object) -> list[str]:
    """The JSON of a value, cut at its holes: names of holes stand at odd places."""
    return json.dumps(value, separators=(",", ":")).replace("\\u0000", "\x00").split("\x00")


def hole(name: str) -> str:
    """A hole of a template."""
    return MARK.format("{" + name + "}").replace("{{", "{").replace("}}", "}")


POD = _template({
    "metadata": {
        "name": hole("name"), "generateName": hole("owner"), "namespace": hole("namespace"), "uid": hole("uid"),
        "resourceVersion": hole("version"), "creationTimestamp": hole("created"), "deletionTimestamp": hole("deleted"),
        "labels": {"app": hole("app"), "pod-template-hash": "7d9c6b8f5", "team": "shop", "version": "v42"},
        "annotations": {"prometheus.io/scrape": "true", "checksum/config": DIGEST},
        "ownerReferences": [{"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": hole("owner"), "uid": hole("app"),
                             "controller": True, "blockOwnerDeletion": True}],
        "managedFields": [
            {"manager": "kube-controller-manager", "operation": "Update", "apiVersion": "v1", "time": hole("created"),
             "fieldsType": "FieldsV1", "fieldsV1": {"f:spec": _fields(*(f"field{n}" for n in range(20)))}},
            {"manager": "kubelet", "operation": "Update", "apiVersion": "v1", "time": hole("created"),
             "fieldsType": "FieldsV1", "subresource": "status",
             "fieldsV1": {"f:status": _fields(*(f"status{n}" for n in range(15)))}},
        ],
    },
    "spec": {"containers": [_container("app"), _container("proxy")], "nodeName": "node-1", "restartPolicy": "Always",
             "schedulerName": "default-scheduler", "serviceAccountName": "default", "dnsPolicy": "ClusterFirst"},
    "status": {
        "phase": hole("phase"), "hostIP": "10.0.0.1", "podIP": "10.1.2.3", "startTime": hole("created"),
        "qosClass": "Burstable",
        "conditions": [
            {"type": kind, "status": hole("ready"), "lastProbeTime": None, "lastTransitionTime": hole("turned")}
            for kind in ("PodReadyToStartContainers", "Initialized", "Ready", "ContainersReady")
        ],
        "containerStatuses": [{"name": name, "ready": True, "restartCount": 0, "started": True, "lastState": {},
                               "state": {"running": {"startedAt": hole("created")}}, "imageID": f"sha256:{DIGEST}",
                               "containerID": f"containerd://{DIGEST}"} for name in ("app", "proxy")],
    },
})  # fmt: skip

_TARGET = {"type": "Utilization", "averageUtilization": 60}
HPA = _template({
    "kind": "HorizontalPodAutoscaler", "apiVersion": "autoscaling/v2",
    "metadata": {
        "name": hole("app"), "namespace": hole("namespace"), "uid": hole("uid"), "resourceVersion": hole("version"),
        "generation": 1, "creationTimestamp": hole("created"), "labels": {"team": "shop"},
        "managedFields": [{"manager": "helm", "operation": "Update", "apiVersion": "autoscaling/v2",
                           "time": hole("created"), "fieldsType": "FieldsV1",
                           "fieldsV1": {"f:spec": {"f:maxReplicas": {}, "f:minReplicas": {}, "f:metrics": {}}}}],
    },
    "spec": {
        "scaleTargetRef": {"kind": "Deployment", "name": hole("app"), "apiVersion": "apps/v1"},
        "minReplicas": 2, "maxReplicas": 40,
        "metrics": [{"type": "Resource", "resource": {"name": "cpu", "target": _TARGET}}],
        "behavior": {"scaleDown": {"stabilizationWindowSeconds": 300, "selectPolicy": "Max",
                                   "policies": [{"type": "Percent", "value": 50, "periodSeconds": 60}]}},
    },
    "status": {
        "observedGeneration": 1, "lastScaleTime": hole("created"), "currentReplicas": 10, "desiredReplicas": 10,
        "currentMetrics": [{"type": "Resource", "resource": {"name": "cpu", "current": {
            "averageUtilization": "@", "averageValue": hole("average")}}}],
        "conditions": [{"type": kind, "status": status, "lastTransitionTime": hole("created"), "reason": reason,
                        "message": message} for kind, status, reason, message in (
            ("AbleToScale", "True", "ReadyForNewScale", "recommended size matches current size"),
            ("ScalingActive", "True", "ValidMetricFound", CALCULATED),
            ("ScalingLimited", "False", "DesiredWithinRange", "the desired count is within the acceptable range"))],
    },
})  # fmt: skip

DEPLOYMENT = _template({
    "kind": "Deployment", "apiVersion": "apps/v1",
    "metadata": {
        "name": hole("app"), "namespace": hole("namespace"), "uid": hole("uid"), "resourceVersion": hole("version"),
        "generation": 3, "annotations": {"deployment.kubernetes.io/revision": "4"},
        "managedFields": [{"manager": "kube-controller-manager", "operation": "Update", "subresource": "scale",
                           "time": hole("created"), "fieldsV1": {"f:spec": {"f:replicas": {}}}}],
    },
    "spec": {"replicas": 10, "selector": {"matchLabels": {"app": hole("app")}},
             "strategy": {"rollingUpdate": {"maxSurge": "25%", "maxUnavailable": "25%"}},
             "template": {"metadata": {"labels": {"app": hole("app")}}, "spec": {"containers": [_container("app")]}}},
    "status": {"replicas": 10, "updatedReplicas": 10, "readyReplicas": 10, "conditions": [
        {"type": "Progressing", "status": "True", "reason": "NewReplicaSetAvailable"}]},
})  # fmt: skip


def filled(template: list[str], **values: str) -> str:
    """A template with its holes filled."""
    texts = template[:]
    for index in range(1, len(texts), 2):
        texts[index] = values[texts[index][1:-1]]
    return "".join(texts)


@dataclass(slots=True)
class Crowd:
    """The cluster: `lives` counts, for each place of a pod, the pods that were there."""

    hpas: int
    seed: int = 7
    begun: float = field(default_factory=time.time)
    version: int = 1_000_000
    lives: dict[int, int] = field(default_factory=dict)

    @property
    def pods(self) -> int:
        """How many places there are."""
        return self.hpas * PODS_OF_HPA

    @property
    def namespaces(self) -> int:
        """How many there are."""
        return -(-self.hpas // HPAS_OF_NAMESPACE)

    def namespace(self, hpa: int) -> str:
        """Of an HPA."""
        return f"team-{hpa // HPAS_OF_NAMESPACE:03d}"

    def next_version(self) -> int:
        """A new resource version."""
        self.version += 1
        return self.version

    def pod_name(self, index: int, life: int) -> str:
        """As a ReplicaSet names them."""
        code = blake2b(f"{self.seed}/{index}/{life}".encode(), digest_size=4).hexdigest()
        return f"app-{index // PODS_OF_HPA:04d}-7d9c6b8f5-{code}"

    def pod(self, index: int, life: int | None = None, *, phase: str = "Running", ready: bool = True,
            deleted: bool = False) -> str:  # fmt: skip
        """One pod in one state."""
        life = self.lives.get(index, 0) if life is None else life
        hpa, now = index // PODS_OF_HPA, time.time()
        created = stamp(self.begun - 3600 if not life else self.begun)
        return filled(
            POD, name=self.pod_name(index, life), owner=f"app-{hpa:04d}-7d9c6b8f5", namespace=self.namespace(hpa),
            uid=f"0b6f2d8e-0000-4000-8000-{index:06d}{life:06d}", version=str(self.version), created=created,
            deleted=stamp(now) if deleted else "", app=f"app-{hpa:04d}", phase=phase, ready=str(ready),
            turned=stamp(now) if life else created,
        )  # fmt: skip

    def hpa(self, hpa: int, turn: int) -> str:
        """One HPA, whose published utilization changes from turn to turn."""
        percent = 40 + (hpa * 7 + turn * 13) % 30
        return filled(
            HPA, app=f"app-{hpa:04d}", namespace=self.namespace(hpa), uid=f"hpa-{hpa}", version=str(self.version),
            created=stamp(self.begun - 3600), average=f"{percent}m",
        ).replace('"@"', str(percent))  # fmt: skip

    def deployment(self, hpa: int) -> str:
        """Its target."""
        return filled(
            DEPLOYMENT, app=f"app-{hpa:04d}", namespace=self.namespace(hpa), uid=f"deployment-{hpa}",
            version=str(self.version), created=stamp(self.begun - 3600),
        )  # fmt: skip

    def usage(self, namespace: int) -> str:
        """What metrics-server says of a namespace: each has its own instant of being scraped."""
        now = time.time()
        scraped = now - (now - namespace * SCRAPE_SECONDS / self.namespaces) % SCRAPE_SECONDS
        chance = random.Random(f"{self.seed}/{namespace}/{int(scraped)}")  # noqa: S311
        first = namespace * HPAS_OF_NAMESPACE
        items = []
        for hpa in range(first, min(first + HPAS_OF_NAMESPACE, self.hpas)):
            for index in range(hpa * PODS_OF_HPA, (hpa + 1) * PODS_OF_HPA):
                cpu, memory = chance.randrange(40_000_000, 90_000_000), chance.randrange(60_000, 90_000)
                items.append(
                    f'{{"metadata":{{"name":"{self.pod_name(index, self.lives.get(index, 0))}",'
                    f'"namespace":"{self.namespace(hpa)}","creationTimestamp":"{stamp(now)}",'
                    f'"labels":{{"app":"app-{hpa:04d}","pod-template-hash":"7d9c6b8f5","team":"shop"}}}},'
                    f'"timestamp":"{stamp(scraped - index % 5)}","window":"15.{index % 1000:03d}s","containers":['
                    f'{{"name":"app","usage":{{"cpu":"{cpu}n","memory":"{memory}Ki"}}}},'
                    f'{{"name":"proxy","usage":{{"cpu":"{cpu // 7}n","memory":"{memory // 3}Ki"}}}}]}}'
                )
        head = '{"kind":"PodMetricsList","apiVersion":"metrics.k8s.io/v1beta1","metadata":{}'
        return f'{head},"items":[{",".join(items)}]}}'
