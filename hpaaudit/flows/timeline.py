"""Reads one HPA over time from a results file, or from a recording, which is replayed first."""

from hpaaudit.flows.options import ShowProgress, Warn, ignore_warning, show_nothing
from hpaaudit.flows.paths import Source, path_of
from hpaaudit.flows.source import open_source
from hpaaudit.model.timeline import Timeline


def timeline(
    source: Source,
    hpa: str | None = None,
    *,
    selector: str = "",
    warn: Warn = ignore_warning,
    progress: ShowProgress = show_nothing,
) -> Timeline:
    """One HPA over time: replicas, bounds, metrics, pods, and what happened besides.

    source     results or a recording: the path, or what was opened
    hpa        `namespace/name`, a name alone that only one HPA has, or a pattern with `*`: of several, and without it,
               the HPA that matters most
    selector   only HPAs whose last recorded labels match this label selector, as of kubectl; empty: all
    warn       is called if somebody else made the results, and with what `replay` warns of
    progress   is called while a recording is replayed

    Raises NotResults, UnknownHpa, BadOption for the selector, and what `replay` raises.
    """
    from hpaaudit.results.account_reconcile import interesting
    from hpaaudit.results.timeline import timeline as read_timeline

    with open_source(path_of(source), warn, progress, selector) as results:
        chosen, moment_us = interesting(results, hpa)
        return read_timeline(results, chosen, moment_us)
