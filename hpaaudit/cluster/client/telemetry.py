"""Counts requests, watch events and gaps: the values behind the recorder's own Prometheus metrics."""

from bisect import bisect_left
from collections import Counter
from dataclasses import dataclass, field
from functools import lru_cache

from hpaaudit.api import requests
from hpaaudit.model.facts import Fact, Gap, VersionRead
from hpaaudit.model.units import SECOND, Micros

BUCKETS = (0.005, 0.025, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)
"""Upper bounds of the histogram of request durations, in seconds."""
METRIC_GROUPS = (requests.CUSTOM_METRICS, requests.EXTERNAL_METRICS)
"""API groups whose resources are names of metrics: too many for a label."""
EVERYTHING = "*"
DISCOVERY = "discovery"
Labels = tuple[str, ...]


@dataclass(slots=True)
class Histogram:
    """How long requests took: `counts` by bucket, not cumulative, and the sum of all seconds."""

    counts: list[int] = field(default_factory=lambda: [0] * (len(BUCKETS) + 1))
    seconds: float = 0

    def observe(self, seconds: float) -> None:
        """Counts one request."""
        self.counts[bisect_left(BUCKETS, seconds)] += 1
        self.seconds += seconds


@dataclass(slots=True)
class Telemetry:
    """Sums since the start. A resource is written as by kubectl: `deployments.apps`.

    durations   by resource, verb and status ("0": no answer)
    restarts    of watches, by resource and reason;  relists, events  by resource
    gap_us      time that was not seen, by resource (`*`: nothing at all was seen)
    answered_us, succeeded_us   when an answer last came for a resource, and when a good one
    offset_us   the server's clock minus ours, None while it is unknown
    """

    durations: dict[tuple[str, str, str], Histogram] = field(default_factory=dict)
    restarts: Counter[Labels] = field(default_factory=Counter)
    relists: Counter[Labels] = field(default_factory=Counter)
    events: Counter[Labels] = field(default_factory=Counter)
    gap_us: Counter[str] = field(default_factory=Counter)
    answered_us: dict[str, Micros] = field(default_factory=dict)
    succeeded_us: dict[str, Micros] = field(default_factory=dict)
    offset_us: Micros | None = None

    def observe_request(self, method: str, path: str, status: int, sent_us: Micros, at_us: Micros) -> None:
        """Counts a request that was answered, or a watch that began; status 0 if there was no answer."""
        plain, _, query = path.partition("?")
        resource, verb = kind_of(plain)
        if method == "POST":
            verb = "create"
        elif "watch=1" in query:
            verb = "watch"
        self.durations.setdefault((resource, verb, str(status)), Histogram()).observe((at_us - sent_us) / SECOND)
        if status:
            self.answered_us[resource] = at_us
        if 200 <= status < 300:  # noqa: PLR2004  # HTTP's own
            self.succeeded_us[resource] = at_us

    def observe_event(self, resource: str, at_us: Micros) -> None:
        """Counts an event of a watch."""
        self.events[resource,] += 1
        self.succeeded_us[resource] = at_us

    def observe_fact(self, fact: Fact) -> None:
        """Counts gaps, and keeps the clock offset, from what is recorded."""
        if isinstance(fact, Gap):
            path = fact.prefix.partition("#")[0].partition("?")[0]
            resource = path if path == EVERYTHING else kind_of(path)[0]
            self.gap_us[resource] += fact.until_us - fact.at_us
        elif isinstance(fact, VersionRead):
            self.offset_us = fact.clock_offset_us


@lru_cache(maxsize=16384)
def kind_of(path: str) -> tuple[str, str]:
    """Resource and verb of a path without query: `get` for one object, `list` for a collection."""
    parts = path.strip("/").split("/")
    if parts[0] == "api" and len(parts) > 2:  # noqa: PLR2004  # api, version, resource
        group, rest = "", parts[2:]
    elif parts[0] == "apis" and len(parts) > 3:  # noqa: PLR2004  # apis, group, version, resource
        group, rest = parts[1], parts[3:]
    else:
        return DISCOVERY, "get"
    if rest[0] == "namespaces" and len(rest) > 2:  # noqa: PLR2004  # namespaces, name, resource
        rest = rest[2:]
    verb = "get" if len(rest) > 1 else "list"
    if group in METRIC_GROUPS:
        return group, verb
    resource = f"{rest[0]}.{group}" if group else rest[0]
    return (f"{resource}/{rest[2]}" if len(rest) > 2 else resource), verb  # noqa: PLR2004  # resource, name, subresource
