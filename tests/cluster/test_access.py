"""The 18 cases of the authentication matrix (reference/ecosystem.md §1), each against a server over TLS."""

import asyncio
import base64
import json
import os
import time
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from hpaaudit.cluster.access import credentials, kubeconfig
from hpaaudit.cluster.access.kubeconfig import load_config
from hpaaudit.cluster.client.client import Client
from hpaaudit.cluster.client.clock import Clock
from hpaaudit.errors import Unreachable
from tests.cluster.pki import HOST
from tests.cluster.unruly import NAME, ExecPlugin, Proxy, Unruly
from tests.cluster.visitor import Scene


def data(path: Path) -> str:
    """A file as a kubeconfig holds it inline."""
    return base64.b64encode(path.read_bytes()).decode()


async def a_static_token(scene: Scene) -> None:
    """The server's authority is inline too."""
    inline = {"certificate-authority": "", "certificate-authority-data": data(scene.pki / "ca.crt")}
    await scene.comes_in("token t1", {"token": "t1"}, **inline)


async def a_certificate_inline(scene: Scene) -> None:
    """As kubeadm writes it."""
    user = {
        "client-certificate-data": data(scene.pki / "admin.crt"),
        "client-key-data": data(scene.pki / "admin.key"),
    }
    await scene.comes_in("certificate admin-by-certificate", user)


async def a_certificate_in_relative_files(scene: Scene) -> None:
    """The files lie beside the kubeconfig, as minikube's, and are exchanged while we run."""
    for end in ("crt", "key"):
        (scene.folder / f"me.{end}").write_bytes((scene.pki / f"admin.{end}").read_bytes())
    async with scene.client({"client-certificate": "me.crt", "client-key": "me.key"}) as client:
        await client.get("/version")
        (scene.folder / "me.crt").write_bytes((scene.pki / "bob.crt").read_bytes())
        assert (await client.get("/version")).status == 200  # the pair does not fit yet: the old one goes on
        (scene.folder / "me.key").write_bytes((scene.pki / "bob.key").read_bytes())
        await client.get("/version")
    admin = "certificate admin-by-certificate"
    assert scene.server.who == [admin, admin, "certificate bob"]


async def a_plugin_of_v1beta1_prints_a_token(scene: Scene) -> None:
    """It is told so in its own version."""
    plugin = ExecPlugin(scene.folder, "v1beta1")
    plugin.prints("issued")
    await scene.comes_in("token issued", plugin.user())
    document = json.loads(plugin.exec_info.read_text())
    assert document == {"apiVersion": plugin.version, "kind": "ExecCredential", "spec": {"interactive": False}}


async def a_server_that_need_not_be_verified(scene: Scene) -> None:
    """As the kubeconfig asks."""
    wrong = str(scene.pki / "front-proxy-ca.crt")
    answer = await scene.ask({"token": "t1"}, **{"certificate-authority": wrong, "insecure-skip-tls-verify": True})
    assert answer.status == 200


async def a_server_behind_a_path(scene: Scene) -> None:
    """As Rancher's."""
    assert (await scene.ask({"token": "t1"}, server=f"{scene.server.url}/k8s/clusters/c-1/")).status == 200
    assert scene.server.asked == ["/k8s/clusters/c-1/version"]


async def a_wrong_authority_is_refused(scene: Scene) -> None:
    """Nothing is sent to a server that is not ours."""
    answer = await scene.ask({"token": "t1"}, **{"certificate-authority": str(scene.pki / "front-proxy-ca.crt")})
    assert "its certificate is not valid" in answer.error
    assert not scene.server.asked


async def a_plugin_of_v1_prints_a_token(scene: Scene) -> None:
    """With arguments, an environment, a path relative to the kubeconfig, and the cluster told."""
    plugin = ExecPlugin(scene.folder)
    status = '{"token": "%s-%s"}'
    credential = f'{{"apiVersion": "{plugin.version}", "kind": "ExecCredential", "status": {status}}}'
    plugin.script(f'printf \'{credential}\' "$1" "$REGION"')
    user = plugin.user(
        command="./plugin", args=["a"], env=[{"name": "REGION", "value": "north"}], provideClusterInfo=True
    )
    extension = {"name": "client.authentication.k8s.io/exec", "extension": {"audience": "x"}}
    await scene.comes_in("token a-north", user, extensions=[extension])
    cluster_info = json.loads(plugin.exec_info.read_text())["spec"]["cluster"]
    assert cluster_info["server"] == scene.server.url
    assert base64.b64decode(cluster_info["certificate-authority-data"]) == (scene.pki / "ca.crt").read_bytes()
    assert cluster_info["config"] == {"audience": "x"}


