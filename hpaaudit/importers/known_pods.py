"""Tells since when a capture shows which pods there are: what was there before is told by a full list only."""

from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any

from hpaaudit.api import selector, times
from hpaaudit.api.selector import BadSelector
from hpaaudit.importers.pod_parts import PodPart
from hpaaudit.model.facts import Fact, Gap, ScaleRead, ScaleWritten, TargetSeen
from hpaaudit.model.units import SECOND, Micros

_AT_ONCE_US = Micros(SECOND)
_WHOLE_SECONDS_US = Micros(2 * SECOND)  # creationTimestamp has whole seconds, by another clock
_CAUSE = "the pods that were there before were not listed"


@dataclass(slots=True)
class KnownPods:
    """Of which namespaces the pods are known. All of them together are the namespace "".

    begun_us   since when the cluster is observed
    decided    when the last reconcile was told since, by namespace
    listed     namespaces whose pods were listed;  watched  those whose pods a watch began to show
    parts      since when only some pods were shown, by what was asked for;  partly  the namespaces of such pods
    unknown    since when it is unknown which pods a namespace has
    selectors  of each target that was seen, by namespace and path below it
    scaled     namespace and name of each target that an HPA has
    ignores_failed  the release ignores failed pods
    """

    begun_us: Micros | None = None
    decided: dict[str, Micros] = field(default_factory=dict)
    listed: set[str] = field(default_factory=set)
    watched: set[str] = field(default_factory=set)
    parts: dict[PodPart, Micros] = field(default_factory=dict)
    partly: set[str] = field(default_factory=set)
    unknown: dict[str, Micros] = field(default_factory=dict)
    selectors: dict[tuple[str, str], set[str]] = field(default_factory=dict)
    scaled: set[tuple[str, str]] = field(default_factory=set)
    ignores_failed: bool = True

    def target(self, fact: Fact) -> None:
        """Keeps the selector of the target that a fact shows: it says which pods are the target's."""
        if not isinstance(fact, ScaleRead | ScaleWritten | TargetSeen) or fact.scale is None or not fact.scale.selector:
            return
        with suppress(BadSelector):  # a controller looks for no pods of such a target
            selector.parse(fact.scale.selector)
            path = f"{fact.target.resource}/{fact.target.name}"
            self.selectors.setdefault((fact.target.namespace, path), set()).add(fact.scale.selector)

    def unobserved(self, since_us: Micros, until_us: Micros, namespaces: Iterable[str]) -> Iterable[Gap]:
        """Marks the pods of these namespaces as unknown until they are listed: for a time nothing was observed.

        Gives the gaps before that time.
        """
        yield from self.in_part(since_us, "")
        self.begun_us = until_us
        self.decided.clear()
        self.listed.clear()
        self.watched.clear()
        self.parts.clear()
        self.partly.clear()
        for namespace in namespaces:
            self.unknown.setdefault(namespace, since_us)

    def event(
        self, at_us: Micros, namespace: str, kind: str, raw: Mapping[str, Any], *, part: PodPart | None, is_known: bool
    ) -> Iterable[Gap]:
        """The gap before the first pod that a watch shows, where that pod is older.

        A watch begins with all pods as ADDED. One that tells of a pod it never showed had begun before the capture.

        part   what it shows, None for all pods
        """
        if self.begun_us is None or namespace in self.unknown or not self.listed.isdisjoint(("", namespace)):
            return
        if kind != "ADDED" and not is_known:
            self.unknown[namespace] = self.begun_us
        elif namespace in self.watched:
            return
        elif part is not None:
            self.parts.setdefault(part, at_us)
            if namespace not in self.partly:
                self.partly.add(namespace)
                yield from self._late(at_us, namespace, [raw])
        elif namespace not in self.partly or _is_older(raw, at_us):
            # Or it goes on from a list of some pods: then it begins with new ones.
            yield from self.in_part(at_us, namespace)
            self.watched.add(namespace)
            yield from self._late(at_us, namespace, [raw])

    def list(self, at_us: Micros, namespace: str, pods: Iterable[Mapping[str, Any]]) -> Iterable[Gap]:
        """The gaps that end with a full list of a namespace, or of all."""
        yield from self.in_part(at_us, namespace)
        closed = {hidden for hidden in self.unknown if namespace in ("", hidden)}
        yield from (self._gap(self.unknown.pop(hidden), at_us, hidden) for hidden in sorted(closed))
        before = closed | self.listed | self.watched | (self.partly & {place for place, _ in self.selectors})
        self.listed.add(namespace)
        if "" in before or namespace in before:
            return
        by_namespace: dict[str, list[Mapping[str, Any]]] = {}
        for pod in pods:
            by_namespace.setdefault((pod.get("metadata") or {}).get("namespace") or namespace, []).append(pod)
        for shown in sorted(by_namespace.keys() - before):
            yield from self._late(at_us, shown, by_namespace[shown])

    def part(self, at_us: Micros, part: PodPart, pods: Iterable[Mapping[str, Any]]) -> Iterable[Gap]:
        """The gap before the first pods of a namespace that a selector shows, where a reconcile was told before it."""
        namespace = part.namespace
        if namespace in self.unknown or not {"", namespace}.isdisjoint(self.listed | self.watched):
            return
        self.parts.setdefault(part, at_us)
        is_known = not {"", namespace}.isdisjoint(self.partly)
        self.partly.add(namespace)
        if not is_known and namespace in self.decided:
            yield from self._late(at_us, namespace, pods)

    def in_part(self, until_us: Micros, namespace: str) -> Iterable[Gap]:
        """The gaps of targets in a namespace, or in all, of which only some pods were shown until then."""
        known = self.listed | self.watched | self.unknown.keys()
        for (place, path), selectors in sorted(self.selectors.items()):
            parts = {part: at_us for part, at_us in self.parts.items() if part.namespace in ("", place)}
            is_scaled = (place, path.partition("/")[2]) in self.scaled
            if self.begun_us is None or namespace not in ("", place) or not known.isdisjoint(("", place)):
                continue
            whole_us = [self._covered_us(parts, place, wanted, until_us) for wanted in selectors]
            shown_us = min(until_us, max(whole_us))
            first = min((part for part in parts if not part.own), key=lambda part: parts[part], default=None)
            if (
                first is not None
                and is_scaled
                and parts[first] < shown_us
                and (place in self.decided or shown_us > self.begun_us + _AT_ONCE_US)
            ):
                gap = self._gap(self.begun_us, shown_us, place)
                yield replace(gap, prefix=f"{gap.prefix}#{path}", cause=str(first))

    def _covered_us(self, parts: Mapping[PodPart, Micros], namespace: str, wanted: str, default: Micros) -> Micros:
        """From when on a list or watch of these showed every pod that a selector matches; the default if none did."""
        covering = (
            at_us for part, at_us in parts.items() if part.covers(namespace, wanted, ignores_failed=self.ignores_failed)
        )
        return min(covering, default=default)

    def ended(self, at_us: Micros) -> Iterable[Gap]:
        """The gaps that no list ended."""
        unknown = [self._gap(since_us, at_us, namespace) for namespace, since_us in sorted(self.unknown.items())]
        return [*unknown, *self.in_part(at_us, "")]

    def _late(self, at_us: Micros, namespace: str, pods: Iterable[Mapping[str, Any]]) -> Iterable[Gap]:
        """The gap until the pods were shown, where some of them are older."""
        if (
            self.begun_us is not None
            and (namespace in self.decided or at_us > self.begun_us + _AT_ONCE_US)
            and any(_is_older(pod, at_us) for pod in pods)
        ):
            yield self._gap(self.begun_us, at_us, namespace)

    def _gap(self, since_us: Micros, until_us: Micros, namespace: str) -> Gap:
        """The gap until the pods were shown. Reconciles that were told before at the same instant are in it."""
        decided_us = max((at_us for place, at_us in self.decided.items() if namespace in ("", place)), default=None)
        prefix = f"/api/v1/namespaces/{namespace}/pods" if namespace else "/api/v1/pods"
        until_us = Micros(until_us + (decided_us == until_us))
        return Gap(at_us=since_us, until_us=until_us, prefix=prefix, cause=_CAUSE)


def _is_older(pod: Mapping[str, Any], at_us: Micros) -> bool:
    created = (pod.get("metadata") or {}).get("creationTimestamp")
    return bool(created) and times.micros(created) < at_us - _WHOLE_SECONDS_US
