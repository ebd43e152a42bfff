"""Counts what a recorder asks for, hears and misses, so that somebody can watch over it."""

from bisect import bisect_left
from collections import Counter
from dataclasses import dataclass, field
from functools import lru_cache

from hpaaudit.api import requests
from hpaaudit.model.facts import Fact, Gap, VersionRead
from hpaaudit.model.units import SECOND, Micros

BUCKETS = (0.005, 0.025, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)
"""Seconds that a request may take; more falls into a bucket of its own."""
NAMED_BY_METRIC = (requests.CUSTOM_METRICS, requests.EXTERNAL_METRICS)
"""Groups whose resources are the names of metrics: too many for a label."""
EVERYTHING = "*"
DISCOVERY = "discovery"
Labels = tuple[str, ...]


@dataclass(slots=True)
class Durations:
    """How long requests of one kind took: `counts` by bucket, not yet summed up."""

    counts: list[int] = field(default_factory=lambda: [0] * (len(BUCKETS) + 1))
    seconds: float = 0

    def add(self, seconds: float) -> None:
        """One more."""
        self.counts[bisect_left(BUCKETS, seconds)] += 1
        self.seconds += seconds


@dataclass(slots=True)
class Meters:
    """Sums since the start; a resource is written as kubectl does, `deployments.apps`.

    durations   by resource, verb and status ("0": no answer)
    restarts    of watches, by resource and reason;  relists  and events  by resource
    gap_us      in which nobody looked, by resource (`*`: at anything)
    answered_us, succeeded_us   when each resource was last answered at all, and last answered well
    offset_us   server's clock minus ours, None while it is unknown
    """

    durations: dict[tuple[str, str, str], Durations] = field(default_factory=dict)
    restarts: Counter[Labels] = field(default_factory=Counter)
    relists: Counter[Labels] = field(default_factory=Counter)
    events: Counter[Labels] = field(default_factory=Counter)
    gap_us: Counter[str] = field(default_factory=Counter)
    answered_us: dict[str, Micros] = field(default_factory=dict)
    succeeded_us: dict[str, Micros] = field(default_factory=dict)
    offset_us: Micros | None = None

    def asked(self, method: str, path: str, status: int, sent_us: Micros, at_us: Micros) -> None:
        """A request was answered, or a watch stands; status 0 without an answer."""
        plain, _, query = path.partition("?")
        resource, verb = kind_of(plain)
        if method == "POST":
            verb = "create"
        elif "watch=1" in query:
            verb = "watch"
        self.durations.setdefault((resource, verb, str(status)), Durations()).add((at_us - sent_us) / SECOND)
        if status:
            self.answered_us[resource] = at_us
        if 200 <= status < 300:  # noqa: PLR2004  # HTTP's own
            self.succeeded_us[resource] = at_us

    def heard(self, resource: str, at_us: Micros) -> None:
        """A watch said something."""
        self.events[resource,] += 1
        self.succeeded_us[resource] = at_us

    def told(self, fact: Fact) -> None:
        """A fact was seen: gaps and clocks are counted from what is recorded."""
        if isinstance(fact, Gap):
            path = fact.prefix.partition("#")[0].partition("?")[0]
            resource = path if path == EVERYTHING else kind_of(path)[0]
            self.gap_us[resource] += fact.until_us - fact.at_us
        elif isinstance(fact, VersionRead):
            self.offset_us = fact.clock_offset_us


@lru_cache(maxsize=16384)
def kind_of(path: str) -> tuple[str, str]:
    """The resource of a path without its query, and whether it is one (`get`) or many (`list`)."""
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
    if group in NAMED_BY_METRIC:
        return group, verb
    resource = f"{rest[0]}.{group}" if group else rest[0]
    return (f"{resource}/{rest[2]}" if len(rest) > 2 else resource), verb  # noqa: PLR2004  # resource, name, subresource
