"""Decides whether a recorder is ready: it sees everything that it may see, and the metrics APIs answer."""

from dataclasses import dataclass

from hpaaudit.api import requests
from hpaaudit.cluster.client.telemetry import Telemetry, kind_of
from hpaaudit.cluster.observe.observer import Observer
from hpaaudit.cluster.watch.reflector import Reflector
from hpaaudit.model.units import SECOND, Micros

METRICS = (requests.RESOURCE_METRICS, requests.CUSTOM_METRICS, requests.EXTERNAL_METRICS)
STALE_INTERVALS = 3
"""A recorder without an answer of a metrics API for so many intervals is not ready."""
UNSEEN_SECONDS = 10
"""A recorder with a gap of this length is not ready. A watch that broke is usually resumed sooner."""
MAX_CAUSE = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """One condition of readiness; `message` says why it holds, or why not."""

    name: str
    holds: bool
    message: str


def readiness(observer: Observer | None, telemetry: Telemetry) -> list[Check]:
    """The conditions of readiness: each watch is open, everything was read once, and the metrics APIs answer.

    A forbidden watch does not count: it is a gap, and the rest is recorded all the same.
    """
    if observer is None:
        return [Check(name="started", holds=False, message="waits for the API server, or for the disk")]
    checks = [_is_followed(watch, observer) for watch in observer.watches.reflectors]
    checks.append(Check(name="watches", holds=observer.settled.is_set(), message="all that is known is followed"))
    checks.append(_is_polled(observer, telemetry, observer.client.clock.now()))
    return checks


def _is_followed(watch: Reflector, observer: Observer) -> Check:
    """Whether a watch is open, or is about to be resumed."""
    since_us, cause = observer.gaps.open.get(watch.prefix, (None, ""))
    if watch.forbidden:
        holds, message = True, "is refused (403), and a gap"
    elif not watch.started.done() or (watch.started.result() and since_us is not None):
        holds, message = False, "was not listed yet"
    elif since_us is None:
        holds, message = True, "is followed"
    else:
        seconds = (observer.client.clock.now() - since_us) // SECOND
        holds = seconds < UNSEEN_SECONDS
        message = "is being resumed" if holds else f"has not been seen for {seconds} s: {cause[:MAX_CAUSE]}"
    return Check(name=_name(watch), holds=holds, message=" ".join(message.split()))


def _name(watch: Reflector) -> str:
    """The resource, and which of its objects: `events(involvedObject.kind=Deployment)`."""
    fields = watch.collection.query.get("fieldSelector")
    return f"{watch.resource}({fields})" if fields else watch.resource


def _is_polled(observer: Observer, telemetry: Telemetry, now: Micros) -> Check:
    """Whether some metrics API answered lately, well or not. Without HPAs there is nothing to poll."""
    wanted = {kind_of(path.partition("?")[0])[0] for path in observer.poller.tasks}
    metrics = {resource for resource in wanted if resource.endswith(METRICS)}
    if not metrics:
        return Check(name="metrics", holds=True, message="are not needed by any HPA")
    last = max((telemetry.answered_us.get(resource, 0) for resource in metrics), default=0)
    holds = now - last <= STALE_INTERVALS * observer.scope.interval_us
    return Check(name="metrics", holds=holds, message="were asked for in time" if holds else "are not answered")
