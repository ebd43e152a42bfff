"""Finds the proxy that stands before an API server: the kubeconfig's, or the environment's as kubectl reads it."""

import ipaddress
import os

from yarl import URL

from hpaaudit.cluster.access.config import Access
from hpaaudit.errors import Unreachable

SPOKEN = ("http", "https")


def proxy_of(access: Access) -> URL | None:
    """The proxy to ask through, None for the straight way; Unreachable where it speaks what we do not."""
    server = URL(access.server)
    told, by = access.proxy, f"proxy-url of {access.source}"
    if not told and not _excepted(server):
        told, by = _from_environment(server)
    if not told:
        return None
    try:
        proxy = URL(told if "://" in told else f"http://{told}")
    except ValueError:
        raise Unreachable(f"{by} is no URL") from None
    if proxy.scheme not in SPOKEN or not proxy.host:
        raise Unreachable(
            f"{by}: hpaaudit speaks to http and https proxies, not to {proxy.scheme or 'nothing'}; "
            "run `kubectl proxy` and name a kubeconfig whose server is http://127.0.0.1:8001"
        )
    return proxy


def _from_environment(server: URL) -> tuple[str, str]:
    """The value and the name of the variable; the small letters count first, as in curl."""
    for name in (f"{server.scheme}_proxy", f"{server.scheme}_proxy".upper()):
        if value := os.environ.get(name):
            return value, f"${name}"
    return "", ""


def _excepted(server: URL) -> bool:
    """Whether $NO_PROXY excepts a server: by name, domain, address, network, each with a port or without.

    As Go's http.ProxyFromEnvironment: this very machine is always excepted.
    """
    host, address = server.host or "", _address(server.host or "")
    if host == "localhost" or (address and address.is_loopback):
        return True
    excepted = os.environ.get("no_proxy") or os.environ.get("NO_PROXY") or ""
    for entry in (part.strip().lower() for part in excepted.split(",")):
        if entry == "*":
            return True
        name, colon, port = entry.rpartition(":")
        # Several colons and no bracket: an IPv6 address or network.
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
    # A leading dot excepts what is below a domain, and not the domain itself.
    return host.endswith(f".{bare}") or (host == bare and bare == entry)


def _address(host: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        return ipaddress.ip_address(host)
    except ValueError:
        return None
