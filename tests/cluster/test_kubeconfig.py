"""Which server a kubeconfig means, and what it lacks."""

import base64
import json
from pathlib import Path
from typing import Any

import pytest

from hpaaudit.cluster.access import kubeconfig
from hpaaudit.cluster.access.kubeconfig import load_config
from hpaaudit.errors import Unreachable

V1 = "client.authentication.k8s.io/v1"
PLUGIN = {"apiVersion": V1, "command": "aws"}


def config(**changes: Any) -> dict[str, Any]:
    """A kubeconfig with the contexts `one` and `two`; `user` and `cluster` add to the entries of `one`."""
    return {
        "current-context": "one",
        "clusters": [
            {"name": "c1", "cluster": {"server": "https://one:6443/", **changes.get("cluster", {})}},
            {"name": "c2", "cluster": {"server": "https://two:6443"}},
        ],
        "users": [{"name": "u1", "user": {"token": "t1", **changes.get("user", {})}}, {"name": "u2", "user": {}}],
        "contexts": [
            {"name": "one", "context": {"cluster": "c1", "user": "u1", "namespace": "shop"}},
            {"name": "two", "context": {"cluster": "c2", "user": "u2"}},
            {"name": "torn", "context": {"cluster": "c9", "user": "u1"}},
        ],
    }


def write(folder: Path, content: object, name: str = "config") -> Path:
    """A kubeconfig on the disk."""
    path = folder / name
    path.write_text(content if isinstance(content, str) else json.dumps(content))
    return path


def test_the_current_context_is_meant_unless_another_is_named(tmp_path: Path) -> None:
    path = write(tmp_path, config())
    one, two = load_config(path, None), load_config(path, "two")
    assert (one.context, one.server, one.namespace, one.token) == ("one", "https://one:6443", "shop", "t1")
    assert (two.context, two.server, two.namespace, two.token) == ("two", "https://two:6443", "default", "")


def test_of_several_files_the_first_that_names_a_thing_wins(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = write(tmp_path, {"users": [{"name": "u1", "user": {"token": "mine"}}]}, "first")
    second = write(tmp_path, config(), "second")
    monkeypatch.setenv("KUBECONFIG", f"{first}:{second}")
    access = load_config(None, None)
    assert (access.server, access.token) == ("https://one:6443", "mine")


def test_files_are_relative_to_the_kubeconfig_and_data_is_base64(tmp_path: Path) -> None:
    (tmp_path / "ca.pem").write_bytes(b"authority")
    encoded = base64.b64encode(b"key").decode()
    user = {"client-certificate": "ca.pem", "client-key-data": encoded, "tokenFile": "token"}
    access = load_config(write(tmp_path, config(cluster={"certificate-authority": "ca.pem"}, user=user)), None)
    assert (access.authority, access.certificate, access.key) == (tmp_path / "ca.pem", tmp_path / "ca.pem", b"key")
    assert access.token_file == tmp_path / "token"


def test_inside_a_cluster_the_service_account_is_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, content in {"namespace": "monitoring", "ca.crt": "authority", "token": "secret"}.items():
        (tmp_path / name).write_text(content)
    monkeypatch.setattr(kubeconfig, "SERVICE_ACCOUNT", tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path / "nowhere"))
    monkeypatch.delenv("KUBECONFIG", raising=False)
    monkeypatch.setenv("KUBERNETES_SERVICE_HOST", "fd00::1")
    monkeypatch.setenv("KUBERNETES_SERVICE_PORT", "6443")
    access = load_config(None, None)
    assert (access.server, access.namespace) == ("https://[fd00::1]:6443", "monitoring")
    assert (access.authority, access.token_file) == (tmp_path / "ca.crt", tmp_path / "token")


def test_without_any_kubeconfig_the_option_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("KUBECONFIG", raising=False)
    monkeypatch.delenv("KUBERNETES_SERVICE_HOST", raising=False)
    with pytest.raises(Unreachable, match="name one by --kubeconfig"):
        load_config(None, None)


