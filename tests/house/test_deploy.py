"""deploy/ as it lies on the disk: no right writes or reaches a secret, and the image holds what `record` imports."""

import re
import subprocess
import sys
from importlib.metadata import packages_distributions
from pathlib import Path
from typing import Any

import pytest
import yaml

import hpaaudit

ROOT = Path(__file__).parents[2]
DEPLOY = ROOT / "deploy"
CONTAINERFILE = (DEPLOY / "Containerfile").read_text("utf-8")
OVERLAYS = sorted(path.parent.name for path in (DEPLOY / "overlays").glob("*/rights.yaml"))
READING = {"get", "list", "watch"}
METRICS = {"custom.metrics.k8s.io", "external.metrics.k8s.io"}
"""Groups whose resources are metrics, named by whoever serves them."""

Rule = dict[str, list[str]]


def documents() -> list[dict[str, Any]]:
    """Every object that lies in deploy/, the patches of kustomizations apart."""
    files = [path for path in DEPLOY.rglob("*.yaml") if path.name != "kustomization.yaml"]
    return [found for path in files for found in yaml.safe_load_all(path.read_text("utf-8")) if "kind" in found]


def rules(overlay: str) -> list[Rule]:
    """The rules of an overlay's role."""
    found = yaml.safe_load_all((DEPLOY / "overlays" / overlay / "rights.yaml").read_text("utf-8"))
    return [rule for each in found for rule in each.get("rules", ())]


# Safe


def test_no_rule_anywhere_writes() -> None:
    roles = [found for found in documents() if found["kind"] in ("Role", "ClusterRole")]
    assert len(roles) >= len(OVERLAYS)
    assert {verb for role in roles for rule in role["rules"] for verb in rule["verbs"]} <= READING
    assert not any("aggregationRule" in role for role in roles)


@pytest.mark.parametrize("overlay", OVERLAYS)
def test_no_rule_reaches_a_secret(overlay: str) -> None:
    """Neither by name nor by a star, which only the groups of metrics have; nor what runs or prints in a pod."""
    for rule in rules(overlay):
        assert "*" not in rule["apiGroups"]
        assert "*" not in rule["resources"] or set(rule["apiGroups"]) <= METRICS
        assert not {part.partition("/")[0] for part in rule["resources"]} & {"secrets", "configmaps", "nodes"}
        assert not any(part.startswith("pods/") for part in rule["resources"])
        assert "nonResourceURLs" not in rule


@pytest.mark.parametrize("overlay", OVERLAYS)
def test_a_binding_gives_only_our_own_role_to_only_our_own_account(overlay: str) -> None:
    found = list(yaml.safe_load_all((DEPLOY / "overlays" / overlay / "rights.yaml").read_text("utf-8")))
    role, binding = found
    assert binding["kind"] == f"{role['kind']}Binding"
    assert binding["roleRef"] == {
        "apiGroup": "rbac.authorization.k8s.io",
        "kind": role["kind"],
        "name": role["metadata"]["name"],
    }
    assert binding["subjects"] == [{"kind": "ServiceAccount", "name": "hpaaudit-recorder"}]


def test_a_tenant_needs_nothing_that_is_cluster_scoped() -> None:
    for overlay in ("namespace", "namespace-minimal"):
        files = [path for path in (DEPLOY / "overlays" / overlay).glob("*.yaml") if path.name != "kustomization.yaml"]
        kinds = {found["kind"] for path in files for found in yaml.safe_load_all(path.read_text("utf-8"))}
        assert kinds == {"Role", "RoleBinding"}


def test_the_whole_cluster_is_asked_for_what_one_namespace_is() -> None:
    """The roles of both differ only in what belongs to no namespace, or to that of the controller."""
    assert rules("cluster-minimal") == rules("namespace-minimal")
    more = [rule for rule in rules("cluster") if rule not in rules("namespace")]
    assert [rule["resources"] for rule in more] == [["apiservices"], ["customresourcedefinitions"], ["leases"]]
    assert [rule for rule in rules("namespace") if rule not in rules("cluster")] == []


def test_nothing_lives_in_kube_system() -> None:
    """There an account is served before ordinary ones, together with the controllers."""
    texts = [path.read_text("utf-8") for path in DEPLOY.rglob("*.yaml")]
    assert not any(re.search(r"namespace: *kube-", text) for text in texts)


# The image


def test_the_image_runs_our_version_as_nobody() -> None:
    last = CONTAINERFILE.rpartition("FROM ")[2]
    assert "USER 65532:65532" in last
    assert 'ENTRYPOINT ["/opt/hpaaudit/bin/hpaaudit"]' in last
    version = f"hpaaudit-{hpaaudit.__version__}-py3-none-any.whl"
    assert set(re.findall(r"hpaaudit-[\w.-]+\.whl", CONTAINERFILE)) == {version}
    recorder = (DEPLOY / "base" / "recorder.yaml").read_text("utf-8")
    assert f"image: hpaaudit:{hpaaudit.__version__}\n" in recorder


def test_the_image_takes_wheels_that_a_hash_names() -> None:
    installs = re.findall(r"pip .*install .*", CONTAINERFILE)
    assert len(installs) == 2
    assert "--only-binary :all: --require-hashes -r /tmp/requirements.lock" in installs[0]
    assert "--no-index --no-deps" in installs[1]


def pinned(lock: Path) -> dict[str, str]:
    """Names and versions of a lock."""
    return dict(re.findall(r"^([\w.-]+)==([\w.]+)", lock.read_text("utf-8"), re.MULTILINE))


def test_the_image_has_the_versions_that_are_tested() -> None:
    everything = pinned(ROOT / "requirements.lock")
    assert pinned(DEPLOY / "requirements.lock").items() <= everything.items()


def test_the_image_holds_all_that_record_imports() -> None:
    """With every file of cluster/ and the two of recording/ that it opens; pyarrow can do without numpy."""
    code = (
        "import sys, pkgutil, importlib; sys.modules |= dict.fromkeys(('numpy', 'duckdb', 'polars', 'numba'));"
        "before = set(sys.modules);"
        "import hpaaudit.cli.record, hpaaudit.flows.record, hpaaudit.report.plan, hpaaudit.report.progress;"
        "import hpaaudit.report.log, hpaaudit.cluster, hpaaudit.recording.keep, hpaaudit.recording.upload;"
        "[importlib.import_module(f'hpaaudit.cluster.{found.name}')"
        " for found in pkgutil.iter_modules(hpaaudit.cluster.__path__)];"
        "print(*sorted({name.partition('.')[0] for name in set(sys.modules) - before}))"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    owners = packages_distributions()
    imported = {owner.lower().replace("_", "-") for name in done.stdout.split() for owner in owners.get(name, ())}
    assert {"aiohttp", "click", "msgspec", "obstore", "prometheus-client", "pyarrow", "pyyaml"} <= imported
    assert imported - {"hpaaudit"} <= set(pinned(DEPLOY / "requirements.lock"))
