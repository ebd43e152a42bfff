"""Selects the reconciles that may differ from reality: only their steps and pods are written."""

from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence

from hpaaudit.model.audit import ReplayedReconcile
from hpaaudit.model.identity import object_key
from hpaaudit.model.units import Micros
from hpaaudit.results.facts import PublishedStatuses


class MismatchFilter:
    """Keeps each HPA's last reconcile until the next one shows what happened after it.

    SQL gives the verdict later. This filter drops only reconciles that are certain to match, to spare SQL their steps.
    """

    def __init__(self, published: Mapping[str, PublishedStatuses], gaps: Sequence[tuple[Micros, Micros]]) -> None:
        self._published = published
        self._gaps = gaps
        self._last: dict[str, ReplayedReconcile] = {}

    def add(self, reconcile: ReplayedReconcile) -> Iterator[ReplayedReconcile]:
        """The previous reconcile of the same HPA, if it may differ from reality."""
        key = object_key(reconcile.decision.uid, reconcile.decision.namespace, reconcile.decision.name)
        before = self._last.get(key)
        self._last[key] = reconcile
        if before is not None and self._may_not_match(key, before, reconcile):
            yield before

    def flush(self) -> Iterator[ReplayedReconcile]:
        """The last reconcile of every HPA. Nothing shows what happened after it, so it may differ from reality."""
        yield from self._last.values()
        self._last.clear()

    def _may_not_match(self, key: str, reconcile: ReplayedReconcile, following: ReplayedReconcile) -> bool:
        decision = reconcile.decision
        return (
            decision.action != "hold"
            or decision.desired is None
            or reconcile.band_lo != reconcile.band_hi
            or following.decision.spec_replicas != decision.desired
            or self._was_contradicted(key, reconcile, following)
            or any(
                gap_from < following.instant.began_us
                and gap_to > 2 * reconcile.instant.began_us - following.instant.began_us
                for gap_from, gap_to in self._gaps
            )
        )

    def _was_contradicted(self, key: str, reconcile: ReplayedReconcile, following: ReplayedReconcile) -> bool:
        """True if the status that stood before the next reconcile is not the one that we decided."""
        published, decision = self._published.get(key), reconcile.decision
        if published is None or decision.status is None:
            return True
        decided = (decision.status_desired, frozenset((c.type, c.reason) for c in decision.status.conditions))
        end = bisect_left(published.at_us, following.instant.began_us)
        begin = max(0, bisect_left(published.at_us, reconcile.instant.began_us) - 1)
        standing = published.summaries[begin:end]
        return not standing or standing[-1] != decided
