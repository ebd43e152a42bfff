"""`record --plan`: finds out what a recorder would read, and which rights it lacks."""

import asyncio
from collections import Counter
from urllib.parse import unquote

import msgspec

from hpaaudit.api import requests
from hpaaudit.cluster.client.client import Client
from hpaaudit.cluster.client.discovery import Discovery
from hpaaudit.cluster.decoding.decoders import ANY, VERSION
from hpaaudit.cluster.decoding.kinds import Review
from hpaaudit.cluster.observe.observer import Observer
from hpaaudit.cluster.observe.poller import LastAnswer
from hpaaudit.cluster.observe.preflight import hpa_path
from hpaaudit.cluster.scope import Scope
from hpaaudit.cluster.watch.collection import Collection
from hpaaudit.model.facts import ScaleRead
from hpaaudit.model.hpa import Hpa
from hpaaudit.model.recorder_plan import Permission, Plan

REVIEWS = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews"


async def make_plan(client: Client, scope: Scope) -> Plan:
    """Starts as a recorder does, without reading metrics or keeping anything. Then review each right that it needs."""
    version = client.demand(await client.get("/version", decode=VERSION), "get", "/version")
    await hpa_path(Discovery(client), scope)  # an observer would retry for ever
    observer = Observer(client, scope, lambda _: None, lambda _: None, polling=False)
    running = asyncio.create_task(observer.run())
    await _settle(observer, running)
    if await _read_scales(client, observer):
        observer.settled.clear()
        observer.dirty.set()
        await _settle(observer, running)
    observer.stop()
    await running
    needed = {right for watch in observer.watches.reflectors for right in _rights_to_watch(watch.collection)}
    paths = observer.targets.paths()
    needed |= {_right_to_read(path) for path in paths} | {
        _right_to_read_definition(path) for path in observer.targets.definitions()
    }
    denied = [right for right in sorted(needed, key=_order) if not await _allowed(client, right)]
    estimate = observer.estimate(paths)
    return Plan(
        context=client.config.context,
        server=client.config.server,
        version=version.get("gitVersion") or "",
        namespace=scope.namespace,
        interval_seconds=estimate.interval_seconds,
        hpas=estimate.hpas,
        pods=estimate.pods,
        watches=len(observer.watches.reflectors),
        polls=estimate.reads,
        requests_per_second=estimate.requests_per_second,
        bytes_per_hour=estimate.bytes_per_hour,
        denied=tuple(denied),
        unserved=_unserved(observer),
        unauditable=_unauditable(observer, denied),
        not_probed=tuple(sorted(set(observer.targets.unprobed().values()))),
        warnings=client.config.warnings,
    )


async def _settle(observer: Observer, running: asyncio.Task[None]) -> None:
    """Waits until the observer has read once what it watches, or has ended."""
    settled = asyncio.create_task(observer.settled.wait())
    await asyncio.wait({running, settled}, return_when=asyncio.FIRST_COMPLETED)
    settled.cancel()


async def _read_scales(client: Client, observer: Observer) -> bool:
    """Reads each scale once that a recorder polls because no watch shows it. True if there are any.

    The scale tells the selector of the pods. Without it an HPA would count as one that cannot be audited.
    """
    paths = sorted(path for path in observer.targets.paths() if requests.scale_target(path))
    for path in paths:
        reading = LastAnswer(ANY)
        fact = reading.fact_of(await client.get(path, decode=reading.decode))
        if isinstance(fact, ScaleRead):
            observer.targets.take_scale(fact)
    return bool(paths)


def _rights_to_watch(collection: Collection) -> list[Permission]:
    """The rights to list and to watch a collection, or one object if the query names it."""
    parts = collection.path.strip("/").split("/")
    group, rest = ("", parts[2:]) if parts[0] == "api" else (parts[1], parts[3:])
    namespace, resource = (rest[1], rest[2]) if rest[0] == "namespaces" else ("", rest[0])
    field, _, value = collection.query.get("fieldSelector", "").partition("=")
    name = value if field == "metadata.name" else ""
    return [
        Permission(verb=verb, resource=resource, group=group, subresource="", namespace=namespace, name=name)
        for verb in ("list", "watch")
    ]


