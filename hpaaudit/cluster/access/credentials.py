"""The credentials of each request: tokens and certificates, renewed when they expire or when their files change."""

import asyncio
import ssl
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

from hpaaudit.cluster.access.config import ClientConfig, Pem
from hpaaudit.cluster.access.exec_plugin import IssuedCredentials, issue
from hpaaudit.errors import Unreachable

PAUSE_SECONDS = 10
"""How often a plugin runs at most, whatever the server or the plugin says."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestAuth:
    """The credentials of one request. `tls` is True if the defaults of the system will do."""

    token: str = field(default="", repr=False)
    tls: ssl.SSLContext | bool = True


@dataclass(slots=True)
class WatchedFile:
    """A file that others rewrite or replace: its newest content, or the last that could be read.

    noun   what it holds, for messages;  stamp  modification time, inode and size of that content
    """

    path: Path
    noun: str
    content: bytes = field(default=b"", repr=False)
    stamp: tuple[int, int, int] = (0, 0, 0)

    def read(self) -> bytes:
        """Its content. Unreachable if it never had any."""
        try:
            status = self.path.stat()
            stamp = status.st_mtime_ns, status.st_ino, status.st_size
            if stamp != self.stamp and (content := self.path.read_bytes().strip()):
                self.content, self.stamp = content, stamp
        except (OSError, ValueError) as problem:
            if not self.content:
                why = problem.strerror if isinstance(problem, OSError) else "no path of a file"
                raise Unreachable(f"{self.noun} {self.path}: {why}") from None
        if not self.content:
            raise Unreachable(f"{self.noun} {self.path} is empty")
        return self.content


class Credentials:
    """The credentials for one server, from the first request to the last."""

    def __init__(self, config: ClientConfig) -> None:
        self.config = config
        self._files: dict[Path, WatchedFile] = {}
        self._tls: ssl.SSLContext | bool = not config.server.startswith("https:")
        self._pems: tuple[bytes | None, bytes | None, bytes | None] | None = None
        has_token = bool(config.token or config.token_file)
        # As in kubectl, a token wins over a plugin.
        self._plugin = None if has_token else config.plugin
        self._issued: IssuedCredentials | None = None
        self._is_refused, self._failure, self._ran_at = False, "", -float(PAUSE_SECONDS)
        self._lock = asyncio.Lock()

    async def current(self) -> RequestAuth:
        """The credentials of a request that is sent now. Unreachable if there are none."""
        issued = await self._ask_plugin() if self._plugin else IssuedCredentials()
        token = issued.token or self._token()
        if not (token.isascii() and token.isprintable()) or " " in token:
            raise Unreachable(f"{self.config.source}: the token of {self.config.context} is not one word of ASCII")
        return RequestAuth(token=token, tls=self._context(issued))

    async def renewed(self, refused: RequestAuth) -> RequestAuth | None:
        """Other credentials after a 401. None if there are none."""
        if self._issued and refused.token == self._issued.token:
            self._is_refused = True
        current = await self.current()
        return None if current == refused else current

    def _token(self) -> str:
        if self.config.token_file is None:
            return self.config.token
        return self._read(self.config.token_file, "tokenFile").decode(errors="replace")

    def _read(self, path: Path, noun: str) -> bytes:
        return self._files.setdefault(path, WatchedFile(path, f"{self.config.source}: {noun}")).read()

    async def _ask_plugin(self) -> IssuedCredentials:
        """What the plugin issued, while that is valid. One request runs the plugin, the others wait for it."""
        async with self._lock:
            expires = self._issued.expires if self._issued else None
            if self._issued and not self._is_refused and (expires is None or time.time() < expires):
                return self._issued
            if time.monotonic() - self._ran_at >= PAUSE_SECONDS:
                await self._run_plugin()
            if self._failure or not self._issued:
                raise Unreachable(self._failure)
            return self._issued

    async def _run_plugin(self) -> None:
        if self._plugin is None:
            return
        try:
            self._issued, self._is_refused, self._failure = await issue(self._plugin), False, ""
        except Unreachable as problem:
            self._failure = str(problem)
        self._ran_at = time.monotonic()

    # TLS

    def _context(self, issued: IssuedCredentials) -> ssl.SSLContext | bool:
        """The TLS context for the certificates of now. While a new pair does not fit, the old context stays."""
        if self._tls is True:
            return True
        authority = self._pem(self.config.authority, "certificate-authority")
        certificate, key = issued.certificate, issued.key
        if certificate is None:
            certificate = self._pem(self.config.certificate, "client-certificate")
            key = self._pem(self.config.key, "client-key")
        pems = (authority, certificate, key)
        if pems != self._pems:
            try:
                self._tls, self._pems = _tls(self.config, *pems), pems
            except Unreachable:
                if self._pems is None:
                    raise
        return self._tls

    def _pem(self, pem: Pem, noun: str) -> bytes | None:
        return self._read(pem, noun) if isinstance(pem, Path) else pem


def _tls(config: ClientConfig, authority: bytes | None, certificate: bytes | None, key: bytes | None) -> ssl.SSLContext:
    """A TLS context that verifies the server, unless the kubeconfig says otherwise, and has our certificate.

    As kubectl does, and with every Python: an authority may lack extensions of RFC 5280, as in many clusters, and it
    may be an intermediate without its issuer.
    """
    try:
        context = ssl.create_default_context(cadata=authority.decode() if authority else None)
    except (ssl.SSLError, ValueError):
        raise Unreachable(f"{config.source}: the certificate authority of {config.context} is not PEM") from None
    context.verify_flags |= ssl.VERIFY_X509_PARTIAL_CHAIN
    context.verify_flags &= ~ssl.VERIFY_X509_STRICT  # set by Python 3.13
    if not config.verify:
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    if certificate and key:
        # OpenSSL reads a pair only from files.
        with tempfile.TemporaryDirectory() as name:
            pair = Path(name, "pair.pem")
            pair.touch(mode=0o600)
            pair.write_bytes(certificate + b"\n" + key)
            try:
                # With an empty password a key that has one is refused, instead of asking for it.
                context.load_cert_chain(pair, password="")
            except (ssl.SSLError, OSError, ValueError):
                raise Unreachable(
                    f"{config.source}: client certificate and key of {config.context} do not fit"
                ) from None
    return context
