"""Decides a recording again with other settings, and keeps which of them explain divergences and break no match."""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain, combinations, product
from typing import TYPE_CHECKING, NamedTuple, Protocol

from hpaaudit.flows.decide_again import Again, again, one_by_one
from hpaaudit.flows.fitting_windows import fitting_windows
from hpaaudit.flows.other_settings import COMPARABLE, Setting, is_known, untraced
from hpaaudit.flows.other_times import numbers_in, opposing, without
from hpaaudit.model.sensitivity import Compared, Sensitivity, Value

if TYPE_CHECKING:
    from hpaaudit.engine.replay.plan import Plan
    from hpaaudit.flows.prepare import Prepared
    from hpaaudit.model.audit import ReplayedReconcile
    from hpaaudit.model.facts import Fact
    from hpaaudit.model.units import Micros

MOST_RECONCILES = 4_000
"""At most so many reconciles are decided again with one setting changed, and as many with two: seconds of work."""

MOST_FACTS = 200_000
"""The facts of a recording with at most so many are kept in memory, and not read again for each trial."""

ENOUGH = 3
"""So many reconciles must agree with another value: one or two agree by chance."""

ROUNDS = 6
"""So often inferred reconciles are left out whose recommendations oppose what was decided."""

PAIRED = 3
"""Of each kind so many values are tried with every value of the other settings."""


class _Score(NamedTuple):
    """What a setting does alone.

    explained   so many divergent reconciles agree with it;  changed   so many of them it decides otherwise in any way
    agreeing    so many of all reconciles agree with it;  altered   so many of all it decides otherwise in any way
    """

    explained: int
    changed: int
    agreeing: int
    altered: int


class ByNumber(Protocol):
    """What was decided, by the number of the reconcile."""

    def get(self, number: int, /) -> Again | None:
        """What this reconcile decided, None if it did not take place."""


Rows = Mapping[str, Sequence[Compared]]
"""Reconciles to compare, by HPA (`namespace/name`), in the order of time."""

Decide = Callable[["Prepared", Collection[str]], ByNumber | None]
"""What these HPAs (`namespace/name`) are decided with a prepared replay; None if it cannot be decided this way."""


