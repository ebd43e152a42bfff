"""`record --plan`: what would be read, how much, and what cannot be read."""

from collections.abc import Callable

from tests.cluster.cluster import Cluster
from tests.cluster.manifests import cpu, external, hpa, per_pod
from tests.cluster.recorder import run

Create = Callable[..., None]


def plan(cluster: Cluster, namespace: str, user: str = "admin") -> str:
    """The plan for one namespace."""
    kubeconfig = str(cluster.dir / f"{user}.kubeconfig")
    completed = run("record", "--plan", "--kubeconfig", kubeconfig, "-n", namespace)
    assert (completed.returncode, completed.stderr) == (0, "")
    return completed.stdout


def test_an_admin_can_audit_everything(cluster: Cluster, namespace: str, create: Create) -> None:
    create("checkout", cpu(50), external("queue_depth", {"queue": "orders"}, "10"))
    create("search", per_pod("http_requests", "10"))
    output = plan(cluster, namespace)
    assert output.startswith(f"here ({cluster.url}), Kubernetes v1.36.3, namespace {namespace}\n")
    assert "  2 HPAs with " in output
    # HPAs, Deployments, pods, Lease, API services, quotas, limits; Events of HPAs, Deployments, ReplicaSets, pods.
    assert "  11 streams; 3 reads every 15 s, 0.2 requests per second\n" in output
    assert "kB per hour" in output
    assert output.endswith("  every HPA can be audited\n")


def test_nothing_is_read_from_the_metric_apis(cluster: Cluster, namespace: str, create: Create) -> None:
    create("checkout")
    plan(cluster, namespace)
    asked = [line for line in (cluster.dir / "seen.jsonl").read_text().splitlines() if '"by":"admin"' in line]
    assert not [line for line in asked if f"/namespaces/{namespace}/" in line]


def test_missing_rights_are_the_commands_that_ask_for_them(cluster: Cluster, namespace: str, create: Create) -> None:
    create("checkout")
    output = plan(cluster, namespace, "nobody")
    assert "  0 HPAs with 0 pods\n" in output
    assert f"    kubectl auth can-i list horizontalpodautoscalers.autoscaling -n {namespace}\n" in output
    assert f"    kubectl auth can-i watch pods -n {namespace}\n" in output
    assert "    kubectl auth can-i list leases.coordination.k8s.io/kube-controller-manager -n kube-system\n" in output
    assert "    kubectl auth can-i list apiservices.apiregistration.k8s.io -A\n" in output


def test_an_hpa_that_cannot_be_audited_is_named_with_the_reason(
    cluster: Cluster, namespace: str, create: Create
) -> None:
    create("checkout")
    hpas = f"/apis/autoscaling/v2/namespaces/{namespace}/horizontalpodautoscalers"
    widget = hpa("widget", cpu(50))
    widget["spec"]["scaleTargetRef"] |= {"apiVersion": "example.net/v1", "kind": "Widget"}
    cluster.kube.post(hpas, widget)
    cluster.kube.post(hpas, hpa("orphan", cpu(50)))
    output = plan(cluster, namespace)
    assert f"    {namespace}/orphan  Deployment orphan does not exist, may not be read, or has no selector\n" in output
    assert f"    {namespace}/widget  scales a Widget, which example.net/v1 does not serve\n" in output
    assert f"{namespace}/checkout " not in output
