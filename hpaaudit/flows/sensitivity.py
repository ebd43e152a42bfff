"""Finds a setting of the controller that explains divergences, by deciding again with other values.

A flag cannot be read from the API of most clusters, so the replay assumes one. Where that contradicts what was seen,
the value that explains it is found by trial: what was recorded if the user said otherwise, the usual values of each
flag, every feature gate, releases; then pairs of these. A restart of the controller that nobody recorded is tried
before: it forgets earlier recommendations and scale events.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations, product
from typing import TYPE_CHECKING

from hpaaudit.flows.other_settings import as_recorded, assumed, longer_periods, memories
from hpaaudit.flows.trials import ENOUGH, Trials
from hpaaudit.model.sensitivity import Compared, Sensitivity

if TYPE_CHECKING:
    from hpaaudit.flows.prepare import Prepared


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
    known = list(as_recorded(prepared))
    is_recorded = _is_recorded(prepared)
    is_asked = bool(prepared.overrides) or prepared.release_given
    wanted = {hpa: rows for hpa, rows in by_hpa.items() if _is_worth_it(rows, few=bool(known) or not is_asked)}
    settings = Trials(prepared, wanted)
    settings.run(chosen for number in (1, 2) for chosen in combinations(known, number))
    times = Trials(prepared, {hpa: rows for hpa, rows in wanted.items() if not settings.explains(hpa)})
    times.run((setting,) for setting in longer_periods(prepared, times.facts()))
    times.run((setting,) for setting in times.untraced())
    seen = {hpa: rows for hpa, rows in by_hpa.items() if any(row.is_seen and row.divergence_id for row in rows)}
    memory = Trials(
        prepared, {hpa: rows for hpa, rows in seen.items() if not (settings.explains(hpa) or times.explains(hpa))}
    )
    memory.run((setting,) for setting in memories(prepared, memory.rows))
    settings.run((setting,) for setting in assumed(prepared))
    open_rows = {hpa: rows for hpa, rows in wanted.items() if not (settings.explains(hpa) or memory.explains(hpa))}
    pairs = Trials(prepared, open_rows)
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
