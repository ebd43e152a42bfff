"""Reads kubeconfigs and service accounts: how a context reaches its API server, and as whom."""

import base64
import binascii
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Required, TypedDict
from urllib.parse import quote

import msgspec
import yaml
from yarl import URL

from hpaaudit.cluster.access.config import Access, Pem, Plugin
from hpaaudit.cluster.access.exec_plugin import VERSIONS
from hpaaudit.errors import Unreachable

SERVICE_ACCOUNT = Path("/var/run/secrets/kubernetes.io/serviceaccount")
EXTENSION = "client.authentication.k8s.io/exec"
"""The extension of a cluster that is handed to credential plugins."""
WAY_OUT = "run `kubectl proxy` and name a kubeconfig whose server is http://127.0.0.1:8001"

_Cluster = TypedDict(
    "_Cluster",
    {
        "server": str | None,
        "proxy-url": str | None,
        "tls-server-name": str | None,
        "insecure-skip-tls-verify": bool | None,
        "certificate-authority": str | None,
        "certificate-authority-data": str | None,
        "extensions": list[dict[str, Any]] | None,
    },
    total=False,
)


class _Variable(TypedDict, total=False):
    name: Required[str]
    value: str | None


class _Exec(TypedDict, total=False):
    command: str | None
    apiVersion: str | None
    installHint: str | None
    interactiveMode: str | None
    provideClusterInfo: bool | None
    args: list[str] | None
    env: list[_Variable] | None


_User = TypedDict(
    "_User",
    {
        "token": str | None,
        "tokenFile": str | None,
        "client-certificate": str | None,
        "client-certificate-data": str | None,
        "client-key": str | None,
        "client-key-data": str | None,
        "as": str | None,
        "as-uid": str | None,
        "as-groups": list[str] | None,
        "as-user-extra": dict[str, list[str]] | None,
        "exec": _Exec | None,
    },
    total=False,
)


class _Context(TypedDict, total=False):
    cluster: str | None
    user: str | None
    namespace: str | None


_SHAPES: Mapping[str, Any] = {"clusters": _Cluster, "users": _User, "contexts": _Context}
"""What is read of an entry, in the types that kubectl takes."""

Section = dict[str, tuple[Path, Mapping[str, Any]]]
"""Entries by name, each with the folder of its file."""


def find_access(kubeconfig: Path | None, context: str | None) -> Access:
    """The access that these options mean; Unreachable where there is none.

    In this order: `--kubeconfig`, `$KUBECONFIG` (several files: the first that names a thing wins, one that is not
    there is passed over), `~/.kube/config`, and inside a cluster the pod's service account.
    """
    if kubeconfig is not None:
        return _from_files([kubeconfig], context)
    if named := [Path(part) for part in os.environ.get("KUBECONFIG", "").split(os.pathsep) if part]:
        # As kubectl; where none is there, the first is missed.
        return _from_files([path for path in dict.fromkeys(named) if path.exists()] or named[:1], context)
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
        authority=authority if authority.exists() else None,
        token_file=SERVICE_ACCOUNT / "token",
    )


def _from_files(paths: list[Path], wanted: str | None) -> Access:
    source = os.pathsep.join(str(path) for path in paths)
    current, known = _merged(paths)
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
    owner = f"user {context.get('user')} of {source}"
    _refuse_unknown(owner, user)
    certificate, private = (_pem(source, user_at, user, f"client-{part}") for part in ("certificate", "key"))
    if (certificate is None) != (private is None):
        raise Unreachable(f"{owner} has only one of client-certificate and client-key; it takes both")
    return Access(
        source=source,
        context=name,
        server=_server(f"cluster {context['cluster']} of {source}", cluster.get("server")),
        proxy=cluster.get("proxy-url") or "",
        namespace=context.get("namespace") or "default",
        authority=_pem(source, cluster_at, cluster, "certificate-authority"),
        verify=not cluster.get("insecure-skip-tls-verify"),
        server_name=cluster.get("tls-server-name") or "",
        certificate=certificate,
        key=private,
        token=user.get("token") or "",
        # As kubectl: the file wins over the token beside it.
        token_file=user_at / user["tokenFile"] if user.get("tokenFile") else None,
        plugin=_plugin(owner, user_at, user["exec"], cluster_at, cluster) if user.get("exec") else None,
        impersonate=tuple(_impersonate(user)),
    )


def _merged(paths: list[Path]) -> tuple[str, dict[str, Section]]:
    """The current context and all entries of several files; the first that names a thing wins."""
    known: dict[str, Section] = {"clusters": {}, "users": {}, "contexts": {}}
    current = ""
    for path in paths:
        content = _load(path)
        current = current or str(content.get("current-context") or "")
        for section, found in known.items():
            entries = content.get(section) or ()
            if not isinstance(entries, list | tuple) or not all(isinstance(entry, dict) for entry in entries):
                raise Unreachable(f"{path} is not a kubeconfig: its {section} are no list of entries with names")
            for entry in entries:
                body = entry.get(section[:-1]) or {}
                if not isinstance(body, dict):
                    raise Unreachable(
                        f"{path} is not a kubeconfig: the {section[:-1]} {entry.get('name')} holds no mapping"
                    )
                try:
                    msgspec.convert(body, _SHAPES[section])
                except msgspec.ValidationError as problem:
                    # It names types and places, no values.
                    raise Unreachable(f"{path}: the {section[:-1]} {str(entry.get('name'))[:100]}: {problem}") from None
                found.setdefault(str(entry.get("name", "")), (path.parent, body))
    return current, known


