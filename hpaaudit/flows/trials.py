"""Decides a recording again with other settings, and keeps which of them explain divergences and break no match."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from hpaaudit.flows.other_settings import Setting, is_known, untraced
from hpaaudit.flows.other_times import numbers_in, opposing, without
from hpaaudit.model.sensitivity import Compared, Sensitivity

if TYPE_CHECKING:
    from hpaaudit.flows.prepare import Prepared
    from hpaaudit.model.audit import ReplayedReconcile
    from hpaaudit.model.facts import Fact
    from hpaaudit.model.hpa import HpaStatus

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
    agreeing    so many of all reconciles agree with it
    """

    explained: int
    changed: int
    agreeing: int


class Trials:
    """Replays of one recording with other settings.

    best    the best explanations of each HPA so far; those of one setting are the nearest value alone
    possible   for each divergence that left a trace, settings that explain it and prove nothing: they break matches, or
               explain too few
    scores  what each setting alone does, all HPAs together
    """

    def __init__(self, prepared: "Prepared", rows: Mapping[str, Sequence[Compared]]) -> None:
        self._prepared = prepared
        self.rows = rows
        self._facts: list[Fact] | None = None
        self.best: dict[str, list[Sensitivity]] = {}
        self.possible: dict[str, dict[int, Sensitivity]] = {}
        self.scores: dict[Setting, _Score] = {}

    def run(self, choices: Iterator[tuple[Setting, ...]], *, to_the_end: bool = False) -> None:
        """Tries these, one after the other, until everything is explained or enough reconciles were decided.

        to_the_end   tries all even then: which of several it was is not known
        """
        budget = MOST_RECONCILES
        for chosen in choices if self.rows else ():
            budget -= len(self._prepared.plan.reconciles)
            if budget < 0 or (not to_the_end and all(self.explains(hpa) for hpa in self.rows)):
                break
            self._try(chosen)

    def pairs(self) -> Iterator[tuple[Setting, ...]]:
        """Two settings at once: those that alone decide the most reconciles as the controller did, with every other.

        The other one need not help alone: while the first is wrong it may do harm. One that explains the divergent
        reconciles may harm others as long as the second setting is wrong.
        """
        best = self.nearest()
        for number, one in enumerate(best):
            for other in self.scores:
                if other.key != one.key and other not in best[:number]:
                    yield one, other

    def nearest(self) -> list[Setting]:
        """The settings that alone come nearest to what the controller did.

        They explain the most divergent reconciles, or at least change them, or agree with the most of all reconciles.
        """
        changing = [one for one, score in self.scores.items() if score.changed]
        explaining = sorted(changing, key=lambda one: self.scores[one], reverse=True)[:PAIRED]
        agreeing = sorted(changing, key=lambda one: self.scores[one].agreeing, reverse=True)[:PAIRED]
        return list(dict.fromkeys(one for two in zip(explaining, agreeing, strict=True) for one in two))

    def explains(self, hpa: str) -> bool:
        """True if everything of an HPA is explained."""
        return hpa in self.best and self.best[hpa][0].explained == self.best[hpa][0].differing

    def untraced(self) -> Iterator[Setting]:
        """Inferred reconciles may not have taken place: without those whose recommendations oppose what was decided."""
        plan, dropped = self._prepared.plan, set[int]()
        for _ in range(0 if plan.exact else ROUNDS):
            decided = self._decided(replace(self._prepared, plan=without(plan, dropped)))
            found = {
                number
                for hpa, rows in self.rows.items()
                for number in opposing(plan, (row for row in rows if row.divergence_id is not None), decided, hpa)
            }
            if found <= dropped:
                return
            dropped |= found
            yield untraced(plan, frozenset(dropped))

    def _try(self, chosen: tuple[Setting, ...]) -> None:
        prepared = self._prepared
        for setting in chosen:
            prepared = setting.change(prepared)
        decided, is_known = self._decided(prepared), all(setting.is_recorded for setting in chosen)
        moves_times = any(setting.moves_times for setting in chosen)
        score = _Score(0, 0, 0)
        for hpa, rows in self.rows.items():
            agreeing = [
                _agrees(row, decided.get(row.reconcile_id), is_known=is_known)
                or (moves_times and not row.is_seen and row.reconcile_id not in decided)
                for row in rows
            ]
            differing = [number for number, row in enumerate(rows) if row.divergence_id is not None]
            score = _Score(
                score.explained + sum(agreeing[number] for number in differing),
                score.changed + sum(_changes(rows[number], decided) for number in differing),
                score.agreeing + sum(agreeing),
            )
            self._note(chosen, hpa, rows, agreeing)
            found = _judged(chosen, hpa, rows, agreeing)
            before = self.best.get(hpa)
            if found is None or (before and found.explained < before[0].explained):
                continue
            if not before or found.explained > before[0].explained:
                self.best[hpa] = [found]
            elif found.also_key is not None:
                before.append(found)
        if len(chosen) == 1:
            self.scores[chosen[0]] = score

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

    def _decided(self, prepared: "Prepared") -> dict[int, "ReplayedReconcile"]:
        from hpaaudit.engine.replay import process as engine

        facts = self.facts()
        process = engine.Process(
            prepared.plan,
            prepared.flags,
            prepared.flags_of,
            keep_pods=False,
            tries_all_inputs=False,
            loss=prepared.loss,
        )
        again = engine.replay(facts, prepared.plan, process, self.rows.keys())
        numbers = numbers_in(self._prepared.plan, prepared.plan)
        by_number = ((numbers[reconcile.reconcile_id - 1], reconcile) for reconcile in again)
        return {number: reconcile for number, reconcile in by_number if number is not None}


