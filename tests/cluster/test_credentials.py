"""Plugins that misbehave, proxies of the environment, and secrets that stay secret."""

import asyncio
import json
import re
import ssl
import time
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from hpaaudit.cluster.access import exec_plugin as module
from hpaaudit.cluster.access.config import ClientConfig
from hpaaudit.cluster.access.config import ExecPlugin as Told
from hpaaudit.cluster.access.exec_plugin import issue
from hpaaudit.cluster.access.proxy import proxy_of
from hpaaudit.cluster.client.client import Client
from hpaaudit.cluster.client.clock import Clock
from hpaaudit.cluster.client.http_answer import Answer
from hpaaudit.errors import Unreachable
from tests.cluster.pki import HOST, key, leaf, openssl
from tests.cluster.recorder import run
from tests.cluster.unruly import ExecPlugin, Proxy, Unruly, server_tls

V1 = "client.authentication.k8s.io/v1"
SECRET = "hush"  # noqa: S105  # nobody's


@pytest.fixture(autouse=True)
def no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    """The environment of a test names no proxy of ours."""
    for name in ("http_proxy", "https_proxy", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)


def credentials_of(path: Path) -> Told:
    """A plugin as a kubeconfig tells of it."""
    return Told(owner="user me of config", version=V1, command=str(path), env=(("KEY", SECRET),))


def printed(**content: Any) -> str:
    """A script that prints an ExecCredential with these parts exchanged."""
    whole = {"apiVersion": V1, "kind": "ExecCredential", "status": {"token": SECRET}, **content}
    return f"cat <<'EOF'\n{json.dumps(whole)}\nEOF"


@pytest.mark.parametrize(
    ("script", "message"),
    [
        (f"echo {SECRET}", "printed no JSON; run it by hand"),
        ("true", "printed no JSON"),
        (printed(apiVersion=f"{V1}beta1"), f"printed another kind or apiVersion than the ExecCredential of {V1}"),
        (printed(kind=SECRET), "printed another kind or apiVersion"),
        (printed(status=None), "printed neither a token nor a client certificate"),
        (printed(status={"token": [SECRET]}), "printed no ExecCredential: Expected `str"),
        (printed(status={"token": SECRET, "expirationTimestamp": "soon"}), "Invalid RFC3339 encoded datetime"),
        (printed(status={"clientCertificateData": SECRET}), "only one of clientCertificateData and clientKeyData"),
        ("echo $KEY eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJtZSJ9.c2lnbmF0dXJl >&2; exit 1", "with code 1: … …; run it"),
        ("kill -9 $$", "failed with code -9: it said nothing"),
    ],
)
def test_what_a_plugin_does_wrong_is_said_in_one_line_without_a_secret(
    script: str, message: str, tmp_path: Path
) -> None:
    plugin = ExecPlugin(tmp_path)
    plugin.script(script)
    with pytest.raises(Unreachable, match=re.escape(message)) as raised:
        asyncio.run(issue(credentials_of(plugin.path)))
    assert f"the credential plugin {plugin.path} of user me of config " in str(raised.value)
    assert SECRET not in str(raised.value)
    assert "\n" not in str(raised.value)


def test_a_plugin_that_waits_for_somebody_is_ended_with_all_it_started(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "PLUGIN_SECONDS", 0.5)
    plugin = ExecPlugin(tmp_path)
    plugin.script(f"(sleep 2; touch {tmp_path}/survived) &\nsleep 60")
    begun = time.monotonic()
    with pytest.raises(Unreachable, match=r"did not end in 0.5 s: it may wait for a login; run it by hand"):
        asyncio.run(issue(credentials_of(plugin.path)))
    assert time.monotonic() - begun < 5
    time.sleep(2)
    assert not (tmp_path / "survived").exists()


def test_a_plugin_that_is_no_program_is_said(tmp_path: Path) -> None:
    broken = tmp_path / "plugin"
    broken.write_bytes(b"\x7fELF")
    broken.chmod(0o755)
    with pytest.raises(Unreachable, match=r"cannot be run: Exec format error"):
        asyncio.run(issue(credentials_of(broken)))


