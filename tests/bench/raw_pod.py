"""A pod as the API server answers with it: metadata, managed fields, spec and status, about 5.5 kB."""

import hashlib
import json
from dataclasses import dataclass
from typing import Any

from hpaaudit.api.times import whole_seconds
from hpaaudit.model.units import Micros
from tests.bench.world.facts import uid
from tests.bench.world.hpas import CONTAINER, MIB
from tests.bench.world.pods import GRACE_US
from tests.bench.world.usage import SIDECAR_MIB, SIDECAR_MILLI
from tests.bench.world.world import World

NODES = 150
DIGEST = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"
PROBE = {"scheme": "HTTP", "timeoutSeconds": 1, "periodSeconds": 10, "successThreshold": 1, "failureThreshold": 3}


@dataclass(frozen=True, slots=True, kw_only=True)
class State:
    """What changes in a pod's life; `started` and `deleted` are None before."""

    running: bool
    ready: bool
    started: int | None
    turned: int
    deleted: int | None


def text(world: World, index: int, state: State) -> str:
    """Return the pod at a place as JSON."""
    return json.dumps(
        {
            "metadata": _metadata(world, index, state),
            "spec": _spec(world, index),
            "status": _status(world, index, state),
        },
        separators=(",", ":"),
    )


def _owner(name: str) -> str:
    return name.rsplit("-", 1)[0]


def _app(name: str) -> str:
    return name.rsplit("-", 2)[0]


def _node(index: int) -> int:
    """Return the node of a pod: anyone of so many."""
    return index * 2_654_435_761 % NODES


def _stamp(at: int) -> str:
    return whole_seconds(Micros(at))


