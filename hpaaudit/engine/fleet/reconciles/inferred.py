"""Infers when HPAs were reconciled, for recordings without `reconcile` lines; as `replay.plan`, but over columns."""

from collections.abc import Iterable, Mapping
from itertools import islice
from operator import itemgetter

import numpy as np

from hpaaudit.api.decode import WHOLE_STATUS
from hpaaudit.engine.fleet.columns.batch import NONE
from hpaaudit.engine.fleet.columns.column_codes import NULL
from hpaaudit.engine.fleet.input.ids import Array, Ids
from hpaaudit.engine.fleet.input.rows import Rows, chosen, empty, joined
from hpaaudit.engine.fleet.input.unsupported import Unsupported
from hpaaudit.engine.replay.cluster_state import LAG_US
from hpaaudit.engine.replay.hpa_history import HpaHistory
from hpaaudit.engine.replay.plan import RENEWALS_SEEN, Plan, Reading
from hpaaudit.engine.replay.reconcile_times import NOWHERE, STATUS_WRITE, Evidence
from hpaaudit.engine.replay.unseen_memory import hidden_hpa, hides_reconciles
from hpaaudit.engine.replay.unseen_status import gaps_of, without_own_status
from hpaaudit.model.facts import Fact, Gap, HpaSeen, ResourceMetricsRead, ValuesRead
from hpaaudit.model.flags import SYNC_PERIOD_US
from hpaaudit.model.fleet_columns import ReconcileEvidence
from hpaaudit.model.units import Micros

_COLUMNS = (
    "hpa",
    "facts",
    "at_us",
    "began_us",
    "source",
    "period_us",
    "lagging_facts",
    "status_until",
    "complete_facts",
    "no_status",
)
"""The columns that follow from one HPA history alone."""


