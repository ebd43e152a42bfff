"""Cuts out of a large recording the short times in which replay and controller differ, one HPA each.

To try settings on a whole day would take hours. A window holds some reconciles to compare, those before them that the
controller may remember, and the facts that they read.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING

from hpaaudit.flows.other_settings import VALUES
from hpaaudit.flows.redecide import MARGIN_US, longest_window_us
from hpaaudit.flows.trials import Rows, Trials
from hpaaudit.model.sensitivity import Compared
from hpaaudit.model.units import Micros

if TYPE_CHECKING:
    from hpaaudit.flows.prepare import Prepared
    from hpaaudit.model.facts import Fact
    from hpaaudit.recording.reading.one_hpa import KeptTables

COMPARED = 24
"""So many reconciles of a window are compared, from a little before its first divergence on."""

BEFORE = 4
"""So many of them lie before that divergence, if there are as many."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Window:
    """A part of a recording: `prepared` plans the reconciles of one HPA, `rows` are those to compare.

    rows        their numbers are those in this plan
    memory_us   the longest window or period of the HPA's behavior
    """

    prepared: "Prepared"
    rows: Mapping[str, Sequence[Compared]]
    facts: Sequence["Fact"]
    memory_us: Micros

    def trials(self) -> Trials:
        """Trials of settings in this window."""
        return Trials(self.prepared, self.rows, facts=self.facts, memory_us=self.memory_us)


def densest(prepared: "Prepared", compared: Rows, open_of: Mapping[str, Sequence[bool]], most: int) -> Iterator[Window]:
    """The windows with the most open reconciles: one of each of the HPAs that have most of them, or several of one.

    open_of   of some HPAs, which of their reconciles are open
    """
    worst = sorted(open_of, key=lambda hpa: sum(open_of[hpa]), reverse=True)[:most]
    for hpa in worst:
        rows, is_open = compared[hpa], open_of[hpa]
        spans = sorted(_spans(rows, is_open), key=partial(_count, is_open), reverse=True)
        found = (_window(prepared, rows[span]) for span in spans)
        yield from islice(filter(None, found), max(most // len(worst), 1))


def windows(prepared: "Prepared", rows: Sequence[Compared], is_open: Sequence[bool]) -> Iterator[Window]:
    """The windows of one HPA in the order of time: together they hold the beginning of each open divergence.

    rows   its reconciles that differ or agree, in the order of time;  is_open   which of them are open
    """
    return filter(None, (_window(prepared, rows[span]) for span in _spans(rows, is_open)))


def _spans(rows: Sequence[Compared], is_open: Sequence[bool]) -> Iterator[slice]:
    """Which of the rows of an HPA each window compares."""
    first, done = 0, set[int]()
    while first < len(rows):
        number = rows[first].divergence_id
        if not is_open[first] or number in done or not rows[first].is_seen:
            first += 1
            continue
        begin = max(first - BEFORE, 0)
        first = begin + COMPARED
        done |= {row.divergence_id for row in rows[begin:first] if row.divergence_id is not None}
        yield slice(begin, first)


def _count(is_open: Sequence[bool], span: slice) -> int:
    return sum(is_open[span])


def _window(prepared: "Prepared", rows: Sequence[Compared]) -> Window | None:
    """The window with these reconciles; None if none of them is decided there as in the whole replay."""
    from hpaaudit.api.times import duration
    from hpaaudit.engine.replay.plan import plan

    key = rows[0].hpa
    recording, namespace, name = prepared.recording, *key.split("/", 1)
    most_us = max(map(duration, VALUES["downscale-stabilization"]))
    kept: KeptTables = {}
    memory_us = longest_window_us(recording, key, prepared.flags, kept)
    period_us = prepared.plan.periods.of(key)
    since_us = Micros(rows[0].at_us - max(most_us, memory_us) - MARGIN_US)
    until_us = Micros(rows[-1].at_us + 2 * period_us + MARGIN_US)
    facts = list(recording.facts_of_hpa(namespace, name, since_us, until_us=until_us, kept=kept))
    reconciles = [
        planned
        for planned in plan(facts, period_us).reconciles
        if planned.key == key and since_us <= planned.instant.at_us <= rows[-1].at_us
    ]
    numbers: dict[int, int] = {planned.instant.at_us: number for number, planned in enumerate(reconciles, 1)}
    here = replace(prepared, plan=replace(prepared.plan, reconciles=reconciles), derived=None)
    local = [replace(row, reconcile_id=numbers[row.at_us]) for row in rows if row.at_us in numbers]
    if not local:
        return None
    window = Window(prepared=here, rows={key: local}, facts=facts, memory_us=memory_us)
    same = [row for row, is_same in zip(local, window.trials().reproduces(key), strict=True) if is_same]
    return replace(window, rows={key: same}) if same else None
