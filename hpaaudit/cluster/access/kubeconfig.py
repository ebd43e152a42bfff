"""Reads kubeconfigs and service accounts, as kubectl and client-go do."""

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

from hpaaudit.cluster.access.config import ClientConfig, ExecPlugin, Pem
from hpaaudit.cluster.access.exec_plugin import VERSIONS
from hpaaudit.errors import Unreachable

SERVICE_ACCOUNT = Path("/var/run/secrets/kubernetes.io/serviceaccount")
EXTENSION = "client.authentication.k8s.io/exec"
"""The extension of a cluster that credential plugins get."""
USE_KUBECTL_PROXY = "run `kubectl proxy` and name a kubeconfig whose server is http://127.0.0.1:8001"

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


_ENTRY_TYPES: Mapping[str, Any] = {"clusters": _Cluster, "users": _User, "contexts": _Context}
"""The fields that are read of an entry, with the types that kubectl accepts."""

Section = dict[str, tuple[Path, Mapping[str, Any]]]
"""Entries by name, each with the folder of its file: paths are relative to it."""


def load_config(kubeconfig: Path | None, context: str | None) -> ClientConfig:
    """The config of a context, None for the current one. Unreachable if there is none.

    In this order: `--kubeconfig`, `$KUBECONFIG` (of several files the first that has an entry wins, missing ones are
    skipped), `~/.kube/config`, and inside a cluster the service account of the pod.
    """
    if kubeconfig is not None:
        return _from_files([kubeconfig], context)
    if paths := [Path(part) for part in os.environ.get("KUBECONFIG", "").split(os.pathsep) if part]:
        # As kubectl. If no file exists, the first one is named in the error.
        return _from_files([path for path in dict.fromkeys(paths) if path.exists()] or paths[:1], context)
    default = Path.home() / ".kube" / "config"
    if default.exists():
        return _from_files([default], context)
    if host := os.environ.get("KUBERNETES_SERVICE_HOST"):
        return _in_cluster(host, os.environ.get("KUBERNETES_SERVICE_PORT", "443"))
    raise Unreachable(f"no kubeconfig: {default} does not exist and $KUBECONFIG is not set; name one by --kubeconfig")


def _in_cluster(host: str, port: str) -> ClientConfig:
    namespace, authority = SERVICE_ACCOUNT / "namespace", SERVICE_ACCOUNT / "ca.crt"
    return ClientConfig(
        source="service account",
        context="in-cluster",
        server=f"https://{f'[{host}]' if ':' in host else host}:{port}",
        namespace=namespace.read_text().strip() if namespace.exists() else "default",
        authority=authority if authority.exists() else None,
        token_file=SERVICE_ACCOUNT / "token",
    )


def _from_files(paths: list[Path], context_name: str | None) -> ClientConfig:
    source = os.pathsep.join(str(path) for path in paths)
    current, sections = _merged(paths)
    name = context_name or current
    if not name:
        raise Unreachable(f"{source} names no current context; choose one by --context: {_names(sections['contexts'])}")
    if name not in sections["contexts"]:
        raise Unreachable(f"{source} has no context {name}; it has {_names(sections['contexts'])}")
    context = sections["contexts"][name][1]
    for section, key in (("clusters", "cluster"), ("users", "user")):
        if (entry_name := context.get(key) or "") not in sections[section] and (entry_name or key == "cluster"):
            raise Unreachable(f"context {name} of {source} names the {key} {entry_name!r}, which does not exist")
    cluster_at, cluster = sections["clusters"][context["cluster"]]
    user_at, user = sections["users"].get(context.get("user") or "", (cluster_at, {}))
    owner = f"user {context.get('user')} of {source}"
    _refuse_unknown(owner, user)
    certificate, private = (_pem(source, user_at, user, f"client-{part}") for part in ("certificate", "key"))
    if (certificate is None) != (private is None):
        raise Unreachable(f"{owner} has only one of client-certificate and client-key; it takes both")
    wants_cluster = (user.get("exec") or {}).get("provideClusterInfo")
    cluster_info = _cluster_info(owner, cluster_at, cluster) if wants_cluster else None
    return ClientConfig(
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
        # As in kubectl, the file wins over the token.
        token_file=user_at / user["tokenFile"] if user.get("tokenFile") else None,
        plugin=_plugin(owner, user_at, spec, cluster_info) if (spec := user.get("exec")) else None,
        impersonate=tuple(_impersonate(user)),
    )


