"""When HPAs were reconciled that no line speaks of, as `engine.plan` tells it, from columns."""

from collections.abc import Iterable, Mapping

import numpy as np

from hpaaudit.api.decode import SHOWN_WHOLE
from hpaaudit.engine.fleet.columns.codes import NULL
from hpaaudit.engine.fleet.columns.tables import NONE
from hpaaudit.engine.fleet.input.ids import Array, Ids
from hpaaudit.engine.fleet.input.rows import Rows, chosen, empty, joined
from hpaaudit.engine.fleet.input.unsupported import Beyond
from hpaaudit.engine.replay.cluster_state import LAG_US
from hpaaudit.engine.replay.hpa_history import Life
from hpaaudit.engine.replay.plan import Plan, Reading
from hpaaudit.engine.replay.reconcile_times import NOWHERE, STATUS_WRITE, Evidence
from hpaaudit.engine.replay.unseen_memory import blinds, hidden
from hpaaudit.model.columns import Telling
from hpaaudit.model.facts import Fact, Gap, HpaSeen
from hpaaudit.model.units import Micros

_TOLD = ("hpa", "facts", "at_us", "began_us", "source", "earlier", "until", "ready")
"""Columns that each life tells by itself."""


class Derived:
    """The reconciles of a recording whose HPAs have no lines.

    period_us   the sync period
    repeated    facts that show an HPA with the status that it had before
    facts       those that tell something, in their order

    Raises `Beyond` where they cannot be told from columns.
    """

    def __init__(self, parts: Iterable[Telling], period_us: Micros | None) -> None:
        self._reading = Reading()
        times, statuses = [np.empty(0, np.int64)], dict[str, list[Array]]()
        self.repeated: list[int] = []
        self.facts: list[Fact] = []
        self._gaps: list[tuple[int, Gap]] = []
        self._first = 0
        for number, part in enumerate(parts):
            if not number:
                self._first = part.first_seq
            self._take(part, statuses)
            times.append(part.at_us)
            self.repeated += part.repeated.tolist()
            self.facts += [fact for _, fact in part.facts]
        raw = np.concatenate(times)
        self._times = np.maximum.accumulate(raw)
        for life in self._reading.lives.all():
            self._tell_statuses(life, raw, statuses.get(life.key, []))
        self.period_us, self._source = self._reading.period(period_us)

    def _take(self, part: Telling, statuses: dict[str, list[Array]]) -> None:
        """One more segment; `statuses` gathers with which facts each HPA showed another one."""
        for index, fact in part.facts:
            if isinstance(fact, HpaSeen):
                if fact.api_version not in SHOWN_WHOLE:
                    raise Beyond(f"the HPAs were served as {fact.api_version}")
                life = self._reading.lives.seen(index, fact)
                if life is not None:
                    life.seen = fact
            elif isinstance(fact, Gap):
                self._gaps.append((index, fact))
            else:
                self._reading.learn(index, fact)
        for text in part.texts:
            if "//" in text or "no matches for kind" in text:
                self._reading.told(text)
        order = np.lexsort([part.seq, part.key])
        key, seq = part.key[order], part.seq[order]
        cuts = np.flatnonzero(np.diff(key, prepend=-1))
        for number, rows in zip(key[cuts].tolist(), np.split(seq, cuts)[1:], strict=True):
            statuses.setdefault(part.keys[number], []).append(rows)

    def leave_out(self, found: Mapping[str, str]) -> None:
        """Leave out HPAs, each with its reason."""
        self._reading.lives.unsupported.update(found)

    def plan(self) -> Plan:
        """What the reading taught, without the reconciles."""
        return self._reading.plan([], self.period_us, self._source, exact=False)

    def count(self) -> int:
        """About how many reconciles there are."""
        last_us = int(self._times[-1]) if len(self._times) else 0
        lives = self._reading.lives.all()
        return sum(((life.end_us or last_us) - life.first_us) // self.period_us for life in lives)

    def rows(self, keys: Ids[tuple[str, str]]) -> Rows:
        """The reconciles, sorted by HPA, numbered as they come."""
        reading = self._reading
        parts = [self._rows(life, keys) for life in reading.lives.all() if life.key not in reading.lives.unsupported]
        rows = joined([empty(_TOLD), *parts])
        names = ["/".join(key) for key in keys.named]
        rank = np.argsort(np.argsort(np.array(names, object), kind="stable")) if names else np.empty(0, np.int64)
        order = np.lexsort([rank[rows["hpa"]], rows["at_us"], rows["facts"]])
        rows = chosen(rows, order)
        rows["number"] = np.arange(1, len(order) + 1)
        rows = chosen(rows, np.argsort(rows["hpa"], kind="stable"))
        rows["blind"], rows["blind_us"] = self._blind(rows, keys)
        return rows

    def _blind(self, rows: Rows, keys: Ids[tuple[str, str]]) -> tuple[Array, Array]:
        """The last long gap since the pass before: after how many facts it stands, NONE without, and its end."""
        begun = {_number(keys, key): lives[0].first for key, lives in self._reading.lives.of.items()}
        gaps: dict[str | None, list[tuple[int, int]]] = {None: []}
        for index, gap in self._gaps:
            if blinds(gap, self.period_us):
                gaps.setdefault(hidden(gap), []).append((index, gap.until_us))
        seq, until_us = self._last_gap(rows, gaps.pop(None))
        for key, own in gaps.items():
            if key is None or key not in self._reading.lives.of:
                continue
            place = rows["hpa"] == _number(keys, key)
            own_seq, own_until_us = self._last_gap(rows, own)
            later = place & (own_seq > seq)
            seq, until_us = np.where(later, own_seq, seq), np.where(later, own_until_us, until_us)
        first = np.zeros(len(keys), np.int64)
        first[list(begun)] = list(begun.values())
        since = first[rows["hpa"]]
        same = rows["hpa"][1:] == rows["hpa"][:-1]
        since[1:][same] = rows["facts"][:-1][same]
        new = seq >= since
        return np.where(new, seq, NONE), np.where(new, until_us, NULL)

    @staticmethod
    def _last_gap(rows: Rows, gaps: list[tuple[int, int]]) -> tuple[Array, Array]:
        """Of these gaps the last before each reconcile: after how many facts it stands, and its end."""
        seq, until_us = np.array([(NONE, NULL), *gaps], np.int64).T
        last = np.searchsorted(seq, rows["facts"], "left") - 1
        return seq[last], until_us[last]

    def _rows(self, life: Life, keys: Ids[tuple[str, str]]) -> Rows:
        times, reading = self._times, self._reading
        hpa = _number(keys, life.key)
        found = np.array(life.instants(int(times[-1]), self.period_us, reading.starts), np.int64).reshape(-1, 3)
        at_us, facts, source = found[:, 0], found[:, 1], found[:, 2]
        facts = np.where(facts == NOWHERE, self._place(at_us), facts)
        # At the very instant of its end there may be another HPA of that name already: its status is not this one's.
        until = np.minimum(np.append(facts[1:], self._end(life))[: len(facts)], self._end(life))
        ahead = self._place(at_us + 2 * self.period_us)
        return {
            "hpa": np.full(len(facts), hpa, np.int64),
            "facts": facts,
            "at_us": at_us,
            "began_us": at_us,
            "source": source,
            "earlier": np.minimum(facts, self._place(at_us - LAG_US)),
            "until": until,
            "ready": np.maximum(ahead, until),
        }

    def _place(self, at_us: Array) -> Array:
        """The number of the first fact after each instant."""
        return self._first + np.searchsorted(self._times, at_us, "right")

    def _end(self, life: Life) -> int:
        """The number of the first fact after a life."""
        return self._first + len(self._times) if life.end is None else life.end

    def _tell_statuses(self, life: Life, times: Array, parts: list[Array]) -> None:
        """Another status tells of a reconcile."""
        seq = np.concatenate([np.empty(0, np.int64), *parts])
        own = seq[(seq > life.first) & (seq < self._end(life))]
        at_us = times[own - self._first]
        life.evidence += [Evidence(*trace, STATUS_WRITE) for trace in zip(at_us.tolist(), own.tolist(), strict=True)]


def _number(keys: Ids[tuple[str, str]], key: str) -> int:
    namespace, name = key.split("/", 1)
    return keys.of((namespace, name))
