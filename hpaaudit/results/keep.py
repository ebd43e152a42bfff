"""Foresees which passes the audit may find worth their steps, so that the others' need not be written at all."""

from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence

from hpaaudit.model.audit import Pass
from hpaaudit.model.identity import object_key
from hpaaudit.model.units import Micros
from hpaaudit.results.facts import Published


class Keep:
    """Holds each HPA's last pass back until the next one tells what became of it.

    A pass is let go without its steps only if nothing speaks against a match: SQL decides, this one spares it work.
    """

    def __init__(self, published: Mapping[str, Published], gaps: Sequence[tuple[Micros, Micros]]) -> None:
        self._published = published
        self._gaps = gaps
        self._last: dict[str, Pass] = {}

    def see(self, done: Pass) -> Iterator[Pass]:
        """The pass before this one of the same HPA, if its steps are to be kept."""
        key = object_key(done.decision.uid, done.decision.namespace, done.decision.name)
        before = self._last.get(key)
        self._last[key] = done
        if before is not None and self._is_doubtful(key, before, done):
            yield before

    def rest(self) -> Iterator[Pass]:
        """The last pass of every HPA: nothing came after it, so it is always kept."""
        yield from self._last.values()
        self._last.clear()

    def _is_doubtful(self, key: str, done: Pass, following: Pass) -> bool:
        decision = done.decision
        return (
            decision.action != "hold"
            or decision.desired is None
            or done.band_lo != done.band_hi
            or following.decision.spec_replicas != decision.desired
            or self._was_contradicted(key, done, following)
            or any(
                gap_from < following.instant.began_us
                and gap_to > 2 * done.instant.began_us - following.instant.began_us
                for gap_from, gap_to in self._gaps
            )
        )

    def _was_contradicted(self, key: str, done: Pass, following: Pass) -> bool:
        """A status other than ours stood at some time until the next pass, or none at all."""
        published = self._published.get(key)
        if published is None or done.decision.status is None:
            return True
        ours = (done.decision.status_desired, frozenset((c.type, c.reason) for c in done.decision.status.conditions))
        end = bisect_left(published.at_us, following.instant.began_us)
        begin = max(0, bisect_left(published.at_us, done.instant.began_us) - 1)
        standing = published.said[begin:end]
        return not standing or standing[-1] != ours
