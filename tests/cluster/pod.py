"""Runs the recorder's image as a node runs its Pod: the same user, mounts, rights and limits, by runc.

What deploy/overlays/cluster asks for is done by what a kubelet does: the account's token and the API server's
authority in a folder that is swapped as a whole, a volume that belongs to the Pod's group, a root file system that
nobody can write to, no capability, the container runtime's seccomp profile, the memory limit as a control group.
Only the network is the machine's own, because the API server listens on loopback.
"""

import json
import os
import platform
import signal
import subprocess
import tempfile
import time
import urllib.error
import urllib.request
from contextlib import suppress
from pathlib import Path
from typing import Any

import yaml

from hpaaudit.api.quantity import parse
from hpaaudit.model.facts import Ended, HpaSeen, PodSeen, ResourceMetricsRead, TargetSeen
from hpaaudit.recording.reading.recording import open_recording
from tests.cluster import recorder, tools
from tests.cluster.build import say
from tests.cluster.cluster import FAST, Cluster
from tests.cluster.manifests import Manifest, cpu, deployment, hpa
from tests.cluster.pki import HOST

SECCOMP = Path("/usr/share/containers/seccomp.json")
"""The profile of Podman and CRI-O, which a node calls RuntimeDefault; it comes with buildah."""
ACCOUNT = "/var/run/secrets/kubernetes.io/serviceaccount"
ARCHITECTURES = {"x86_64": ("amd64", "SCMP_ARCH_X86_64"), "aarch64": ("arm64", "SCMP_ARCH_AARCH64")}
PATHS = {
    "Namespace": "/api/v1/namespaces",
    "ServiceAccount": "/api/v1/namespaces/hpaaudit/serviceaccounts",
    "ClusterRole": "/apis/rbac.authorization.k8s.io/v1/clusterroles",
    "ClusterRoleBinding": "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings",
}


# What a Pod is


def seccomp() -> dict[str, Any]:
    """The profile for a process without capabilities, as runc wants it."""
    short, name = ARCHITECTURES[platform.machine()]
    profile = json.loads(SECCOMP.read_text("utf-8"))
    syscalls = [
        {key: rule[key] for key in ("names", "action", "errnoRet", "args") if rule.get(key) is not None}
        for rule in profile["syscalls"]
        if not rule["includes"].get("caps") and short in rule["includes"].get("arches", [short])
    ]
    default = {key: profile[key] for key in ("defaultAction", "defaultErrnoRet")}
    return {**default, "architectures": [name], "syscalls": syscalls}


def mounts(volumes: dict[str, Path], container: Manifest, account: Path) -> list[dict[str, Any]]:
    """What every container has, what the manifest mounts, and the account."""

    def mount(at: str, kind: str, *options: str) -> dict[str, Any]:
        return {"destination": at, "type": kind, "source": kind, "options": ["nosuid", "noexec", *options]}

    def bound(at: str, source: Path, *options: str) -> dict[str, Any]:
        return {"destination": at, "type": "bind", "source": str(source), "options": ["rbind", "rprivate", *options]}

    return [
        {"destination": "/proc", "type": "proc", "source": "proc"},
        {"destination": "/dev", "type": "tmpfs", "source": "tmpfs", "options": ["nosuid", "mode=755", "size=64m"]},
        mount("/dev/pts", "devpts", "newinstance", "ptmxmode=0666", "mode=0620", "gid=5"),
        mount("/dev/shm", "tmpfs", "nodev", "mode=1777", "size=64m"),  # noqa: S108  # as every container has it
        mount("/dev/mqueue", "mqueue", "nodev"),
        mount("/sys", "sysfs", "nodev", "ro"),
        bound(ACCOUNT, account, "ro"),
        *(bound(mount["mountPath"], volumes[mount["name"]], "rw") for mount in container["volumeMounts"]),
    ]


