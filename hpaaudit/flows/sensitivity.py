"""Finds a setting of the controller that explains divergences, by deciding again with other values.

A flag cannot be read from the API of most clusters, so the replay assumes one. Where that contradicts what was seen,
the value that explains it is found by trial: the usual values of each flag, every feature gate, every release.
"""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from hpaaudit.model.sensitivity import Compared, Sensitivity

if TYPE_CHECKING:
    from hpaaudit.flows.prepare import Prepared
    from hpaaudit.model.audit import ReplayedReconcile

VALUES: Mapping[str, tuple[str, ...]] = {
    "tolerance": ("0", "0.01", "0.02", "0.05", "0.1", "0.15", "0.2", "0.25", "0.3", "0.4", "0.5"),
    "downscale-stabilization": ("0s", "15s", "30s", "60s", "120s", "180s", "300s", "600s", "900s", "1800s"),
    "initial-readiness-delay": ("0s", "10s", "30s", "60s", "120s", "300s"),
    "cpu-initialization-period": ("0s", "30s", "60s", "120s", "300s", "600s"),
}
"""What people set, by flag."""

MOST_RECONCILES = 4_000
"""At most so many reconciles are decided again: a few seconds of work."""

ENOUGH = 3
"""So many reconciles must agree with another value: one or two agree by chance."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """Another value of one setting, and the replay with it."""

    key: str
    value: str
    alternative: str
    prepared: "Prepared"


def sensitivity(prepared: "Prepared", compared: Sequence[Compared]) -> Iterator[Sensitivity]:
    """The best other value for each HPA with divergences: it explains some completely, and every match stays one.

    compared   the reconciles of these HPAs, those of open divergences and those that agree
    """
    by_hpa: dict[str, list[Compared]] = defaultdict(list)
    for row in compared:
        by_hpa[row.hpa].append(row)
    wanted = {hpa for hpa, rows in by_hpa.items() if sum(row.divergence_id is not None for row in rows) >= ENOUGH}
    best: dict[str, Sensitivity] = {}
    budget = MOST_RECONCILES
    for setting in settings(prepared) if wanted else ():
        budget -= len(prepared.plan.reconciles)
        if budget < 0:
            break
        decided = _decided(setting.prepared, wanted)
        for hpa in wanted:
            candidate = _judged(setting, hpa, by_hpa[hpa], decided)
            if candidate is not None and (hpa not in best or candidate.explained > best[hpa].explained):
                best[hpa] = candidate
        if all(hpa in best and best[hpa].explained == best[hpa].differing for hpa in wanted):
            break
    yield from best.values()


def settings(prepared: "Prepared") -> Iterator[Setting]:
    """Every other value of every setting, the nearest to the one in force first."""
    from hpaaudit.api.flags import duration_text, with_flags
    from hpaaudit.engine.behaviours.gates import GATES
    from hpaaudit.engine.behaviours.release import KNOWN, behaviours_of, version_of

    flags = prepared.flags
    for key, values in VALUES.items():
        field = key.replace("-", "_") + ("" if key == "tolerance" else "_us")
        current = getattr(flags, field)
        others = {getattr(with_flags(flags, {key: text}), field): text for text in values}
        used = f"{current:g}" if key == "tolerance" else duration_text(current)
        for number in sorted(others.keys() - {current}, key=lambda number: abs(number - current)):
            changed = replace(
                prepared,
                flags=with_flags(flags, {key: others[number]}),
                overrides={**prepared.overrides, key: others[number]},
            )
            yield Setting(key=key, value=used, alternative=others[number], prepared=changed)
    in_force = behaviours_of(flags)
    for gate in GATES:
        is_on = bool(getattr(in_force, re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", gate.rule).lower()))
        with_rules = tuple(sorted({*flags.with_behaviours} - {gate.rule} | ({gate.rule} if not is_on else set())))
        without = tuple(sorted({*flags.without_behaviours} - {gate.rule} | ({gate.rule} if is_on else set())))
        changed = replace(prepared, flags=replace(flags, with_behaviours=with_rules, without_behaviours=without))
        used, other = ("on", "--without") if is_on else ("off", "--with")
        yield Setting(
            key="feature-gate", value=f"{gate.name} {used}", alternative=f"{other} {gate.name}", prepared=changed
        )
    own = version_of(flags.release)
    for release in reversed(KNOWN):
        # A recording has what the controllers of its own time read: before 1.12, lists of pods.
        is_of_its_time = in_force.forbidden_windows == behaviours_of(replace(flags, release=release)).forbidden_windows
        if is_of_its_time and version_of(release)[:2] != own[:2]:
            changed = replace(prepared, flags=replace(flags, release=release), release_given=True)
            yield Setting(key="release", value=flags.release, alternative=release, prepared=changed)


def _decided(prepared: "Prepared", hpas: set[str]) -> dict[int, "ReplayedReconcile"]:
    from hpaaudit.engine.replay import process as engine

    process = engine.Process(prepared.plan, prepared.flags, prepared.flags_of, keep_pods=False)
    again = engine.replay(prepared.recording.facts(), prepared.plan, process, hpas)
    return {reconcile.reconcile_id: reconcile for reconcile in again}


def _judged(
    setting: Setting, hpa: str, rows: Sequence[Compared], decided: Mapping[int, "ReplayedReconcile"]
) -> Sensitivity | None:
    """The divergences of one HPA that a value explains; None if they are too few, or a match is lost."""
    open_rows: dict[int, list[bool]] = defaultdict(list)
    broken = 0
    for row in rows:
        again = decided.get(row.reconcile_id)
        # Where the published number agrees anyway, the difference arose after the decision.
        agrees = again is not None and again.decision.desired == row.real != row.desired
        if row.divergence_id is not None:
            open_rows[row.divergence_id].append(agrees)
        elif again is not None and again.decision.desired != row.desired:
            broken += 1
    whole = [number for number, agreeing in open_rows.items() if all(agreeing)]
    explained = sum(len(open_rows[number]) for number in whole)
    if broken or explained < ENOUGH:
        return None
    return Sensitivity(
        hpa=hpa, key=setting.key, value=setting.value, alternative=setting.alternative,
        differing=sum(map(len, open_rows.values())), explained=explained, broken=broken, divergence_ids=tuple(whole),
    )  # fmt: skip
