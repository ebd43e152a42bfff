"""Finds a setting of the controller that explains divergences, by deciding again with other values.

A flag cannot be read from the API of most clusters, so the replay assumes one. Where that contradicts what was seen,
the value that explains it is found by trial: what was recorded if the user said otherwise, the usual values of each
flag, every feature gate, every release; then pairs of these. A restart of the controller that nobody recorded is tried
before: it forgets earlier recommendations and scale events.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import combinations, product
from typing import TYPE_CHECKING, NamedTuple

from hpaaudit.errors import UnknownRelease
from hpaaudit.flows.options import ControllerOptions
from hpaaudit.flows.other_times import numbers_in, opposing, with_longer_periods, without
from hpaaudit.flows.prepare import with_settings
from hpaaudit.model.sensitivity import Compared, Sensitivity

if TYPE_CHECKING:
    from hpaaudit.engine.replay.plan import Plan
    from hpaaudit.flows.prepare import Prepared
    from hpaaudit.model.audit import ReplayedReconcile
    from hpaaudit.model.facts import Fact
    from hpaaudit.model.flags import Flags
    from hpaaudit.model.hpa import HpaStatus

VALUES: Mapping[str, tuple[str, ...]] = {
    "tolerance": ("0", "0.01", "0.02", "0.05", "0.1", "0.15", "0.2", "0.25", "0.3", "0.4", "0.5"),
    "downscale-stabilization": ("0s", "15s", "30s", "60s", "90s", "120s", "180s", "300s", "600s", "900s", "1800s"),
    "initial-readiness-delay": ("0s", "10s", "30s", "60s", "120s", "300s"),
    "cpu-initialization-period": ("0s", "30s", "60s", "120s", "300s", "600s"),
    "upscale-delay": ("0s", "15s", "30s", "60s", "90s", "120s", "180s", "300s", "600s"),
    "downscale-delay": ("0s", "15s", "30s", "60s", "90s", "120s", "180s", "300s", "600s", "900s", "1800s"),
}
"""What people set, by flag. A release has those of its time."""

MOST_RECONCILES = 4_000
"""At most so many reconciles are decided again with one setting changed, and as many with two: seconds of work."""

MOST_FACTS = 200_000
"""A recording of so many facts is read once and not again for each trial."""

ENOUGH = 3
"""So many reconciles must agree with another value: one or two agree by chance."""

RESTARTS = 3
"""Before so many divergences of an HPA a restart is tried."""

BEFORE = (0, 1, 2, 4, 8)
"""So many reconciles before a divergence the controller may have restarted without a difference until then."""

ROUNDS = 6
"""So often inferred reconciles are left out whose recommendations oppose what was decided."""

PAIRED = 3
"""Of each kind so many values are tried with every value of the other settings."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """Another value of one setting; `change` gives the replay with it.

    is_recorded   it is the recorded value, and the user gave the other one
    is_memory     it is what the controller remembers: a single reconcile may show that
    moves_times   some inferred reconciles take place at other times, or not at all
    """

    key: str
    value: str
    alternative: str
    change: Callable[["Prepared"], "Prepared"]
    is_recorded: bool = False
    is_memory: bool = False
    moves_times: bool = False


def sensitivity(prepared: "Prepared", compared: Sequence[Compared]) -> Iterator[Sensitivity]:
    """The best other value for each HPA with divergences: it explains some completely, and every match stays one.

    Where one setting does not explain everything, two of them may. Settings that lead to what it decided, too seldom to
    prove anything, follow: then it is not known what it was. Where nothing of the controller was recorded, these may
    lead elsewhere to something else.

    compared   the reconciles of these HPAs, those of open divergences and those that agree
    """
    by_hpa: dict[str, list[Compared]] = defaultdict(list)
    for row in compared:
        by_hpa[row.hpa].append(row)
    known = list(_as_recorded(prepared))
    is_recorded = _is_recorded(prepared)
    is_asked = bool(prepared.overrides) or prepared.release_given
    wanted = {hpa: rows for hpa, rows in by_hpa.items() if _is_worth_it(rows, few=bool(known) or not is_asked)}
    settings = _Trials(prepared, wanted)
    settings.run(chosen for number in (1, 2) for chosen in combinations(known, number))
    times = _Trials(prepared, {hpa: rows for hpa, rows in wanted.items() if not settings.explains(hpa)})
    times.run((setting,) for setting in _periods(prepared, times.facts()))
    times.run((setting,) for setting in times.untraced())
    seen = {hpa: rows for hpa, rows in by_hpa.items() if any(row.is_seen and row.divergence_id for row in rows)}
    memory = _Trials(
        prepared, {hpa: rows for hpa, rows in seen.items() if not (settings.explains(hpa) or times.explains(hpa))}
    )
    memory.run((setting,) for setting in _memories(prepared, memory.rows))
    settings.run((setting,) for setting in _assumed(prepared))
    open_rows = {hpa: rows for hpa, rows in wanted.items() if not (settings.explains(hpa) or memory.explains(hpa))}
    pairs = _Trials(prepared, open_rows)
    # A restart that explains a part, and a setting that explains the rest.
    pairs.run(product(memory.nearest(), settings.nearest()))
    pairs.run(settings.pairs(), to_the_end=True)
    for hpa in by_hpa:
        one, moved, remembered, two = (trials.best.get(hpa, []) for trials in (settings, times, memory, pairs))
        if prepared.recorded_release and not prepared.release_given:
            # The recording says the release: another one is a worse explanation than a flag.
            two = [pair for pair in two if "release" not in (pair.key, pair.also_key)] or two
        best = _best(one, moved, remembered, two)
        yield from best
        yield from _unsure(times.possible.get(hpa, {}), best)
        if not is_asked:
            settled = {number for found in best for number in found.divergence_ids}
            settled |= {number for number, found in times.possible.get(hpa, {}).items() if found.broken == 0}
            tried = (trials.possible.get(hpa, {}) for trials in (pairs, memory, settings))
            possible = {number: found for by_number in tried for number, found in by_number.items()}
            yield from (
                found
                for number, found in sorted(possible.items())
                if number not in settled and (not is_recorded or found.broken == 0)
            )


def _is_known(prepared: "Prepared", setting: Setting) -> bool:
    """True if the recording says how the controller was started, as far as this setting is concerned."""
    told = [seen for seen in prepared.plan.controllers if seen.flags or seen.gates]
    if setting.key == "release":
        return any(seen.release for seen in told)
    return bool(told) and setting.key in (*VALUES, "feature-gate")


def _is_recorded(prepared: "Prepared") -> bool:
    """True if the recording says how the controller was started, or the user does."""
    return bool(prepared.plan.controllers or prepared.overrides)


def _unsure(possible: Mapping[int, Sensitivity], best: Sequence[Sensitivity]) -> Iterator[Sensitivity]:
    """Other times of reconciles that explain divergences, unless something is proven to explain them."""
    proven = {number for found in best if found.explained >= ENOUGH for number in found.divergence_ids}
    by_setting: dict[tuple[str, str], list[Sensitivity]] = defaultdict(list)
    for number, found in sorted(possible.items()):
        if found.broken == 0 and number not in proven:
            by_setting[found.key, found.alternative].append(found)
    for alike in by_setting.values():
        numbers = tuple(number for found in alike for number in found.divergence_ids)
        yield replace(alike[0], explained=sum(found.explained for found in alike), divergence_ids=numbers)


def _best(
    one: Sequence[Sensitivity], times: Sequence[Sensitivity], memory: Sequence[Sensitivity], two: Sequence[Sensitivity]
) -> list[Sensitivity]:
    """What explains the most reconciles of an HPA: one setting, other times, what it remembered; else two settings.

    Several where these explain as many: which of them is true is not known.
    """
    singles = [found[0] for found in (one, times, memory) if found]
    most = max((found.explained for found in (*singles, *two[:1])), default=0)
    best = [found for found in singles if found.explained == most]
    return best or _aligned(two)


def _aligned(pairs: Sequence[Sensitivity]) -> list[Sensitivity]:
    """The same pairs, with the setting first that all have in common; where all have both, in one order."""
    if not pairs:
        return []
    common = set.intersection(*({one.key, one.also_key} for one in pairs))
    first = pairs[0].key if pairs[0].key in common else next(iter(common), None)
    return [_swapped(one) if first == one.also_key else one for one in pairs]


def _swapped(pair: Sensitivity) -> Sensitivity:
    return replace(
        pair, key=pair.also_key or "", value=pair.also_value or "", alternative=pair.also_alternative or "",
        also_key=pair.key, also_value=pair.value, also_alternative=pair.alternative,
    )  # fmt: skip


def _is_worth_it(rows: Sequence[Compared], *, few: bool) -> bool:
    """True if an HPA has enough divergences to try settings on it; with `few` one is enough."""
    differing = [row for row in rows if row.divergence_id is not None]
    return few or (len(differing) >= ENOUGH and any(row.is_seen for row in differing))


class _Score(NamedTuple):
    """What a setting does alone.

    explained   so many divergent reconciles agree with it;  changed   so many of them it decides otherwise in any way
    agreeing    so many of all reconciles agree with it
    """

    explained: int
    changed: int
    agreeing: int


class _Trials:
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
        """Those that alone come nearest: that explain or at least change most of what differs, or agree most."""
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
            yield _untraced(plan, frozenset(dropped))

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
        """Keeps these settings for the divergences that they explain, whatever they break."""
        broken = sum(not agrees for row, agrees in zip(rows, agreeing, strict=True) if row.divergence_id is None)
        by_number = _by_divergence(rows, agreeing)
        differing = sum(map(len, by_number.values()))
        seen = {row.divergence_id for row in rows if row.is_seen}
        for number, agree in by_number.items():
            possible = self.possible.setdefault(hpa, {})
            if number in seen and all(agree) and (number not in possible or broken < possible[number].broken):
                found = _explanation(chosen, hpa, differing, len(agree), broken, (number,))
                possible[number] = replace(found, is_recorded=any(_is_known(self._prepared, one) for one in chosen))

    def facts(self) -> Iterable["Fact"]:
        """Everything that was recorded, read once unless that is too much."""
        recording = self._prepared.recording
        if self._facts is None and sum(segment.facts for segment in recording.segments) <= MOST_FACTS:
            self._facts = list(recording.facts())
        return recording.facts() if self._facts is None else self._facts

    def _decided(self, prepared: "Prepared") -> dict[int, "ReplayedReconcile"]:
        from hpaaudit.engine.replay import process as engine

        facts = self.facts()
        process = engine.Process(prepared.plan, prepared.flags, prepared.flags_of, keep_pods=False, loss=prepared.loss)
        again = engine.replay(facts, prepared.plan, process, self.rows.keys())
        numbers = numbers_in(self._prepared.plan, prepared.plan)
        by_number = ((numbers[reconcile.reconcile_id - 1], reconcile) for reconcile in again)
        return {number: reconcile for number, reconcile in by_number if number is not None}


def _assumed(prepared: "Prepared") -> Iterator[Setting]:
    """Every other value of every setting, the nearest to the one in force first."""
    yield from _flags(prepared)
    yield from _gates(prepared)
    yield from _releases(prepared)


def _as_recorded(prepared: "Prepared") -> Iterator[Setting]:
    """What the recording says where the user said something else."""
    from hpaaudit.api.flags import short_name

    recorded = _recorded_release(prepared)
    if prepared.release_given and recorded is not None and recorded != prepared.flags.release:
        yield replace(_release(prepared, recorded), is_recorded=True)
    process = prepared.plan.controllers[0] if prepared.plan.controllers else None
    seen = {short_name(name): text for name, text in process.flags} if process is not None else {}
    for key in VALUES:
        if key in prepared.overrides and key in seen:
            setting = _flag(prepared, key, seen[key])
            if setting.value != setting.alternative:
                yield replace(setting, is_recorded=True)


def _memories(prepared: "Prepared", rows: Mapping[str, Sequence[Compared]]) -> Iterator[Setting]:
    """A Lease that is another program's; a restart before each of the first divergences, or shortly before that."""
    from hpaaudit.api.times import whole_seconds
    from hpaaudit.engine.replay.process import MemoryLoss

    def setting(key: str, value: str, alternative: str, loss: MemoryLoss) -> Setting:
        return Setting(
            key=key, value=value, alternative=alternative, change=partial(replace, loss=loss), is_memory=True
        )

    yield setting("lease", "a new process", "the same process", MemoryLoss(by_lease=False))
    reconciles, tried = prepared.plan.reconciles, set[int]()
    for hpa, compared in rows.items():
        own = [number for number, planned in enumerate(reconciles, 1) if planned.key == hpa]
        opened = {row.divergence_id: own.index(row.reconcile_id) for row in reversed(compared) if row.divergence_id}
        for place in sorted(opened.values())[:RESTARTS]:
            for before in BEFORE:
                at_us = reconciles[own[max(place - before, 0)] - 1].instant.at_us
                if at_us not in tried:
                    tried.add(at_us)
                    yield setting("restart", "none", whole_seconds(at_us), MemoryLoss(at_us=at_us))