async def a_plugin_of_v1_prints_a_certificate(scene: Scene) -> None:
    """Another one after it expired: new connections show the new one."""
    plugin = ExecPlugin(scene.folder)

    def prints(name: str, seconds: float) -> None:
        pair = {f"client{part}Data": (scene.pki / f"{name}.{end}").read_text() for part, end in PAIR.items()}
        plugin.prints(**pair, expirationTimestamp=expiry(seconds))

    prints("admin", 1.5)
    async with scene.client(plugin.user()) as client:
        await client.get("/version")
        prints("bob", 900)
        await asyncio.sleep(1.6)
        await client.get("/version")
    assert scene.server.who == ["certificate admin-by-certificate", "certificate bob"]
    assert plugin.runs == 2


async def a_revoked_token_of_a_plugin_is_asked_for_again(scene: Scene) -> None:
    """The 401 is never seen; while the plugin has nothing newer it is not run for every request."""
    plugin = ExecPlugin(scene.folder)
    plugin.prints("first")
    scene.server.accepted = {"token first"}
    async with scene.client(plugin.user()) as client:
        assert (await client.get("/version")).status == 200
        plugin.prints("second")
        scene.server.accepted = {"token second"}
        assert (await client.get("/version")).status == 200
        assert plugin.runs == 2
        scene.server.accepted = {"token third"}
        scene.patch.setattr(credentials, "PAUSE_SECONDS", 60)
        assert {(await client.get("/version")).status for _ in range(20)} == {401}
        assert plugin.runs == 2
        scene.patch.setattr(credentials, "PAUSE_SECONDS", 0)
        plugin.prints("third")
        assert (await client.get("/version")).status == 200
        plugin.prints("fourth")
        scene.server.accepted = {"token fourth"}
        async for line in client.lines("/things?watch=1"):
            assert line == b""
            break
    assert plugin.runs == 4


async def an_expired_token_of_a_plugin_is_asked_for_again(scene: Scene) -> None:
    """As EKS every 15 min; before that many requests are one run, and of requests at once one runs it."""
    plugin = ExecPlugin(scene.folder)
    plugin.prints("first", expirationTimestamp=expiry(2))
    scene.server.accepted = {"token first", "token second"}
    async with scene.client(plugin.user()) as client:
        for _ in range(5):
            await client.get("/version")
        assert plugin.runs == 1
        await asyncio.sleep(2.1)
        plugin.prints("second", expirationTimestamp=expiry(900))
        await asyncio.gather(*(client.get("/version") for _ in range(5)))
    assert plugin.runs == 2
    assert scene.server.who == ["token first"] * 5 + ["token second"] * 5


async def a_token_file_that_rotates_is_read_again(scene: Scene) -> None:
    """At once, and while it cannot be read the last one goes on."""
    file = scene.folder / "token"
    file.write_text("one\n")
    async with scene.client({"tokenFile": "token", "token": "beaten"}) as client:
        await client.get("/version")
        file.write_text("another\n")
        await client.get("/version")
        file.write_text("")
        await client.get("/version")
        file.unlink()
        await client.get("/version")
    assert scene.server.who == ["token one", "token another", "token another", "token another"]


async def the_token_of_a_pod_rotates(scene: Scene) -> None:
    """As the kubelet does it, by a link; so does the authority, and with it the server's certificate."""
    account = scene.folder / "account"

    def mount(number: int, token: str, authority: str) -> None:
        (account / f"v{number}").mkdir(parents=True)
        (account / f"v{number}" / "token").write_text(token)
        (account / f"v{number}" / "ca.crt").write_bytes((scene.pki / f"{authority}.crt").read_bytes())
        (account / "next").symlink_to(f"v{number}")
        (account / "next").replace(account / "..data")

    mount(1, "pod-1", "ca")
    for name in ("token", "ca.crt"):
        (account / name).symlink_to(f"..data/{name}")
    (account / "namespace").write_text("audit")
    scene.patch.setattr(kubeconfig, "SERVICE_ACCOUNT", account)
    scene.patch.setenv("HOME", str(scene.folder))
    scene.patch.delenv("KUBECONFIG", raising=False)
    scene.patch.setenv("KUBERNETES_SERVICE_HOST", HOST)
    scene.patch.setenv("KUBERNETES_SERVICE_PORT", str(scene.server.port))
    access = load_config(None, None)
    assert access.namespace == "audit"
    async with Client(access, Clock()) as client:
        await client.get("/version")
        mount(2, "pod-2", "ca")
        await client.get("/version")
        mount(3, "pod-3", "new-ca")
        await scene.server.down()
        scene.server.certificate = "new-serving"
        await scene.server.up()
        assert (await client.get("/version")).status == 200
    assert scene.server.who == ["token pod-1", "token pod-2", "token pod-3"]


async def a_tls_server_name_is_expected_instead_of_the_host(scene: Scene) -> None:
    """Sent as SNI, and held against the certificate."""
    async with Unruly(scene.pki, certificate="named") as scene.server:
        assert "not valid" in (await scene.ask({"token": "t1"})).error
        assert (await scene.ask({"token": "t1"}, **{"tls-server-name": NAME})).status == 200
        assert scene.server.names[-1] == NAME


