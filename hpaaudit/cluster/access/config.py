"""Says the way to one API server, and as whom: what a kubeconfig or a service account told."""

import ipaddress
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from yarl import URL

Pem = bytes | Path | None
"""The PEM itself, or the file that holds it and is read again whenever it changes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Plugin:
    """A command that prints credentials: the `exec` of a user.

    owner    whose it is and where it is written, for messages;  version  the apiVersion that it speaks
    command  a path, or a name of $PATH;  env  added to ours;  hint  of what to install where it is missing
    cluster  what it is told about the cluster, None where it did not ask
    """

    owner: str
    version: str
    command: str
    args: tuple[str, ...] = field(default=(), repr=False)
    env: tuple[tuple[str, str], ...] = field(default=(), repr=False)
    hint: str = ""
    cluster: Mapping[str, Any] | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Access:
    """One way to one API server. What is secret does not show in its repr.

    server        URL without a slash at its end;  proxy  URL of the proxy before it, empty for the environment's
    namespace     that the context names, `default` if it names none
    authority     the CA that signs the server, None for the system's;  verify  False as the kubeconfig asks
    server_name   that the server's certificate must have, empty for the host of the URL
    certificate, key   the client's, None without
    token         sent as it is;  token_file  read again whenever it changes;  plugin  asked where there is neither
    impersonate   headers that say as whom to act
    """

    source: str
    context: str
    server: str
    proxy: str = field(default="", repr=False)
    namespace: str = "default"
    authority: Pem = None
    verify: bool = True
    server_name: str = ""
    certificate: Pem = field(default=None, repr=False)
    key: Pem = field(default=None, repr=False)
    token: str = field(default="", repr=False)
    token_file: Path | None = None
    plugin: Plugin | None = None
    impersonate: tuple[tuple[str, str], ...] = ()

    @property
    def is_plain(self) -> bool:
        """Whether nothing on the way is hidden, or kept from being changed."""
        return not self.server.startswith("https:")

    @property
    def trust(self) -> str:
        """How the server is known: `plain`, `unverified`, `authority` or `system`."""
        if self.is_plain:
            return "plain"
        if not self.verify:
            return "unverified"
        return "authority" if self.authority else "system"

    @property
    def auth(self) -> str:
        """What is shown to the server, by kind: what is secret in it is not told."""
        # As kubectl: a token beside the plugin wins.
        token = "token" if self.token or self.token_file else "plugin" if self.plugin else ""
        certificate = "certificate" if self.certificate and not self.is_plain else ""
        return "+".join(filter(None, (token, certificate))) or "nothing"

    @property
    def warnings(self) -> tuple[str, ...]:
        """What a reader of the recording should know of the way to the server; a line each, with what to do."""
        found = []
        if self.trust == "unverified":
            found.append(
                f"{self.server} is not verified (insecure-skip-tls-verify): it may be anybody, who also gets what is "
                "shown to it; name its certificate-authority instead"
            )
        if self.is_plain and not _is_this_machine(self.server):
            found.append(f"{self.server} is plain http: anybody on the way may change what it says; use https")
        if self.is_plain and self.auth != "nothing":
            found.append(f"the {self.auth} goes to {self.server} in plain text: use https, and have it renewed")
        return tuple(found)


def _is_this_machine(server: str) -> bool:
    """Whether a URL leads nowhere else, as that of `kubectl proxy`."""
    host = URL(server).host or ""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
