"""Tells since when a capture shows which pods there are: what was there before is told by a full list only."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from hpaaudit.api import times
from hpaaudit.model.facts import Gap
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
    unknown    since when it is unknown which pods a namespace has
    """

    begun_us: Micros | None = None
    decided: dict[str, Micros] = field(default_factory=dict)
    listed: set[str] = field(default_factory=set)
    watched: set[str] = field(default_factory=set)
    unknown: dict[str, Micros] = field(default_factory=dict)

    def unobserved(self, since_us: Micros, until_us: Micros, namespaces: Iterable[str]) -> None:
        """Nothing was observed for a time. The pods of these namespaces are unknown until they are listed."""
        self.begun_us = until_us
        self.decided.clear()
        self.listed.clear()
        self.watched.clear()
        for namespace in namespaces:
            self.unknown.setdefault(namespace, since_us)

    def event(
        self, at_us: Micros, namespace: str, kind: str, raw: Mapping[str, Any], *, is_known: bool
    ) -> Iterable[Gap]:
        """The gap before the first pod that a watch shows, where that pod is older.

        A watch begins with all pods as ADDED. One that tells of a pod it never showed had begun before the capture.
        """
        if self.begun_us is None or namespace in self.unknown or not self.listed.isdisjoint(("", namespace)):
            return
        if kind != "ADDED" and not is_known:
            self.unknown[namespace] = self.begun_us
        elif namespace not in self.watched:
            self.watched.add(namespace)
            yield from self._late(at_us, namespace, [raw])

    def list(self, at_us: Micros, namespace: str, pods: Iterable[Mapping[str, Any]]) -> Iterable[Gap]:
        """The gaps that end with a full list of a namespace, or of all."""
        closed = {hidden for hidden in self.unknown if namespace in ("", hidden)}
        yield from (self._gap(self.unknown.pop(hidden), at_us, hidden) for hidden in sorted(closed))
        before = closed | self.listed | self.watched
        self.listed.add(namespace)
        if "" in before or namespace in before:
            return
        by_namespace: dict[str, list[Mapping[str, Any]]] = {}
        for pod in pods:
            by_namespace.setdefault((pod.get("metadata") or {}).get("namespace") or namespace, []).append(pod)
        for shown in sorted(by_namespace.keys() - before):
            yield from self._late(at_us, shown, by_namespace[shown])

    def part(self, at_us: Micros, namespace: str, pods: Iterable[Mapping[str, Any]]) -> Iterable[Gap]:
        """The gap before the first pods of a namespace that a selector shows, where a reconcile was told before it."""
        is_known = namespace in self.unknown or not {"", namespace}.isdisjoint(self.listed | self.watched)
        self.watched.add(namespace)
        if not is_known and namespace in self.decided:
            yield from self._late(at_us, namespace, pods)

    def ended(self, at_us: Micros) -> Iterable[Gap]:
        """The gaps that no list ended."""
        return [self._gap(since_us, at_us, namespace) for namespace, since_us in sorted(self.unknown.items())]

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