class Trials:
    """Replays of one recording, or of a part of it, with other settings.

    facts   those of the part; None: all that were recorded
    decide  decides all reconciles with other settings, None where it cannot; without it they are decided one by one
    memory_us   before the first compared reconcile so much is decided as may be remembered; None: everything
    best    the best explanations of each HPA so far; those of one setting are all flags and gates that explain as much
    possible   for each divergence that left a trace, settings that explain it and prove nothing: they break matches, or
               explain too few
    scores  what settings do, all HPAs together
    """

    def __init__(
        self,
        prepared: "Prepared",
        rows: Rows,
        *,
        facts: "Sequence[Fact] | None" = None,
        decide: Decide | None = None,
        memory_us: "Micros | None" = None,
    ) -> None:
        self._prepared = prepared
        self.rows = rows
        self._facts = facts
        self._decide = decide
        self._memory_us = memory_us
        self.best: dict[str, list[Sensitivity]] = {}
        self.possible: dict[str, dict[int, Sensitivity]] = {}
        self.scores: dict[tuple[Setting, ...], _Score] = {}
        self._open: dict[tuple[Setting, ...], dict[str, list[bool]]] = {}

    def run(self, choices: Iterator[tuple[Setting, ...]], *, to_the_end: bool = False) -> None:
        """Tries these, one after the other, until everything is explained or enough reconciles were decided.

        to_the_end   tries all even then: which of several it was is not known
        """
        budget, each = MOST_RECONCILES, len(self._remembered(self._prepared).reconciles)
        for chosen in choices if self.rows else ():
            budget -= each
            if budget < 0 or (not to_the_end and all(self.explains(hpa) for hpa in self.rows)):
                break
            self.judge(chosen)

    def with_rows(self, rows: Rows) -> "Trials":
        """New trials of the same part of the recording, for other reconciles."""
        return Trials(self._prepared, rows, facts=self._facts, decide=self._decide, memory_us=self._memory_us)

    def reproduces(self, hpa: str) -> list[bool]:
        """Which reconciles of an HPA are decided here, without another setting, as in the replay of everything."""
        decided = self._decided(self._prepared)
        again_of = (None if decided is None else decided.get(row.reconcile_id) for row in self.rows[hpa])
        return [
            one is not None and one.desired == row.desired for one, row in zip(again_of, self.rows[hpa], strict=True)
        ]

    def windows(self) -> list["Micros"]:
        """Downscale stabilization windows that lead to what was decided: of each HPA those that fit best."""
        by_hpa: dict[str, dict[int, ReplayedReconcile]] = defaultdict(dict)
        for number, reconcile in self._replayed(self._prepared).items():
            by_hpa[f"{reconcile.decision.namespace}/{reconcile.decision.name}"][number] = reconcile
        lengths: dict[Micros, None] = {}
        for hpa, rows in self.rows.items():
            decided = {row.reconcile_id: row.wanted for row in rows if row.wanted is not None}
            lengths |= dict.fromkeys(fitting_windows(by_hpa[hpa], decided))
        return list(lengths)

    def pairs(self) -> Iterator[tuple[Setting, ...]]:
        """Two settings at once: those that alone decide the most reconciles as the controller did, with every other.

        The other one need not help alone: while the first is wrong it may do harm. One that explains the divergent
        reconciles may harm others as long as the second setting is wrong. The best values of every key come first, so
        that a single setting with many others does not use up all trials.
        """
        best, tried = self.nearest(), set[frozenset[Setting]]()
        ranked = self._ranked()
        leading = [ranks[place] for place in range(PAIRED) for ranks in ranked.values() if place < len(ranks)]
        altering = [chosen[0] for chosen, score in self.scores.items() if len(chosen) == 1 and score.altered]
        # What changes nothing alone seldom does so beside another setting: it is tried last.
        rest = [chosen[0] for chosen, score in self.scores.items() if len(chosen) == 1 and not score.altered]
        for one, other in chain(
            ((one, other) for other in leading for one in best), product(best, altering), product(best, rest)
        ):
            if other.key != one.key and frozenset((one, other)) not in tried:
                tried.add(frozenset((one, other)))
                yield one, other

    def _ranked(self) -> dict[str, list[Setting]]:
        """The values of each flag or gate that change any decision, the one that explains the most first."""
        ranked: dict[str, list[Setting]] = defaultdict(list)
        for chosen, score in sorted(self.scores.items(), key=lambda one: one[1], reverse=True):
            if len(chosen) == 1 and score.altered:
                ranked[chosen[0].key].append(chosen[0])
        return ranked

    def thirds(self, alone: Sequence[Setting]) -> Iterator[tuple[Setting, ...]]:
        """Three settings at once: the pairs that come nearest to what the controller did, each with one of `alone`."""
        two = [chosen for chosen, score in self.scores.items() if len(chosen) > 1 and score.changed]
        for chosen in sorted(two, key=lambda one: self.scores[one], reverse=True)[:PAIRED]:
            keys = {setting.key for setting in chosen}
            yield from ((*chosen, other) for other in alone if other.key not in keys)

    def simplify(self) -> None:
        """Tries every part of the best explanations: of those that explain as much the one with the fewest stays."""
        chosen_of = {_values(chosen): chosen for chosen in self.scores}
        several = {chosen_of[found.settings] for some in self.best.values() for found in some}
        for chosen in several:
            for count in range(1, len(chosen)):
                for part in combinations(chosen, count):
                    if part not in self.scores:
                        self.judge(part)

    def nearest(self) -> list[Setting]:
        """The settings that alone come nearest to what the controller did.

        They explain the most divergent reconciles, or at least change them, or agree with the most of all reconciles.
        """
        alone = {chosen[0]: score for chosen, score in self.scores.items() if len(chosen) == 1}
        changing = [one for one, score in alone.items() if score.changed]
        explaining = sorted(changing, key=lambda one: alone[one], reverse=True)[:PAIRED]
        agreeing = sorted(changing, key=lambda one: alone[one].agreeing, reverse=True)[:PAIRED]
        return list(dict.fromkeys(one for two in zip(explaining, agreeing, strict=True) for one in two))

    def explains(self, hpa: str) -> bool:
        """True if everything of an HPA is explained."""
        return hpa in self.best and self.best[hpa][0].explained == self.best[hpa][0].differing

    def untraced(self) -> Iterator[Setting]:
        """Inferred reconciles may not have taken place: without those whose recommendations oppose what was decided."""
        plan, dropped = self._prepared.plan, set[int]()
        for _ in range(0 if plan.exact else ROUNDS):
            decided = self._replayed(replace(self._prepared, plan=without(plan, dropped)))
            found = {
                number
                for hpa, rows in self.rows.items()
                for number in opposing(plan, (row for row in rows if row.divergence_id is not None), decided, hpa)
            }
            if found <= dropped:
                return
            dropped |= found
            yield untraced(plan, frozenset(dropped))

    def judge(self, chosen: tuple[Setting, ...]) -> None:
        """Decides everything with these settings, and keeps what they explain."""
        prepared = self._prepared
        for setting in chosen:
            prepared = setting.change(prepared)
        decided = self._decided(prepared)
        if decided is None:
            return
        moves_times = any(setting.moves_times for setting in chosen)
        score = _Score(0, 0, 0, 0)
        disagreeing = self._open[chosen] = {}
        for hpa, rows in self.rows.items():
            agreeing = [_agrees(row, decided, moves_times=moves_times) for row in rows]
            differing = [number for number, row in enumerate(rows) if row.divergence_id is not None]
            changed = [_changes(row, decided) for row in rows]
            score = _Score(
                score.explained + sum(agreeing[number] for number in differing),
                score.changed + sum(changed[number] for number in differing),
                score.agreeing + sum(agreeing),
                score.altered + sum(changed),
            )
            # Without any setting nothing is explained, whatever agrees.
            if chosen:
                self._note(chosen, hpa, rows, agreeing)
            found = _judged(chosen, hpa, rows, agreeing) if chosen else None
            if found is not None:
                self._keep(hpa, found)
            if not all(agreeing):
                disagreeing[hpa] = [not agrees for agrees in agreeing]
        self.scores[chosen] = score

    def open_under(self, chosen: tuple[Setting, ...]) -> Mapping[str, Sequence[bool]]:
        """Which reconciles of each HPA do not agree with settings that were tried; without any, those that differ."""
        if chosen in self._open:
            return self._open[chosen]
        return {hpa: [row.divergence_id is not None for row in rows] for hpa, rows in self.rows.items()}

    def _keep(self, hpa: str, found: Sensitivity) -> None:
        """Keeps what explains the most of an HPA; of several that explain as much, all flags and gates."""
        before = self.best.get(hpa, [])
        if not before or _rank(found) > _rank(before[0]):
            self.best[hpa] = [found]
        elif found.explained == before[0].explained and _is_as_simple(found, before[0]):
            before.append(found)

    def _note(self, chosen: tuple[Setting, ...], hpa: str, rows: Sequence[Compared], agreeing: Sequence[bool]) -> None:
        """Notes which divergences these settings explain, even if reconciles that matched differ with them."""
        broken = sum(not agrees for row, agrees in zip(rows, agreeing, strict=True) if row.divergence_id is None)
        by_number = _by_divergence(rows, agreeing)
        differing = sum(map(len, by_number.values()))
        seen = {row.divergence_id for row in rows if row.is_seen}
        for number, agree in by_number.items():
            possible = self.possible.setdefault(hpa, {})
            if number in seen and all(agree) and (number not in possible or broken < possible[number].broken):
                found = _explanation(chosen, hpa, differing, len(agree), broken, (number,))
                possible[number] = replace(found, is_recorded=any(is_known(self._prepared, one) for one in chosen))

    def facts(self) -> Iterable["Fact"]:
        """All recorded facts. Those of a small recording are read once and kept."""
        recording = self._prepared.recording
        if self._facts is None and sum(segment.facts for segment in recording.segments) <= MOST_FACTS:
            self._facts = list(recording.facts())
        return recording.facts() if self._facts is None else self._facts

    def _decided(self, prepared: "Prepared") -> ByNumber | None:
        if self._decide is not None:
            return self._decide(prepared, self.rows.keys())
        return {number: again(reconcile) for number, reconcile in self._replayed(prepared).items()}

    def _replayed(self, prepared: "Prepared") -> dict[int, "ReplayedReconcile"]:
        asked_for = {row.reconcile_id: row.wanted for rows in self.rows.values() for row in rows}
        plan = self._remembered(prepared)
        local = numbers_in(plan, self._prepared.plan)
        asked_for = {
            number: asked_for[own] for own, number in enumerate(local, 1) if number is not None and own in asked_for
        }
        decided = one_by_one(replace(prepared, plan=plan), self.facts(), self.rows.keys(), asked_for)
        numbers = numbers_in(self._prepared.plan, plan)
        by_number = ((numbers[reconcile.reconcile_id - 1], reconcile) for reconcile in decided)
        return {number: reconcile for number, reconcile in by_number if number is not None}

    def _remembered(self, prepared: "Prepared") -> "Plan":
        """The plan without the reconciles that are too old to be remembered."""
        plan = prepared.plan
        if self._memory_us is None:
            return plan
        numbers = [row.reconcile_id for rows in self.rows.values() for row in rows]
        if not numbers:
            return plan
        first_us = self._prepared.plan.reconciles[min(numbers) - 1].instant.at_us
        memory_us = max(self._memory_us, prepared.flags.downscale_stabilization_us) + 2 * plan.periods.longest_us
        kept = [planned for planned in plan.reconciles if planned.instant.at_us >= first_us - memory_us]
        return replace(plan, reconciles=kept)