def _right_to_read(path: str) -> Permission:
    """The right to read a scale or a metric, as the API server derives it from the path."""
    plain = [unquote(part) for part in path.partition("?")[0].strip("/").split("/")]
    group, rest = ("", plain[2:]) if plain[0] == "api" else (plain[1], plain[3:])
    _, namespace, resource, *more = rest
    subresource = more[1] if len(more) > 1 else ""
    verb = "get" if more else "list"
    return Permission(verb=verb, resource=resource, group=group, subresource=subresource, namespace=namespace)


def _right_to_read_definition(path: str) -> Permission:
    """The right to read one CustomResourceDefinition."""
    *_, group, _, resource, name = path.split("/")
    return Permission(verb="get", resource=resource, group=group, subresource="", namespace="", name=name)


def _order(right: Permission) -> tuple[str, ...]:
    return right.group, right.resource, right.subresource, right.namespace, right.verb


async def _allowed(client: Client, right: Permission) -> bool:
    """Asks the API server. If it does not answer, the right does not count as missing."""
    attributes = {
        "verb": right.verb,
        "group": right.group,
        "resource": right.resource,
        "subresource": right.subresource,
        "namespace": right.namespace,
        "name": right.name,
    }
    review = {"apiVersion": "authorization.k8s.io/v1", "kind": "SelfSubjectAccessReview"}
    answer = await client.post(REVIEWS, {**review, "spec": {"resourceAttributes": attributes}})
    try:
        review = msgspec.convert(answer.body, Review)
    except msgspec.ValidationError:
        return True
    return (review.get("status") or {}).get("allowed") is not False


def _unserved(observer: Observer) -> tuple[tuple[str, int], ...]:
    """Metric API groups that are not served, with the number of HPAs that need them."""
    counts = Counter(group for hpa in observer.hpas.decoded.values() for group in observer.discovery.unserved(hpa))
    return tuple(sorted(counts.items()))


def _groups(hpa: Hpa) -> set[str]:
    """The metric APIs that an HPA needs. They do not depend on the pod selector."""
    return {request.api for request in requests.requests_of(hpa, "any") if request}


def _unauditable(observer: Observer, denied: list[Permission]) -> tuple[tuple[str, str], ...]:
    """HPAs (`namespace/name`) with the first reason why their decisions cannot be judged."""
    unauditable = []
    for key, hpa in sorted(observer.hpas.decoded.items()):
        if reason := _reason(observer, key, hpa, denied):
            unauditable.append((hpa.key, reason))
    return tuple(unauditable)


def _without_selector(observer: Observer, key: tuple[str, str], hpa: Hpa) -> str:
    """Why the pods of a target are unknown."""
    name, resolved = f"{hpa.spec.target.kind} {hpa.spec.target.name}", observer.targets.resolved[key].target
    if resolved in observer.targets.absent:
        return f"{name} does not exist"
    if resolved in observer.targets.unreadable:
        return f"neither {name} nor its scale may be read"
    return f"{name} does not exist, may not be read, or has no selector"


def _reason(observer: Observer, key: tuple[str, str], hpa: Hpa, denied: list[Permission]) -> str:
    target = hpa.spec.target
    if key not in observer.targets.resolved:
        return f"scales a {target.kind}, which {target.api_version} does not serve"
    missing = {(right.group, right.resource) for right in denied if right.namespace in ("", hpa.namespace)}
    if ("", "pods") in missing:
        return "its pods may not be read"
    if not observer.targets.selector(key):
        return _without_selector(observer, key, hpa)
    for group in observer.discovery.unserved(hpa):
        return f"needs {group}, which the cluster does not serve"
    for group in sorted(_groups(hpa)):
        if any(group == denied_group for denied_group, _ in missing):
            return f"needs {group}, which may not be read"
    return ""
