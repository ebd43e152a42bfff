"""Reads kubeconfigs and service accounts: how a context reaches its API server, and as whom."""

import base64
import binascii
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from hpaaudit.errors import Unreachable

SERVICE_ACCOUNT = Path("/var/run/secrets/kubernetes.io/serviceaccount")


@dataclass(frozen=True, slots=True, kw_only=True)
class Access:
    """One way to one API server.

    server        URL without a slash at its end
    namespace     that the context names, `default` if it names none
    authority     PEM of the CA that signs the server, None for the system's;  verify  False as the kubeconfig asks
    server_name   that the server's certificate must have, empty for the host of the URL
    certificate, key   PEM of the client's, None without
    token         sent as it is;  token_file  read again whenever it changes
    """

    source: str
    context: str
    server: str
    namespace: str = "default"
    authority: bytes | None = None
    verify: bool = True
    server_name: str = ""
    certificate: bytes | None = None
    key: bytes | None = None
    token: str = ""
    token_file: Path | None = None


def find_access(kubeconfig: Path | None, context: str | None) -> Access:
    """The access that these options mean; Unreachable where there is none.

    In this order: `--kubeconfig`, `$KUBECONFIG` (several files, the first that names a thing wins),
    `~/.kube/config`, and inside a cluster the pod's service account.
    """
    if kubeconfig is not None:
        return _from_files([kubeconfig], context)
    if named := [Path(part) for part in os.environ.get("KUBECONFIG", "").split(os.pathsep) if part]:
        return _from_files(named, context)
    usual = Path.home() / ".kube" / "config"
    if usual.exists():
        return _from_files([usual], context)
    if host := os.environ.get("KUBERNETES_SERVICE_HOST"):
        return _in_cluster(host, os.environ.get("KUBERNETES_SERVICE_PORT", "443"))
    raise Unreachable(f"no kubeconfig: {usual} does not exist and $KUBECONFIG is not set; name one by --kubeconfig")


def _in_cluster(host: str, port: str) -> Access:
    namespace, authority = SERVICE_ACCOUNT / "namespace", SERVICE_ACCOUNT / "ca.crt"
    return Access(
        source="service account",
        context="in-cluster",
        server=f"https://{f'[{host}]' if ':' in host else host}:{port}",
        namespace=namespace.read_text().strip() if namespace.exists() else "default",
        authority=authority.read_bytes() if authority.exists() else None,
        token_file=SERVICE_ACCOUNT / "token",
    )


def _from_files(paths: list[Path], wanted: str | None) -> Access:
    source = os.pathsep.join(str(path) for path in paths)
    known: dict[str, dict[str, tuple[Path, Mapping[str, Any]]]] = {"clusters": {}, "users": {}, "contexts": {}}
    current = ""
    for path in paths:
        content = _load(path)
        current = current or content.get("current-context") or ""
        for section, found in known.items():
            for entry in content.get(section) or ():
                found.setdefault(entry.get("name", ""), (path.parent, entry.get(section[:-1]) or {}))
    name = wanted or current
    if not name:
        raise Unreachable(f"{source} names no current context; choose one by --context: {_names(known['contexts'])}")
    if name not in known["contexts"]:
        raise Unreachable(f"{source} has no context {name}; it has {_names(known['contexts'])}")
    context = known["contexts"][name][1]
    for section, key in (("clusters", "cluster"), ("users", "user")):
        if (entry_name := context.get(key) or "") not in known[section] and (entry_name or key == "cluster"):
            raise Unreachable(f"context {name} of {source} names the {key} {entry_name!r}, which is not there")
    cluster_at, cluster = known["clusters"][context["cluster"]]
    user_at, user = known["users"].get(context.get("user") or "", (cluster_at, {}))
    _refuse_unknown(source, context.get("user") or "", cluster, user)
    if not cluster.get("server"):
        raise Unreachable(f"cluster {context['cluster']} of {source} names no server")
    return Access(
        source=source,
        context=name,
        server=str(cluster["server"]).rstrip("/"),
        namespace=context.get("namespace") or "default",
        authority=_bytes(source, cluster_at, cluster, "certificate-authority"),
        verify=not cluster.get("insecure-skip-tls-verify"),
        server_name=cluster.get("tls-server-name") or "",
        certificate=_bytes(source, user_at, user, "client-certificate"),
        key=_bytes(source, user_at, user, "client-key"),
        token=user.get("token") or "",
        # As kubectl: the file wins over the token beside it.
        token_file=user_at / user["tokenFile"] if user.get("tokenFile") else None,
    )


def _load(path: Path) -> Mapping[str, Any]:
    try:
        content = yaml.safe_load(path.read_text())
    except OSError as problem:
        raise Unreachable(f"{path}: {problem.strerror}; name another kubeconfig by --kubeconfig") from None
    except (yaml.YAMLError, UnicodeDecodeError) as problem:
        reason = " ".join(str(problem).split())
        raise Unreachable(f"{path} is not a kubeconfig: {reason}") from None
    if not isinstance(content, dict):
        raise Unreachable(f"{path} is not a kubeconfig: it holds no mapping")
    return content


def _names(found: Mapping[str, Any]) -> str:
    return ", ".join(sorted(found)) or "none"


def _refuse_unknown(source: str, name: str, cluster: Mapping[str, Any], user: Mapping[str, Any]) -> None:
    """Say which way in is not understood, instead of being refused as a stranger later."""
    for section, keys in ((user, ("exec", "auth-provider", "username")), (cluster, ("proxy-url",))):
        for key in keys:
            if section.get(key):
                raise Unreachable(
                    f"{source}: user {name} needs {key}, which hpaaudit does not speak; run `kubectl proxy` "
                    "and name a kubeconfig whose server is http://127.0.0.1:8001"
                )


def _bytes(source: str, folder: Path, section: Mapping[str, Any], key: str) -> bytes | None:
    """A PEM from `key-data` (base64) or from the file that `key` names, relative to the kubeconfig."""
    if data := section.get(f"{key}-data"):
        try:
            return base64.b64decode(data, validate=True)
        except (binascii.Error, ValueError):
            raise Unreachable(f"{source}: {key}-data is not base64") from None
    if not (path := section.get(key)):
        return None
    try:
        return Path(folder, path).read_bytes()
    except OSError as problem:
        raise Unreachable(f"{source}: {key} {folder / path}: {problem.strerror}") from None
