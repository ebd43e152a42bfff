"""Lays a recording out for the kernel, slice after slice: what the next passes see, and what stays for those after."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from hpaaudit.engine.behaviours.table import Rules
from hpaaudit.engine.controller.write_scale import MAX_ATTEMPTS
from hpaaudit.engine.fleet.batch.resolved_specs import TermTable
from hpaaudit.engine.fleet.columns.codes import NULL
from hpaaudit.engine.fleet.columns.tables import NONE, Hpas, Passes, Tape
from hpaaudit.engine.fleet.input.hpas import HpaTracks
from hpaaudit.engine.fleet.input.ids import Array, Ids
from hpaaudit.engine.fleet.input.metric_answers import Answers
from hpaaudit.engine.fleet.input.pods import PodTexts, PodTracks, Roster
from hpaaudit.engine.fleet.input.rows import Rows, joined, numbers, runs
from hpaaudit.engine.fleet.input.scales import ScaleTracks, by_controller
from hpaaudit.engine.fleet.input.specs import Asked, asked_of, quantity_of
from hpaaudit.engine.fleet.input.tables import Tables, tables_of
from hpaaudit.engine.fleet.input.unsupported import Beyond
from hpaaudit.engine.fleet.reconciles.inferred import Derived
from hpaaudit.engine.fleet.reconciles.schedule import Attempt, PassTracks, is_done
from hpaaudit.engine.replay.reconcile_times import GRID
from hpaaudit.model.columns import Slice
from hpaaudit.model.flags import Flags
from hpaaudit.model.hpa import Hpa, MetricSpec, MetricType
from hpaaudit.model.version import version_number

BITS = 62

BYTES = ("gone", "state")
"""Columns of samples, of which there are millions, that a byte holds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Laid:
    """One slice, ready to be decided once the slice before it is.

    hpas       how many there are;  states   the rows of HPAs that the tape's states name
    passes     the passes in the order of the tape: `hpa`, `facts`, `at_us`, `began_us`, `number`
    attempts   the answers to the writes of some of them, by place
    terms      what the numbers of the tape's terms and metrics stand for
    metrics    for how many metrics there must be room
    unseen     until when what happened to HPAs that are new was not seen
    words      status and reason of conditions, by the numbers of the tape's statuses
    """

    tape: Tape
    hpas: int
    states: Rows
    passes: Rows
    attempts: Mapping[int, list[Attempt]]
    terms: TermTable
    metrics: int
    unseen: Mapping[int, int]
    words: Sequence[tuple[str, str]]


