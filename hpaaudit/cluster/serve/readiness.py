"""Says whether a recorder is ready: it sees all that it may, and metrics answer."""

from dataclasses import dataclass

from hpaaudit.api import requests
from hpaaudit.cluster.client.telemetry import Meters, kind_of
from hpaaudit.cluster.observe.observer import Observer
from hpaaudit.cluster.watch.reflector import Watch
from hpaaudit.model.units import SECOND, Micros

METRICS = (requests.RESOURCE_METRICS, requests.CUSTOM_METRICS, requests.EXTERNAL_METRICS)
STALE_INTERVALS = 3
"""A recorder that got no answer from a metrics API for so many intervals is not ready."""
AWAY_SECONDS = 10
"""A stream that is not seen for so long makes a recorder not ready: a watch that broke is taken up again sooner."""
MAX_CAUSE = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """One condition of being ready; `said` is why, or why not."""

    name: str
    holds: bool
    said: str


def readiness(observer: Observer | None, meters: Meters) -> list[Check]:
    """What must hold for a recorder to be ready: it has seen all that it may watch, and metrics answer.

    A stream that is forbidden is waited for no longer: it is a gap, and the rest is recorded all the same.
    """
    if observer is None:
        return [Check(name="started", holds=False, said="waits for the API server, or for the disk")]
    checks = [_followed(watch, observer) for watch in observer.watches]
    checks.append(Check(name="watches", holds=observer.settled.is_set(), said="all that is known is followed"))
    checks.append(_polled(observer, meters, observer.client.clock.now()))
    return checks


def _followed(watch: Watch, observer: Observer) -> Check:
    """Whether a stream is seen now, or is about to be taken up again."""
    since_us, cause = observer.gaps.open.get(watch.prefix, (None, ""))
    if watch.forbidden:
        holds, said = True, "is refused (403), and a gap"
    elif not watch.started.done() or (watch.started.result() and since_us is not None):
        holds, said = False, "was not listed yet"
    elif since_us is None:
        holds, said = True, "is followed"
    else:
        seconds = (observer.client.clock.now() - since_us) // SECOND
        holds = seconds < AWAY_SECONDS
        said = "is taken up again" if holds else f"is not seen since {seconds} s: {cause[:MAX_CAUSE]}"
    return Check(name=_name(watch), holds=holds, said=" ".join(said.split()))


def _name(watch: Watch) -> str:
    """The resource, and which of its objects: `events(involvedObject.kind=Deployment)`."""
    fields = watch.query.get("fieldSelector")
    return f"{watch.resource}({fields})" if fields else watch.resource


def _polled(observer: Observer, meters: Meters, now: Micros) -> Check:
    """Whether some metrics API answered lately, well or not; without HPAs there is nothing to ask for."""
    wanted = {kind_of(path.partition("?")[0])[0] for path in observer.polls.tasks}
    metrics = {resource for resource in wanted if resource.endswith(METRICS)}
    if not metrics:
        return Check(name="metrics", holds=True, said="are not needed by any HPA")
    last = max((meters.answered_us.get(resource, 0) for resource in metrics), default=0)
    holds = now - last <= STALE_INTERVALS * observer.scope.interval_us
    return Check(name="metrics", holds=holds, said="were asked for in time" if holds else "are not answered")
