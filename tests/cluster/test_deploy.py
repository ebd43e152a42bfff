"""deploy/ on a real API server: it accepts every manifest, and each role is enough for what it promises."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import yaml

from hpaaudit.api.surroundings import ADMISSION, CLUSTER_SCOPED, KINDS
from hpaaudit.model.facts import (
    ApiServiceSeen,
    EventSeen,
    Fact,
    Gap,
    HpaSeen,
    LeaseSeen,
    PodSeen,
    ResourceMetricsRead,
    ScaledObjectSeen,
    ScaleRead,
    TargetSeen,
    ValuesRead,
)
from hpaaudit.recording.reading.recording import open_recording
from tests.cluster.cluster import Cluster
from tests.cluster.definitions import defined
from tests.cluster.kube import ApiError
from tests.cluster.manifests import Manifest, cpu, deployment, external, hpa, of_service, per_pod
from tests.cluster.recorder import ROOT, run
from tests.cluster.tools import kubectl

OVERLAYS = sorted(path.name for path in (ROOT / "deploy" / "overlays").iterdir())
APPLY = "application/apply-patch+yaml"
SURELY = "dryRun=All&fieldManager=tests&fieldValidation=Strict"
PLURALS = {
    "Namespace": "namespaces",
    "ServiceAccount": "serviceaccounts",
    "PersistentVolumeClaim": "persistentvolumeclaims",
    "Deployment": "deployments",
    "NetworkPolicy": "networkpolicies",
    "Role": "roles",
    "RoleBinding": "rolebindings",
    "ClusterRole": "clusterroles",
    "ClusterRoleBinding": "clusterrolebindings",
}
RIGHTS = ("ServiceAccount", "Role", "RoleBinding", "ClusterRole", "ClusterRoleBinding")


def objects_of(overlay: str) -> list[Manifest]:
    """The objects of an overlay, as kubectl would apply them."""
    built = kubectl("kustomize", str(ROOT / "deploy" / "overlays" / overlay))
    assert (built.returncode, built.stderr) == (0, "")
    return list(yaml.safe_load_all(built.stdout))


def surroundings(cluster: Cluster, *, whole: bool) -> set[str]:
    """The kinds of what stands around the HPAs that this server serves; in one namespace only those of namespaces."""
    bases = ("/api/v1", f"/apis/{ADMISSION}/v1")
    served = {one["name"] for base in bases for one in cluster.kube.get(base)["resources"]}
    return {kind for _, kind in KINDS if kind in served and (whole or kind not in CLUSTER_SCOPED)}


def collection(manifest: Manifest) -> str:
    """The path of an object's collection."""
    version, namespace = manifest["apiVersion"], manifest["metadata"].get("namespace")
    base = f"/apis/{version}" if "/" in version else f"/api/{version}"
    return (
        f"{base}/namespaces/{namespace}/{PLURALS[manifest['kind']]}"
        if namespace
        else f"{base}/{PLURALS[manifest['kind']]}"
    )


def one(objects: list[Manifest], kind: str) -> Manifest:
    """The only object of a kind."""
    (manifest,) = [each for each in objects if each["kind"] == kind]
    return manifest


@pytest.fixture(scope="module")
def homes(cluster: Cluster) -> Iterator[tuple[str, ...]]:
    """The namespaces of the overlays, in which Pod Security is enforced."""
    restricted = {f"pod-security.kubernetes.io/{mode}": "restricted" for mode in ("enforce", "warn")}
    names = ("hpaaudit", "shop")
    for name in names:
        cluster.kube.post("/api/v1/namespaces", {"metadata": {"name": name, "labels": restricted}})
    yield names
    for name in names:
        cluster.kube.delete(f"/api/v1/namespaces/{name}")


# The manifests


@pytest.mark.usefixtures("homes")
@pytest.mark.parametrize("overlay", OVERLAYS)
def test_the_api_server_accepts_every_object_and_warns_of_none(overlay: str, cluster: Cluster) -> None:
    """Unknown fields and what Pod Security would say of a template come as errors and warnings."""
    for item in objects_of(overlay):
        path = f"{collection(item)}/{item['metadata']['name']}?{SURELY}&force=true"
        status, headers, body = cluster.kube.raw("PATCH", path, item, APPLY)
        assert status in (200, 201), body
        assert "Warning" not in headers


