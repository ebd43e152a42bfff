"""Settings that the controller may have had instead: the usual values of flags, gates, releases."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING

from hpaaudit.errors import UnknownRelease
from hpaaudit.flows.options import ControllerOptions
from hpaaudit.flows.other_times import with_longer_periods, without
from hpaaudit.flows.prepare import with_settings
from hpaaudit.model.sensitivity import Compared

if TYPE_CHECKING:
    from hpaaudit.engine.replay.plan import Plan
    from hpaaudit.flows.prepare import Prepared
    from hpaaudit.model.facts import Fact
    from hpaaudit.model.flags import Flags
    from hpaaudit.model.units import Micros

VALUES: Mapping[str, tuple[str, ...]] = {
    "tolerance": ("0", "0.01", "0.02", "0.05", "0.1", "0.15", "0.2", "0.25", "0.3", "0.4", "0.5"),
    "downscale-stabilization": ("0s", "15s", "30s", "60s", "90s", "120s", "180s", "300s", "600s", "900s", "1800s"),
    "initial-readiness-delay": ("0s", "1s", "2s", "5s", "10s", "20s", "30s", "60s", "120s", "300s"),
    "cpu-initialization-period": ("0s", "1s", "2s", "5s", "10s", "30s", "60s", "120s", "300s", "600s"),
    "upscale-delay": ("0s", "15s", "30s", "60s", "90s", "120s", "180s", "300s", "600s"),
    "downscale-delay": ("0s", "15s", "30s", "60s", "90s", "120s", "180s", "300s", "600s", "900s", "1800s"),
}
"""Values that people commonly give each flag. Only flags of the controller's own release are tried."""

COMPARABLE = frozenset({*VALUES, "feature-gate"})
"""Settings of which each is as likely as the next: of two that explain the same nobody knows which it was.

Another release is tried after them: it changes much at once, and its defaults may be theirs.
"""

_WITH_UUID = re.compile(r"_[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$")
"""How the name of a Lease's holder ends: since 1.10 each process adds a new UUID to its host (kubernetes#58302)."""

RESTARTS = 3
"""Before so many divergences of an HPA a restart is tried."""

