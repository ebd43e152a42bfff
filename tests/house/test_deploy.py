"""deploy/ as it lies on the disk: no right writes or reaches a secret, and the image holds what `record` imports."""

import hashlib
import json
import os
import re
import subprocess
import sys
import venv
from fnmatch import fnmatch
from importlib.metadata import packages_distributions
from pathlib import Path
from typing import Any

import pytest
import yaml

import hpaaudit
from hpaaudit.api.surroundings import CLUSTER_SCOPED, KINDS
from hpaaudit.recording.recorder.writer_limits import USUAL

ROOT = Path(__file__).parents[2]
DEPLOY = ROOT / "deploy"
CONTAINERFILE = (DEPLOY / "Containerfile").read_text("utf-8")
OVERLAYS = sorted(path.parent.name for path in (DEPLOY / "overlays").glob("*/rights.yaml"))
READING = {"get", "list", "watch"}
METRICS = {"custom.metrics.k8s.io", "external.metrics.k8s.io"}
"""Groups whose resources are metrics, named by whoever serves them."""

RECORD = (
    "import importlib, pkgutil, hpaaudit.cli.record, hpaaudit.flows.record, hpaaudit.report.recorder_plan;"
    "import hpaaudit.report.log, hpaaudit.report.progress, hpaaudit.cluster;"
    "import hpaaudit.recording.recorder.recorder_writer, hpaaudit.recording.recorder.upload;"
    "[importlib.import_module(module.name)"
    " for module in pkgutil.walk_packages(hpaaudit.cluster.__path__, 'hpaaudit.cluster.')]"
)
"""Imports all that `record` does: every file of cluster/, and the two of recording/ that it opens."""

Rule = dict[str, list[str]]


def documents() -> list[dict[str, Any]]:
    """Every object that lies in deploy/, the patches of kustomizations apart."""
    files = [path for path in DEPLOY.rglob("*.yaml") if path.name != "kustomization.yaml"]
    return [
        document for path in files for document in yaml.safe_load_all(path.read_text("utf-8")) if "kind" in document
    ]


def rules(overlay: str) -> list[Rule]:
    """The rules of an overlay's role."""
    documents = yaml.safe_load_all((DEPLOY / "overlays" / overlay / "rights.yaml").read_text("utf-8"))
    return [rule for each in documents for rule in each.get("rules", ())]


# Safe


def test_no_rule_anywhere_writes() -> None:
    roles = [document for document in documents() if document["kind"] in ("Role", "ClusterRole")]
    assert len(roles) >= len(OVERLAYS)
    assert {verb for role in roles for rule in role["rules"] for verb in rule["verbs"]} <= READING
    assert not any("aggregationRule" in role for role in roles)


@pytest.mark.parametrize("overlay", OVERLAYS)
def test_no_rule_reaches_a_secret(overlay: str) -> None:
    """Neither by name nor by a star, which only the groups of metrics have; nor what runs in a pod or on a node."""
    for rule in rules(overlay):
        assert "*" not in rule["apiGroups"]
        assert "*" not in rule["resources"] or set(rule["apiGroups"]) <= METRICS
        assert not {part.partition("/")[0] for part in rule["resources"]} & {"secrets", "configmaps"}
        assert not any(part.startswith(("pods/", "nodes/")) for part in rule["resources"])
        assert "nonResourceURLs" not in rule


@pytest.mark.parametrize("overlay", OVERLAYS)
def test_a_binding_gives_only_our_own_role_to_only_our_own_account(overlay: str) -> None:
    items = list(yaml.safe_load_all((DEPLOY / "overlays" / overlay / "rights.yaml").read_text("utf-8")))
    role, binding = items
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
        kinds = {document["kind"] for path in files for document in yaml.safe_load_all(path.read_text("utf-8"))}
        assert kinds == {"Role", "RoleBinding"}


def test_the_whole_cluster_is_asked_for_what_one_namespace_is() -> None:
    """The roles of both differ only in what belongs to no namespace, or to that of the controller."""
    assert rules("cluster-minimal") == rules("namespace-minimal")
    whole, one = (
        {(group, part) for rule in rules(overlay) for group in rule["apiGroups"] for part in rule["resources"]}
        for overlay in ("cluster", "namespace")
    )
    assert one < whole
    assert {part for _, part in whole - one} - CLUSTER_SCOPED == {"apiservices", "customresourcedefinitions", "leases"}
    assert {part for _, part in whole} >= {part for _, part in KINDS}


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


def test_no_image_is_named_by_a_tag_alone() -> None:
    """A base needs the digest that the build is given, which has no default; the Pod's own is one that no image has."""
    bases = re.findall(r"^FROM (\S+)", CONTAINERFILE, re.MULTILINE)
    assert len(bases) == 2
    assert all(base.endswith("@${BASE_DIGEST}") for base in bases)
    assert re.findall(r"^ARG (.+)$", CONTAINERFILE.partition("FROM ")[0], re.MULTILINE) == ["BASE_DIGEST"]
    named = [
        name for path in DEPLOY.rglob("*.yaml") for name in re.findall(r"\bimage: *(\S+)", path.read_text("utf-8"))
    ]
    assert named == [f"hpaaudit@sha256:{'0' * 64}"]