def _metadata(world: World, index: int, state: State) -> dict[str, Any]:
    name, born = world.pods.names[index], _stamp(int(world.pods["born"][index]))
    space = world.hpas.namespaces[world.hpas.namespace[world.pods["hpa"][index]]]
    ending = {} if state.deleted is None else {"deletionTimestamp": _stamp(state.deleted + GRACE_US)}
    owner = {"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": _owner(name), "uid": uid(_owner(name))}
    return {
        "name": name,
        "generateName": f"{_owner(name)}-",
        "namespace": space,
        "uid": uid(name),
        "resourceVersion": str(10_000_000 + state.turned // 25_000 % 10_000_000),
        "creationTimestamp": born,
        **ending,
        "labels": {
            "app": _app(name),
            "app.kubernetes.io/name": _app(name),
            "app.kubernetes.io/version": "1.42.0",
            "pod-template-hash": name.rsplit("-", 2)[1],
            "team": space,
        },
        "annotations": {
            "checksum/config": DIGEST,
            "kubectl.kubernetes.io/restartedAt": "2026-01-01T00:00:00Z",
            "prometheus.io/port": "9090",
            "prometheus.io/scrape": "true",
        },
        "ownerReferences": [{**owner, "controller": True, "blockOwnerDeletion": True}],
        "managedFields": [
            _managed("kube-controller-manager", born, _created(owner["uid"])),
            _managed("kubelet", _stamp(state.turned), _reported()) | {"subresource": "status"},
        ],
    }


def _managed(manager: str, at: str, fields: dict[str, Any]) -> dict[str, Any]:
    return {
        "manager": manager,
        "operation": "Update",
        "apiVersion": "v1",
        "time": at,
        "fieldsType": "FieldsV1",
        "fieldsV1": fields,
    }


def _leaves(*names: str) -> dict[str, Any]:
    return {f"f:{name}": {} for name in names}


def _created(owner: str) -> dict[str, Any]:
    """Return the fields that the ReplicaSet controller set."""
    probe = {".": {}, "f:httpGet": {".": {}, **_leaves("path", "port", "scheme")}} | _leaves(
        "failureThreshold", "periodSeconds", "successThreshold", "timeoutSeconds"
    )
    container = {
        ".": {},
        "f:env": {
            ".": {},
            **{f'k:{{"name":"{variable}"}}': {".": {}, **_leaves("name", "value")} for variable in _ENV},
        },
        "f:livenessProbe": probe,
        "f:readinessProbe": probe,
        "f:ports": {
            ".": {},
            'k:{"containerPort":8080,"protocol":"TCP"}': {".": {}, **_leaves("containerPort", "name", "protocol")},
        },
        "f:resources": {
            ".": {},
            "f:limits": {".": {}, **_leaves("memory")},
            "f:requests": {".": {}, **_leaves("cpu", "memory")},
        },
    } | _leaves("image", "imagePullPolicy", "name", "terminationMessagePath", "terminationMessagePolicy")
    return {
        "f:metadata": {
            "f:annotations": {".": {}, **_leaves("checksum/config", "prometheus.io/port", "prometheus.io/scrape")},
            "f:generateName": {},
            "f:labels": {".": {}, **_leaves("app", "pod-template-hash", "team")},
            "f:ownerReferences": {".": {}, f'k:{{"uid":"{owner}"}}': {}},
        },
        "f:spec": {"f:containers": {'k:{"name":"app"}': container}}
        | _leaves(
            "dnsPolicy",
            "enableServiceLinks",
            "restartPolicy",
            "schedulerName",
            "securityContext",
            "serviceAccount",
            "serviceAccountName",
            "terminationGracePeriodSeconds",
        ),
    }


def _reported() -> dict[str, Any]:
    """Return the fields that the kubelet set."""
    condition = {".": {}, **_leaves("lastProbeTime", "lastTransitionTime", "status", "type")}
    kinds = ("ContainersReady", "Initialized", "Ready")
    return {
        "f:status": {"f:conditions": {f'k:{{"type":"{kind}"}}': condition for kind in kinds}}
        | _leaves("containerStatuses", "hostIP", "phase", "podIP", "podIPs", "startTime")
    }


_ENV = ("DB_HOST", "LOG_LEVEL")


def _spec(world: World, index: int) -> dict[str, Any]:
    name, hpa = world.pods.names[index], int(world.pods["hpa"][index])
    cpu, memory = int(world.hpas.cpu_milli[hpa]), int(world.hpas.memory_bytes[hpa]) // MIB
    containers = [_container("app", _app(name), cpu, memory)]
    if world.hpas.kind[hpa] == CONTAINER:
        containers.append(_container("proxy", "proxy", 2 * SIDECAR_MILLI, 2 * SIDECAR_MIB))
    away = {"operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 300}
    token = [
        {"serviceAccountToken": {"expirationSeconds": 3607, "path": "token"}},
        {"configMap": {"name": "kube-root-ca.crt", "items": [{"key": "ca.crt", "path": "ca.crt"}]}},
        {"downwardAPI": {"items": [{"path": "namespace", "fieldRef": {"fieldPath": "metadata.namespace"}}]}},
    ]
    return {
        "volumes": [{"name": "kube-api-access-x7k2p", "projected": {"sources": token, "defaultMode": 420}}],
        "containers": containers,
        "restartPolicy": "Always",
        "terminationGracePeriodSeconds": 30,
        "dnsPolicy": "ClusterFirst",
        "serviceAccountName": _app(name),
        "serviceAccount": _app(name),
        "nodeName": f"ip-10-0-{_node(index)}-17.eu-west-1.compute.internal",
        "securityContext": {},
        "schedulerName": "default-scheduler",
        "tolerations": [{"key": f"node.kubernetes.io/{what}", **away} for what in ("not-ready", "unreachable")],
        "priority": 0,
        "enableServiceLinks": True,
        "preemptionPolicy": "PreemptLowerPriority",
    }


def _container(name: str, image: str, cpu: int, memory: int) -> dict[str, Any]:
    return {
        "name": name,
        "image": f"registry.example.com/{image}@sha256:{DIGEST}",
        "ports": [{"name": "http", "containerPort": 8080, "protocol": "TCP"}],
        "env": [{"name": one, "value": value} for one, value in zip(_ENV, ("db.internal", "info"), strict=True)],
        "resources": {"limits": {"memory": f"{memory}Mi"}, "requests": {"cpu": f"{cpu}m", "memory": f"{memory}Mi"}},
        "volumeMounts": [
            {
                "name": "kube-api-access-x7k2p",
                "readOnly": True,
                "mountPath": "/var/run/secrets/kubernetes.io/serviceaccount",
            }
        ],
        "livenessProbe": {"httpGet": {"path": "/healthz", "port": 8080}, **PROBE},
        "readinessProbe": {"httpGet": {"path": "/ready", "port": 8080}, **PROBE},
        "terminationMessagePath": "/dev/termination-log",
        "terminationMessagePolicy": "File",
        "imagePullPolicy": "IfNotPresent",
    }


def _status(world: World, index: int, state: State) -> dict[str, Any]:
    name, born = world.pods.names[index], _stamp(int(world.pods["born"][index]))
    scheduled = {"type": "PodScheduled", "status": "True", "lastProbeTime": None, "lastTransitionTime": born}
    if state.started is None:
        return {"phase": "Pending", "conditions": [scheduled], "qosClass": "Burstable"}
    ready, turned = "True" if state.ready else "False", _stamp(state.turned)
    address = f"10.{100 + _node(index)}.{index >> 8 & 255}.{index & 255}"
    container = {
        "name": "app",
        "state": {"running": {"startedAt": turned}},
        "lastState": {},
        "ready": state.ready,
        "restartCount": 0,
        "image": f"registry.example.com/{_app(name)}@sha256:{DIGEST[:4]}",
        "imageID": f"sha256:{DIGEST}",
        "containerID": f"containerd://{hashlib.sha256(name.encode()).hexdigest()}",
        "started": True,
    }
    turning = {"lastProbeTime": None, "lastTransitionTime": turned}
    return {
        "phase": "Running" if state.running else "Pending",
        "conditions": [
            {"type": "Initialized", "status": "True", "lastProbeTime": None, "lastTransitionTime": born},
            {"type": "Ready", "status": ready, **turning},
            {"type": "ContainersReady", "status": ready, **turning},
            scheduled,
        ],
        "hostIP": f"10.0.{_node(index)}.17",
        "podIP": address,
        "podIPs": [{"ip": address}],
        "startTime": _stamp(state.started),
        "containerStatuses": [container],
        "qosClass": "Burstable",
    }