@pytest.mark.parametrize(
    ("server", "no_proxy", "asked"),
    [
        ("https://k8s.example.com", "", True),
        ("https://k8s.example.com", "example.com", False),
        ("https://k8s.example.com", ".example.com", False),
        ("https://example.com", ".example.com", True),
        ("https://notexample.com", "example.com", True),
        ("https://k8s.example.com:6443", "example.com:443, other", True),
        ("https://k8s.example.com:6443", "other, example.com:6443", False),
        ("https://k8s.example.com", "*", False),
        ("https://10.1.2.3", "10.0.0.0/8", False),
        ("https://11.1.2.3", "10.0.0.0/8", True),
        ("https://10.1.2.3", "10.1.2.3", False),
        ("https://[fd00::1]:6443", "fd00::/8", False),
        ("https://[fd00::1]:6443", "[fd00::1]:6443", False),
        ("https://127.0.0.1:6443", "", False),
        ("https://localhost", "", False),
        ("http://k8s.example.com", "", False),
    ],
)
def test_a_proxy_of_the_environment_is_asked_unless_the_server_is_excepted(
    server: str, no_proxy: str, asked: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HTTPS_PROXY", "proxy.example.com:3128")
    monkeypatch.setenv("NO_PROXY", no_proxy)
    proxy = proxy_of(ClientConfig(source="config", context="here", server=server))
    assert (str(proxy) if proxy else None) == ("http://proxy.example.com:3128" if asked else None)


def test_a_proxy_that_speaks_socks_is_refused_without_its_password() -> None:
    with pytest.raises(Unreachable, match="not to socks5; run `kubectl proxy`") as raised:
        proxy_of(ClientConfig(source="config", context="here", server="https://k8s", proxy=f"socks5://me:{SECRET}@p:1"))
    assert SECRET not in str(raised.value)


async def ask_through(proxy: str, pki: Path, server: Unruly) -> Answer:
    """The answer to one question through a proxy."""
    access = ClientConfig(source="config", context="here", server=server.url, proxy=proxy, authority=pki / "ca.crt")
    async with Client(access, Clock()) as client:
        return await client.get("/version")


def test_a_proxy_that_refuses_or_is_not_there_is_told_without_its_password(pki: Path) -> None:
    async def play() -> tuple[Answer, Answer]:
        async with Unruly(pki) as server, Proxy(refusal="407 Proxy Authentication Required") as proxy:
            refused = await ask_through(f"http://me:{SECRET}@{HOST}:{proxy.port}", pki, server)
            return refused, await ask_through(f"http://me:{SECRET}@{HOST}:1", pki, server)

    refused, gone = asyncio.run(play())
    assert refused.error == "the proxy refused to connect (407): Proxy Authentication Required"
    assert gone.error == "the proxy before it: Connection refused"


def test_a_proxy_over_tls_is_asked_through(pki: Path) -> None:
    async def play() -> Answer:
        async with Unruly(pki) as server, Proxy(tls=server_tls(pki, "serving")) as proxy:
            return await ask_through(f"https://{HOST}:{proxy.port}", pki, server)

    assert asyncio.run(play()).status == 200


def intermediate(pki: Path) -> None:
    """Makes an authority below the cluster's own, and a server's certificate by it."""
    key(pki, "below")
    openssl("req", "-new", "-key", "below.key", "-subj", "/CN=below", "-out", "below.csr", cwd=pki)
    (pki / "below.ext").write_text("basicConstraints=critical,CA:TRUE\nkeyUsage=critical,keyCertSign\n")
    signer = ("-CA", "ca.crt", "-CAkey", "ca.key", "-CAcreateserial", "-extfile", "below.ext")
    openssl("x509", "-req", "-in", "below.csr", *signer, "-days", "30", "-out", "below.crt", cwd=pki)
    leaf(pki, "serving-below", "below", "/CN=serving", "serverAuth", f"IP:{HOST}")


@pytest.mark.parametrize(("authority", "certificate"), [("ca", "serving"), ("below", "serving-below")])
def test_an_authority_that_kubectl_takes_is_taken_by_every_python(
    authority: str, certificate: str, pki: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The cluster's own says no key usage, which Python 3.13 wants; the other's issuer is away, which 3.11 wants."""
    make_context = ssl.create_default_context

    def strict(*args: Any, **kwargs: Any) -> ssl.SSLContext:
        context = make_context(*args, **kwargs)
        context.verify_flags = ssl.VERIFY_X509_STRICT | ssl.VERIFY_X509_TRUSTED_FIRST
        return context

    intermediate(pki)

    async def play() -> Answer:
        async with Unruly(pki, certificate=certificate) as server:
            monkeypatch.setattr(ssl, "create_default_context", strict)
            access = ClientConfig(
                source="config", context="here", server=server.url, authority=pki / f"{authority}.crt"
            )
            async with Client(access, Clock()) as client:
                return await client.get("/version")

    answer = asyncio.run(play())
    assert (answer.status, answer.error) == (200, "")


def test_whom_to_act_as_is_told_to_the_server(pki: Path) -> None:
    act_as = (("Impersonate-User", "bob"), ("Impersonate-Group", "a"), ("Impersonate-Group", "b"))

    async def play() -> list[tuple[str, str]]:
        async with Unruly(pki) as server:
            way = {"source": "config", "context": "here", "server": server.url, "authority": pki / "ca.crt"}
            async with Client(ClientConfig(**way, token="t1", impersonate=act_as), Clock()) as client:  # noqa: S106
                await client.get("/version")
            return server.headers[0]

    sent = asyncio.run(play())
    assert [pair for pair in sent if pair[0].startswith("Impersonate-")] == list(act_as)
    assert ("Authorization", "Bearer t1") in sent


@pytest.mark.parametrize("token", ["two words", "line\nbreak", "höh"])
def test_a_token_that_cannot_be_sent_is_said_without_it(token: str) -> None:
    async def play() -> None:
        async with Client(ClientConfig(source="config", context="here", server="http://k8s", token=token), Clock()):
            pass

    with pytest.raises(Unreachable, match="config: the token of here is not one word of ASCII"):
        asyncio.run(play())


def test_a_recording_by_a_plugin_holds_no_secret(pki: Path, tmp_path: Path) -> None:
    """Neither do the words of the recorder, while the server knows the token and after."""
    plugin = ExecPlugin(tmp_path)
    plugin.prints(SECRET)
    config = {
        "current-context": "here",
        "clusters": [{"name": "here", "cluster": {"certificate-authority": str(pki / "ca.crt")}}],
        "users": [{"name": "me", "user": plugin.user(env=[{"name": "KEY", "value": SECRET}])}],
        "contexts": [{"name": "here", "context": {"cluster": "here", "user": "me"}}],
    }

    async def play() -> list[str]:
        async with Unruly(pki) as server:
            server.accepted = {f"token {SECRET}"}
            config["clusters"][0]["cluster"]["server"] = server.url
            (tmp_path / "config").write_text(json.dumps(config))
            into = ("record", "--into", str(tmp_path / "recording"), "--kubeconfig", str(tmp_path / "config"))
            done = await asyncio.to_thread(run, *into, "--for", "1s")
            assert done.returncode == 0, done.stderr
            server.accepted = {"nobody"}
            refused = await asyncio.to_thread(run, "record", "--plan", *into[3:])
            assert refused.returncode == 2
            assert "does not know you (401)" in refused.stderr
            return [done.stdout, done.stderr, refused.stdout, refused.stderr]

    outputs = asyncio.run(play())
    for file in (tmp_path / "recording").rglob("*"):
        if file.is_file():
            outputs.append(
                repr(pq.read_table(file).to_pylist()) if file.suffix == ".parquet" else repr(file.read_bytes())
            )
    assert len(outputs) > 5
    assert not [text for text in outputs if SECRET in text]