def _periods(prepared: "Prepared", facts: Iterable["Fact"]) -> Iterator[Setting]:
    """Longer sync periods than the assumed one."""
    from hpaaudit.api.flags import duration_text

    used = duration_text(prepared.plan.periods.common_us)
    for period_us, planned in with_longer_periods(prepared.plan, facts):
        change = partial(replace, plan=planned)
        yield Setting(
            key="sync-period", value=used, alternative=duration_text(period_us), change=change, moves_times=True
        )


def _untraced(plan: "Plan", numbers: frozenset[int]) -> Setting:
    from hpaaudit.api.times import whole_seconds

    times = ", ".join(whole_seconds(plan.reconciles[number - 1].instant.at_us) for number in sorted(numbers))
    change = partial(replace, plan=without(plan, numbers))
    return Setting(key="reconcile", value="inferred", alternative=times, change=change, moves_times=True)


def _flags(prepared: "Prepared") -> Iterator[Setting]:
    from hpaaudit.api.flags import of_its_time, with_flags
    from hpaaudit.engine.behaviours.release import behaviours_of

    flags = prepared.flags
    in_force = behaviours_of(flags)
    for key, values in of_its_time(VALUES, flags.release).items():
        if key.endswith("scale-delay") and not in_force.delay_flags:
            continue
        field = key.replace("-", "_") + ("" if key == "tolerance" else "_us")
        current = getattr(flags, field)
        others = {getattr(with_flags(flags, {key: text}), field): text for text in values}
        for number in sorted(others.keys() - {current}, key=lambda number: abs(number - current)):
            yield _flag(prepared, key, others[number])


