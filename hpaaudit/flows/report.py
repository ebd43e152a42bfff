"""Collects what a report of a replay shows: the account, and an explanation of every change and of the worst moment."""

from dataclasses import replace
from pathlib import Path

from hpaaudit.errors import RecordingError
from hpaaudit.flows.explain import explain
from hpaaudit.flows.inspect import missing
from hpaaudit.flows.options import Warn, ignore_warning
from hpaaudit.flows.paths import Source, path_of
from hpaaudit.flows.query import account
from hpaaudit.flows.source import open_source
from hpaaudit.model.account import HpaAccount, ReconcileAccount
from hpaaudit.model.inspection import Missing
from hpaaudit.model.report import Report
from hpaaudit.model.units import Micros

EXPLAINED, EXPLAINED_OF_FLEET = 12, 4
"""At most so many reconciles of each drawn HPA are explained. In a fleet each takes a second."""


def report(source: Source, *, explained: bool = True, warn: Warn = ignore_warning) -> Report:
    """A replay with explanations of the reconciles that matter.

    source      results or a recording: the path, or what was opened
    explained   whether reconciles are explained, which takes a moment for each
    warn        is called if somebody else made the results, and with what `replay` warns of

    Raises NotResults and what `replay` raises.
    """
    path = path_of(source)
    with open_source(path, warn) as results:
        whole = account(results)
        file = results.path
    whole = replace(whole, missing=_missing(path if path.is_dir() else Path(whole.recording)))
    drawn = {(timeline.namespace, timeline.name) for timeline in whole.timelines}
    explanations: dict[tuple[str, str, int], ReconcileAccount] = {}
    for hpa in whole.hpas if explained else ():
        if (hpa.namespace, hpa.name) in drawn:
            for at_us in _moments(hpa, EXPLAINED if len(whole.hpas) == 1 else EXPLAINED_OF_FLEET):
                reconcile = explain(file, f"{hpa.namespace}/{hpa.name}", at=at_us)
                explanations[hpa.namespace, hpa.name, reconcile.reconcile_id] = reconcile
    return Report(account=whole, explanations=tuple(explanations.values()))


def _missing(recording: Path) -> tuple[Missing, ...]:
    """What was not recorded; nothing is said of a recording that is gone."""
    try:
        return missing(recording)
    except RecordingError:
        return ()


def _moments(hpa: HpaAccount, most: int) -> list[Micros]:
    """The moment of the headline, where divergences began, and the changes; in the order of time."""
    first = [] if hpa.moment_us is None else [hpa.moment_us]
    ranked = [*first, *(one.opened_us for one in hpa.divergences), *(change.at_us for change in hpa.changes)]
    return sorted(dict.fromkeys(ranked[:most]))
