"""Lets facts go while the disk takes nothing and memory fills: pods before metrics before HPAs."""

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
LEVELS = (1.0, 1.25, 1.5)
"""How full memory is, in budgets, when pods, metrics and all the rest are let go."""


@dataclass(slots=True)
class LoadShedder:
    """What was let go: since when and how much, of which paths, and how the objects among it stood last."""

    since: dict[str, Micros] = field(default_factory=dict)
    last: dict[Hashable, Fact] = field(default_factory=dict)
    counts: Counter[str] = field(default_factory=Counter)

    def keeps(self, fact: Fact, fullness: float) -> bool:
        """Tell whether there is room for a fact; what was begun to be let go is let go until `reopen`.

        fullness   of memory, in budgets
        """
        if isinstance(fact, Gap | Ended):
            return True
        prefix = self._prefix(fact, fullness)
        if prefix is None:
            return True
        self.since.setdefault(prefix, fact.at_us)
        self.counts[prefix] += 1
        thing = object_of(fact)
        if thing is not None:
            self.last[thing] = fact
        return False

    def _prefix(self, fact: Fact, fullness: float) -> str | None:
        """Return the paths as part of which a fact is let go, None where it is kept."""
        pods, metrics, rest = (fullness >= level for level in LEVELS)
        if rest or ALL_PATHS in self.since:
            return ALL_PATHS
        if isinstance(fact, PodSeen | PodGone) and (pods or PODS in self.since):
            return PODS
        if isinstance(fact, ResourceMetricsRead | ValuesRead):
            prefix = f"/apis/{fact.request.api.partition('/')[0]}"
            return prefix if metrics or prefix in self.since else None
        return None

    def reopen(self, now_us: Micros, cause: str) -> list[Fact]:
        """Return what is to be kept now that there is room: each gap with both ends, then how everything stands."""
        gaps = [
            Gap(at_us=since_us, until_us=max(since_us, now_us), prefix=prefix, cause=cause)
            for prefix, since_us in sorted(self.since.items(), key=lambda item: item[1])
        ]
        states = [replace(fact, at_us=max(fact.at_us, now_us)) for fact in self.last.values()]
        self.since, self.last, self.counts = {}, {}, Counter()
        return [*gaps, *states]