@pytest.mark.parametrize(
    ("content", "context", "message"),
    [
        (config(), "three", "has no context three; it has one, torn, two"),
        (config(), "torn", "context torn of .* names the cluster 'c9', which does not exist"),
        ({"contexts": []}, None, "names no current context; choose one by --context: none"),
        (
            config(user={"auth-provider": {"name": "oidc"}}),
            None,
            "u1 of .* needs auth-provider, .* run `kubectl proxy`",
        ),
        (config(user={"exec": {"command": "aws"}}), None, "its exec has the apiVersion none; it takes client"),
        (config(user={"exec": {"apiVersion": V1}}), None, "its exec names no command"),
        (config(user={"exec": {**PLUGIN, "interactiveMode": "Always"}}), None, "needs a terminal .* `kubectl proxy"),
        (config(user={"client-key-data": "a2V5"}), None, "has only one of client-certificate and client-key"),
        (config(cluster={"server": "one:6443"}), None, "its server must begin with https:// or http://"),
        (config(cluster={"server": "https://me:secret@one"}), None, "its server holds a user or a password; put"),
        (config(cluster={"server": "https://one:port"}), None, "its server is not a URL"),
        ({**config(), "users": ["u1"]}, None, "its users are no list of entries with names"),
        ({**config(), "users": [{"name": "u1", "user": "t1"}]}, None, "the user u1 holds no mapping"),
        ("users:\n- secret: 'torn\n  x: [", None, r"found unexpected end of stream in line 3$"),
        (config(cluster={"server": ""}), None, "cluster c1 of .* names no server"),
        (config(user={"client-key-data": "%%"}), None, "client-key-data is not base64"),
        (config(user={"client-key": "gone.pem"}), None, "client-key .*gone.pem: No such file or directory"),
        ("[not, a, mapping]", None, "is not a kubeconfig: it holds no mapping"),
        ("{", None, "is not a kubeconfig: "),
    ],
)
def test_what_is_wrong_is_said_in_one_line(content: object, context: str | None, message: str, tmp_path: Path) -> None:
    with pytest.raises(Unreachable, match=message) as raised:
        load_config(write(tmp_path, content), context)
    assert "\n" not in str(raised.value)
    assert "secret" not in str(raised.value)


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(Unreachable, match="nowhere: No such file or directory; name another kubeconfig"):
        load_config(tmp_path / "nowhere", None)


def test_where_no_file_of_several_is_there_the_first_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KUBECONFIG", f"{tmp_path}/a:{tmp_path}/b")
    with pytest.raises(Unreachable, match="/a: No such file or directory; name another kubeconfig"):
        load_config(None, None)


def test_whom_to_act_as_is_told_in_headers(tmp_path: Path) -> None:
    user = {"as": "bob", "as-uid": "7", "as-groups": ["a", "b"], "as-user-extra": {"example.org/scope": ["x"]}}
    assert load_config(write(tmp_path, config(user=user)), None).impersonate == (
        ("Impersonate-User", "bob"),
        ("Impersonate-Uid", "7"),
        ("Impersonate-Group", "a"),
        ("Impersonate-Group", "b"),
        ("Impersonate-Extra-example.org%2Fscope", "x"),
    )


def test_no_secret_shows_in_the_repr_of_an_access(tmp_path: Path) -> None:
    plugin = {**PLUGIN, "args": ["hush"], "env": [{"name": "KEY", "value": "hush"}]}
    inline = base64.b64encode(b"hush").decode()
    user = {"token": "hush", "client-certificate-data": inline, "client-key-data": inline, "exec": plugin}
    access = load_config(write(tmp_path, config(user=user, cluster={"proxy-url": "http://me:hush@p"})), None)
    assert access.plugin is not None
    assert "hush" not in repr(access)
