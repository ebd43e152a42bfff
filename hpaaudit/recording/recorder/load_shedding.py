"""Sheds facts while the disk refuses writes and memory fills up: pods first, then metrics, then everything."""

from collections import Counter
from collections.abc import Hashable
from dataclasses import dataclass, field, replace

from hpaaudit.model.facts import (
    Ended,
    Fact,
    Gap,
    PodGone,
    PodSeen,
    ResourceMetricsRead,
    ValuesRead,
)
from hpaaudit.model.units import Micros
from hpaaudit.recording.encoding.object_keys import object_of
from hpaaudit.recording.format.schema import ALL_PATHS

PODS = "/api/v1/pods"
PODS_FROM, METRICS_FROM, ALL_FROM = 1.0, 1.25, 1.5
"""From which fullness of memory on pods, metrics and all other facts are shed. 1.0 is one segment."""


@dataclass(slots=True)
class LoadShedder:
    """What was shed since the last `reopen`, by API path.

    since        when shedding of a path began
    last_states  the last state of each object among the shed facts
    counts       number of shed facts
    """

    since: dict[str, Micros] = field(default_factory=dict)
    last_states: dict[Hashable, Fact] = field(default_factory=dict)
    counts: Counter[str] = field(default_factory=Counter)

    def admits(self, fact: Fact, fullness: float) -> bool:
        """True if memory has room for `fact`. A path that is being shed stays shed until `reopen`."""
        if isinstance(fact, Gap | Ended):
            return True
        path = self._shed_path(fact, fullness)
        if path is None:
            return True
        self.since.setdefault(path, fact.at_us)
        self.counts[path] += 1
        key = object_of(fact)
        if key is not None:
            self.last_states[key] = fact
        return False

    def _shed_path(self, fact: Fact, fullness: float) -> str | None:
        """The API path under which `fact` is shed. None if it is not."""
        if fullness >= ALL_FROM or ALL_PATHS in self.since:
            return ALL_PATHS
        if isinstance(fact, PodSeen | PodGone) and (fullness >= PODS_FROM or PODS in self.since):
            return PODS
        if isinstance(fact, ResourceMetricsRead | ValuesRead):
            path = f"/apis/{fact.request.api.partition('/')[0]}"
            return path if fullness >= METRICS_FROM or path in self.since else None
        return None

    def reopen(self, now_us: Micros, cause: str) -> list[Fact]:
        """Stop shedding. Return what is to be recorded: a gap for each path, then the last state of each object."""
        gaps = [
            Gap(at_us=since_us, until_us=max(since_us, now_us), prefix=path, cause=cause)
            for path, since_us in sorted(self.since.items(), key=lambda item: item[1])
        ]
        states = [replace(fact, at_us=max(fact.at_us, now_us)) for fact in self.last_states.values()]
        self.since, self.last_states, self.counts = {}, {}, Counter()
        return [*gaps, *states]