def specification(
    root: Path, image: dict[str, Any], pod: Manifest, volumes: dict[str, Path], account: Path, service: tuple[str, int]
) -> dict[str, Any]:
    """The runtime's specification of a Pod's only container."""
    (container,) = pod["containers"]
    of_pod, of_container = pod["securityContext"], container["securityContext"]
    host, port = service
    environment = {"HOSTNAME": "recorder", "KUBERNETES_SERVICE_HOST": host, "KUBERNETES_SERVICE_PORT": str(port)}
    user = {"uid": of_pod["runAsUser"], "gid": of_pod["runAsGroup"], "additionalGids": [of_pod["fsGroup"]]}
    limit = parse(container["resources"]["limits"]["memory"]).nano // 10**9
    return {
        "ociVersion": "1.0.2",
        "root": {"path": str(root), "readonly": of_container["readOnlyRootFilesystem"]},
        "hostname": "recorder",
        "process": {
            "args": [*container.get("command", image["Entrypoint"]), *container["args"]],
            "cwd": image.get("WorkingDir", "/"),
            "env": [*image["Env"], *(f"{name}={value}" for name, value in environment.items())],
            "user": user,
            "capabilities": {kind: [] for kind in ("bounding", "effective", "permitted", "inheritable", "ambient")},
            "noNewPrivileges": not of_container["allowPrivilegeEscalation"],
        },
        "mounts": mounts(volumes, container, account),
        "linux": {
            "namespaces": [{"type": kind} for kind in ("pid", "ipc", "uts", "mount")],
            "resources": {"memory": {"limit": limit}, "devices": [{"allow": False, "access": "rwm"}]},
            "seccomp": seccomp(),
            "maskedPaths": ["/proc/acpi", "/proc/kcore", "/proc/keys", "/proc/timer_list", "/sys/firmware"],
            "readonlyPaths": ["/proc/bus", "/proc/fs", "/proc/irq", "/proc/sys", "/proc/sysrq-trigger"],
        },
    }


def give_token(cluster: Cluster, folder: Path, group: int) -> None:
    """Put the account's token there as a kubelet does: files of the group, all swapped at once."""
    path = f"{PATHS['ServiceAccount']}/hpaaudit-recorder/token"
    wanted = {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": {"expirationSeconds": 3607}}
    token = cluster.kube.post(path, wanted)["status"]["token"]
    data = folder / f"..{time.time_ns()}"
    data.mkdir()
    for name, text in {"token": token, "ca.crt": Path(cluster.ca).read_text(), "namespace": "hpaaudit"}.items():
        (data / name).write_text(text)
        (data / name).chmod(0o640)
        os.chown(data / name, 0, group)
        with suppress(FileExistsError):
            (folder / name).symlink_to(f"..data/{name}")
    (folder / "..data_tmp").symlink_to(data.name)
    (folder / "..data_tmp").replace(folder / "..data")


# How it lives


class Container:
    """A container of runc's: started, asked, and ended as a kubelet ends it."""

    def __init__(self, folder: Path, specification: dict[str, Any]) -> None:
        self.folder, self.name = folder, f"hpaaudit-{os.getpid()}"
        (folder / "config.json").write_text(json.dumps(specification))
        self.log = folder / "log"
        with self.log.open("wb") as log:
            command = [*self.runc("run"), "--bundle", str(folder), self.name]
            self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log)

    def runc(self, verb: str) -> list[str]:
        """The beginning of a command of runc's."""
        return ["runc", "--root", str(self.folder / "runc"), verb]

    def pid(self) -> int:
        """The number of its first process, outside."""
        completed = subprocess.run([*self.runc("state"), self.name], capture_output=True, check=True)
        return int(json.loads(completed.stdout)["pid"])

    def status(self) -> dict[str, str]:
        """What the kernel says of that process."""
        lines = Path(f"/proc/{self.pid()}/status").read_text().splitlines()
        return {key: value.strip() for key, _, value in (line.partition(":") for line in lines)}

    def execute(self, *command: str) -> subprocess.CompletedProcess[str]:
        """Run something in it, as `kubectl exec`."""
        return subprocess.run(
            [*self.runc("exec"), self.name, *command], capture_output=True, text=True, check=False, timeout=60
        )

    def end(self, seconds: int) -> int:
        """Terminate it; its exit code within the grace that the manifest gives."""
        if self.process.poll() is None:
            subprocess.run([*self.runc("kill"), self.name, "TERM"], check=True)
        try:
            return self.process.wait(seconds)
        finally:
            with suppress(subprocess.CalledProcessError, ProcessLookupError):
                if self.process.poll() is None:
                    subprocess.run([*self.runc("delete"), "--force", self.name], check=False)
                    self.process.send_signal(signal.SIGKILL)


def ask(port: int, path: str) -> int:
    """The status of an answer of the recorder's, 0 for none."""
    try:
        with urllib.request.urlopen(f"http://{HOST}:{port}{path}", timeout=5) as answer:  # our own address
            return int(answer.status)
    except urllib.error.HTTPError as refusal:
        with refusal:
            return refusal.code
    except OSError:
        return 0


def must(holds: bool, what: str, more: str = "") -> None:
    """Say what holds; end where it does not."""
    if not holds:
        raise SystemExit(f"NOT {what}\n{more}")
    say(f"  {what}")


