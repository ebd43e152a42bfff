"""Checks, before anything is recorded, that the cluster can be reached and that its HPAs may be read."""

from urllib.parse import urlencode

from hpaaudit.cluster.client.client import Client
from hpaaudit.cluster.client.discovery import Discovery
from hpaaudit.cluster.scope import Scope


async def check(client: Client, scope: Scope) -> Discovery:
    """Checks that the cluster can be reached and its HPAs may be read. ClusterError if not."""
    client.demand(await client.get("/version"), "get", "/version")
    discovery = Discovery(client)
    path = await hpa_path(discovery, scope)
    query = urlencode({**label_query(scope), "limit": "1"})
    client.demand(await client.get(f"{path}?{query}"), "list", f"horizontalpodautoscalers.autoscaling{scope.words}")
    return discovery


async def hpa_path(discovery: Discovery, scope: Scope) -> str:
    """The path of the HPAs of the scope, in the newest served version."""
    return scope.path(f"/apis/autoscaling/{await discovery.autoscaling()}", "horizontalpodautoscalers")


def label_query(scope: Scope) -> dict[str, str]:
    """The query that selects the HPAs of the scope."""
    return {"labelSelector": scope.selector} if scope.selector else {}
