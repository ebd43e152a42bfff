"""Starts and stops a real Kubernetes control plane on loopback: etcd, kube-apiserver, kube-controller-manager.

    with Cluster(folder) as cluster:                 # world and metrics run in this process
        cluster.state["pods"]["shop/app=checkout"] = {"cpu": 900}
        cluster.kube.post("/apis/apps/v1/namespaces/shop/deployments", …)

There is no kubelet and no scheduler: `world.py` runs the pods, `metrics.py` serves the metrics APIs, which the API
server finds through aggregation. Everything lives in the folder: certificates, data, logs, audit.log, seen.jsonl.
"""

import base64
import contextlib
import ctypes
import http.client
import json
import os
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Self

from tests.cluster import build, flags, kube, metrics, world
from tests.cluster.pki import HOST, SERVICE, certificates

LEASE = "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/kube-controller-manager"
API_SERVICES = "/apis/apiregistration.k8s.io/v1/apiservices"
FAST = {
    "horizontal-pod-autoscaler-sync-period": "1s",
    "horizontal-pod-autoscaler-downscale-stabilization": "5s",
    "horizontal-pod-autoscaler-initial-readiness-delay": "1s",
    "horizontal-pod-autoscaler-cpu-initialization-period": "2s",
    # It would end itself where an API server that restarts on a busy machine keeps it from renewing its Lease.
    "leader-elect-lease-duration": "60s",
    "leader-elect-renew-deadline": "50s",
}
"""A controller that a test can wait for."""
USERS = {  # name: groups
    "admin": "system:masters",
    "alice": "system:masters",
    "system:kube-controller-manager": "",
    "reader": "",
    "nobody": "",
}


def free_ports(count: int) -> list[int]:
    """Ports that nobody listens on, a moment ago."""
    sockets = [socket.socket() for _ in range(count)]
    try:
        for item in sockets:
            item.bind((HOST, 0))
        return [item.getsockname()[1] for item in sockets]
    finally:
        for item in sockets:
            item.close()


def die_with_parent() -> None:
    """On Linux nothing is left behind when the test process is gone, even by kill -9."""
    with contextlib.suppress(OSError):
        ctypes.CDLL(None).prctl(1, signal.SIGKILL)


def stop(process: subprocess.Popen[bytes], seconds: float = 0.5) -> None:
    """Ask, then insist. The API server would wait 60 s for open watches; its audit log is complete at any moment."""
    process.terminate()
    try:
        process.wait(seconds)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


