"""Collects what a report of a replay shows: the account, and an explanation of every change and of the worst moment."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from hpaaudit.errors import BadOption, RecordingError
from hpaaudit.flows.explain import explain_many, explain_moment
from hpaaudit.flows.inspect import with_coverage
from hpaaudit.flows.moments import When
from hpaaudit.flows.options import ShowProgress, Warn, ignore_warning, show_nothing
from hpaaudit.flows.paths import Source, path_of
from hpaaudit.flows.query import account
from hpaaudit.flows.replay import replay
from hpaaudit.flows.source import open_source, require_there
from hpaaudit.model.account import HpaAccount, ReconcileAccount, ReplayAccount
from hpaaudit.model.report import Report
from hpaaudit.model.units import Micros

if TYPE_CHECKING:
    from hpaaudit.results.read import Results

EXPLAINED, EXPLAINED_OF_FLEET = 12, 4
"""At most so many reconciles of each drawn HPA are explained. In a fleet each takes a second."""


MOST_RECONCILES = 400_000
"""Of a larger replay only each second, third ... reconcile is on the page, and those at which something changed."""

TOLD_IN_FULL = 6000
"""Every reconcile is explained in full if there are no more than these: a day of one HPA."""


def report(  # noqa: PLR0913 the public API: an argument for each option of the command
    source: Source,
    *,
    explained: bool = True,
    hpas: Collection[str] = (),
    selector: str = "",
    since: When | None = None,
    until: When | None = None,
    warn: Warn = ignore_warning,
    progress: ShowProgress = show_nothing,
    drawing: ShowProgress = show_nothing,
) -> Report:
    """A replay with explanations of the reconciles that matter, and every reconcile as the page carries them.

    source      results or a recording: the path, or what was opened
    explained   whether reconciles are explained and packed, which takes a moment
    hpas, selector, since, until   as in `replay`, which is done so first: what they leave out is not on the page, but
                counts as evidence. They need the recording
    warn        is called if somebody else made the results, and with what `replay` warns of
    progress    is called while a recording is replayed
    drawing     is called after each HPA with how many are on the page, and how many there are

    Raises NotResults, BadOption and what `replay` raises.
    """
    path = path_of(source)
    if hpas or selector or since is not None or until is not None:
        require_there(path)
        if not path.is_dir():
            raise BadOption(
                f"{path} was replayed already: give the recording to --hpa, --selector, --since and --until"
            )
        opened = replay(path, hpas=hpas, selector=selector, since=since, until=until, warn=warn, progress=progress)
    else:
        opened = open_source(path, warn, progress)
    with opened as results:
        whole = _covered(account(results), path)
        if not explained:
            return Report(account=whole, explanations=())
        explanations = tuple(_explanations(whole, results.path))
        return Report(
            account=whole, explanations=explanations, packed=_packed(whole, results, path, explanations, drawing)
        )


def _explanations(whole: ReplayAccount, file: Path) -> Iterator[ReconcileAccount]:
    """The reconciles that matter of the HPAs that are drawn, each once."""
    drawn = {(timeline.namespace, timeline.name) for timeline in whole.timelines}
    for hpa in whole.hpas:
        if (hpa.namespace, hpa.name) in drawn:
            moments = _moments(hpa, EXPLAINED if len(whole.hpas) == 1 else EXPLAINED_OF_FLEET)
            told = (explain_moment(file, f"{hpa.namespace}/{hpa.name}", at_us) for at_us in moments)
            yield from {reconcile.reconcile_id: reconcile for reconcile in told}.values()


def _packed(
    whole: ReplayAccount,
    results: "Results",
    source: Path,
    explanations: Sequence[ReconcileAccount],
    drawing: ShowProgress,
) -> Mapping[tuple[str, str], str]:
    """Every reconcile of each HPA, as the page carries it. Only one HPA at a time is in memory."""
    from hpaaudit.report.page.data import data_of
    from hpaaudit.results.hpa_columns import hpa_columns

    reconciles = sum(hpa.reconciles for hpa in whole.hpas)
    tells_all = reconciles <= TOLD_IN_FULL
    packed = {}
    for hpa in hpa_columns(results, [f"{hpa.namespace}/{hpa.name}" for hpa in whole.hpas]):
        told = {}
        if tells_all:
            told = {one.reconcile_id: one for one in explain_many(results, source, hpa.reconcile_ids)}
        told |= {one.reconcile_id: one for one in explanations}
        packed[hpa.namespace, hpa.name] = data_of(hpa, told, -(-reconciles // MOST_RECONCILES))
        drawing(len(packed), len(whole.hpas))
    return packed


def _covered(whole: ReplayAccount, source: Path) -> ReplayAccount:
    """Adds to a replay what its recording does not hold; leaves it as it is if the recording is gone."""
    try:
        return with_coverage(whole, source if source.is_dir() else Path(whole.recording))
    except RecordingError:
        return whole


def _moments(hpa: HpaAccount, most: int) -> list[Micros]:
    """The moment of the headline, where divergences began, and the changes; in the order of time."""
    first = [] if hpa.moment_us is None else [hpa.moment_us]
    ranked = [*first, *(one.opened_us for one in hpa.divergences), *(change.at_us for change in hpa.changes)]
    return sorted(dict.fromkeys(ranked[:most]))
