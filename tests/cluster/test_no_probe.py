"""`--no-probe`: a metric whose reads cost money is not read, and every output says so."""

from collections.abc import Callable
from pathlib import Path

from hpaaudit.cluster.observe.poller import NO_PROBE
from hpaaudit.model.facts import Gap, ValuesRead
from tests.cluster.cluster import Cluster
from tests.cluster.manifests import cpu, external
from tests.cluster.recorder import recorded, run

Create = Callable[..., None]
QUEUE = external("queue_depth", {"queue": "orders"}, "10")


def test_a_metric_that_is_not_probed_is_a_gap_and_its_neighbours_are_read(
    cluster: Cluster, namespace: str, create: Create, tmp_path: Path
) -> None:
    cluster.state["external"][f"{namespace}/queue_depth"] = [{"labels": {"queue": "orders"}, "value": "25"}]
    cluster.state["external"][f"{namespace}/searches"] = [{"labels": {}, "value": "15"}]
    create("checkout", cpu(50), QUEUE)
    create("search", external("searches", {}, "10"))
    facts, output = recorded(
        cluster, namespace, tmp_path / "recording", "--no-probe", "queue_depth", "--no-probe", "typo"
    )
    path = f"/apis/external.metrics.k8s.io/v1beta1/namespaces/{namespace}/queue_depth?labelSelector=queue%3Dorders"
    assert {fact.request.metric for fact in facts if isinstance(fact, ValuesRead)} == {"searches"}
    assert {fact.prefix for fact in facts if isinstance(fact, Gap) and fact.cause == NO_PROBE} == {path}
    assert "--no-probe typo: no HPA uses it" in output


def test_a_plan_names_what_is_not_to_be_read(cluster: Cluster, namespace: str, create: Create) -> None:
    create("checkout", cpu(50), QUEUE)
    kubeconfig = str(cluster.dir / "admin.kubeconfig")
    completed = run("record", "--plan", "--kubeconfig", kubeconfig, "-n", namespace, "--no-probe", "queue_depth")
    assert "  not read, because of --no-probe:\n    queue_depth\n" in completed.stdout
    assert "; 1 read every 15 s" in completed.stdout
