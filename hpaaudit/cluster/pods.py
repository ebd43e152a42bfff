"""Follows pods, and keeps those that the selector of some HPA's target matches."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any
from urllib.parse import urlencode

from hpaaudit.api.see import pod_seen
from hpaaudit.api.selector import Selector
from hpaaudit.cluster.client import Answer, Client
from hpaaudit.cluster.watch import Key, key_of, named
from hpaaudit.model.facts import Fact, PodGone, PodSeen
from hpaaudit.model.target import Pod
from hpaaudit.model.units import Micros


@dataclass(slots=True)
class Pods:
    """The selected pods; once selected, a selector stays, so that no pod's end is missed."""

    sink: Callable[[Fact], None]
    seen: dict[Key, Pod] = field(default_factory=dict)
    selectors: dict[str, set[Selector]] = field(default_factory=dict)
    buried: set[str] | None = None

    def remember(self, fact: PodSeen) -> None:
        """Take up a pod as an earlier run saw it last."""
        self.seen[fact.pod.namespace, fact.pod.name] = fact.pod

    def only(self, keys: set[Key], at_us: Micros) -> None:
        """After a list: what is absent is gone."""
        for key in self.seen.keys() - keys:
            self._forget(key, at_us)

    def changed(self, raw: dict[str, Any], at_us: Micros) -> None:
        """A kubelet writes more often than anything changes that a decision needs."""
        meta = raw["metadata"]
        key, labels = key_of(raw), meta.get("labels") or {}
        selected = any(selector.matches(labels) for selector in self.selectors.get(key[0], ()))
        before = self.seen.get(key)
        if not selected and before is None:
            return
        fact = pod_seen(at_us, raw)
        if before and before.uid != fact.pod.uid:
            self._forget(key, at_us)
        elif before and _older(fact.pod, before):
            return
        if before is None or replace(before, resource_version=fact.pod.resource_version) != fact.pod:
            self.sink(fact)
        if selected or (before and before.labels == fact.pod.labels):  # the selector of an earlier run matched it
            self.seen[key] = fact.pod
        else:  # its labels changed: told once, then it is nobody's
            del self.seen[key]

    def gone(self, raw: dict[str, Any], at_us: Micros) -> None:
        """Deleted."""
        meta = raw["metadata"]
        if self.buried is not None:
            self.buried.add(meta["uid"])
        if (key := key_of(raw)) in self.seen:
            self._forget(key, at_us)

    def choose(self, wanted: set[tuple[str, Selector]]) -> set[tuple[str, Selector]]:
        """Keep the pods of these selectors (by namespace) from now on; those that are new."""
        new = {(space, selector) for space, selector in wanted if selector not in self.selectors.get(space, ())}
        for namespace, selector in new:
            self.selectors.setdefault(namespace, set()).add(selector)
        return new

    async def fetch(self, client: Client, namespace: str, selector: Selector) -> Answer:
        """Read the pods of a selector that came after the first list; the watch may be ahead of the answer."""
        self.buried = set()
        query = urlencode({"labelSelector": str(selector)})
        answer = await client.get(f"/api/v1/namespaces/{namespace}/pods?{query}")
        for raw in named(answer.body) if answer.good else ():
            if raw["metadata"]["uid"] not in self.buried:
                self.changed(raw, answer.at_us)
        self.buried = None
        return answer

    def _forget(self, key: Key, at_us: Micros) -> None:
        pod = self.seen.pop(key)
        self.sink(PodGone(at_us=at_us, namespace=pod.namespace, name=pod.name, uid=pod.uid))


def _older(pod: Pod, before: Pod) -> bool:
    """Whether what came now was true before what is known; resource versions of one kind are ordered numbers."""
    new, old = pod.resource_version, before.resource_version
    return new.isdigit() and old.isdigit() and int(new) < int(old)
