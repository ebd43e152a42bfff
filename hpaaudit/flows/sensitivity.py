"""Finds a setting of the controller that explains divergences, by deciding again with other values.

A flag cannot be read from the API of most clusters, so the replay assumes one. Where that contradicts what was seen,
the value that explains it is found by trial: the usual values of each flag, every feature gate, releases; then pairs of
these. A restart of the controller that nobody recorded is tried before: it forgets earlier recommendations and scale
events. What a setting makes that the user asked for is no question here: `what_if` tells that.
"""

from collections.abc import Iterator, Sequence
from itertools import product
from typing import TYPE_CHECKING

from hpaaudit.flows.explanations import best, unsure
from hpaaudit.flows.other_settings import (
    COMPARABLE,
    Setting,
    assumed,
    is_asked,
    is_recorded,
    longer_periods,
    memories,
)
from hpaaudit.flows.sensitivity_of_large import of_large
from hpaaudit.flows.trials import ENOUGH, Decide, Rows, Trials
from hpaaudit.model.sensitivity import Compared, Sensitivity

if TYPE_CHECKING:
    from hpaaudit.flows.prepare import Prepared

MOST_RECONCILES = 150
"""With at most so many reconciles all of a recording are decided again for each setting; else those of windows."""


def sensitivity(prepared: "Prepared", compared: Rows, decide: Decide | None = None) -> Iterator[Sensitivity]:
    """The best other value for each HPA with divergences: it explains some completely, and every match stays one.

    Where one setting does not explain everything, two of them may. Settings that lead to what it decided, too seldom to
    prove anything, follow: then it is not known what it was. Where nothing of the controller was recorded, these may
    lead elsewhere to something else.

    compared   the reconciles of HPAs with open divergences: those that differ and those that agree, in their order;
               the HPAs with the most of them first
    decide     decides a recording again that is too large to do it one by one: settings are searched in windows
    """
    if decide is None and len(prepared.plan.reconciles) <= MOST_RECONCILES:
        yield from _of_small(prepared, dict(compared))
    else:
        yield from of_large(prepared, compared, decide)


def _of_small(prepared: "Prepared", by_hpa: Rows) -> Iterator[Sensitivity]:
    """What explains divergences, tried on everything that was recorded."""
    recorded = is_recorded(prepared)
    asked = is_asked(prepared)
    wanted = {hpa: rows for hpa, rows in by_hpa.items() if _is_worth_it(rows, few=not asked)}
    settings = Trials(prepared, wanted)
    times, memory = _trials_of_times(prepared, by_hpa, wanted, settings)
    pairs = _search_settings(prepared, settings, memory)
    for hpa in by_hpa:
        one, moved, remembered, two = (trials.best.get(hpa, []) for trials in (settings, times, memory, pairs))
        if prepared.recorded_release and not prepared.release_given:
            # The recording says the release: another one is a worse explanation than a flag.
            two = [pair for pair in two if "release" not in pair.keys] or two
        told = best(one, moved, remembered, two)
        yield from told
        yield from unsure(times.possible.get(hpa, {}), told)
        if not asked:
            settled = {number for found in told for number in found.divergence_ids}
            settled |= {number for number, found in times.possible.get(hpa, {}).items() if found.broken == 0}
            tried = (trials.possible.get(hpa, {}) for trials in (pairs, memory, settings))
            possible = {number: found for by_number in tried for number, found in by_number.items()}
            yield from (
                found
                for number, found in sorted(possible.items())
                if number not in settled and (not recorded or found.broken == 0)
            )


def _trials_of_times(prepared: "Prepared", by_hpa: Rows, wanted: Rows, settings: Trials) -> tuple[Trials, Trials]:
    """Other times of reconciles, and other times at which the controller forgot, for what no setting explains yet."""
    times = Trials(prepared, {hpa: rows for hpa, rows in wanted.items() if not settings.explains(hpa)})
    times.run((setting,) for setting in longer_periods(prepared, times.facts()))
    times.run((setting,) for setting in times.untraced())
    seen = {hpa: rows for hpa, rows in by_hpa.items() if any(row.is_seen and row.divergence_id for row in rows)}
    memory = Trials(
        prepared, {hpa: rows for hpa, rows in seen.items() if not (settings.explains(hpa) or times.explains(hpa))}
    )
    memory.run((setting,) for setting in memories(prepared, memory.rows, memory.facts()))
    return times, memory


def _search_settings(prepared: "Prepared", settings: Trials, memory: Trials) -> Trials:
    """Tries every other value of every setting alone, then two at once, and three, where that is not enough."""
    every = list(assumed(prepared, settings.windows() if settings.rows else ()))
    settings.run((setting,) for setting in every)
    settings.run(_others(every, settings), to_the_end=True)
    open_rows = {
        hpa: rows for hpa, rows in settings.rows.items() if not (settings.explains(hpa) or memory.explains(hpa))
    }
    pairs = settings.with_rows(open_rows)
    # A restart that explains a part, and a setting that explains the rest.
    pairs.run(product(memory.nearest(), settings.nearest()))
    pairs.run(settings.pairs(), to_the_end=True)
    pairs.run(pairs.thirds([one for (one,) in settings.scores]))
    pairs.simplify()
    return pairs


def _others(every: Sequence[Setting], settings: Trials) -> Iterator[tuple[Setting]]:
    """The flags and gates that were not tried any more when one of them explained everything.

    They are other values of that flag, or other settings that explain as much: then it is not known which it was.
    """
    found = any(found.settings[0].key in COMPARABLE for some in settings.best.values() for found in some)
    keys = COMPARABLE if found else frozenset()
    tried = {(setting.key, setting.alternative) for chosen in settings.scores for setting in chosen}
    for setting in every:
        if setting.key in keys and (setting.key, setting.alternative) not in tried:
            yield (setting,)


def _is_worth_it(rows: Sequence[Compared], *, few: bool) -> bool:
    """True if an HPA has enough divergences to try settings on it; with `few` one is enough."""
    differing = [row for row in rows if row.divergence_id is not None]
    return few or (len(differing) >= ENOUGH and any(row.is_seen for row in differing))