BEFORE = (0, 1, 2, 4, 8)
"""So many reconciles before a divergence the controller may have restarted without a difference until then."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """Another value of one setting; `change` gives the replay with it.

    is_memory     it is what the controller remembers: a single reconcile may show that
    moves_times   some inferred reconciles take place at other times, or not at all
    """

    key: str
    value: str
    alternative: str
    change: Callable[["Prepared"], "Prepared"]
    is_memory: bool = False
    moves_times: bool = False


def memories(
    prepared: "Prepared", rows: Mapping[str, Sequence[Compared]], facts: Iterable["Fact"]
) -> Iterator[Setting]:
    """A Lease that is another program's; a restart before each of the first divergences, or shortly before that.

    None where the Lease shows that it was one process all the time.
    """
    from hpaaudit.api.times import whole_seconds
    from hpaaudit.engine.replay.process import MemoryLoss

    def setting(key: str, value: str, alternative: str, loss: MemoryLoss) -> Setting:
        return Setting(
            key=key, value=value, alternative=alternative, change=partial(replace, loss=loss), is_memory=True
        )

    yield setting("lease", "a new process", "the same process", MemoryLoss(by_lease=False))
    reconciles, tried, spans = prepared.plan.reconciles, set[int](), [*_of_one_process(facts)]
    for hpa, compared in rows.items():
        own = [number for number, planned in enumerate(reconciles, 1) if planned.key == hpa]
        opened = {row.divergence_id: own.index(row.reconcile_id) for row in reversed(compared) if row.divergence_id}
        for place in sorted(opened.values())[:RESTARTS]:
            for before in BEFORE:
                at_us = reconciles[own[max(place - before, 0)] - 1].instant.at_us
                if at_us not in tried and not any(begin_us < at_us < end_us for begin_us, end_us in spans):
                    tried.add(at_us)
                    yield setting("restart", "none", whole_seconds(at_us), MemoryLoss(at_us=at_us))


def _of_one_process(facts: Iterable["Fact"]) -> Iterator[tuple["Micros", "Micros"]]:
    """Spans in which the controller was one process: the Lease has one holder, whose name is new with each start."""
    from hpaaudit.model.facts import LeaseSeen

    leases = (fact for fact in facts if isinstance(fact, LeaseSeen) and fact.holder)
    for earlier, later in pairwise(leases):
        if earlier.holder == later.holder and _WITH_UUID.search(later.holder):
            yield earlier.at_us, later.at_us


def longer_periods(prepared: "Prepared", facts: Iterable["Fact"]) -> Iterator[Setting]:
    """Each sync period that is longer than the assumed one and that the recorded times allow."""
    from hpaaudit.api.flags import duration_text

    used = duration_text(prepared.plan.periods.common_us)
    for period_us, planned in with_longer_periods(prepared.plan, facts):
        change = partial(replace, plan=planned)
        yield Setting(
            key="sync-period", value=used, alternative=duration_text(period_us), change=change, moves_times=True
        )


def untraced(plan: "Plan", numbers: frozenset[int]) -> Setting:
    """The plan without these inferred reconciles."""
    from hpaaudit.api.times import whole_seconds

    times = ", ".join(whole_seconds(plan.reconciles[number - 1].instant.at_us) for number in sorted(numbers))
    change = partial(replace, plan=without(plan, numbers))
    return Setting(key="reconcile", value="inferred", alternative=times, change=change, moves_times=True)


def assumed(prepared: "Prepared", windows: Iterable["Micros"] = ()) -> Iterator[Setting]:
    """Every other value of every setting, the nearest to the one in force first.

    windows   further lengths of the downscale stabilization window
    """
    yield from _flags(prepared, windows)
    yield from _gates(prepared)
    yield from _releases(prepared)


def is_asked(prepared: "Prepared") -> bool:
    """True if the user asks for settings that are not those of the real controller."""
    flags = prepared.flags
    rules = (*flags.with_behaviours, *flags.without_behaviours)
    given = {*prepared.overrides, *rules, *(["release"] if prepared.release_given else [])}
    return not given <= prepared.declared


def is_recorded(prepared: "Prepared") -> bool:
    """True if the recording says how the controller was started, or the user does."""
    return bool(prepared.plan.controllers or prepared.overrides)


def is_known(prepared: "Prepared", setting: Setting) -> bool:
    """True if the recording holds the value of this setting: the flags, gates or release of the controller."""
    told = [seen for seen in prepared.plan.controllers if seen.flags or seen.gates]
    if setting.key == "release":
        return any(seen.release for seen in told)
    return bool(told) and setting.key in (*VALUES, "feature-gate")


def _flags(prepared: "Prepared", windows: Iterable["Micros"]) -> Iterator[Setting]:
    from hpaaudit.api.flags import duration_text, of_its_time, with_flags
    from hpaaudit.engine.behaviours.release import behaviours_of

    flags = prepared.flags
    in_force = behaviours_of(flags)
    read_off = {"downscale-stabilization": tuple(map(duration_text, windows))}
    for key, usual in of_its_time(VALUES, flags.release).items():
        if key.endswith("scale-delay") and not in_force.delay_flags:
            continue
        field = key.replace("-", "_") + ("" if key == "tolerance" else "_us")
        current = getattr(flags, field)
        seen = {current}
        # Of values that explain as much the first is named: rather one that people give.
        for values in (usual, read_off.get(key, ())):
            others = {getattr(with_flags(flags, {key: text}), field): text for text in values}
            for number in sorted(others.keys() - seen, key=lambda number: abs(number - current)):
                yield _flag(prepared, key, others[number])
            seen |= others.keys()


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
    """Each gate switched the other way."""
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
    """The releases that the controller may have had, those of the recording's own time first.

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
        declared=before.declared - {"release"},
    )
    again = with_settings(before.recording, before.plan, options)
    return replace(again, derived=before.derived, searched=before.searched)