def _merged(paths: list[Path]) -> tuple[str, dict[str, Section]]:
    """The current context and all entries of several files. The first file that has an entry wins."""
    sections: dict[str, Section] = {"clusters": {}, "users": {}, "contexts": {}}
    current = ""
    for path in paths:
        content = _load(path)
        current = current or str(content.get("current-context") or "")
        for section, merged in sections.items():
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
                    msgspec.convert(body, _ENTRY_TYPES[section])
                except msgspec.ValidationError as problem:
                    # It names types and paths, but no values.
                    raise Unreachable(f"{path}: the {section[:-1]} {str(entry.get('name'))[:100]}: {problem}") from None
                merged.setdefault(str(entry.get("name", "")), (path.parent, body))
    return current, sections


def _server(owner: str, server: object) -> str:
    if not server:
        raise Unreachable(f"{owner} names no server")
    text = str(server).rstrip("/")
    if not text.startswith(("https://", "http://")):
        raise Unreachable(f"{owner}: its server must begin with https:// or http://")
    try:
        holds_user = URL(text).raw_user is not None
    except ValueError:
        raise Unreachable(f"{owner}: its server is not a URL") from None
    if holds_user:
        raise Unreachable(f"{owner}: its server holds a user or a password; put them under users")
    return text


def _load(path: Path) -> Mapping[str, Any]:
    try:
        # An empty file is a kubeconfig without entries, as for kubectl.
        content = yaml.safe_load(path.read_text())
        content = {} if content is None else content
    except OSError as problem:
        raise Unreachable(f"{path}: {problem.strerror}; name another kubeconfig by --kubeconfig") from None
    except (yaml.YAMLError, ValueError, RecursionError, OverflowError) as problem:
        raise Unreachable(f"{path} is not a kubeconfig: {_yaml_error(problem)}") from None
    if not isinstance(content, dict):
        raise Unreachable(f"{path} is not a kubeconfig: it holds no mapping")
    return content


def _names(entries: Mapping[str, Any]) -> str:
    return ", ".join(sorted(entries)) or "none"


def _yaml_error(problem: Exception) -> str:
    """What is wrong with a YAML document, and where. PyYAML's text would quote the line, which may hold a token."""
    if isinstance(problem, yaml.MarkedYAMLError) and problem.problem_mark:
        return f"{problem.problem or problem.context} in line {problem.problem_mark.line + 1}"
    return "it is no text in YAML"


def _refuse_unknown(owner: str, user: Mapping[str, Any]) -> None:
    """Refuse a kind of login that we do not support, instead of being refused by the server later."""
    for key in ("auth-provider", "username"):
        if user.get(key):
            raise Unreachable(f"{owner} needs {key}, which hpaaudit does not support; {USE_KUBECTL_PROXY}")


def _plugin(owner: str, folder: Path, spec: Mapping[str, Any], cluster_info: dict[str, Any] | None) -> ExecPlugin:
    """The credential plugin of a user. A command with a slash is relative to the folder of the kubeconfig."""
    command, version = str(spec.get("command") or ""), str(spec.get("apiVersion") or "")
    if not command:
        raise Unreachable(f"{owner}: its exec names no command")
    if version not in VERSIONS:
        raise Unreachable(f"{owner}: its exec has the apiVersion {version or 'none'}; it takes {' or '.join(VERSIONS)}")
    if spec.get("interactiveMode") == "Always":
        raise Unreachable(
            f"{owner}: its exec needs a terminal (interactiveMode: Always), a recorder has none; {USE_KUBECTL_PROXY}"
        )
    return ExecPlugin(
        owner=owner,
        version=version,
        command=str(folder / command) if "/" in command else command,
        args=tuple(str(word) for word in spec.get("args") or ()),
        env=tuple((str(pair["name"]), str(pair.get("value") or "")) for pair in spec.get("env") or ()),
        hint=str(spec.get("installHint") or ""),
        cluster=cluster_info,
    )


def _cluster_info(owner: str, folder: Path, cluster: Mapping[str, Any]) -> dict[str, Any]:
    """What a plugin gets to know about the cluster: `spec.cluster` of the ExecCredential."""
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
    """The headers of impersonation, from `as` and its kin."""
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
    """A PEM from `KEY-data` (base64), or the file of `KEY`, relative to the kubeconfig."""
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