def play(root: Path, image: dict[str, Any], seconds: float) -> None:
    """Record a real cluster from within the image for some seconds, and look at what it wrote from without."""
    tools.make()
    built = tools.kubectl("kustomize", str(recorder.ROOT / "deploy/overlays/cluster"))
    objects = {document["kind"]: document for document in yaml.safe_load_all(built.stdout)}
    pod = objects["Deployment"]["spec"]["template"]["spec"]
    (container,) = pod["containers"]
    user, group = pod["securityContext"]["runAsUser"], pod["securityContext"]["fsGroup"]
    (port,) = [one["containerPort"] for one in container["ports"]]
    must(ask(port, "/healthz") == 0, f"port {port} is free")
    with (
        tempfile.TemporaryDirectory(prefix="hpaaudit-pod-") as folder_name,
        Cluster(Path(folder_name) / "cluster", controller_flags=FAST) as cluster,
    ):
        for kind, path in PATHS.items():
            cluster.kube.post(path, objects[kind])
        cluster.kube.post("/api/v1/namespaces", {"metadata": {"name": "shop"}})
        cluster.state["pods"]["shop/app=checkout"] = {"cpu": 40}
        cluster.kube.post("/apis/apps/v1/namespaces/shop/deployments", deployment("checkout"))
        cluster.kube.post("/apis/autoscaling/v2/namespaces/shop/horizontalpodautoscalers", hpa("checkout", cpu(50)))

        account, disk, bundle = (Path(folder_name) / name for name in ("account", "disk", "bundle"))
        for folder in (account, disk, bundle):
            folder.mkdir()
        Path(folder_name).chmod(0o755)
        account.chmod(0o755)
        disk.chmod(0o2775)
        os.chown(disk, 0, group)
        give_token(cluster, account, group)
        service = (HOST, cluster.ports["apiserver"])
        wanted = specification(root, image, pod, {"recordings": disk}, account, service)
        begun = time.monotonic()
        running = Container(bundle, wanted)
        try:
            while ask(port, container["readinessProbe"]["httpGet"]["path"]) != 200:
                if running.process.poll() is not None or time.monotonic() - begun > 60:
                    raise SystemExit(f"the recorder was not ready:\n{running.log.read_text()}")
                time.sleep(0.1)
            say(f"  ready after {time.monotonic() - begun:.1f} s")
            must(ask(port, container["livenessProbe"]["httpGet"]["path"]) == 200, "it lives")
            look_at(running, user)
            give_token(cluster, account, group)
            cluster.state["pods"]["shop/app=checkout"] = {"cpu": 300}
            time.sleep(seconds)
            status = running.status()
            say(f"  resident after {seconds:.0f} s: {status['VmRSS']}, at most {status['VmHWM']}")
            planned = running.execute(*image["Entrypoint"], "record", "--plan", "-A")
            must(planned.returncode == 0, "`record --plan -A` beside it", planned.stdout + planned.stderr)
        finally:
            code = running.end(pod["terminationGracePeriodSeconds"])
        must(code == 0, "SIGTERM ends it with exit code 0", running.log.read_text())
        look_into(disk / "hpas", user)


def look_at(running: Container, user: int) -> None:
    """Hold a process to what the manifest promises of it."""
    status = running.status()
    must(status["Uid"].split() == [str(user)] * 4, f"it is user {user}")
    must(all(int(status[name], 16) == 0 for name in ("CapPrm", "CapEff", "CapBnd", "CapAmb")), "without capabilities")
    must((status["NoNewPrivs"], status["Seccomp"]) == ("1", "2"), "without new privileges, and behind seccomp")
    for path in ("/", "/tmp", "/opt/hpaaudit", ACCOUNT):  # noqa: S108  # there is none that it could write to
        refused = running.execute("/bin/sh", "-c", f": > {path}/x")
        must(refused.returncode != 0 and "Read-only file system" in refused.stderr, f"{path} is read-only")


def look_into(recording: Path, user: int) -> None:
    """Hold a recording to what happened, with the commands of a user and with the facts."""
    for command in ("verify", "inspect"):
        outcome = recorder.run(command, str(recording))
        must(outcome.returncode == 0, f"`hpaaudit {command}` of what it wrote", outcome.stdout + outcome.stderr)
        say(outcome.stdout)
    must({path.stat().st_uid for path in recording.rglob("*")} == {user}, f"every file of it belongs to {user}")
    facts = list(open_recording(recording).facts())
    kinds = {type(fact) for fact in facts}
    must({HpaSeen, PodSeen, TargetSeen, ResourceMetricsRead} <= kinds, f"{len(facts)} facts, of each kind some")
    must(isinstance(facts[-1], Ended), "it was closed")
