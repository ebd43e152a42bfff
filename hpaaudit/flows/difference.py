"""Compares a replay as another release with the audit of the recording, and finds the rules that make the difference.

A rule is named only if it is proven: the recording is decided again with this one rule switched, and then the release
wants in the whole episode what the other one wants.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from hpaaudit.errors import NotResults
from hpaaudit.flows.declared import over_declared, settings_in
from hpaaudit.flows.destination import RESULTS
from hpaaudit.flows.options import ControllerOptions
from hpaaudit.flows.other_settings import switched
from hpaaudit.flows.prepare import Prepared, prepare
from hpaaudit.flows.provenance import is_ours, results_elsewhere
from hpaaudit.flows.source import open_file
from hpaaudit.model.audit import DECLARED
from hpaaudit.model.difference import Cause, Difference, Wanted
from hpaaudit.model.history import ChangeKind

if TYPE_CHECKING:
    from hpaaudit.model.decision import Decision
    from hpaaudit.model.facts import Fact
    from hpaaudit.results.difference import Compared
    from hpaaudit.results.read import Results

MOST_RECONCILES = 20_000
"""At most so many reconciles are decided again to find causes: half a minute of work."""

_UNSEEN = "metric.invalid.unseen"
"""Of a metric whose answer was not recorded: nothing is proven by it."""

_SWITCHED = (ChangeKind.BEHAVIOUR, ChangeKind.GATE)
"""The kinds of changes that a replay can be without."""


def difference(recording: Path, other: "Results", controller: ControllerOptions) -> Difference | None:
    """What another release decides otherwise than the audit of a recording; None if there is no audit of it.

    other        the results of the replay as the other release
    controller   how that replay was asked for
    """
    from hpaaudit.results.difference import compared

    audit = _audit(recording, other)
    if audit is None:
        return None
    with audit:
        pair = compared(audit, other)
        declared = settings_in(audit.assumptions, (DECLARED,))
        own_release, other_release = (_release(results) for results in (audit, other))
        started_us, ended_us = other.span
        found = Difference(
            audit=str(audit.path),
            own_release=own_release,
            other_release=other_release,
            started_us=started_us,
            ended_us=ended_us,
            hpas=pair.hpas,
            episodes=pair.episodes,
            causes_searched=True,
        )
    if not pair.episodes:
        return found
    causes = _causes(recording, pair, (declared, over_declared(declared, controller)), found)
    if causes is None:
        return replace(found, causes_searched=False)
    return replace(
        found, episodes=tuple(replace(one, causes=its) for one, its in zip(pair.episodes, causes, strict=True))
    )


def _release(results: "Results") -> str:
    return next(assumption.value for assumption in results.assumptions if assumption.key == "release")


def _audit(recording: Path, other: "Results") -> "Results | None":
    """The results that this user made of this recording, whole and as it was recorded; None without one."""
    for path in (recording / RESULTS, results_elsewhere(other.manifest_sha256)):
        if path is None or not path.exists() or path == other.path or not is_ours(path):
            continue
        try:
            results = open_file(path, recording)
        except NotResults:
            continue
        if results.is_whole and results.manifest_sha256 == other.manifest_sha256:
            return results
        results.close()
    return None


def _causes(
    recording: Path, pair: "Compared", asked: Sequence[ControllerOptions], found: Difference
) -> Sequence[tuple[Cause, ...]] | None:
    """The causes of each episode; None if there are too many reconciles to decide again.

    asked   the settings of the audit, and those of the other replay
    """
    from hpaaudit.engine.behaviours import release_history
    from hpaaudit.engine.behaviours.release import behaviour
    from hpaaudit.recording.reading.recording import open_recording

    opened = open_recording(recording)
    changes = [
        change
        for change in release_history.between(found.own_release, found.other_release).changes
        if change.kind in _SWITCHED
    ]
    sides = [prepare(opened, options) for options in asked]
    hpas = {episode.hpa for episode in pair.episodes}
    reconciles = sum(reconcile.key in hpas for side in sides for reconcile in side.plan.reconciles)
    if reconciles * len(changes) > MOST_RECONCILES:
        return None
    facts = list(opened.facts())
    proven: list[list[Cause]] = [[] for _ in pair.episodes]
    for change in changes:
        rule = behaviour(change.name)
        own, other = (_decided(_with_rule_of(one, of, rule), facts, hpas) for one, of in (sides, reversed(sides)))
        for number, episode in enumerate(pair.episodes):
            cause = Cause(
                change=change,
                own_decides_so=_decide_so(own, pair.own_ids[number], episode.other),
                other_decides_so=_decide_so(other, pair.other_ids[number], episode.own),
            )
            if cause.own_decides_so or cause.other_decides_so:
                proven[number].append(cause)
    return [_narrowest(causes) for causes in proven]


_CONTROL_FLOWS = ("Polls", "MetricsAnnotation")
"""Rules that choose how the whole reconcile of an era goes, so that they bring all others of that era with them."""


def _narrowest(causes: Sequence[Cause]) -> tuple[Cause, ...]:
    """The causes without those that stand for a whole era, if another one explains the same."""
    narrow = tuple(cause for cause in causes if cause.change.name not in _CONTROL_FLOWS)
    return narrow or tuple(causes)


def _with_rule_of(one: Prepared, other: Prepared, rule: str) -> Prepared:
    """A replay that follows this one rule as the other release does."""
    from hpaaudit.engine.behaviours.release import behaviours_of, field_of

    return switched(one, rule=rule, on=bool(getattr(behaviours_of(other.flags), field_of(rule))))


def _decided(prepared: Prepared, facts: Sequence["Fact"], hpas: set[str]) -> "Mapping[int, Decision]":
    """What was decided in each reconcile of these HPAs, by its number.

    One of which several numbers are possible is left out: it proves nothing.
    """
    from hpaaudit.engine.replay import process as engine

    process = engine.Process(prepared.plan, prepared.flags, prepared.flags_of, keep_pods=False)
    again = engine.replay(iter(facts), prepared.plan, process, hpas)
    return {one.reconcile_id: one.decision for one in again if one.band_lo == one.band_hi}


def _decide_so(decided: "Mapping[int, Decision]", reconciles: Sequence[int], wanted: Wanted) -> bool:
    """True if all these reconciles want that number for that reason and by that metric.

    A number alone may be the same by chance.
    """
    return all(
        number in decided
        and _wants(decided[number]) == wanted.replicas
        and decided[number].reason_code == wanted.reason_code
        and not any(proposal.invalid_code == _UNSEEN for proposal in decided[number].proposals)
        and _metric(decided[number]) == (None if wanted.metric is None else wanted.metric.name)
        for number in reconciles
    )


def _metric(decision: "Decision") -> str | None:
    """The metric that made the number, None without one."""
    return next((proposal.metric_name for proposal in decision.proposals if proposal.is_winner), None)


def _wants(decision: "Decision") -> int | None:
    """What `spec.replicas` becomes. A reconcile that holds leaves it as it is (see `sql/difference/reconciles.sql`)."""
    return decision.spec_replicas if decision.action == "hold" and decision.desired is not None else decision.desired
