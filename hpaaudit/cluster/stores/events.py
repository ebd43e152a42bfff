"""The store of Events about HPAs, about their targets, and about the ReplicaSets and pods of these."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from hpaaudit.api.to_facts import event_seen
from hpaaudit.api.type_check import type_checked
from hpaaudit.cluster.decoding.unreadable import Unreadable
from hpaaudit.cluster.watch.store import Key, key_of
from hpaaudit.model.facts import EventSeen, Fact
from hpaaudit.model.units import Micros

CHILD_KINDS = {
    "ReplicaSet": ("SuccessfulCreate", "SuccessfulDelete"),
    "Pod": ("Scheduled", "Pulling", "Pulled", "Created", "Started"),
}
"""Kinds that workloads create, with reasons that the pods show themselves: we ask the server to omit these Events."""
MAX_BASE, SUFFIX = 58, 5
"""Kubernetes cuts the base of a generated name to 58 characters and appends 5 random ones (`SimpleNameGenerator`)."""


def query_for(kind: str) -> dict[str, str]:
    """The query for Events about objects of a kind."""
    fields = [f"involvedObject.kind={kind}", *(f"reason!={reason}" for reason in CHILD_KINDS.get(kind, ()))]
    return {"fieldSelector": ",".join(fields)}


def name_base(name: str) -> str:
    """The part of a workload's name with which generated names begin."""
    return name[:MAX_BASE]


def owner_bases(kind: str, name: str) -> Iterator[str]:
    """The name bases of the workloads that may own a ReplicaSet or a pod of this name.

    An Event does not name the owner of its object, and may come before the object: the pod `web-5d4f-x2x7p` belongs
    to the ReplicaSet `web-5d4f` or to the Deployment `web`. If the base was cut, there is no dash before the suffix.
    """
    if len(name) == MAX_BASE + SUFFIX:
        yield name_base(name)
    for _ in range(1 if kind == "ReplicaSet" else 2):
        name, dash, _ = name.rpartition("-")
        if dash:
            yield name_base(name)


@dataclass(slots=True)
class EventStore:
    """Events about objects of one kind. `is_wanted` says about which ones, by namespace and name.

    versions   the last resource version of each Event;  restored  Events of an earlier run that did not come again yet
    """

    sink: Callable[[Fact], None]
    is_wanted: Callable[[str, str], bool]
    versions: dict[Key, str] = field(default_factory=dict)
    restored: dict[str, EventSeen] = field(default_factory=dict)

    def restore(self, facts: Iterable[EventSeen]) -> None:
        """Restores Events as an earlier run saw them last."""
        self.restored |= {fact.uid: fact for fact in facts}

    def retain(self, keys: set[Key], at_us: Micros) -> None:  # noqa: ARG002  # as in Store
        """Forgets Events that are gone. They expire by themselves: no fact."""
        self.versions = {key: version for key, version in self.versions.items() if key in keys}
        self.restored = {}

    def update(self, raw: dict[str, Any], at_us: Micros) -> None:
        """Takes an Event that is new, or was counted once more."""
        key, version, about = key_of(raw), raw["metadata"]["resourceVersion"], raw.get("involvedObject") or {}
        if self.versions.get(key) != version and self.is_wanted(about.get("namespace", ""), about.get("name", "")):
            fact = type_checked(event_seen(at_us, raw))
            self.versions[key] = version
            before = self.restored.pop(fact.uid, None)
            if before is None or replace(before, at_us=at_us) != fact:
                self.sink(fact)

    def is_relevant(self, bad: Unreadable) -> bool:
        """Whether an Event that cannot be read may be about one of these objects."""
        return bad.about is None or self.is_wanted(*bad.about)

    def delete(self, raw: dict[str, Any], at_us: Micros) -> None:  # noqa: ARG002  # as in Store
        """Takes the end of an Event, which expires after an hour."""
        self.versions.pop(key_of(raw), None)
