"""How to reach one API server and as whom: the value that a kubeconfig or a service account gives."""

import ipaddress
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from yarl import URL

Pem = bytes | Path | None
"""The PEM itself, or its file, which is read again whenever it changes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ExecPlugin:
    """A credential plugin: the `exec` of a user in a kubeconfig, a command that prints credentials.

    owner    the user and the kubeconfig, for messages;  version  the apiVersion of its output
    command  a path, or a name in $PATH;  env  is added to our environment;  hint  what to install if it is missing
    cluster  what it gets to know about the cluster, None without `provideClusterInfo`
    """

    owner: str
    version: str
    command: str
    args: tuple[str, ...] = field(default=(), repr=False)
    env: tuple[tuple[str, str], ...] = field(default=(), repr=False)
    hint: str = ""
    cluster: Mapping[str, Any] | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class ClientConfig:
    """How to reach one API server, as `rest.Config` of client-go. Its repr does not show secrets.

    server        URL without a slash at its end;  proxy  its URL, empty for that of the environment
    namespace     of the context, `default` if it has none
    authority     the CA of the server, None for those of the system;  verify  False with insecure-skip-tls-verify
    server_name   the name in the server's certificate, empty for the host of the URL
    certificate, key   of the client, None without
    token         is sent as it is;  token_file  is read again whenever it changes;  plugin  is used without either
    impersonate   the headers of impersonation
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
    plugin: ExecPlugin | None = None
    impersonate: tuple[tuple[str, str], ...] = ()

    @property
    def is_plain(self) -> bool:
        """Whether requests go out without TLS."""
        return not self.server.startswith("https:")

    @property
    def trust(self) -> str:
        """How the server is verified: `plain` (not at all), `unverified`, by its `authority`, or by the `system`."""
        if self.is_plain:
            return "plain"
        if not self.verify:
            return "unverified"
        return "authority" if self.authority else "system"

    @property
    def auth(self) -> str:
        """The kinds of credentials, such as `token+certificate`; `nothing` without any. No secrets."""
        # As in kubectl, a token wins over a plugin.
        token = "token" if self.token or self.token_file else "plugin" if self.plugin else ""
        certificate = "certificate" if self.certificate and not self.is_plain else ""
        return "+".join(filter(None, (token, certificate))) or "nothing"

    @property
    def warnings(self) -> tuple[str, ...]:
        """Why the connection is not safe, a line each, with what to do."""
        warnings = []
        if self.trust == "unverified":
            warnings.append(
                f"{self.server} is not verified (insecure-skip-tls-verify): it may be anybody, who also gets what is "
                "shown to it; name its certificate-authority instead"
            )
        if self.is_plain and not _is_this_machine(self.server):
            warnings.append(f"{self.server} is plain http: anybody on the way may change what it says; use https")
        if self.is_plain and self.auth != "nothing":
            warnings.append(f"the {self.auth} goes to {self.server} in plain text: use https, and have it renewed")
        return tuple(warnings)


def _is_this_machine(server: str) -> bool:
    """Whether a URL stays on this machine, as that of `kubectl proxy`."""
    host = URL(server).host or ""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
