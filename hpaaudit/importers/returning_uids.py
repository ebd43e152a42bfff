"""Finds captures that mix two clusters: the uid of an object changes back and forth."""

from dataclasses import dataclass, field

MOST_STALE = 4
"""So often an API server that lags may show the object that was replaced, or then the one that replaced it."""

_Key = tuple[str, str, str]


@dataclass(slots=True)
class ReturningUids:
    """The uids that were seen under each resource, namespace and name. A cluster gives each uid once and never again.

    last       the uid that was seen last;  replaced   those that were there before another one
    returned   how often one of these was seen again
    """

    last: dict[_Key, str] = field(default_factory=dict)
    replaced: dict[_Key, set[str]] = field(default_factory=dict)
    returned: dict[_Key, int] = field(default_factory=dict)

    def see(self, key: _Key, uid: str) -> None:
        """Takes note of an object. ValueError if the uids of its name take turns."""
        before = self.last.get(key)
        if not uid or before == uid:
            return
        self.last[key] = uid
        if before is None:
            return
        replaced = self.replaced.setdefault(key, set())
        replaced.add(before)
        if uid not in replaced:
            return
        self.returned[key] = self.returned.get(key, 0) + 1
        if self.returned[key] > MOST_STALE:
            resource, namespace, name = key
            raise ValueError(
                f"{resource} {namespace}/{name} has the uids {before} and {uid} in turn: these lines are of two "
                "clusters, import each for itself"
            )