def _values(chosen: tuple[Setting, ...]) -> tuple[Value, ...]:
    return tuple(Value(one.key, one.value, one.alternative) for one in chosen)


def _rank(found: Sensitivity) -> tuple[int, int]:
    """What explains more is better; of what explains as much, fewer settings."""
    return found.explained, -len(found.settings)


def _is_as_simple(found: Sensitivity, before: Sensitivity) -> bool:
    """True if an explanation is worth as much: several settings as so many others, one flag or gate as another one."""
    if len(found.settings) != len(before.settings):
        return False
    return len(found.settings) > 1 or {*found.keys, *before.keys} <= COMPARABLE


def _agrees(row: Compared, decided: ByNumber, *, moves_times: bool) -> bool:
    """True if other settings decide this reconcile as the controller did, as far as its inputs are known.

    moves_times   an inferred reconcile that does not take place with them agrees
    """
    decided_again = decided.get(row.reconcile_id)
    if decided_again is None:
        return row.divergence_id is None or (moves_times and not row.is_seen)
    if row.published is not None and decided_again.reasons is not None:
        # Only its conditions tell what the controller decided: it failed.
        is_same = row.published in (decided_again.reasons, _if_refused(decided_again.reasons))
        return is_same and (row.divergence_id is None or row.published != row.predicted)
    if row.divergence_id is None:
        return decided_again.may_be(row.desired)
    # Where the published number agrees anyway, the difference arose after the decision.
    return row.real != row.desired and decided_again.may_be(row.real)


