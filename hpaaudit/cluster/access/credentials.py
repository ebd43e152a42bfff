"""Shows who we are at every request: tokens, certificates and authorities, renewed when they expire or change."""

import asyncio
import ssl
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

from hpaaudit.cluster.access.config import Access, Pem
from hpaaudit.cluster.access.exec_plugin import Issued, issue
from hpaaudit.errors import Unreachable

PAUSE_SECONDS = 10
"""A plugin runs no more often, whatever the server or the plugin says."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """What one request shows; `tls` is True where the system's defaults will do."""

    token: str = field(default="", repr=False)
    tls: ssl.SSLContext | bool = True


@dataclass(slots=True)
class File:
    """A file that others rewrite or exchange: its newest content, or the last that could be read."""

    path: Path
    words: str
    content: bytes = field(default=b"", repr=False)
    stamp: tuple[int, int, int] = (0, 0, 0)

    def read(self) -> bytes:
        """Its content, never empty; Unreachable where there never was any."""
        try:
            found = self.path.stat()
            stamp = found.st_mtime_ns, found.st_ino, found.st_size
            if stamp != self.stamp and (content := self.path.read_bytes().strip()):
                self.content, self.stamp = content, stamp
        except (OSError, ValueError) as problem:
            if not self.content:
                why = problem.strerror if isinstance(problem, OSError) else "no path of a file"
                raise Unreachable(f"{self.words} {self.path}: {why}") from None
        if not self.content:
            raise Unreachable(f"{self.words} {self.path} is empty")
        return self.content


class Credentials:
    """As whom we ask one server, from the first request to the last."""

    def __init__(self, access: Access) -> None:
        self.access = access
        self._files: dict[Path, File] = {}
        self._tls: ssl.SSLContext | bool = not access.server.startswith("https:")
        self._pems: tuple[bytes | None, bytes | None, bytes | None] | None = None
        has_token = bool(access.token or access.token_file)
        # As kubectl: a token beside the plugin wins.
        self._plugin = None if has_token else access.plugin
        self._issued: Issued | None = None
        self._refused, self._failure, self._ran_at = False, "", -float(PAUSE_SECONDS)
        self._lock = asyncio.Lock()

    async def shown(self) -> Shown:
        """What to show now; Unreachable where there is nothing to show."""
        issued = await self._ask_plugin() if self._plugin else Issued()
        token = issued.token or self._token()
        if not (token.isascii() and token.isprintable()) or " " in token:
            raise Unreachable(f"{self.access.source}: the token of {self.access.context} is not one word of ASCII")
        return Shown(token=token, tls=self._context(issued))

    async def renewed(self, refused: Shown) -> Shown | None:
        """What to show after a 401; None where there is nothing newer."""
        if self._issued and refused.token == self._issued.token:
            self._refused = True
        found = await self.shown()
        return None if found == refused else found

    def _token(self) -> str:
        if self.access.token_file is None:
            return self.access.token
        return self._read(self.access.token_file, "tokenFile").decode(errors="replace")

    def _read(self, path: Path, words: str) -> bytes:
        return self._files.setdefault(path, File(path, f"{self.access.source}: {words}")).read()

    async def _ask_plugin(self) -> Issued:
        """The plugin's last words while they are good; one request runs it, the others wait for it."""
        async with self._lock:
            expires = self._issued.expires if self._issued else None
            if self._issued and not self._refused and (expires is None or time.time() < expires):
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
            self._issued, self._refused, self._failure = await issue(self._plugin), False, ""
        except Unreachable as problem:
            self._failure = str(problem)
        self._ran_at = time.monotonic()

    # TLS

    def _context(self, issued: Issued) -> ssl.SSLContext | bool:
        """The context for what the files and the plugin hold now; a pair that does not fit yet changes nothing."""
        if self._tls is True:
            return True
        authority = self._pem(self.access.authority, "certificate-authority")
        certificate, key = issued.certificate, issued.key
        if certificate is None:
            certificate = self._pem(self.access.certificate, "client-certificate")
            key = self._pem(self.access.key, "client-key")
        pems = (authority, certificate, key)
        if pems != self._pems:
            try:
                self._tls, self._pems = _tls(self.access, *pems), pems
            except Unreachable:
                if self._pems is None:
                    raise
        return self._tls

    def _pem(self, pem: Pem, words: str) -> bytes | None:
        return self._read(pem, words) if isinstance(pem, Path) else pem


def _tls(access: Access, authority: bytes | None, certificate: bytes | None, key: bytes | None) -> ssl.SSLContext:
    """A context that verifies the server, unless the kubeconfig says otherwise, and shows our certificate.

    As kubectl, whichever Python: an authority that lacks an extension of RFC 5280 is one, as many clusters' do, and
    so is an intermediate without its issuer.
    """
    try:
        context = ssl.create_default_context(cadata=authority.decode() if authority else None)
    except (ssl.SSLError, ValueError):
        raise Unreachable(f"{access.source}: the certificate authority of {access.context} is not PEM") from None
    context.verify_flags |= ssl.VERIFY_X509_PARTIAL_CHAIN
    context.verify_flags &= ~ssl.VERIFY_X509_STRICT  # which Python 3.13 sets
    if not access.verify:
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    if certificate and key:
        # OpenSSL reads a pair only from files.
        with tempfile.TemporaryDirectory() as name:
            pair = Path(name, "pair.pem")
            pair.touch(mode=0o600)
            pair.write_bytes(certificate + b"\n" + key)
            try:
                # An empty password: a key that has one is refused, and nobody is asked for it.
                context.load_cert_chain(pair, password="")
            except (ssl.SSLError, OSError, ValueError):
                raise Unreachable(
                    f"{access.source}: client certificate and key of {access.context} do not fit"
                ) from None
    return context
