"""Follows Events about HPAs, about what they scale, and about the ReplicaSets and pods that come of it."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from hpaaudit.api.see import event_seen
from hpaaudit.api.typed import typed
from hpaaudit.cluster.decoding.unreadable import Unreadable
from hpaaudit.cluster.watch.reflector import Key, key_of
from hpaaudit.model.facts import EventSeen, Fact
from hpaaudit.model.units import Micros

MADE = {
    "ReplicaSet": ("SuccessfulCreate", "SuccessfulDelete"),
    "Pod": ("Scheduled", "Pulling", "Pulled", "Created", "Started"),
}
"""What workloads make, and the reasons that its pods themselves show: the server leaves these Events out."""
LONGEST_BASE, RANDOM = 58, 5
"""A name that Kubernetes makes is cut to this, and so many characters follow (`names.SimpleNameGenerator`)."""


def selected(kind: str) -> dict[str, str]:
    """The query for Events about a kind."""
    fields = [f"involvedObject.kind={kind}", *(f"reason!={reason}" for reason in MADE.get(kind, ()))]
    return {"fieldSelector": ",".join(fields)}


def base(name: str) -> str:
    """As much of a name as is seen in the names of what is made from it."""
    return name[:LONGEST_BASE]


def makers(kind: str, name: str) -> Iterator[str]:
    """The bases of the workloads that may have made a ReplicaSet or a pod, by its name.

    An Event does not say whose its object is, and may be seen before the object: the pod `web-5d4f-x2x7p` is of the
    ReplicaSet `web-5d4f` or of the Deployment `web`. Where the base is cut, no dash is left before the end.
    """
    if len(name) == LONGEST_BASE + RANDOM:
        yield base(name)
    for _ in range(1 if kind == "ReplicaSet" else 2):
        name, dash, _ = name.rpartition("-")
        if dash:
            yield base(name)


@dataclass(slots=True)
class Events:
    """Events about one kind of object, of those objects that `about` knows (by namespace and name)."""

    sink: Callable[[Fact], None]
    about: Callable[[str, str], bool]
    versions: dict[Key, str] = field(default_factory=dict)
    known: dict[str, EventSeen] = field(default_factory=dict)

    def remember(self, facts: Iterable[EventSeen]) -> None:
        """Take up Events as an earlier run saw them last."""
        self.known |= {fact.uid: fact for fact in facts}

    def only(self, keys: set[Key], at_us: Micros) -> None:  # noqa: ARG002  # a Follower's
        """Events end by themselves, which nobody needs to know."""
        self.versions = {key: version for key, version in self.versions.items() if key in keys}
        self.known = {}

    def changed(self, raw: dict[str, Any], at_us: Micros) -> None:
        """Posted, or counted once more."""
        key, version, about = key_of(raw), raw["metadata"]["resourceVersion"], raw.get("involvedObject") or {}
        if self.versions.get(key) != version and self.about(about.get("namespace", ""), about.get("name", "")):
            fact = typed(event_seen(at_us, raw))
            self.versions[key] = version
            before = self.known.pop(fact.uid, None)
            if before is None or replace(before, at_us=at_us) != fact:
                self.sink(fact)

    def concerned(self, bad: Unreadable) -> bool:
        """Whether an Event that cannot be read may be about one of those objects."""
        return bad.about is None or self.about(*bad.about)

    def gone(self, raw: dict[str, Any], at_us: Micros) -> None:  # noqa: ARG002  # a Follower's
        """Ended after its hour."""
        self.versions.pop(key_of(raw), None)
