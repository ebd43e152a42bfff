"""Says the way to one API server, and as whom: what a kubeconfig or a service account told."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

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