@pytest.mark.usefixtures("homes")
@pytest.mark.parametrize("overlay", OVERLAYS)
def test_the_pod_is_admitted_where_pod_security_is_restricted(overlay: str, cluster: Cluster) -> None:
    recorder = one(objects_of(overlay), "Deployment")
    pod = {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": "recorder"},
        "spec": recorder["spec"]["template"]["spec"],
    }
    pods = f"/api/v1/namespaces/{recorder['metadata']['namespace']}/pods?{SURELY}"
    assert cluster.kube.post(pods, pod)["spec"]["serviceAccountName"] == "hpaaudit-recorder"
    for weaker in ({"runAsNonRoot": False}, {"seccompProfile": {"type": "Unconfined"}}):
        changed = {**pod, "spec": {**pod["spec"], "securityContext": {**pod["spec"]["securityContext"], **weaker}}}
        with pytest.raises(ApiError, match="violates PodSecurity"):
            cluster.kube.post(pods, changed)


@pytest.mark.parametrize("overlay", OVERLAYS)
def test_the_command_line_of_the_pod_is_one_that_the_recorder_knows(overlay: str) -> None:
    """With an option that is wrong on purpose: what it complains of is that one, and nothing before it."""
    (container,) = one(objects_of(overlay), "Deployment")["spec"]["template"]["spec"]["containers"]
    completed = run(*container["args"], "--no-such-option")
    assert completed.stderr.startswith("Error: No such option '--no-such-option'"), completed.stderr
    assert ("--all-namespaces" in container["args"]) == overlay.startswith("cluster")
    mounts = {mount["mountPath"] for mount in container["volumeMounts"]}
    assert str(Path(container["args"][container["args"].index("--into") + 1]).parent) in mounts


def test_with_a_store_there_is_no_disk_to_keep() -> None:
    objects = objects_of("cluster-upload")
    assert "PersistentVolumeClaim" not in {item["kind"] for item in objects}
    assert "emptyDir" in one(objects, "Deployment")["spec"]["template"]["spec"]["volumes"][0]


# The rights


@dataclass(frozen=True, slots=True, kw_only=True)
class Account:
    """The recorder's ServiceAccount as an overlay makes it, and the namespace where things happen."""

    kubeconfig: Path
    where: tuple[str, ...]


