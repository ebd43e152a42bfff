"""The store of pods: emits facts about those that the selector of an HPA's target matches."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from sys import intern
from typing import Any, NamedTuple

from hpaaudit.api.selector import Selector, equalities
from hpaaudit.api.to_facts import pod_seen
from hpaaudit.api.type_check import type_checked
from hpaaudit.cluster.client.client import Client
from hpaaudit.cluster.client.http_answer import Answer
from hpaaudit.cluster.decoding.decoders import PODS, UNFIT
from hpaaudit.cluster.decoding.unreadable import Unreadable, of_object
from hpaaudit.cluster.watch.collection import Collection
from hpaaudit.cluster.watch.pager import named, pages
from hpaaudit.cluster.watch.store import Key, key_of
from hpaaudit.cluster.watch.unreadable_objects import UnreadableObjects
from hpaaudit.model.digest import digest
from hpaaudit.model.facts import Fact, PodGone, PodSeen
from hpaaudit.model.resource_version import version_number
from hpaaudit.model.target import Pod
from hpaaudit.model.units import SECOND, Micros

UNWANTED_US = 600 * SECOND
"""How long a selector stays that no HPA has: a target may be missing for a moment, or its kind unknown."""
Selection = tuple[str, Selector | None]
"""Pods to read: of a namespace those that a selector matches, or (None) all."""


class PodVersion(NamedTuple):
    """The state of a pod that was emitted last. 50,000 of them take 20 MB; whole pods would take ten times as much.

    version   0 if the resource version is no number
    digest    of all that was emitted, without the version
    """

    uid: str
    version: int
    labels_hash: int
    digest: bytes


@dataclass(slots=True)
class NamespaceSelectors:
    """The selectors of one namespace.

    keys         the labels that they name;  by_pair  selectors that require `key=value`;  others  the rest
    unwanted_us  since when no HPA has had a selector; None means the whole namespace
    """

    keys: set[str]
    selectors: set[Selector] = field(default_factory=set)
    by_pair: dict[tuple[str, str], list[Selector]] = field(default_factory=dict)
    others: list[Selector] = field(default_factory=list)
    unwanted_us: dict[Selector | None, Micros] = field(default_factory=dict)

    def add(self, selector: Selector) -> bool:
        """Adds a selector. True if it names a label that was not kept until now."""
        self.selectors.add(selector)
        pairs = equalities(selector)
        (self.by_pair.setdefault(pairs[0], []) if pairs else self.others).append(selector)
        named = {term.key for term in selector.terms}
        has_new = not named <= self.keys
        self.keys |= named
        return has_new

    def expire(self, wanted: set[Selector], now_us: Micros) -> bool:
        """Removes selectors that were unwanted for UNWANTED_US. True if there has been none for as long."""
        unwanted = {*(self.selectors - wanted), *(() if self.selectors else (None,))}
        self.unwanted_us = {selection: self.unwanted_us.get(selection, now_us) for selection in unwanted}
        expired = {selection for selection, since_us in self.unwanted_us.items() if now_us - since_us >= UNWANTED_US}
        if removed := expired & self.selectors:
            remaining = self.selectors - removed
            self.selectors, self.by_pair, self.others = set(), {}, []
            for selector in remaining:
                self.add(selector)
        return None in expired

    def match(self, labels: dict[str, str]) -> bool:
        """Whether one of the selectors matches."""
        return any(selector.matches(labels) for selector in self._candidates(labels))

    def _candidates(self, labels: dict[str, str]) -> Iterator[Selector]:
        """The selectors that may match: one of a hundred apps in a namespace."""
        for pair in labels.items():
            yield from self.by_pair.get(pair, ())
        yield from self.others


@dataclass(slots=True)
class PodStore:
    """The selected pods. A pod that was emitted once is followed to its end, even if no selector matches it any more.

    keep_labels   are kept of every pod, other labels only if a selector of its namespace names them
    fetched       pods that were listed by `fetch` and did not come in the watch since, which may be behind
    deleted_uids  of pods that are deleted during `fetch`, None otherwise
    """

    sink: Callable[[Fact], None]
    keep_labels: tuple[str, ...] = ()
    versions: dict[Key, PodVersion] = field(default_factory=dict)
    namespaces: dict[str, NamespaceSelectors] = field(default_factory=dict)
    fetched: set[Key] = field(default_factory=set)
    deleted_uids: set[str] | None = None

    def restore(self, fact: PodSeen) -> None:
        """Restores a pod as an earlier run saw it last, and which labels were kept then."""
        pod = fact.pod
        self._selectors_of(pod.namespace).keys.update(name for name, _ in pod.labels)
        self.versions[intern(pod.namespace), pod.name] = _version_of(pod)

    def retain(self, keys: set[Key], at_us: Micros) -> None:
        """Deletes what a list does not have."""
        self.fetched.clear()
        for key in self.versions.keys() - keys:
            self._remove(key, at_us)

    def update(self, raw: dict[str, Any], at_us: Micros) -> None:
        """Takes a new state. A kubelet writes more often than something changes that a decision needs."""
        self._take(raw, at_us, fetched=False)

    def _take(self, raw: dict[str, Any], at_us: Micros, *, fetched: bool) -> None:
        meta = raw["metadata"]
        key, labels = key_of(raw), meta.get("labels") or {}
        selectors, before = self.namespaces.get(key[0]), self.versions.get(key)
        selected = selectors is not None and selectors.match(labels)
        if selectors is None or (before is None and not selected):
            return
        meta["labels"] = {name: labels[name] for name in selectors.keys & labels.keys()}
        fact = type_checked(pod_seen(at_us, raw))
        after = _version_of(fact.pod)
        if before and before.uid != after.uid:
            self._remove(key, at_us)
        elif before and 0 < after.version < before.version and (fetched or key in self.fetched):
            # A fetched state that is older than the known one: resource versions of one kind are ordered. What the
            # watch sends is always newer, even with a lower version: the server was restored from a backup.
            return
        (self.fetched.add if fetched else self.fetched.discard)(key)
        if before is None or (before.uid, before.digest) != (after.uid, after.digest):
            self.sink(fact)
        if selected or (before and before.labels_hash == after.labels_hash):  # a selector of an earlier run matched it
            self.versions[intern(key[0]), key[1]] = after
        else:  # its labels changed: emitted once, then forgotten
            self.versions.pop(key, None)

    def is_relevant(self, bad: Unreadable) -> bool:
        """Whether a pod that cannot be read may be selected."""
        selectors = self.namespaces.get(bad.namespace)
        if not bad.namespace:
            return any(namespace.selectors for namespace in self.namespaces.values())
        if selectors is None or not selectors.selectors:
            return False
        return bad.labels is None or bad.key in self.versions or selectors.match(dict(bad.labels))

    def delete(self, raw: dict[str, Any], at_us: Micros) -> None:
        """Takes a deletion."""
        meta = raw["metadata"]
        if self.deleted_uids is not None:
            self.deleted_uids.add(meta.get("uid", ""))
        if (key := key_of(raw)) in self.versions:
            self._remove(key, at_us)

    def select(self, wanted: set[tuple[str, Selector]]) -> set[Selection]:
        """Follows the pods of these selectors, by namespace, from now on. Returns which pods have to be fetched.

        If a selector names a label that was not kept, all pods of its namespace are fetched and emitted again with
        it: a selector may also require that a label is absent.
        """
        to_fetch: set[Selection] = set()
        for namespace, selector in wanted:
            selectors = self._selectors_of(namespace)
            if selector not in selectors.selectors:
                is_first = not selectors.selectors
                to_fetch.add((namespace, None if selectors.add(selector) and not is_first else selector))
        return to_fetch

    def follows(self, namespace: str, selector: Selector) -> bool:
        """Whether the pods of this selector are followed, be they listed yet or not."""
        return namespace in self.namespaces and selector in self.namespaces[namespace].selectors

    def expire(self, wanted: set[tuple[str, Selector]], now_us: Micros) -> None:
        """Removes selectors that no HPA has had for UNWANTED_US, and namespaces without any for as long."""
        by_namespace: dict[str, set[Selector]] = {}
        for namespace, selector in wanted:
            by_namespace.setdefault(namespace, set()).add(selector)
        for namespace, selectors in list(self.namespaces.items()):
            if selectors.expire(by_namespace.get(namespace, set()), now_us):
                del self.namespaces[namespace]

    async def fetch(self, client: Client, selection: Selection, unreadable: UnreadableObjects) -> Answer:
        """Lists pods of a new selector. The watch may be ahead of the list. Returns the last page.

        A pod that cannot be read goes to `unreadable`.
        """
        namespace, selector = selection
        self.deleted_uids = set()
        query = {"labelSelector": str(selector)} if selector else {}
        pods = Collection(path=f"/api/v1/namespaces/{namespace}/pods", query=query, decoder=PODS)
        async for answer in pages(client, pods, PODS):
            for raw in named(answer.body) if answer.good else ():
                if isinstance(raw, Unreadable):
                    unreadable.add(raw, answer.at_us)
                elif raw["metadata"].get("uid", "") not in self.deleted_uids:
                    self._take_fetched(raw, answer.at_us, unreadable)
        self.deleted_uids = None
        return answer

    def _take_fetched(self, raw: dict[str, Any], at_us: Micros, unreadable: UnreadableObjects) -> None:
        try:
            self._take(raw, at_us, fetched=True)
        except UNFIT as problem:
            unreadable.add(of_object(raw, PODS.kind, str(problem)), at_us)

    def _selectors_of(self, namespace: str) -> NamespaceSelectors:
        return self.namespaces.setdefault(namespace, NamespaceSelectors(set(self.keep_labels)))

    def _remove(self, key: Key, at_us: Micros) -> None:
        self.fetched.discard(key)
        self.sink(PodGone(at_us=at_us, namespace=key[0], name=key[1], uid=self.versions.pop(key).uid))


def _version_of(pod: Pod) -> PodVersion:
    return PodVersion(
        pod.uid, version_number(pod.resource_version) or 0, hash(pod.labels), digest(replace(pod, resource_version=""))
    )
