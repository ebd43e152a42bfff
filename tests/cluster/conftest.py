"""Fixtures: one control plane for all tests of this folder, and a namespace and an observer for each test."""

import re
import shutil
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.cluster import build
from tests.cluster.cluster import FAST, Cluster
from tests.cluster.manifests import cpu, deployment, hpa
from tests.cluster.observer_thread import ObserverThread
from tests.cluster.unruly import make_pki


def require_programs() -> None:
    """Skips where a cluster cannot be started."""
    if not build.built():
        pytest.skip("the programs of a Kubernetes control plane are not built: make cluster")
    require_openssl()


def require_openssl() -> None:
    """Skips where no certificates can be made."""
    if not shutil.which("openssl"):
        pytest.skip("openssl makes the certificates of the cluster and is not here: apt-get install openssl")


def start(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """A real control plane whose controller reconciles every second."""
    require_programs()
    with Cluster(tmp_path_factory.mktemp("cluster"), controller_flags=FAST) as running:
        yield running


@pytest.fixture(scope="session")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """The cluster of all tests that leave it as it was."""
    yield from start(tmp_path_factory)


@pytest.fixture(scope="session")
def pki(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Certificates of a server over TLS that misbehaves on demand, and of its users."""
    require_openssl()
    return make_pki(tmp_path_factory.mktemp("unruly"))


@pytest.fixture
def namespace(cluster: Cluster, request: pytest.FixtureRequest) -> Iterator[str]:
    """A namespace of this test's own; faults end with it."""
    words = re.sub(r"[^a-z0-9]+", "-", request.node.name.lower())
    name = f"{words[:50]}-{zlib.crc32(words.encode()):08x}"
    cluster.kube.post("/api/v1/namespaces", {"metadata": {"name": name}})
    yield name
    cluster.state["faults"] = {}
    cluster.kube.delete(f"/api/v1/namespaces/{name}")


@pytest.fixture
def create(cluster: Cluster, namespace: str) -> Callable[..., None]:
    """Makes a Deployment and its HPA, by default on CPU at 50 %, with demand for one pod."""

    def make(name: str, *metrics: dict[str, Any], **options: Any) -> None:
        cluster.state["pods"].setdefault(f"{namespace}/app={name}", {"cpu": 40})
        path = f"namespaces/{namespace}"
        cluster.kube.post(f"/apis/apps/v1/{path}/deployments", deployment(name))
        metrics = metrics or (cpu(50),)
        cluster.kube.post(f"/apis/autoscaling/v2/{path}/horizontalpodautoscalers", hpa(name, *metrics, **options))

    return make


@pytest.fixture
def observe(cluster: Cluster, namespace: str) -> Iterator[Callable[..., ObserverThread]]:
    """Starts an observer of the test's namespace, by default as admin and every half second."""
    started: list[ObserverThread] = []

    def begin(kubeconfig: Path | None = None, *, everywhere: bool = False, **options: Any) -> ObserverThread:
        scope = "" if everywhere else namespace
        observed = ObserverThread(kubeconfig or cluster.dir / "admin.kubeconfig", scope, **options)
        started.append(observed)
        return observed

    yield begin
    for observed in started:
        observed.end()