def _agrees(row: Compared, again: "ReplayedReconcile | None", *, is_known: bool) -> bool:
    """True if another setting decides this reconcile as the controller did, as far as its inputs are known.

    is_known   the setting is recorded: it need not change the number
    """
    if again is None:
        return row.divergence_id is None
    status = again.decision.status
    if row.published is not None and status is not None:
        # Only its conditions tell what the controller decided: it failed.
        return _reasons(status) == row.published and (row.divergence_id is None or row.published != row.predicted)
    if row.divergence_id is None:
        return _may_be(again, row.desired)
    # Where the published number agrees anyway, the difference arose after the decision.
    return (is_known or row.real != row.desired) and _may_be(again, row.real)


def _changes(row: Compared, decided: Mapping[int, "ReplayedReconcile"]) -> bool:
    """True if the setting that is tried gives this reconcile another number, or other reasons in its conditions."""
    again = decided.get(row.reconcile_id)
    if again is None or again.decision.status is None:
        return again is None
    return again.decision.desired != row.desired or _reasons(again.decision.status) != row.predicted


def _reasons(status: "HpaStatus") -> str:
    """The reasons of AbleToScale and ScalingActive."""
    by_type = {condition.type: condition.reason for condition in status.conditions}
    return " ".join(filter(None, map(by_type.get, ("AbleToScale", "ScalingActive"))))


def _may_be(again: "ReplayedReconcile", number: int | None) -> bool:
    """True if the reconcile decided this number, or may have decided it from other recorded inputs."""
    if again.decision.desired == number:
        return True
    if number is None or again.band_lo is None or again.band_hi is None:
        return False
    return again.band_lo <= number <= again.band_hi


def _judged(
    chosen: tuple[Setting, ...], hpa: str, rows: Sequence[Compared], agreeing: Sequence[bool]
) -> Sensitivity | None:
    """The divergences of one HPA that settings explain; None if they are too few, or a match is lost.

    Reconciles that left no trace prove nothing alone: a controller that does nothing explains their silence as well.
    """
    if not all(agrees for row, agrees in zip(rows, agreeing, strict=True) if row.divergence_id is None):
        return None
    open_rows = _by_divergence(rows, agreeing)
    seen = {row.divergence_id for row in rows if row.is_seen}
    whole = [number for number, agree in open_rows.items() if all(agree)]
    explained = sum(len(open_rows[number]) for number in whole)
    is_known, is_memory = (all(getattr(one, name) for one in chosen) for name in ("is_recorded", "is_memory"))
    if not whole or (not is_known and (seen.isdisjoint(whole) or (explained < ENOUGH and not is_memory))):
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
    first = chosen[0]
    found = Sensitivity(
        hpa=hpa, key=first.key, value=first.value, alternative=first.alternative,
        differing=differing, explained=explained, broken=broken, divergence_ids=numbers,
    )  # fmt: skip
    for also in chosen[1:]:
        found = replace(found, also_key=also.key, also_value=also.value, also_alternative=also.alternative)
    return found
