"""Runs a credential plugin once, and reads the ExecCredential that it prints."""

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

from hpaaudit.cluster.access.config import ExecPlugin
from hpaaudit.errors import Unreachable

VERSIONS = ("client.authentication.k8s.io/v1", "client.authentication.k8s.io/v1beta1")
PLUGIN_SECONDS = 60
"""A plugin that takes longer waits for a person who is not there."""
ENDING_SECONDS = 5
SECRET = re.compile(r"[\w.+=-]{32,}")
"""What looks like a token in the error output of a plugin."""
MAX_ERROR_CHARS = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class IssuedCredentials:
    """What a plugin printed. `expires` is in seconds since 1970, None if the plugin did not say."""

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


async def issue(plugin: ExecPlugin) -> IssuedCredentials:
    """The credentials that the plugin prints. Unreachable, with one clear line, if it prints none.

    The plugin gets no terminal, which it sees by `interactive: false`.
    """
    noun = f"the credential plugin {plugin.command} of {plugin.owner}"
    if (program := shutil.which(plugin.command)) is None:
        hint = " ".join(plugin.hint.split()) or "install it, or choose another user"
        raise Unreachable(f"{noun} is not installed: {hint}")
    code, stdout, stderr = await _run(plugin, program, noun)
    if code:
        last = stderr.decode(errors="replace").strip().splitlines()[-1:] or ["it said nothing"]
        raise Unreachable(f"{noun} failed with code {code}: {_without_secrets(plugin, last[0])}; run it by hand")
    return _read(plugin, stdout, noun)


async def _run(plugin: ExecPlugin, program: str, noun: str) -> tuple[int, bytes, bytes]:
    """Exit code, stdout and stderr. No process of it is left behind."""
    spec = {"interactive": False, **({"cluster": plugin.cluster} if plugin.cluster else {})}
    info = msgspec.json.encode({"apiVersion": plugin.version, "kind": "ExecCredential", "spec": spec})
    env = {**os.environ, **dict(plugin.env), "KUBERNETES_EXEC_INFO": info.decode()}
    nothing, pipe = asyncio.subprocess.DEVNULL, asyncio.subprocess.PIPE
    try:
        # In a session of its own, Ctrl-C ends the recorder and not the plugin, and its children can be killed with it.
        process = await asyncio.create_subprocess_exec(
            program, *plugin.args, stdin=nothing, stdout=pipe, stderr=pipe, env=env, start_new_session=True
        )
    except (OSError, ValueError) as problem:
        reason = problem.strerror if isinstance(problem, OSError) else "a NUL in its arguments"
        raise Unreachable(f"{noun} cannot be run: {reason}") from None
    try:
        async with asyncio.timeout(PLUGIN_SECONDS):
            stdout, stderr = await process.communicate()
    except TimeoutError:
        await _kill(process)
        advice = "it may wait for a login; run it by hand"
        raise Unreachable(f"{noun} did not end in {PLUGIN_SECONDS:g} s: {advice}") from None
    except asyncio.CancelledError:
        await _kill(process)
        raise
    return process.returncode or 0, stdout, stderr


async def _kill(process: asyncio.subprocess.Process) -> None:
    """Kills the plugin and its children, which may hold the pipes."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        if hasattr(os, "killpg"):
            os.killpg(process.pid, signal.SIGKILL)
        elif process.returncode is None:
            process.kill()
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(ENDING_SECONDS):
            await process.wait()


def _read(plugin: ExecPlugin, stdout: bytes, noun: str) -> IssuedCredentials:
    """The credentials of an ExecCredential. An error says what is wrong, and quotes nothing of it."""
    try:
        credential = msgspec.json.decode(stdout, type=_Credential)
    except msgspec.ValidationError as problem:
        # It names types and paths, but no values.
        raise Unreachable(f"{noun} printed no ExecCredential: {problem}") from None
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        raise Unreachable(f"{noun} printed no JSON; run it by hand") from None
    if credential.kind != "ExecCredential" or credential.api_version != plugin.version:
        raise Unreachable(f"{noun} printed another kind or apiVersion than the ExecCredential of {plugin.version}")
    status = credential.status or _Status()
    has = bool(status.client_certificate_data), bool(status.client_key_data)
    if any(has) and not all(has):
        raise Unreachable(f"{noun} printed only one of clientCertificateData and clientKeyData")
    if not status.token and not any(has):
        raise Unreachable(f"{noun} printed neither a token nor a client certificate; run it by hand")
    return IssuedCredentials(
        token=status.token or "",
        certificate=(status.client_certificate_data or "").encode() or None,
        key=(status.client_key_data or "").encode() or None,
        expires=status.expiration_timestamp.timestamp() if status.expiration_timestamp else None,
    )


def _without_secrets(plugin: ExecPlugin, line: str) -> str:
    """A line of stderr without anything that may be a token, or that the kubeconfig puts into the environment."""
    for _, value in plugin.env:
        if value:
            line = line.replace(value, "…")
    return SECRET.sub("…", " ".join(line.split()))[:MAX_ERROR_CHARS]