def _flag(prepared: "Prepared", key: str, text: str) -> Setting:
    from hpaaudit.api.flags import duration_text, with_flags

    def shown(flags: "Flags") -> str:
        value = getattr(flags, key.replace("-", "_") + ("" if key == "tolerance" else "_us"))
        return f"{value:g}" if key == "tolerance" else duration_text(value)

    def change(before: "Prepared") -> "Prepared":
        overrides = {**before.overrides, key: text}
        return replace(before, flags=with_flags(before.flags, {key: text}), overrides=overrides)

    alternative = shown(with_flags(prepared.flags, {key: text}))
    return Setting(key=key, value=shown(prepared.flags), alternative=alternative, change=change)


def _gates(prepared: "Prepared") -> Iterator[Setting]:
    from hpaaudit.engine.behaviours.gates import GATES
    from hpaaudit.engine.behaviours.release import behaviours_of, field_of

    in_force = behaviours_of(prepared.flags)
    for gate in GATES:
        is_on = bool(getattr(in_force, field_of(gate.rule)))
        used, other = ("on", "--without") if is_on else ("off", "--with")
        yield Setting(
            key="feature-gate",
            value=f"{gate.name} {used}",
            alternative=f"{other} {gate.name}",
            change=partial(switched, rule=gate.rule, on=not is_on),
        )