def _server(whose: str, server: object) -> str:
    if not server:
        raise Unreachable(f"{whose} names no server")
    text = str(server).rstrip("/")
    if not text.startswith(("https://", "http://")):
        raise Unreachable(f"{whose}: its server must begin with https:// or http://")
    try:
        holds_user = URL(text).raw_user is not None
    except ValueError:
        raise Unreachable(f"{whose}: its server is no URL") from None
    if holds_user:
        raise Unreachable(f"{whose}: its server holds a user or a password; put them under users")
    return text


def _load(path: Path) -> Mapping[str, Any]:
    try:
        # kubectl takes an empty file for one that names nothing.
        content = {} if (read := yaml.safe_load(path.read_text())) is None else read
    except OSError as problem:
        raise Unreachable(f"{path}: {problem.strerror}; name another kubeconfig by --kubeconfig") from None
    except (yaml.YAMLError, ValueError, RecursionError, OverflowError) as problem:
        raise Unreachable(f"{path} is not a kubeconfig: {_place(problem)}") from None
    if not isinstance(content, dict):
        raise Unreachable(f"{path} is not a kubeconfig: it holds no mapping")
    return content


def _names(found: Mapping[str, Any]) -> str:
    return ", ".join(sorted(found)) or "none"


def _place(problem: Exception) -> str:
    """What is wrong with a YAML and where; its own text would show the line, which may hold a token."""
    if isinstance(problem, yaml.MarkedYAMLError) and problem.problem_mark:
        return f"{problem.problem or problem.context} in line {problem.problem_mark.line + 1}"
    return "it is no text in YAML"


def _refuse_unknown(owner: str, user: Mapping[str, Any]) -> None:
    """Say which way in is not understood, instead of being refused as a stranger later."""
    for key in ("auth-provider", "username"):
        if user.get(key):
            raise Unreachable(f"{owner} needs {key}, which hpaaudit does not speak; {WAY_OUT}")


def _plugin(owner: str, folder: Path, told: Mapping[str, Any], cluster_at: Path, cluster: Mapping[str, Any]) -> Plugin:
    """The credential plugin of a user; one with a slash and no root is relative to the kubeconfig."""
    command, version = str(told.get("command") or ""), str(told.get("apiVersion") or "")
    if not command:
        raise Unreachable(f"{owner}: its exec names no command")
    if version not in VERSIONS:
        raise Unreachable(f"{owner}: its exec has the apiVersion {version or 'none'}; it takes {' or '.join(VERSIONS)}")
    if told.get("interactiveMode") == "Always":
        raise Unreachable(
            f"{owner}: its exec needs a terminal (interactiveMode: Always), a recorder has none; {WAY_OUT}"
        )
    return Plugin(
        owner=owner,
        version=version,
        command=str(folder / command) if "/" in command else command,
        args=tuple(str(word) for word in told.get("args") or ()),
        env=tuple((str(pair["name"]), str(pair.get("value") or "")) for pair in told.get("env") or ()),
        hint=str(told.get("installHint") or ""),
        cluster=_cluster_info(owner, cluster_at, cluster) if told.get("provideClusterInfo") else None,
    )


def _cluster_info(owner: str, folder: Path, cluster: Mapping[str, Any]) -> dict[str, Any]:
    """What a plugin is told about the cluster, as ExecCredential's spec.cluster says it."""
    authority = _pem(owner, folder, cluster, "certificate-authority")
    data = authority.read_bytes() if isinstance(authority, Path) else authority
    configs = [row.get("extension") for row in cluster.get("extensions") or () if row.get("name") == EXTENSION]
    info = {
        "server": cluster.get("server"),
        "tls-server-name": cluster.get("tls-server-name"),
        "insecure-skip-tls-verify": cluster.get("insecure-skip-tls-verify"),
        "certificate-authority-data": base64.b64encode(data).decode() if data else None,
        "proxy-url": cluster.get("proxy-url"),
        "config": configs[0] if configs else None,
    }
    return {key: value for key, value in info.items() if value}


def _impersonate(user: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """The headers of `as`: whom the server shall take us for."""
    if user.get("as"):
        yield "Impersonate-User", str(user["as"])
    if user.get("as-uid"):
        yield "Impersonate-Uid", str(user["as-uid"])
    for group in user.get("as-groups") or ():
        yield "Impersonate-Group", str(group)
    for key, values in (user.get("as-user-extra") or {}).items():
        for value in values:
            yield f"Impersonate-Extra-{quote(str(key), safe='')}", str(value)


def _pem(source: str, folder: Path, section: Mapping[str, Any], key: str) -> Pem:
    """A PEM from `key-data` (base64), or the file that `key` names, relative to the kubeconfig."""
    if data := section.get(f"{key}-data"):
        try:
            return base64.b64decode(data, validate=True)
        except (binascii.Error, ValueError, TypeError):
            raise Unreachable(f"{source}: {key}-data is not base64") from None
    if not (path := section.get(key)):
        return None
    try:
        Path(folder, path).read_bytes()
    except (OSError, ValueError) as problem:
        why = problem.strerror if isinstance(problem, OSError) else "no path of a file"
        raise Unreachable(f"{source}: {key} {folder / path}: {why}") from None
    return Path(folder, path)
