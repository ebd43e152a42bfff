"""Records a gap for each new HPA, from its creation until its target and the target's pods were first read."""

from collections.abc import Collection
from dataclasses import dataclass, field

from hpaaudit.cluster.observe.context import ObserverContext
from hpaaudit.cluster.observe.targets import Targets
from hpaaudit.cluster.stores.hpas import HpaStore
from hpaaudit.cluster.stores.pods import PodStore, Selection
from hpaaudit.cluster.watch.gaps import EVERYTHING
from hpaaudit.cluster.watch.store import Key
from hpaaudit.model.units import Micros

NEW = "?new"
"""Ends the prefix of these gaps. The path alone is the prefix of the watch, which opens and closes gaps of its own."""


@dataclass(slots=True)
class UnseenTargets:
    """Writes gaps for the targets of new HPAs, and for their pods, until they are read.

    open    since when, by path
    known   HPAs whose pods were listed, each with the time since when it has scaled its target
    selectorless   when HPAs were last seen without a selector of their target, which hides nothing then
    covered_until_us   until then a gap of everything hides them too: a restarted recorder has not read all yet
    """

    context: ObserverContext
    hpas: HpaStore
    targets: Targets
    pods: PodStore
    open: dict[str, Micros] = field(default_factory=dict)
    known: dict[Key, Micros] = field(default_factory=dict)
    selectorless: dict[Key, Micros] = field(default_factory=dict)
    covered_until_us: int = 0

    def update(self, to_fetch: Collection[Selection]) -> None:
        """Begins and ends gaps. `to_fetch` are selections whose pods were not listed yet."""
        if EVERYTHING in self.context.gaps.open:
            self.covered_until_us = self.context.now()
            return
        hidden: dict[str, Micros] = {}
        for key, since_us in self.hpas.targeted.items():
            if self.known.get(key) == since_us:
                continue
            paths, from_us = self._hidden_paths(key, to_fetch), max(since_us, self.selectorless.get(key, since_us))
            for path in paths:
                hidden[path] = Micros(max(self.covered_until_us, min(from_us, hidden.get(path, from_us))))
            if not paths and self.targets.selector(key) is None:
                self.selectorless[key] = self.context.now()
            elif not paths:
                self.known[key] = since_us
        self.known = {key: since_us for key, since_us in self.known.items() if key in self.hpas.targeted}
        self.selectorless = {key: us for key, us in self.selectorless.items() if key in self.hpas.targeted}
        for path in self.open.keys() - hidden.keys():
            self.context.gaps.end(path, self.context.now())
        for path, since_us in hidden.items():
            self.context.gaps.begin(path, since_us, "what an HPA scales that had just become known was not read yet")
        self.open = hidden

    def _hidden_paths(self, key: Key, to_fetch: Collection[Selection]) -> list[str]:
        """The paths that show what an HPA scales, as far as they were not read since the HPA was seen."""
        namespace, ref = key[0], self.hpas.decoded[key].spec.target
        pods = f"/api/v1/namespaces/{namespace}/pods{NEW}"
        selector = self.targets.selector(key)
        if selector is not None:
            # A poll may have told the selector just now: its pods are not even asked for yet.
            is_asked_for = self.pods.follows(namespace, selector)
            return (
                [pods] if not is_asked_for or (namespace, selector) in to_fetch or (namespace, None) in to_fetch else []
            )
        if key not in self.targets.resolved or self.targets.is_selector_hidden(key):
            return [pods, self.targets.discovery.hidden_path(namespace, ref) + NEW]
        return []
