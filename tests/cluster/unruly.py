"""An API server over TLS that misbehaves on demand, a proxy to it, and a count of all requests."""

import asyncio
import contextlib
import json
import ssl
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, Self

from aiohttp import web

from tests.cluster.pki import HOST, authority, certificates, leaf

NAME = "kubernetes.test"
"""The only name on one of the server's certificates."""
Reply = Callable[[web.Request], Awaitable[web.StreamResponse]]
SERVED: dict[str, Any] = {
    "/version": {"gitVersion": "v1.36.3"},
    "/apis": {"groups": []},
    "/apis/autoscaling": {"versions": [{"version": "v2"}]},
}


def make_pki(folder: Path) -> Path:
    """The certificates of a cluster, of a server known by name alone, and of a second user."""
    pki = folder / "pki"
    certificates(pki)
    leaf(pki, "named", "ca", f"/CN={NAME}", "serverAuth", f"DNS:{NAME}")
    leaf(pki, "bob", "ca", "/CN=bob", "clientAuth")
    authority(pki, "new-ca")
    leaf(pki, "new-serving", "new-ca", "/CN=serving", "serverAuth", f"IP:{HOST}")
    return pki


def server_tls(pki: Path, name: str) -> ssl.SSLContext:
    """TLS with one of the certificates; clients may show one too."""
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH, cafile=str(pki / "ca.crt"))
    context.verify_mode = ssl.CERT_OPTIONAL
    context.verify_flags &= ~ssl.VERIFY_X509_STRICT  # as an API server, which is written in Go
    context.load_cert_chain(pki / f"{name}.crt", pki / f"{name}.key")
    return context


async def empty(request: web.Request) -> web.StreamResponse:
    """A cluster with nothing in it: lists are empty, watches say nothing."""
    if "watch" in request.query:
        response = web.StreamResponse()
        await response.prepare(request)
        await asyncio.sleep(60)
        return response
    body = SERVED.get(request.path, {"kind": "List", "metadata": {"resourceVersion": "5"}, "items": []})
    return web.json_response(body)


class Unruly:
    """The server; use as an async context manager.

    known   who may come in: `token T`, or `certificate CN`;  asked  what was asked, and by whom, in this order
    names   that clients expected of the certificate (SNI), by connection
    """

    def __init__(self, pki: Path, reply: Reply = empty, *, certificate: str = "serving") -> None:
        self.pki, self.reply, self.certificate = pki, reply, certificate
        self.accepted: set[str] = set()
        self.asked: list[str] = []
        self.who: list[str] = []
        self.headers: list[list[tuple[str, str]]] = []
        self.names: list[str | None] = []
        self.watched = asyncio.Event()
        self.port = 0
        self.runner: web.AppRunner | None = None

    async def __aenter__(self) -> Self:
        await self.up()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.down()

    async def up(self) -> None:
        """Listens; after `down` at the same port."""
        application = web.Application()
        application.router.add_route("*", "/{path:.*}", self._answer)
        self.runner = web.AppRunner(application, shutdown_timeout=0.05)
        await self.runner.setup()
        tls = server_tls(self.pki, self.certificate)
        tls.sni_callback = lambda _socket, name, _context: self.names.append(name)
        site = web.TCPSite(self.runner, HOST, self.port, ssl_context=tls, reuse_address=True)
        await site.start()
        self.port = self.runner.addresses[0][1]

    async def down(self) -> None:
        """Closes the port and all connections."""
        if self.runner:
            await self.runner.cleanup()

    @property
    def url(self) -> str:
        """Where it listens."""
        return f"https://{HOST}:{self.port}"

    async def _answer(self, request: web.Request) -> web.StreamResponse:
        who = self._who(request)
        self.asked.append(request.path_qs)
        self.who.append(who)
        self.headers.append(list(request.headers.items()))
        if self.accepted and who not in self.accepted:
            return web.json_response({"kind": "Status", "code": 401, "message": "Unauthorized"}, status=401)
        if "watch" in request.query:
            self.watched.set()
        return await self.reply(request)

    @staticmethod
    def _who(request: web.Request) -> str:
        if shown := request.headers.get("Authorization", "").removeprefix("Bearer "):
            return f"token {shown}"
        peer = request.transport.get_extra_info("peercert") if request.transport else None
        names = dict(part for (part, *_) in peer["subject"]) if peer else {}
        return f"certificate {names['commonName']}" if names else "nobody"


class Proxy:
    """A proxy that passes CONNECT on; `passed` are the places it was asked for, `shown` what it was shown."""

    def __init__(self, *, refusal: str = "", tls: ssl.SSLContext | None = None) -> None:
        self.refusal, self.tls = refusal, tls
        self.passed: list[str] = []
        self.shown: list[str] = []
        self.port = 0

    async def __aenter__(self) -> Self:
        self.server = await asyncio.start_server(self._pass, HOST, 0, ssl=self.tls)
        self.port = self.server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(self, *_: object) -> None:
        self.server.close()

    async def _pass(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode().splitlines()
        request_path = head[0].split()[1]
        self.passed.append(request_path)
        self.shown += [line.partition(": ")[2] for line in head if line.lower().startswith("proxy-authorization")]
        if self.refusal:
            writer.write(f"HTTP/1.1 {self.refusal}\r\nContent-Length: 0\r\n\r\n".encode())
            writer.close()
            return
        host, _, port = request_path.rpartition(":")
        far_reader, far_writer = await asyncio.open_connection(host, int(port))
        writer.write(b"HTTP/1.1 200 Connection established\r\n\r\n")
        await asyncio.gather(_pipe(reader, far_writer), _pipe(far_reader, writer))


async def _pipe(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with contextlib.suppress(OSError):
        while data := await reader.read(65536):
            writer.write(data)
            await writer.drain()
    with contextlib.suppress(OSError):
        writer.close()


class ExecPlugin:
    """A credential plugin: a script that counts its runs and prints what `prints` was told."""

    def __init__(self, folder: Path, version: str = "v1") -> None:
        self.folder, self.version = folder, f"client.authentication.k8s.io/{version}"
        self.path = folder / "plugin"
        self.runs_file, self.printed, self.exec_info = folder / "runs", folder / "printed.json", folder / "told.json"
        self.script(f"cat {self.printed}")

    def script(self, body: str) -> None:
        """What it does after it has counted and written down what it was told."""
        note = f'echo run >> {self.runs_file}\nprintf %s "$KUBERNETES_EXEC_INFO" > {self.exec_info}\n'
        self.path.write_text(f"#!/bin/sh\n{note}{body}\n")
        self.path.chmod(0o755)

    def prints(self, token: str = "", **status: str) -> None:
        """From now on it prints these credentials."""
        content = {"apiVersion": self.version, "kind": "ExecCredential", "status": {"token": token, **status}}
        self.printed.write_text(json.dumps(content))

    def user(self, **more: Any) -> dict[str, Any]:
        """The user of a kubeconfig who has it."""
        return {"exec": {"apiVersion": self.version, "command": str(self.path), "interactiveMode": "Never", **more}}

    @property
    def runs(self) -> int:
        """How often it ran."""
        return len(self.runs_file.read_text().splitlines()) if self.runs_file.exists() else 0