@pytest.mark.parametrize("asked", ["", "BASE_DIGEST=latest", f"BASE_DIGEST=sha256:{'0' * 64}"])
def test_no_image_is_built_without_the_digest_of_its_base_and_its_own_name(asked: str) -> None:
    completed = subprocess.run(
        ["make", "--dry-run", "image", *asked.split()], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert completed.returncode == 2
    assert f"{'IMAGE' if '0' in asked else 'BASE_DIGEST'}=" in completed.stderr


def test_a_bill_of_materials_names_every_package_of_the_lock_and_the_wheel(tmp_path: Path) -> None:
    wheel = tmp_path / f"hpaaudit-{hpaaudit.__version__}-py3-none-any.whl"
    wheel.write_bytes(b"a wheel")
    subprocess.run([sys.executable, DEPLOY / "sbom.py", tmp_path], check=True, capture_output=True)
    document = json.loads((tmp_path / f"hpaaudit-{hpaaudit.__version__}.cdx.json").read_text("utf-8"))
    assert {component["name"]: component["version"] for component in document["components"]} == {
        name.lower(): version for name, version in pinned(DEPLOY / "requirements.lock").items()
    }
    assert all(component["properties"] for component in document["components"])
    main = document["metadata"]["component"]
    assert (main["name"], main["version"]) == ("hpaaudit", hpaaudit.__version__)
    assert main["hashes"] == [{"alg": "SHA-256", "content": hashlib.sha256(b"a wheel").hexdigest()}]


# The Pod


def quantity(text: str) -> int:
    """Bytes of a quantity with one of these suffixes."""
    return int(text[:-2]) << {"Mi": 20, "Gi": 30}[text[-2:]]


def test_the_disk_that_the_pod_may_take_holds_what_it_writes() -> None:
    """In the volume --keep-bytes, log and ballast; with a store the volume is the node's disk as well."""
    recorder = yaml.safe_load((DEPLOY / "base" / "recorder.yaml").read_text("utf-8"))["spec"]["template"]["spec"]
    (container,) = recorder["containers"]
    keep_bytes = quantity(container["args"][container["args"].index("--keep-bytes") + 1])
    disk = yaml.safe_load((DEPLOY / "base" / "disk.yaml").read_text("utf-8"))["spec"]["resources"]["requests"][
        "storage"
    ]
    needed = keep_bytes + USUAL.ballast_bytes + 2 * USUAL.segment_bytes
    assert quantity(disk) > needed
    for kind in ("requests", "limits"):
        assert quantity(container["resources"][kind]["ephemeral-storage"]) < 1 << 30
    patches = "".join((DEPLOY / "components" / "upload" / "kustomization.yaml").read_text("utf-8"))
    volume = quantity(re.findall(r"sizeLimit: (\w+)", patches)[0])
    of_node = dict(re.findall(r"resources/(\w+)/ephemeral-storage, value: (\w+)", patches))
    assert needed < volume <= quantity(of_node["requests"]) < quantity(of_node["limits"])


def test_the_pod_is_given_single_keys_of_the_secret() -> None:
    upload = (DEPLOY / "components" / "upload" / "kustomization.yaml").read_text("utf-8")
    assert not any("envFrom" in path.read_text("utf-8") for path in DEPLOY.rglob("*.yaml"))
    patch = yaml.safe_load(yaml.safe_load(upload)["patches"][1]["patch"])
    (env,) = [one["value"] for one in patch if one["path"].endswith("/env")]
    keys = {one["name"]: one["valueFrom"]["secretKeyRef"] for one in env if "secretKeyRef" in one["valueFrom"]}
    assert {name for name, key in keys.items() if not key.get("optional")} == {"STORE_URL"}
    assert all((key["name"], key["key"]) == ("hpaaudit-store", name) for name, key in keys.items())


def test_only_who_monitors_may_come_in_and_only_to_the_port_that_listens() -> None:
    policy = yaml.safe_load((DEPLOY / "base" / "network.yaml").read_text("utf-8"))["spec"]
    recorder = yaml.safe_load((DEPLOY / "base" / "recorder.yaml").read_text("utf-8"))["spec"]
    assert policy["policyTypes"] == ["Ingress", "Egress"]
    assert policy["podSelector"] == recorder["selector"]
    (inward,) = policy["ingress"]
    assert [one["port"] for one in inward["ports"]] == [
        one["name"] for one in recorder["template"]["spec"]["containers"][0]["ports"]
    ]
    assert all("namespaceSelector" in one for one in inward["from"])
    assert {one["port"] for each in policy["egress"] for one in each["ports"]} == {53, 443, 6443}


def test_the_pod_runs_the_image_as_it_was_made() -> None:
    """Its own program, as its own user; it writes only where a volume is, and listens where the Pod says."""
    template = yaml.safe_load((DEPLOY / "base" / "recorder.yaml").read_text("utf-8"))["spec"]["template"]
    pod, (container,) = template["spec"], template["spec"]["containers"]
    last = CONTAINERFILE.rpartition("FROM ")[2]
    assert "command" not in container
    assert f"USER {pod['securityContext']['runAsUser']}:{pod['securityContext']['runAsGroup']}" in last
    (program,) = json.loads(re.findall(r"^ENTRYPOINT (.+)$", last, re.MULTILINE)[0])
    (copied,) = re.findall(r"^COPY --from=install (\S+) \1$", last, re.MULTILINE)
    assert Path(program).is_relative_to(copied)
    assert f"-- {program} record --plan" in (DEPLOY / "README.md").read_text("utf-8")
    # A home that is there could hold a kubeconfig, which would win over the account.
    assert "ENV HOME=/nonexistent " in last
    written = [Path(word) for word in container["args"] if word.startswith("/")]
    mounted = [Path(mount["mountPath"]) for mount in container["volumeMounts"] if not mount.get("readOnly")]
    assert written
    assert all(any(path.is_relative_to(mount) for mount in mounted) for path in written)
    port = container["args"][container["args"].index("--listen") + 1].rpartition(":")[2]
    assert [str(one["containerPort"]) for one in container["ports"]] == [port]
    assert template["metadata"]["annotations"]["prometheus.io/port"] == port


def test_the_image_is_given_only_what_it_copies() -> None:
    """Neither a recording nor a kubeconfig that lies beside can get into it."""
    ignored = (DEPLOY / "Containerfile.dockerignore").read_text("utf-8").splitlines()
    included = [line.removeprefix("!") for line in ignored if line.startswith("!")]
    (copied,) = re.findall(r"^COPY (?!--from)(.+) /tmp/$", CONTAINERFILE, re.MULTILINE)
    assert "*" in ignored
    assert all(any(fnmatch(path, pattern) for pattern in included) for path in copied.split())
    assert len(included) == len(copied.split())


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
    """Its pyarrow can do without numpy."""
    code = (
        "import sys; sys.modules |= dict.fromkeys(('numpy', 'duckdb', 'polars', 'numba')); before = set(sys.modules);"
        f"{RECORD}; print(*sorted({{name.partition('.')[0] for name in set(sys.modules) - before}}))"
    )
    completed = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    owners = packages_distributions()
    imported = {owner.lower().replace("_", "-") for name in completed.stdout.split() for owner in owners.get(name, ())}
    assert {"aiohttp", "click", "msgspec", "obstore", "prometheus-client", "pyarrow", "pyyaml"} <= imported
    assert imported - {"hpaaudit"} <= set(pinned(DEPLOY / "requirements.lock"))


def test_the_recipe_makes_a_recorder_of_the_lock_and_the_wheel_alone(tmp_path: Path) -> None:
    """Its own commands, word for word but for the places; what they made imports all that `record` does."""
    (commands,) = re.findall(r"^RUN (.+?[^\\])$", CONTAINERFILE, re.MULTILINE | re.DOTALL)
    installed, copied = tmp_path / "installed", tmp_path / "copied"
    build = [sys.executable, "-m", "uv", "build", "--wheel", "--no-build-isolation", "--python", sys.executable]
    subprocess.run([*build, "--out-dir", copied, ROOT], check=True, capture_output=True)
    (copied / "requirements.lock").write_bytes((DEPLOY / "requirements.lock").read_bytes())
    # The official image has `python` and `pip` on its path, and so has an environment with a pip of its own.
    venv.create(tmp_path / "image", with_pip=True)
    script = commands.replace("/tmp/", f"{copied}/").replace("/opt/hpaaudit", str(installed))  # noqa: S108
    path = f"{tmp_path / 'image' / 'bin'}{os.pathsep}{os.environ['PATH']}"
    quicker = {**os.environ, "PATH": path, "PIP_NO_COMPILE": "1"}
    completed = subprocess.run(["sh", "-ec", script], env=quicker, capture_output=True, text=True, check=False)
    assert completed.returncode == 0, completed.stderr

    def run(*command: str | Path) -> str:
        bare = {"HOME": "/nonexistent", "PATH": os.defpath}
        return subprocess.run(command, cwd=tmp_path, env=bare, capture_output=True, text=True, check=True).stdout

    assert "hpaaudit record --into friday" in run(installed / "bin" / "hpaaudit", "record", "--help")
    run(installed / "bin" / "python", "-c", RECORD)
    listed = "import importlib.metadata as m; print(*(f'{d.name}=={d.version}' for d in m.distributions()))"
    installed_names = {
        name.lower().replace("_", "-") for name in run(installed / "bin" / "python", "-c", listed).split()
    }
    locked = {f"{name}=={version}" for name, version in pinned(DEPLOY / "requirements.lock").items()}
    assert f"hpaaudit=={hpaaudit.__version__}" in installed_names
    assert installed_names - {f"hpaaudit=={hpaaudit.__version__}"} <= locked