@pytest.fixture
def account(
    cluster: Cluster, homes: tuple[str, ...], namespace: str, tmp_path: Path, request: pytest.FixtureRequest
) -> Iterator[Account]:
    """Applies account and rights of an overlay, and takes a token as a kubelet does."""
    overlay: str = request.param
    whole = overlay.startswith("cluster")
    home = homes[0] if whole else namespace
    objects = json.loads(json.dumps(objects_of(overlay)).replace('"shop"', f'"{namespace}"'))
    applied = [manifest for manifest in objects if manifest["kind"] in RIGHTS]
    for manifest in applied:
        cluster.kube.post(collection(manifest), manifest)
    wanted = {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": {"expirationSeconds": 600}}
    token = cluster.kube.post(f"/api/v1/namespaces/{home}/serviceaccounts/hpaaudit-recorder/token", wanted)
    (tmp_path / "token").write_text(token["status"]["token"])
    config = json.loads((cluster.dir / "nobody.kubeconfig").read_text())
    config["users"][0]["user"] = {"tokenFile": str(tmp_path / "token")}
    kubeconfig = tmp_path / "kubeconfig"
    kubeconfig.write_text(json.dumps(config))
    yield Account(kubeconfig=kubeconfig, where=("-A",) if whole else ("-n", namespace))
    for manifest in reversed(applied):
        cluster.kube.delete(f"{collection(manifest)}/{manifest['metadata']['name']}")


@pytest.fixture(scope="module")
def keda(cluster: Cluster) -> Iterator[str]:
    """The path of KEDA's API."""
    with defined(cluster, "keda.sh", "ScaledObject", version="v1alpha1") as path:
        yield path


@pytest.fixture
def busy(cluster: Cluster, namespace: str, keda: str) -> None:
    """Every kind of metric and of built-in workload, an HPA that scales at once, and a ScaledObject."""
    scaled = {"apiVersion": "keda.sh/v1alpha1", "kind": "ScaledObject", "metadata": {"name": "checkout"}, "spec": {}}
    cluster.kube.post(f"{keda}/namespaces/{namespace}/scaledobjects", scaled)
    objects: list[tuple[str, dict[str, Any], tuple[Manifest, ...]]] = [
        ("deployments", deployment("checkout"), (cpu(50), per_pod("http_requests", "10"))),
        ("statefulsets", {**deployment("orders"), "kind": "StatefulSet"}, (external("depth", {"queue": "a"}, "10"),)),
        ("replicasets", {**deployment("search"), "kind": "ReplicaSet"}, (of_service("search", "hits", "100"),)),
    ]
    cluster.state["pods"][f"{namespace}/app=checkout"] = {"cpu": 300, "http_requests": 9}
    cluster.state["external"][f"{namespace}/depth"] = [{"labels": {"queue": "a"}, "value": "20"}]
    cluster.state["objects"][f"{namespace}/services/search/hits"] = "50"
    for plural, workload, metrics in objects:
        if plural == "statefulsets":
            workload["spec"] |= {"serviceName": "orders"}
        name = workload["metadata"]["name"]
        autoscaler = hpa(name, *metrics)
        autoscaler["spec"]["scaleTargetRef"]["kind"] = workload["kind"]
        cluster.kube.post(f"/apis/apps/v1/namespaces/{namespace}/{plural}", workload)
        cluster.kube.post(f"/apis/autoscaling/v2/namespaces/{namespace}/horizontalpodautoscalers", autoscaler)


def recorded(account: Account, into: Path) -> tuple[list[Fact], list[str]]:
    """What a few seconds of recording hold, and what the recorder said of what it cannot see."""
    options = ("--kubeconfig", str(account.kubeconfig), *account.where, "--interval", "500ms", "--for", "4s")
    completed = run("record", "--into", str(into), *options)
    assert completed.returncode == 0, completed.stderr
    _, *progress, _, _ = completed.stderr.splitlines()  # where it looks, the last progress, and where it is
    return list(open_recording(into).facts()), [
        line for line in progress if not line.startswith("following ") and ", its hash is " not in line
    ]


def missing(account: Account) -> list[str]:
    """The commands by which `record --plan` names missing rights."""
    completed = run("record", "--plan", "--kubeconfig", str(account.kubeconfig), *account.where)
    assert completed.returncode == 0, completed.stderr
    return [line.strip() for line in completed.stdout.splitlines() if "kubectl auth can-i" in line]


def groups_read(facts: list[Fact]) -> set[str]:
    """The metric APIs that answered."""
    reads = (fact for fact in facts if isinstance(fact, ResourceMetricsRead | ValuesRead))
    return {fact.request.api for fact in reads if fact.status == 200}


def refused(facts: list[Fact]) -> set[str]:
    """The resources that nobody looked at because nobody may; a busy machine makes gaps of its own."""
    gaps = (fact for fact in facts if isinstance(fact, Gap) and "forbidden" in fact.cause)
    return {gap.prefix.partition("?")[0].rpartition("/")[2] for gap in gaps}


def streams(recording: Path) -> set[str]:
    """What a replay says that nobody may look at until the recording ends; other tests' HPAs make gaps of their own."""
    question = (
        "select distinct stream from coverage_gaps"
        " where cause like '%forbidden%' and gap_to = (select max(gap_to) from coverage_gaps)"
    )
    completed = run("query", str(recording), question, "-o", "csv")
    assert completed.returncode == 0, completed.stderr
    return set(completed.stdout.split()[1:])


def unreached(recording: Path) -> set[str]:
    """What `inspect` calls missing in a recording, each with the verdicts that suffer."""
    completed = run("inspect", str(recording))
    assert completed.returncode == 0, completed.stderr
    lines = completed.stdout.partition("\n  missing\n")[2].partition("\n\n")[0].splitlines()
    return {line.strip().partition(":")[0] for line in lines}


ALL_METRICS = {"metrics.k8s.io", "custom.metrics.k8s.io", "external.metrics.k8s.io"}


@pytest.mark.usefixtures("busy")
@pytest.mark.parametrize("account", ["cluster", "namespace"], indirect=True)
def test_standard_rights_show_every_stream(account: Account, namespace: str, tmp_path: Path) -> None:
    facts, output = recorded(account, tmp_path / "recording")
    whole = account.where == ("-A",)
    kinds = {HpaSeen, PodSeen, TargetSeen, EventSeen, ScaledObjectSeen, *((LeaseSeen, ApiServiceSeen) if whole else ())}
    assert kinds <= {type(fact) for fact in facts}
    targets = {
        fact.target.resource for fact in facts if isinstance(fact, TargetSeen) and fact.target.namespace == namespace
    }
    assert targets == {"deployments", "statefulsets", "replicasets"}
    assert groups_read(facts) == ALL_METRICS
    assert not any(isinstance(fact, ScaleRead) for fact in facts)
    # A tenant may not see what belongs to the cluster, and is told so.
    beyond = {} if whole else {"leases": "the Lease of kube-controller-manager", "apiservices": "API services"}
    assert {line.partition(" in ")[0] for line in output} == {f"cannot follow {what}" for what in beyond.values()}
    assert refused(facts) == set(beyond)
    # The controller of this cluster is no pod.
    limits = {"no flags of the controller", *(() if whole else ("no Lease of the controller",))}
    assert unreached(tmp_path / "recording") == limits
    assert {line.split()[4].partition(".")[0] for line in missing(account)} == set(beyond)


@pytest.mark.usefixtures("busy")
@pytest.mark.parametrize("account", ["cluster-minimal", "namespace-minimal"], indirect=True)
def test_minimal_rights_show_what_a_replay_needs_and_name_the_rest(
    cluster: Cluster, account: Account, namespace: str, tmp_path: Path
) -> None:
    facts, output = recorded(account, tmp_path / "recording")
    assert {HpaSeen, PodSeen} <= {type(fact) for fact in facts}
    assert not any(isinstance(fact, TargetSeen | EventSeen | LeaseSeen) for fact in facts)
    reads = {
        fact.target.resource
        for fact in facts
        if isinstance(fact, ScaleRead) and fact.status == 200 and fact.target.namespace == namespace
    }
    assert reads == {"deployments", "statefulsets", "replicasets"}
    assert groups_read(facts) == ALL_METRICS
    workloads = {"deployments", "statefulsets", "replicasets"}
    around = surroundings(cluster, whole=account.where == ("-A",))
    stream_names = {"the Lease of kube-controller-manager", "API services", "ScaledObject", *around}
    noted = ("HorizontalPodAutoscaler", "Deployment", "StatefulSet", "ReplicaSet", "Pod", "ScaledObject")
    events = {f"Events of a {kind}" for kind in noted}
    unseen = {f"{kind}, so their scales are read" for kind in workloads} | stream_names | events
    assert {line.removeprefix("cannot follow ").partition(" in ")[0] for line in output} == unseen
    others = {"leases", "events", "apiservices", "scaledobjects", *around}
    # Until a scale was read for the first time nobody had seen it; that takes more than a second on a busy machine.
    assert refused(facts) - workloads == {f"{kind}#writers" for kind in workloads} | others
    assert streams(tmp_path / "recording") == {
        "writers",
        "leases",
        "events",
        "api_services",
        "scaled_objects",
        "surroundings",
    }
    limits = {"no writers of the replicas", "no Events", "no Lease of the controller", "no flags of the controller"}
    assert unreached(tmp_path / "recording") == limits
    named = missing(account)
    assert {line.split()[4] for line in named} == {
        *(f"{kind}.apps" for kind in ("deployments", "statefulsets", "replicasets")),
        "events",
        "leases.coordination.k8s.io/kube-controller-manager",
        "apiservices.apiregistration.k8s.io",
        "scaledobjects.keda.sh",
        *(f"{kind}.{ADMISSION}" if (ADMISSION, kind) in KINDS else kind for kind in around),
    }
    for line in named:
        asked = kubectl(*line.split()[1:], config=account.kubeconfig)
        assert asked.stdout == "no\n", (line, asked.stderr)