async def a_proxy_url_is_asked_through(scene: Scene) -> None:
    """With a password, and with a name expected of the server behind it."""
    scene.server.accepted = {"token t1"}
    async with Proxy() as proxy, Unruly(scene.pki, certificate="named") as scene.server:
        cluster_config = {"proxy-url": f"http://me:pass@{HOST}:{proxy.port}", "tls-server-name": NAME}
        assert (await scene.ask({"token": "t1"}, **cluster_config)).status == 200
        assert proxy.passed == [f"{HOST}:{scene.server.port}"]
        assert proxy.shown == ["Basic " + base64.b64encode(b"me:pass").decode()]
        assert scene.server.asked == ["/version"]


async def several_kubeconfigs_are_one(scene: Scene) -> None:
    """The first that names a thing wins, files are relative to their own, and a missing one is passed over."""
    (scene.folder / "a").mkdir()
    (scene.folder / "a" / "token").write_text("mine")
    first = scene.write({"users": [{"name": "me", "user": {"tokenFile": "token"}}]}, "a/config")
    second = scene.write(scene.config({"token": "theirs"}), "b")
    (scene.folder / "empty").touch()
    files = [first, scene.folder / "gone", scene.folder / "empty", second]
    scene.patch.setenv("KUBECONFIG", os.pathsep.join(map(str, files)) + os.pathsep)
    async with Client(load_config(None, None), Clock()) as client:
        assert (await client.get("/version")).status == 200
    assert scene.server.who == ["token mine"]


async def a_plugin_that_fails_is_told_in_one_line(scene: Scene) -> None:
    """With its last words but no secret of them; later in the run it is the cause of a gap, and no end."""
    plugin = ExecPlugin(scene.folder)
    plugin.script("echo a hint >&2\necho session of $KEY expired >&2\nexit 3")
    user = plugin.user(env=[{"name": "KEY", "value": "hidden"}])
    with pytest.raises(Unreachable, match=r"plugin of user me of .* failed with code 3: session of … expired; run it"):
        await scene.ask(user)
    assert not scene.server.asked
    plugin.script(f"cat {plugin.printed}")
    plugin.prints("first", expirationTimestamp=expiry(1.5))
    async with scene.client(user) as client:
        assert (await client.get("/version")).status == 200
        await asyncio.sleep(1.6)
        plugin.script("exit 1")
        scene.patch.setattr(credentials, "PAUSE_SECONDS", 60)
        client._credentials._ran_at = -60.0
        answers = [await client.get("/version") for _ in range(20)]
        assert {answer.status for answer in answers} == {0}
        assert all("failed with code 1: it said nothing; run it by hand" in answer.error for answer in answers)
    assert plugin.runs == 3


async def a_plugin_that_is_missing_is_told_with_its_hint(scene: Scene) -> None:
    """One line, and nobody is asked as a stranger."""
    user = ExecPlugin(scene.folder).user(command="no-such-plugin", installHint="Install it:\n  see https://plugin.test")
    message = "plugin no-such-plugin of user me of .* is not installed: Install it: see https://plugin.test$"
    with pytest.raises(Unreachable, match=message):
        await scene.ask(user)
    assert not scene.server.asked


PAIR = {"Certificate": "crt", "Key": "key"}
CASES: list[Callable[[Scene], Awaitable[None]]] = [
    a_static_token,
    a_certificate_inline,
    a_certificate_in_relative_files,
    a_plugin_of_v1beta1_prints_a_token,
    a_server_that_need_not_be_verified,
    a_server_behind_a_path,
    a_wrong_authority_is_refused,
    a_plugin_of_v1_prints_a_token,
    a_plugin_of_v1_prints_a_certificate,
    a_revoked_token_of_a_plugin_is_asked_for_again,
    an_expired_token_of_a_plugin_is_asked_for_again,
    a_token_file_that_rotates_is_read_again,
    the_token_of_a_pod_rotates,
    a_tls_server_name_is_expected_instead_of_the_host,
    a_proxy_url_is_asked_through,
    several_kubeconfigs_are_one,
    a_plugin_that_fails_is_told_in_one_line,
    a_plugin_that_is_missing_is_told_with_its_hint,
]


def expiry(seconds: float) -> str:
    """An expirationTimestamp so far from now."""
    return (datetime.fromtimestamp(time.time(), UTC) + timedelta(seconds=seconds)).isoformat()


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.__name__)
def test_the_way_in(
    case: Callable[[Scene], Awaitable[None]], pki: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(credentials, "PAUSE_SECONDS", 0)

    async def play() -> None:
        async with Unruly(pki) as server:
            await case(Scene(server, tmp_path, monkeypatch))

    asyncio.run(play())