class InferredReconciles:
    """The reconciles of a recording without `reconcile` lines.

    repeated    numbers of facts that show an HPA with the status that it had before
    facts       the facts that are evidence of something, in their order
    answers     all facts, of which only those with samples are read, and only where these may explain a long period

    Raises `Unsupported` if the reconciles cannot be inferred from columns.
    """

    def __init__(
        self, parts: Iterable[ReconcileEvidence], period_us: Micros | None, answers: Iterable[Fact] = ()
    ) -> None:
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
        for history in self._reading.histories.all():
            self._add_statuses(history, raw, statuses.get(history.key, []))
        self._periods = self._reading.periods(period_us)
        if self._periods.source == "inferred" and self._periods.longest_us > SYNC_PERIOD_US:
            for index, fact in enumerate(islice(answers, RENEWALS_SEEN)):
                if isinstance(fact, ResourceMetricsRead | ValuesRead):
                    self._reading.learn(index, fact)
            self._periods = self._reading.periods(period_us)

    def _take(self, part: ReconcileEvidence, statuses: dict[str, list[Array]]) -> None:
        """Takes one more segment; `statuses` collects the facts with which each HPA showed another status."""
        for index, fact in part.facts:
            if isinstance(fact, HpaSeen):
                if fact.api_version not in WHOLE_STATUS:
                    raise Unsupported(f"the HPAs were served as {fact.api_version}")
                history = self._reading.histories.history_of(index, fact)
                if history is not None:
                    history.newest = fact
                continue
            if isinstance(fact, Gap):
                self._gaps.append((index, fact))
            self._reading.learn(index, fact)
        for text in part.texts:
            if "//" in text or "no matches for kind" in text:
                self._reading.read_text(text)
        order = np.lexsort([part.seq, part.key])
        key, seq = part.key[order], part.seq[order]
        cuts = np.flatnonzero(np.diff(key, prepend=-1))
        for number, rows in zip(key[cuts].tolist(), np.split(seq, cuts)[1:], strict=True):
            statuses.setdefault(part.keys[number], []).append(rows)

    def leave_out(self, unsupported: Mapping[str, str]) -> None:
        """Leaves out these HPAs, each with its reason."""
        self._reading.histories.unsupported.update(unsupported)

    def plan(self) -> Plan:
        """The plan without its reconciles."""
        return self._reading.plan([], self._periods, exact=False)

    def count(self) -> int:
        """About how many reconciles there are."""
        last_us = int(self._times[-1]) if len(self._times) else 0
        histories = self._reading.histories.all()
        return sum(
            ((history.end_us or last_us) - history.first_us) // self._periods.of(history.key) for history in histories
        )

    def rows(self, keys: Ids[tuple[str, str]]) -> Rows:
        """The reconciles, sorted by HPA, and numbered in the order of time."""
        reading = self._reading
        parts = [
            self._rows(history, keys)
            for history in reading.histories.all()
            if history.key not in reading.histories.unsupported
        ]
        rows = joined([empty(_COLUMNS), *parts])
        names = ["/".join(key) for key in keys.named]
        rank = np.argsort(np.argsort(np.array(names, object), kind="stable")) if names else np.empty(0, np.int64)
        order = np.lexsort([rank[rows["hpa"]], rows["at_us"], rows["facts"]])
        rows = chosen(rows, order)
        rows["number"] = np.arange(1, len(order) + 1)
        rows = chosen(rows, np.argsort(rows["hpa"], kind="stable"))
        rows["gap_facts"], rows["unseen_us"] = self._gaps_before(rows, keys)
        return rows

    def _gaps_before(self, rows: Rows, keys: Ids[tuple[str, str]]) -> tuple[Array, Array]:
        """The last long gap since the previous reconcile: how many facts come before it (or NONE), and its end."""
        first_facts = {_number(keys, key): histories[0].first for key, histories in self._reading.histories.of.items()}
        of_all, by_hpa = list[tuple[int, Gap]](), dict[str, list[tuple[int, Gap]]]()
        for index, gap in self._gaps:
            key = hidden_hpa(gap)
            (of_all if key is None else by_hpa.setdefault(key, [])).append((index, gap))
        seq, until_us = self._last_gap(rows, of_all, self._periods.common_us)
        for key in (by_hpa.keys() | self._periods.own.keys()) & self._reading.histories.of.keys():
            hiding = sorted([*of_all, *by_hpa.get(key, [])], key=itemgetter(0))
            own_seq, own_until_us = self._last_gap(rows, hiding, self._periods.of(key))
            is_own = rows["hpa"] == _number(keys, key)
            seq, until_us = np.where(is_own, own_seq, seq), np.where(is_own, own_until_us, until_us)
        first = np.zeros(len(keys), np.int64)
        first[list(first_facts)] = list(first_facts.values())
        since = first[rows["hpa"]]
        same = rows["hpa"][1:] == rows["hpa"][:-1]
        since[1:][same] = rows["facts"][:-1][same]
        new = seq >= since
        return np.where(new, seq, NONE), np.where(new, until_us, NULL)

    @staticmethod
    def _last_gap(rows: Rows, gaps: list[tuple[int, Gap]], period_us: Micros) -> tuple[Array, Array]:
        """The last gap that hides reconciles before each one: how many facts come before it, and its end."""
        hiding = [(index, gap.until_us) for index, gap in gaps if hides_reconciles(gap, period_us)]
        seq, until_us = np.array([(NONE, NULL), *hiding], np.int64).T
        last = np.searchsorted(seq, rows["facts"], "left") - 1
        return seq[last], until_us[last]

    def _rows(self, history: HpaHistory, keys: Ids[tuple[str, str]]) -> Rows:
        times, reading = self._times, self._reading
        hpa, period_us = _number(keys, history.key), self._periods.of(history.key)
        reconciles = history.reconcile_times(int(times[-1]), period_us, reading.processes)
        evidence = np.array(reconciles, np.int64).reshape(-1, 3)
        at_us, facts, source = evidence[:, 0], evidence[:, 1], evidence[:, 2]
        facts = np.where(facts == NOWHERE, self._fact_after(at_us), facts)
        # At the time of its deletion there may already be another HPA of that name, whose status is not this one's.
        until = np.minimum(np.append(facts[1:], self._end(history))[: len(facts)], self._end(history))
        ahead = self._fact_after(at_us + 2 * self._periods.longest_us)
        refused = np.array(history.refused, np.int64)
        no_status = (np.searchsorted(refused, facts) < np.searchsorted(refused, until)) & (source != STATUS_WRITE)
        gaps = gaps_of(history.key, (gap for _, gap in self._gaps), period_us)
        no_status[without_own_status(reconciles, gaps)] = True
        return {
            "hpa": np.full(len(facts), hpa, np.int64),
            "facts": facts,
            "at_us": at_us,
            "began_us": at_us,
            "source": source,
            "period_us": np.full(len(facts), period_us, np.int64),
            "lagging_facts": np.minimum(facts, self._fact_after(at_us - LAG_US)),
            "status_until": until,
            "complete_facts": np.maximum(ahead, until),
            "no_status": no_status.astype(np.int64),
        }

    def _fact_after(self, at_us: Array) -> Array:
        """The number of the first fact after each time."""
        return self._first + np.searchsorted(self._times, at_us, "right")

    def _end(self, history: HpaHistory) -> int:
        """The number of the first fact after the HPA was deleted."""
        return self._first + len(self._times) if history.end is None else history.end

    def _add_statuses(self, history: HpaHistory, times: Array, parts: list[Array]) -> None:
        """Adds every change of the status as evidence of a reconcile."""
        seq = np.concatenate([np.empty(0, np.int64), *parts])
        own = seq[(seq > history.first) & (seq < self._end(history))]
        at_us = times[own - self._first]
        history.evidence += [Evidence(*trace, STATUS_WRITE) for trace in zip(at_us.tolist(), own.tolist(), strict=True)]


def _number(keys: Ids[tuple[str, str]], key: str) -> int:
    namespace, name = key.split("/", 1)
    return keys.of((namespace, name))