class Fleet:
    """A fleet on its way through a recording.

    skipped   HPAs, as `namespace/name`, that are left out
    derived   the passes, where no line tells of them
    searched  everything that cannot be replayed is among them already

    Raises `Unreadable` where something else cannot be, and `Beyond` where the recording holds what the kernel does not
    decide.
    """

    def __init__(
        self,
        flags: Flags,
        rules: Rules,
        texts: PodTexts,
        quantities: Ids[tuple[str, str]],
        skipped: Collection[str] = (),
        derived: Derived | None = None,
        *,
        searched: bool = False,
    ) -> None:
        self.hpas = HpaTracks(flags, rules, skipped)
        self._rules = rules
        self._quantities = quantities
        names: Ids[str] = Ids()
        self._pods = PodTracks(rules, quantities, names, texts)
        self._scales = ScaleTracks(searched=searched)
        self._answers = Answers(rules, quantities, names)
        self._passes = PassTracks(self.hpas.keys, skipped)
        self._exact, self._period_us = derived is None, 0
        if derived is not None:
            self._period_us = derived.period_us
            self._passes.plan(derived.rows(self.hpas.keys))
        self._asked: dict[tuple[int, int], list[Asked]] = {}
        self._written: list[tuple[int, int, int]] = []

    def lay(self, part: Slice, *, last: bool) -> Laid:
        """Take one more slice, and lay out the passes that can be decided now."""
        tables = tables_of(part)
        self._pods.add(tables.pods)
        self._scales.add(tables)
        self._answers.add(tables, part.first_seq, part.facts)
        if self._answers.repeats:
            raise Beyond("an answer of a metric API names a pod twice")
        if not self._exact and _own_acts(tables):
            raise Beyond("only some of what the controller itself did was recorded")
        self._passes.add(tables, self._scales)
        unseen = self.hpas.add(tables.hpas, self._passes.starts, exact=self._exact)
        self._status_writes(tables)
        passes = self._passes.take(part.first_seq + part.facts, part.last_us, last=last)
        reads, series, stream, pod = self._answers.tape()
        table = TermTable(self._answers, self.hpas.statuses.shown, reads, stream, pod)
        first_terms = self._terms(table)
        hpas = self._hpas(first_terms)
        if not self._exact and self.hpas.statuses.unvalued and not self._rules.reads_v2:
            raise Beyond("a metric was published as no controller of this release does")
        attempts, most = self._attempts(passes), self._most_metrics()
        if not self._exact and most.max(initial=0) > BITS:
            raise Beyond("an HPA has more metrics than a number has bits")
        roster, lookups, strays = table.lists()
        terms, policies, metrics, sources = table.tapes()
        statuses, entries = self.hpas.statuses.tape()
        tape = Tape(
            quantities=len(self._quantities),
            period_us=self._period_us,
            terms=terms,
            edges=table.edges(),
            policies=policies,
            metrics=metrics,
            sources=sources,
            lookups=lookups,
            strays=strays,
            roster=roster,
            pods=self._pods.tape(),
            series=series,
            reads=reads,
            scales=self._scales.tape(),
            hpas=hpas,
            statuses=statuses,
            entries=entries,
            passes=self._passes_tape(passes, attempts, most),
        )
        laid = Laid(
            tape=settled(tape),
            hpas=len(self.hpas.keys),
            states=self.hpas.rows,
            passes=passes,
            attempts=attempts,
            terms=table,
            metrics=int(most[passes["hpa"]].sum()),
            unseen=unseen,
            words=tuple(self.hpas.statuses.words.named),
        )
        self._keep(passes, part.first_seq)
        return laid

    def _keep(self, passes: Rows, first_seq: int) -> None:
        """Let go of what no pass after these can see; what came after the last of each HPA is still to be seen.

        first_seq   of the slice: a pass that waits and is its HPA's first may have seen all of it
        """
        last = np.ones(len(passes["hpa"]), bool)
        last[:-1] = passes["hpa"][1:] != passes["hpa"][:-1]
        cut = int(passes["facts"][last].min()) if len(last) else 0
        waiting = self._passes.waiting
        if len(waiting["hpa"]):
            cut = min(cut, self._passes.seen(first_seq) if self._exact else int(waiting["earlier"].min()))
        self.hpas.keep(cut)
        self._pods.keep(cut)
        self._scales.keep(cut)
        self._answers.keep(cut)

    def _terms(self, table: TermTable) -> dict[int, int]:
        """The first terms of every spec."""
        first: dict[int, int] = {}
        rosters: dict[tuple[str, str], Roster] = {}
        owners: dict[int, int] = {}
        selectors = self._scales.selectors_of()
        for hpa, specs in enumerate(self.hpas.specs_of()):
            namespace = self.hpas.keys.named[hpa][0]
            for number in specs:
                spec = self.hpas.specs[number]
                row = NONE
                for selector in selectors.get(self._scales.target(spec.target), [NONE]):
                    text = "" if selector == NONE else self._scales.selectors.named[selector]
                    if (namespace, text) not in rosters:
                        rosters[namespace, text] = self._roster(namespace, text)
                    roster = rosters[namespace, text]
                    if self._rules.ambiguous_selector:
                        _require_own(owners, roster, hpa)
                    row = table.add(spec, selector, text, self._metrics(number, spec.hpa, selector, text), roster, row)
                first[number] = row
        return first

    def _roster(self, namespace: str, text: str) -> Roster:
        usable = self._scales.is_valid(text)
        return self._pods.roster(namespace, text if usable else "")

    def _metrics(self, number: int, hpa: Hpa, selector: int, text: str) -> list[Asked]:
        found = self._asked.get((number, selector))
        if found is None:
            usable = text if self._scales.is_valid(text) else ""
            found = self._asked[number, selector] = asked_of(hpa, usable, self._rules, self._quantities)
        return found

    def _hpas(self, first_terms: Mapping[int, int]) -> Hpas:
        rows = self.hpas.rows
        begin, end = runs(rows["hpa"], len(self.hpas.keys))
        terms = np.full(len(self.hpas.specs) + 1, NONE, np.int64)
        terms[list(first_terms)] = list(first_terms.values())
        targets = np.array([self._scales.target(spec.target) for spec in self.hpas.specs] + [NONE], np.int64)
        written = np.array(sorted(self._written), np.int64).reshape(-1, 3)
        written_from, written_to = runs(written[:, 0], len(self.hpas.keys))
        return Hpas(
            row_from=begin,
            row_to=end,
            seq=rows["seq"],
            terms=terms[rows["spec"]],
            target=targets[rows["spec"]],
            status=rows["status"],
            version=rows["version"],
            written_from=written_from,
            written_to=written_to,
            written_seq=written[:, 1].copy(),
            written_version=written[:, 2].copy(),
        )

    def _status_writes(self, tables: Tables) -> None:
        """The versions that the controller's own status writes gave the HPAs."""
        table = tables.status_writes
        if not self._rules.stale_cache_skips or table is None:
            return
        namespace, name, version = table.namespace, table.name, table.resource_version
        seqs, own = numbers(table.seq).tolist(), by_controller(table.by)
        for place, seq in enumerate(seqs):
            text = version.words[version.codes[place]]
            if own[place] and (written := version_number(text)) is not None:
                key = (namespace.words[namespace.codes[place]], name.words[name.codes[place]])
                self._written.append((self.hpas.keys.of(key), seq, written))

    def _attempts(self, passes: Rows) -> dict[int, list[Attempt]]:
        if not self._exact:
            return {}
        both = joined([passes, self._passes.waiting])
        most = MAX_ATTEMPTS if self._rules.conflict_retry else 1
        return self._passes.attempts(both, self._targets_at(both), len(passes["hpa"]), most)

    def _targets_at(self, passes: Rows) -> Array:
        """The target of each pass' HPA as it was then."""
        rows = self.hpas.rows
        targets = np.array([self._scales.target(spec.target) for spec in self.hpas.specs] + [NONE], np.int64)
        place = np.searchsorted(_key(rows["hpa"], rows["seq"]), _key(passes["hpa"], passes["facts"]), "left") - 1
        known = (place >= 0) & (rows["hpa"][place] == passes["hpa"]) if len(rows["hpa"]) else place >= 0
        return np.where(known, targets[rows["spec"][place]], NONE) if len(rows["hpa"]) else np.full(len(place), NONE)

    def _passes_tape(self, passes: Rows, attempts: Mapping[int, list[Attempt]], most: Array) -> Passes:
        begin, end = runs(passes["hpa"], len(self.hpas.keys))
        epoch, started = self._passes.epochs(passes["facts"])
        written = np.full(len(passes["hpa"]), NONE, np.int64)
        written_us = np.zeros(len(passes["hpa"]), np.int64)
        for place, answers in attempts.items():
            written[place], written_us[place] = is_done(answers[-1]), answers[-1].at_us
        most = most[passes["hpa"]]
        return Passes(
            row_from=begin,
            row_to=end,
            facts=passes["facts"],
            earlier=passes["earlier"],
            at_us=passes["at_us"],
            published=self._published(passes),
            reach_us=np.where(passes["source"] == GRID, self._period_us + self._period_us // 2, self._period_us),
            blind_us=np.where((passes["blind"] != NONE) & (passes["blind"] >= started), passes["blind_us"], NULL),
            epoch=epoch,
            started=started,
            written=written,
            written_us=written_us,
            metric_at=np.cumsum(most) - most,
        )

    def _published(self, passes: Rows) -> Array:
        """The status that stood after each pass, NONE where nothing needs to be told from it."""
        rows, until = self.hpas.rows, passes["until"]
        if self._exact or not len(rows["hpa"]):
            return np.full(len(until), NONE, np.int64)
        place = np.searchsorted(_key(rows["hpa"], rows["seq"]), _key(passes["hpa"], until), "left") - 1
        known = (place >= 0) & (rows["hpa"][place] == passes["hpa"]) & (until != NONE)
        return np.where(known, rows["status"][place], NONE)

    def _most_metrics(self) -> Array:
        """How many metrics each HPA has at most."""
        count = [len(spec.hpa.spec.metrics) for spec in self.hpas.specs]
        most = [max((count[number] for number in specs), default=0) for specs in self.hpas.specs_of()]
        return np.array(most, np.int64)


def settled(tape: Tape) -> Tape:
    """The tape with every column as the compiled kernel takes it: of one kind, so that it is compiled once."""
    tables: dict[str, Any] = {}
    for name, table in zip(tape._fields, tape, strict=True):
        if isinstance(table, tuple):
            columns = zip(getattr(table, "_fields", ()), table, strict=True)
            tables[name] = type(table)(*(_column(values, field in BYTES) for field, values in columns))
        else:
            tables[name] = table if isinstance(table, int) else _column(table, a_byte=False)
    return Tape(**tables)


def _column(values: Array, a_byte: bool) -> Array:
    kind = np.uint8 if a_byte else np.float64 if values.dtype == np.float64 else np.int64
    return np.require(values, kind, ["C", "W"])


def _own_acts(tables: Tables) -> bool:
    """Whether the slice holds something that the controller itself did."""
    acts = (tables.reads, tables.scale_writes, tables.status_writes)
    return any(by_controller(table.by).any() for table in acts if table is not None)


def _key(hpa: Array, seq: Array) -> Array:
    return (hpa << 40) | seq


def _require_own(owners: dict[int, int], roster: Roster, hpa: int) -> None:
    """No two HPAs may select one pod: which of them is refused depends on what the controller remembers of both."""
    for track in roster.tracks.tolist():
        if owners.setdefault(track, hpa) != hpa:
            raise Beyond("several HPAs select the same pods")


def quantities_of(metrics: Iterable[MetricSpec]) -> Ids[tuple[str, str]]:
    """Every quantity that some metric measures, one at least."""
    found: Ids[tuple[str, str]] = Ids()
    resources = {
        quantity_of(one) for one in metrics if one.type in (MetricType.RESOURCE, MetricType.CONTAINER_RESOURCE)
    }
    for quantity in sorted(resources):
        found.of(quantity)
    if not len(found):
        found.of(("cpu", ""))
    return found