class Cluster:
    """A control plane in a folder of its own.

    controller_flags, apiserver_flags   of these programs;  gates  of both
    state   what the world does and answers (see world.py), to be changed while it runs
    """

    def __init__(
        self,
        folder: Path,
        *,
        release: str = build.RELEASE,
        controller_flags: dict[str, str] | None = None,
        gates: dict[str, bool] | None = None,
        apiserver_flags: dict[str, str] | None = None,
    ) -> None:
        self.dir = folder.resolve()
        self.release = release
        self.flags, self.gates, self.apiserver_flags = dict(controller_flags or {}), gates or {}, apiserver_flags or {}
        self.processes: dict[str, subprocess.Popen[bytes]] = {}
        self.state: world.State = {"pods": {}, "external": {}, "objects": {}, "faults": {}, "without_metrics": []}
        self.world: world.World | None = None
        self.metrics: metrics.Server | None = None

    # Up

    def up(self) -> Self:
        """Start it all and wait until the controller leads, 3 to 6 s."""
        self.programs = build.build(self.release)
        for tries_left in (2, 1, 0):
            try:
                self.prepare()
                self.start_etcd()
                self.start_apiserver()
                self.serve_metrics()
                self.start_controller_manager()
            except BaseException as problem:
                self.down()
                # A port that was free may be taken a moment later: then others are tried.
                if not tries_left or "address already in use" not in str(problem).lower():
                    raise
            else:
                return self
        raise AssertionError(tries_left)

    __enter__ = up

    def prepare(self) -> None:
        """Make certificates, tokens, kubeconfigs and a client."""
        for name in ("pki", "etcd"):
            shutil.rmtree(self.dir / name, ignore_errors=True)
        for name in ("logs", "audit"):
            (self.dir / name).mkdir(parents=True, exist_ok=True)
        certificates(self.dir / "pki")
        names = ("etcd", "etcd_peer", "apiserver", "controller_manager", "metrics")
        self.ports = dict(zip(names, free_ports(len(names)), strict=True))
        self.url = f"https://{HOST}:{self.ports['apiserver']}"
        self.ca = str(self.dir / "pki/ca.crt")
        self.tokens = {user: secrets.token_hex(16) for user in USERS}
        rows = [f'{self.tokens[user]},{user},uid-{n},"{groups}"\n' for n, (user, groups) in enumerate(USERS.items())]
        (self.dir / "tokens.csv").write_text("".join(rows))
        for user in USERS:
            self.kubeconfig(user)
        self.kube = self.client("admin")

    def client(self, user: str, agent: str = "tests/1") -> kube.Kube:
        """A client that speaks as this user."""
        return kube.Kube(self.url, self.tokens[user], self.ca, agent=agent)

    def kubeconfig(self, user: str, **changes: Any) -> Path:
        """Write a kubeconfig with one context, `here`; `changes` replace parts of its user entry."""
        path = self.dir / f"{user.removeprefix('system:')}.kubeconfig"
        content = {
            "apiVersion": "v1",
            "kind": "Config",
            "current-context": "here",
            "clusters": [{"name": "here", "cluster": {"server": self.url, "certificate-authority": self.ca}}],
            "users": [{"name": user, "user": changes or {"token": self.tokens[user]}}],
            "contexts": [{"name": "here", "context": {"cluster": "here", "user": user}}],
        }
        path.write_text(json.dumps(content, indent=1))
        return path

    def start(self, name: str, wanted: flags.Flags) -> None:
        """Start one program with its output in logs/."""
        calm = {key: value for key, value in os.environ.items() if not key.lower().endswith("_proxy")}
        with (self.dir / "logs" / f"{name}.log").open("ab") as log:
            self.processes[name] = subprocess.Popen(
                [str(self.programs / name), *(f"--{flag}={value}" for flag, value in wanted.items())],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                cwd=self.dir,
                env={**calm, "TZ": "UTC"},  # klog's text has local times and no zone
                start_new_session=True,
                preexec_fn=die_with_parent if sys.platform == "linux" else None,  # noqa: PLW1509  # only a prctl
            )

    def start_etcd(self) -> None:
        """Start etcd; it forgets by kill -9 what it did not sync, which no test minds."""
        self.start("etcd", flags.etcd(self.dir, self.ports))

    def start_apiserver(self) -> None:
        """Start kube-apiserver and wait until it is ready."""
        wanted = {**flags.apiserver(self.dir, self.ports), **self.gate_flag(), **self.apiserver_flags}
        self.start("kube-apiserver", wanted)
        impatient = kube.Kube(self.url, self.tokens["admin"], self.ca, timeout_seconds=2)
        self.wait("kube-apiserver", lambda: impatient.raw("GET", "/readyz")[0] == 200, 60)

    def serve_metrics(self) -> None:
        """Start the world, and register its metrics APIs with the aggregator."""
        pki = self.dir / "pki"
        self.world = world.World(self.kube, lambda: self.state, self.dir / "seen.jsonl")
        self.metrics = metrics.Server(
            self.world, (HOST, self.ports["metrics"]), f"{pki}/serving.crt", f"{pki}/serving.key"
        )
        self.world.start()
        # ExternalName is the one kind of Service that the aggregator follows to a loopback address.
        name, namespace, _ = SERVICE.split(".")
        service = {"metadata": {"name": name}, "spec": {"type": "ExternalName", "externalName": "localhost"}}
        self.kube.post(f"/api/v1/namespaces/{namespace}/services", service)
        for group, versions in metrics.VERSIONS.items():
            for version in versions:
                self.register(group, version, {"namespace": namespace, "name": name, "port": self.ports["metrics"]})
        self.wait("kube-apiserver", self.metrics_available, 30)

    def register(self, group: str, version: str, service: dict[str, Any]) -> None:
        """Let the API server pass the requests of a group on to a service."""
        spec = {
            "group": group,
            "version": version,
            "groupPriorityMinimum": 100,
            "versionPriority": 100,
            "caBundle": base64.b64encode(Path(self.ca).read_bytes()).decode(),
            "service": service,
        }
        self.kube.post(API_SERVICES, {"metadata": {"name": f"{version}.{group}"}, "spec": spec})

    def metrics_available(self) -> bool:
        """Whether the aggregator has reached every API service."""
        rows = [row.get("status", {}).get("conditions", []) for row in self.kube.get(API_SERVICES)["items"]]
        return all(any(c["type"] == "Available" and c["status"] == "True" for c in row) for row in rows)

    def start_controller_manager(self) -> None:
        """Start kube-controller-manager with its log at -v=4, and wait until it leads."""
        started = {"controller": "started", "release": self.release, "flags": self.flags, "gates": self.gates}
        if self.world:
            self.world.write(**started)
        wanted = {**flags.controller_manager(self.dir, self.ports), **self.gate_flag(), **self.flags}
        self.start("kube-controller-manager", wanted)
        self.wait("kube-controller-manager", self.leading, 30)

    def leading(self) -> bool:
        """Whether a controller manager holds the Lease."""
        status, _, data = self.kube.raw("GET", LEASE)
        return status == 200 and bool(json.loads(data)["spec"].get("holderIdentity"))

    def gate_flag(self) -> dict[str, str]:
        """The same for both: validation is the API server's, behaviour the controller manager's."""
        gates = ",".join(f"{name}={str(on).lower()}" for name, on in self.gates.items())
        return {"feature-gates": gates} if gates else {}

    def wait(self, name: str, test: Callable[[], bool], seconds: float) -> None:
        """Wait for a test to hold while all programs run."""
        end, last = time.monotonic() + seconds, ""
        while time.monotonic() < end:
            for each, process in self.processes.items():
                if (code := process.poll()) is not None:
                    raise RuntimeError(f"{each} exited with {code}: {self.tail(each)}")
            try:
                if test():
                    return
            except (OSError, http.client.HTTPException, kube.ApiError) as problem:
                last = repr(problem)
            time.sleep(0.1)
        raise TimeoutError(f"{name} was not ready in {seconds} s: {last} {self.tail(name)}")

    def tail(self, name: str) -> str:
        """The last words of a program."""
        return (self.dir / "logs" / f"{name}.log").read_text(errors="replace")[-1500:]

    # While it runs

    def allow(self, user: str, namespace: str, rules: list[dict[str, Any]]) -> None:
        """Give a user rights in a namespace, and only there; they end with it."""
        rbac = f"/apis/rbac.authorization.k8s.io/v1/namespaces/{namespace}"
        self.kube.post(f"{rbac}/roles", {"metadata": {"name": user}, "rules": rules})
        subject = {"kind": "User", "name": user, "apiGroup": "rbac.authorization.k8s.io"}
        role = {"kind": "Role", "name": user, "apiGroup": "rbac.authorization.k8s.io"}
        binding = {"metadata": {"name": user}, "subjects": [subject], "roleRef": role}
        self.kube.post(f"{rbac}/rolebindings", binding)

    def restart_controller_manager(self, **changes: str) -> None:
        """A controller with an empty memory, and other flags if given."""
        stop(self.processes.pop("kube-controller-manager"))
        self.kube.delete(LEASE)
        self.flags |= changes
        self.start_controller_manager()

    def restart_apiserver(self, *, down_seconds: float = 0) -> None:
        """Every watch breaks, and the new server's caches know nothing from before."""
        stop(self.processes.pop("kube-apiserver"))
        time.sleep(down_seconds)
        self.start_apiserver()

    def serve(self, **changes: str) -> None:
        """An API server with other flags, and a controller that never knew another server."""
        stop(self.processes.pop("kube-controller-manager"))
        self.apiserver_flags |= changes
        self.restart_apiserver()
        self.kube.delete(LEASE)
        self.start_controller_manager()

    def compact(self) -> None:
        """Forget all revisions before now: with restart_apiserver() an older resourceVersion gets 410 Gone."""

        def etcd(path: str, body: dict[str, Any]) -> dict[str, Any]:
            connection = http.client.HTTPConnection(HOST, self.ports["etcd"], timeout=10)
            connection.request("POST", f"/v3/kv/{path}", json.dumps(body))
            by_name: dict[str, Any] = json.load(connection.getresponse())
            connection.close()
            return by_name

        newest = etcd("range", {"key": base64.b64encode(b"/").decode(), "count_only": True})
        etcd("compaction", {"revision": newest["header"]["revision"], "physical": True})

    # Down

    def down(self, *_: object) -> None:
        """Stop it all."""
        if self.metrics:
            self.metrics.stop()
            self.metrics = None
        if self.world:
            self.world.stop()
            self.world = None
        for name in ("kube-controller-manager", "kube-apiserver", "etcd"):
            if name in self.processes:
                stop(self.processes.pop(name))

    __exit__ = down
