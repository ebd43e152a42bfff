"""Runs a credential plugin, once, and reads the credentials that it prints."""

import asyncio
import contextlib
import os
import re
import shutil
import signal
from dataclasses import dataclass, field
from datetime import datetime
from typing import Annotated

import msgspec

from hpaaudit.cluster.access.config import Plugin
from hpaaudit.errors import Unreachable

VERSIONS = ("client.authentication.k8s.io/v1", "client.authentication.k8s.io/v1beta1")
PLUGIN_SECONDS = 60
"""A plugin that takes longer waits for somebody who is not there."""
ENDING_SECONDS = 5
SECRET = re.compile(r"[\w.+=-]{32,}")
"""What looks like a token in the last words of a plugin."""
WORDS = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Issued:
    """What a plugin printed; `expires` in seconds of the wall clock, None where it did not say."""

    token: str = field(default="", repr=False)
    certificate: bytes | None = field(default=None, repr=False)
    key: bytes | None = field(default=None, repr=False)
    expires: float | None = None


class _Status(msgspec.Struct, rename="camel"):
    token: str | None = None
    client_certificate_data: str | None = None
    client_key_data: str | None = None
    expiration_timestamp: Annotated[datetime, msgspec.Meta(tz=True)] | None = None


class _Credential(msgspec.Struct, rename="camel"):
    api_version: str
    kind: str
    status: _Status | None = None


async def issue(plugin: Plugin) -> Issued:
    """The credentials that the plugin prints; Unreachable with one clear line where it does not.

    It has no terminal: a plugin that wants one is told so (`interactive: false`).
    """
    words = f"the credential plugin {plugin.command} of {plugin.owner}"
    if (program := shutil.which(plugin.command)) is None:
        hint = " ".join(plugin.hint.split()) or "install it, or choose another user"
        raise Unreachable(f"{words} is not installed: {hint}")
    code, printed, said = await _run(plugin, program, words)
    if code:
        last = said.decode(errors="replace").strip().splitlines()[-1:] or ["it said nothing"]
        raise Unreachable(f"{words} failed with code {code}: {_without_secrets(plugin, last[0])}; run it by hand")
    return _read(plugin, printed, words)


async def _run(plugin: Plugin, program: str, words: str) -> tuple[int, bytes, bytes]:
    """Exit code, stdout and stderr; nothing of it is left behind."""
    spec = {"interactive": False, **({"cluster": plugin.cluster} if plugin.cluster else {})}
    info = msgspec.json.encode({"apiVersion": plugin.version, "kind": "ExecCredential", "spec": spec})
    env = {**os.environ, **dict(plugin.env), "KUBERNETES_EXEC_INFO": info.decode()}
    nothing, pipe = asyncio.subprocess.DEVNULL, asyncio.subprocess.PIPE
    try:
        # A session of its own: Ctrl-C ends the recorder, not its plugin, and all that it started can be ended.
        process = await asyncio.create_subprocess_exec(
            program, *plugin.args, stdin=nothing, stdout=pipe, stderr=pipe, env=env, start_new_session=True
        )
    except (OSError, ValueError) as problem:
        reason = problem.strerror if isinstance(problem, OSError) else "a NUL in its arguments"
        raise Unreachable(f"{words} cannot be run: {reason}") from None
    try:
        async with asyncio.timeout(PLUGIN_SECONDS):
            printed, said = await process.communicate()
    except TimeoutError:
        await _end(process)
        advice = "it may wait for a login; run it by hand"
        raise Unreachable(f"{words} did not end in {PLUGIN_SECONDS:g} s: {advice}") from None
    except asyncio.CancelledError:
        await _end(process)
        raise
    return process.returncode or 0, printed, said


async def _end(process: asyncio.subprocess.Process) -> None:
    """Kill what still runs, its children too: they may hold the pipes."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        if hasattr(os, "killpg"):
            os.killpg(process.pid, signal.SIGKILL)
        elif process.returncode is None:
            process.kill()
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(ENDING_SECONDS):
            await process.wait()


def _read(plugin: Plugin, printed: bytes, words: str) -> Issued:
    """Credentials in the JSON of an ExecCredential; what is wrong is said without a word of it."""
    try:
        found = msgspec.json.decode(printed, type=_Credential)
    except msgspec.ValidationError as problem:
        # It names types and places, no values.
        raise Unreachable(f"{words} printed no ExecCredential: {problem}") from None
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        raise Unreachable(f"{words} printed no JSON; run it by hand") from None
    if found.kind != "ExecCredential" or found.api_version != plugin.version:
        raise Unreachable(f"{words} printed another kind or apiVersion than the ExecCredential of {plugin.version}")
    status = found.status or _Status()
    pair = bool(status.client_certificate_data), bool(status.client_key_data)
    if any(pair) and not all(pair):
        raise Unreachable(f"{words} printed only one of clientCertificateData and clientKeyData")
    if not status.token and not any(pair):
        raise Unreachable(f"{words} printed neither a token nor a client certificate; run it by hand")
    return Issued(
        token=status.token or "",
        certificate=(status.client_certificate_data or "").encode() or None,
        key=(status.client_key_data or "").encode() or None,
        expires=status.expiration_timestamp.timestamp() if status.expiration_timestamp else None,
    )


def _without_secrets(plugin: Plugin, line: str) -> str:
    """A line of stderr, without what may be a token and what the kubeconfig puts into its environment."""
    for _, value in plugin.env:
        if value:
            line = line.replace(value, "…")
    return SECRET.sub("…", " ".join(line.split()))[:WORDS]
