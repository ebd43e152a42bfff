"""Finds the proxy to an API server: that of the kubeconfig, or that of the environment as kubectl reads it."""

import ipaddress
import os

from yarl import URL

from hpaaudit.cluster.access.config import ClientConfig
from hpaaudit.errors import Unreachable

SCHEMES = ("http", "https")


def proxy_of(config: ClientConfig) -> URL | None:
    """The proxy, None without one. Unreachable if it is of a kind that we do not support."""
    server = URL(config.server)
    url, source = config.proxy, f"proxy-url of {config.source}"
    if not url and not _is_excepted(server):
        url, source = _from_environment(server)
    if not url:
        return None
    try:
        proxy = URL(url if "://" in url else f"http://{url}")
    except ValueError:
        raise Unreachable(f"{source} is not a URL") from None
    if proxy.scheme not in SCHEMES or not proxy.host:
        raise Unreachable(
            f"{source}: hpaaudit speaks to http and https proxies, not to {proxy.scheme or 'nothing'}; "
            "run `kubectl proxy` and name a kubeconfig whose server is http://127.0.0.1:8001"
        )
    return proxy


def _from_environment(server: URL) -> tuple[str, str]:
    """Value and name of the variable. The name in lower case comes first, as in curl."""
    for name in (f"{server.scheme}_proxy", f"{server.scheme}_proxy".upper()):
        if value := os.environ.get(name):
            return value, f"${name}"
    return "", ""


def _is_excepted(server: URL) -> bool:
    """Whether $NO_PROXY excepts a server: by name, domain, address or network, with or without a port.

    As Go's http.ProxyFromEnvironment, which always excepts this machine.
    """
    host, address = server.host or "", _address(server.host or "")
    if host == "localhost" or (address and address.is_loopback):
        return True
    excepted = os.environ.get("no_proxy") or os.environ.get("NO_PROXY") or ""
    for entry in (part.strip().lower() for part in excepted.split(",")):
        if entry == "*":
            return True
        name, colon, port = entry.rpartition(":")
        # Several colons and no bracket are an IPv6 address or network.
        if colon and port.isdigit() and (":" not in name or name.startswith("[")):
            if int(port) != server.port:
                continue
            entry = name  # noqa: PLW2901  # without its port
        if entry and _matches(entry.strip("[]"), host, address):
            return True
    return False


def _matches(entry: str, host: str, address: ipaddress.IPv4Address | ipaddress.IPv6Address | None) -> bool:
    if address:
        try:
            return address in ipaddress.ip_network(entry, strict=False)
        except ValueError:
            return False
    bare = entry.removeprefix("*").removeprefix(".")
    # A leading dot excepts what is below a domain, but not the domain itself.
    return host.endswith(f".{bare}") or (host == bare and bare == entry)


def _address(host: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        return ipaddress.ip_address(host)
    except ValueError:
        return None