def switched(before: "Prepared", *, rule: str, on: bool) -> "Prepared":
    """The replay with a rule switched on or off."""
    flags = before.flags
    with_rules = {*flags.with_behaviours} - {rule} | ({rule} if on else set())
    without = {*flags.without_behaviours} - {rule} | (set() if on else {rule})
    changed = replace(flags, with_behaviours=tuple(sorted(with_rules)), without_behaviours=tuple(sorted(without)))
    return replace(before, flags=changed)


def _releases(prepared: "Prepared") -> Iterator[Setting]:
    """The releases that it may have been, those of the recording's own time first.

    Beside a recorded one that is the one before: while a cluster is upgraded, its controller may be that much older
    than the API server, and never newer (Kubernetes' version skew policy).
    """
    from hpaaudit.api.flags import is_before_1_12
    from hpaaudit.engine.behaviours.release import KNOWN, version_of

    used, recorded = prepared.flags.release, _recorded_release(prepared)
    if recorded is None:
        # A recording has what the controllers of its own time read: before 1.12, lists of pods.
        is_old = is_before_1_12(used)
        releases = [
            release for time in (is_old, not is_old) for release in reversed(KNOWN) if is_before_1_12(release) == time
        ]
    else:
        minor = version_of(recorded)[1]
        releases = [release for release in reversed(KNOWN) if 0 <= minor - version_of(release)[1] <= 1]
    for release in releases:
        if version_of(release)[:2] != version_of(used)[:2]:
            yield _release(prepared, release)


def _recorded_release(prepared: "Prepared") -> str | None:
    """The release that the recording tells, None if it tells none that is known."""
    from hpaaudit.engine.behaviours.release import known_release

    try:
        return known_release(prepared.recorded_release) if prepared.recorded_release else None
    except UnknownRelease:
        return None


def _release(prepared: "Prepared", release: str) -> Setting:
    return Setting(
        key="release", value=prepared.flags.release, alternative=release, change=partial(_released, release=release)
    )


def _released(before: "Prepared", *, release: str) -> "Prepared":
    """The replay with another release and the defaults of its time. A flag that it does not have is left out."""
    from hpaaudit.api.flags import of_its_time

    flags = before.flags
    options = ControllerOptions(
        release=release,
        flags=of_its_time(before.overrides, release),
        behaviours={
            **dict.fromkeys(flags.with_behaviours, True),
            **dict.fromkeys(flags.without_behaviours, False),
        },
    )
    again = with_settings(before.recording, before.plan, options)
    return replace(again, derived=before.derived, searched=before.searched)


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
    """True if this number is what was decided, or one that other recorded inputs lead to."""
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
