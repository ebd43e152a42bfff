"""Follows pods, and tells of those that the selector of some HPA's target matches."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from sys import intern
from typing import Any, NamedTuple

from hpaaudit.api.see import pod_seen
from hpaaudit.api.selector import Selector, equalities
from hpaaudit.api.typed import typed
from hpaaudit.cluster.client.client import Answer, Client
from hpaaudit.cluster.decoding.decoders import PODS, UNFIT
from hpaaudit.cluster.decoding.unreadable import Unreadable, of_object
from hpaaudit.cluster.watch.pager import named, pages
from hpaaudit.cluster.watch.reflector import Key, key_of
from hpaaudit.cluster.watch.unreadable_objects import Unread
from hpaaudit.model.digest import digest
from hpaaudit.model.facts import Fact, PodGone, PodSeen
from hpaaudit.model.target import Pod
from hpaaudit.model.units import SECOND, Micros
from hpaaudit.model.version import version_number

UNWANTED_US = 600 * SECOND
"""A selector that no HPA has had for so long is let go: a target may be away for a moment, or its kind unknown."""
Selection = tuple[str, Selector | None]
"""Pods to read: of a namespace those that a selector matches, or (None) all."""


class Known(NamedTuple):
    """What is kept of a pod that was told of: 50,000 of them take 20 MB, whole ones took ten times that.

    version   0 where it is no number;  labels  the hash of those that are kept
    state     a digest of all that was told, but the version
    """

    uid: str
    version: int
    labels: int
    state: bytes


@dataclass(slots=True)
class Chosen:
    """The selectors of one namespace, and the labels that they ask for."""

    keys: set[str]
    selectors: set[Selector] = field(default_factory=set)
    by_pair: dict[tuple[str, str], list[Selector]] = field(default_factory=dict)
    others: list[Selector] = field(default_factory=list)
    unwanted_us: dict[Selector | None, Micros] = field(default_factory=dict)

    def add(self, selector: Selector) -> bool:
        """One more; whether it asks for a label that was not kept until now."""
        self.selectors.add(selector)
        pairs = equalities(selector)
        (self.by_pair.setdefault(pairs[0], []) if pairs else self.others).append(selector)
        asked = {term.key for term in selector.terms}
        new = not asked <= self.keys
        self.keys |= asked
        return new

    def let_go(self, wanted: set[Selector], now_us: Micros) -> bool:
        """Forget the selectors that nobody has wanted for UNWANTED_US; whether none is left, for as long."""
        unwanted = {*(self.selectors - wanted), *(() if self.selectors else (None,))}
        self.unwanted_us = {one: self.unwanted_us.get(one, now_us) for one in unwanted}
        old = {one for one, since_us in self.unwanted_us.items() if now_us - since_us >= UNWANTED_US}
        if left := old & self.selectors:
            kept = self.selectors - left
            self.selectors, self.by_pair, self.others = set(), {}, []
            for selector in kept:
                self.add(selector)
        return None in old

    def match(self, labels: dict[str, str]) -> bool:
        """Whether one of them matches."""
        return any(selector.matches(labels) for selector in self._near(labels))

    def _near(self, labels: dict[str, str]) -> Iterator[Selector]:
        """Those that may match: of a hundred apps in a namespace, one."""
        for pair in labels.items():
            yield from self.by_pair.get(pair, ())
        yield from self.others


@dataclass(slots=True)
class Pods:
    """The selected pods; one that was told of is followed to its end, also when nobody asks for it any more.

    keep_labels   are kept of every pod; of all other labels only those that some selector of its namespace names
    fetched       pods that were fetched and of which the watch, which may be behind, said nothing since
    """

    sink: Callable[[Fact], None]
    keep_labels: tuple[str, ...] = ()
    seen: dict[Key, Known] = field(default_factory=dict)
    chosen: dict[str, Chosen] = field(default_factory=dict)
    fetched: set[Key] = field(default_factory=set)
    buried: set[str] | None = None

    def remember(self, fact: PodSeen) -> None:
        """Take up a pod as an earlier run saw it last, and the labels that were kept then."""
        pod = fact.pod
        self._chosen(pod.namespace).keys.update(name for name, _ in pod.labels)
        self.seen[intern(pod.namespace), pod.name] = _known(pod)

    def only(self, keys: set[Key], at_us: Micros) -> None:
        """After a list: what is absent is gone."""
        self.fetched.clear()
        for key in self.seen.keys() - keys:
            self._forget(key, at_us)

    def changed(self, raw: dict[str, Any], at_us: Micros) -> None:
        """A kubelet writes more often than anything changes that a decision needs."""
        self._take(raw, at_us, fetched=False)

    def _take(self, raw: dict[str, Any], at_us: Micros, *, fetched: bool) -> None:
        meta = raw["metadata"]
        key, labels = key_of(raw), meta.get("labels") or {}
        chosen, before = self.chosen.get(key[0]), self.seen.get(key)
        selected = chosen is not None and chosen.match(labels)
        if chosen is None or (before is None and not selected):
            return
        meta["labels"] = {name: labels[name] for name in chosen.keys & labels.keys()}
        fact = typed(pod_seen(at_us, raw))
        after = _known(fact.pod)
        if before and before.uid != after.uid:
            self._forget(key, at_us)
        elif before and 0 < after.version < before.version and (fetched or key in self.fetched):
            # It was true before what is known: the versions of one kind are ordered numbers. What the watch itself
            # says is newer than what it said, also with an older version: of a server that came back from a backup.
            return
        (self.fetched.add if fetched else self.fetched.discard)(key)
        if before is None or (before.uid, before.state) != (after.uid, after.state):
            self.sink(fact)
        if selected or (before and before.labels == after.labels):  # the selector of an earlier run matched it
            self.seen[intern(key[0]), key[1]] = after
        else:  # its labels changed: told once, then it is nobody's
            self.seen.pop(key, None)

    def concerned(self, bad: Unreadable) -> bool:
        """Whether a pod that cannot be read may be one of those that are selected."""
        chosen = self.chosen.get(bad.namespace)
        if not bad.namespace:
            return any(one.selectors for one in self.chosen.values())
        if chosen is None or not chosen.selectors:
            return False
        return bad.labels is None or bad.key in self.seen or chosen.match(dict(bad.labels))

    def gone(self, raw: dict[str, Any], at_us: Micros) -> None:
        """Deleted."""
        meta = raw["metadata"]
        if self.buried is not None:
            self.buried.add(meta.get("uid", ""))
        if (key := key_of(raw)) in self.seen:
            self._forget(key, at_us)

    def choose(self, wanted: set[tuple[str, Selector]]) -> set[Selection]:
        """Keep the pods of these selectors (by namespace) from now on; which pods must be read for it.

        Where a selector names a label that was not kept, all pods of its namespace are to be told of again with it:
        a selector may ask for its absence too.
        """
        unread: set[Selection] = set()
        for namespace, selector in wanted:
            chosen = self._chosen(namespace)
            if selector not in chosen.selectors:
                first = not chosen.selectors
                unread.add((namespace, None if chosen.add(selector) and not first else selector))
        return unread

    def let_go(self, wanted: set[tuple[str, Selector]], now_us: Micros) -> None:
        """Forget selectors, and with the last of a namespace its labels, that no HPA has wanted for long."""
        by_namespace: dict[str, set[Selector]] = {}
        for namespace, selector in wanted:
            by_namespace.setdefault(namespace, set()).add(selector)
        for namespace, chosen in list(self.chosen.items()):
            if chosen.let_go(by_namespace.get(namespace, set()), now_us):
                del self.chosen[namespace]

    async def fetch(self, client: Client, selection: Selection, unread: Unread) -> Answer:
        """Read pods that came after the first list; the watch may be ahead of the answer, which is the last page.

        A pod that cannot be read is `unread`.
        """
        namespace, selector = selection
        self.buried = set()
        query = {"labelSelector": str(selector)} if selector else {}
        async for answer in pages(client, f"/api/v1/namespaces/{namespace}/pods", query, PODS):
            for raw in named(answer.body) if answer.good else ():
                if isinstance(raw, Unreadable):
                    unread.refuse(raw, answer.at_us)
                elif raw["metadata"].get("uid", "") not in self.buried:
                    self._take_up(raw, answer.at_us, unread)
        self.buried = None
        return answer

    def _take_up(self, raw: dict[str, Any], at_us: Micros, unread: Unread) -> None:
        try:
            self._take(raw, at_us, fetched=True)
        except UNFIT as problem:
            unread.refuse(of_object(raw, PODS.kind, str(problem)), at_us)

    def _chosen(self, namespace: str) -> Chosen:
        return self.chosen.setdefault(namespace, Chosen(set(self.keep_labels)))

    def _forget(self, key: Key, at_us: Micros) -> None:
        self.fetched.discard(key)
        self.sink(PodGone(at_us=at_us, namespace=key[0], name=key[1], uid=self.seen.pop(key).uid))


def _known(pod: Pod) -> Known:
    return Known(
        pod.uid, version_number(pod.resource_version) or 0, hash(pod.labels), digest(replace(pod, resource_version=""))
    )