def _if_refused(reasons: str) -> str:
    """The reasons that the conditions would have if the scale had been written, and the API server had refused it.

    Where nobody saw the answer to the write, the trial takes it that it was accepted.
    """
    able, _, active = reasons.partition(" ")
    return f"FailedUpdateScale {active}" if able == "SucceededRescale" else reasons


def _changes(row: Compared, decided: ByNumber) -> bool:
    """True if the settings that are tried give this reconcile another number, or other reasons in its conditions."""
    decided_again = decided.get(row.reconcile_id)
    if decided_again is None or decided_again.reasons is None:
        return decided_again is None
    return decided_again.desired != row.desired or decided_again.reasons != row.predicted


def _keeps_matches(rows: Sequence[Compared], agreeing: Sequence[bool]) -> bool:
    """True if the replay with other settings breaks no match: what agreed without them agrees with them."""
    return all(agrees for row, agrees in zip(rows, agreeing, strict=True) if row.divergence_id is None)


def _judged(
    chosen: tuple[Setting, ...], hpa: str, rows: Sequence[Compared], agreeing: Sequence[bool]
) -> Sensitivity | None:
    """The divergences of one HPA that settings explain; None if they are too few, or a match is lost.

    Reconciles that left no trace prove nothing alone: a controller that does nothing explains their silence as well.
    """
    if not _keeps_matches(rows, agreeing):
        return None
    open_rows = _by_divergence(rows, agreeing)
    seen = {row.divergence_id for row in rows if row.is_seen}
    whole = [number for number, agree in open_rows.items() if all(agree)]
    explained = sum(len(open_rows[number]) for number in whole)
    is_memory = all(one.is_memory for one in chosen)
    if not whole or seen.isdisjoint(whole) or (explained < ENOUGH and not is_memory):
        return None
    return _explanation(chosen, hpa, sum(map(len, open_rows.values())), explained, 0, tuple(whole))


def _by_divergence(rows: Sequence[Compared], agreeing: Sequence[bool]) -> dict[int, list[bool]]:
    """Which reconciles of each divergence agree."""
    by_number: dict[int, list[bool]] = defaultdict(list)
    for row, agrees in zip(rows, agreeing, strict=True):
        if row.divergence_id is not None:
            by_number[row.divergence_id].append(agrees)
    return by_number


def _explanation(
    chosen: tuple[Setting, ...], hpa: str, differing: int, explained: int, broken: int, numbers: tuple[int, ...]
) -> Sensitivity:
    return Sensitivity(
        hpa=hpa, settings=_values(chosen),
        differing=differing, explained=explained, broken=broken, divergence_ids=numbers,
    )  # fmt: skip
