"""Finds what explains divergences of a large recording: in short windows of it, and then tried on all of it.

A setting that is wrong is wrong for every HPA. So it is searched in the windows in which the most reconciles differ.
Whether it is right, and what else is wrong, shows when everything is decided with it.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from hpaaudit.flows.explanations import aligned, best, unsure
from hpaaudit.flows.other_settings import Setting, assumed, is_asked, is_recorded, memories
from hpaaudit.flows.trials import Decide, Rows, Trials
from hpaaudit.flows.windows import Window, densest, windows
from hpaaudit.model.sensitivity import MOST_SETTINGS, Compared, Sensitivity

if TYPE_CHECKING:
    from hpaaudit.flows.prepare import Prepared

WINDOWS = 3
"""In so many windows a wrong setting is searched; in as many others, that still differ with it, the next one."""

JUDGED = 3
"""So many of the settings that fit the windows best are tried on the whole recording."""

LOCAL = 12
"""In so many windows where no setting helps other times of reconciles are tried, and restarts."""

Chosen = tuple[Setting, ...]


def of_large(prepared: "Prepared", compared: Rows, decide: Decide | None) -> Iterator[Sensitivity]:
    """What explains divergences; the arguments are those of `sensitivity`."""
    whole = _searched(prepared, compared, decide)
    left = LOCAL
    for hpa, rows in compared.items():
        found = aligned(whole.best.get(hpa, []))
        yield from found
        settled = {number for one in found for number in one.divergence_ids}
        for window in windows(prepared, rows, [_differs(row) and row.divergence_id not in settled for row in rows]):
            if not left:
                break
            left -= 1
            yield from _of_window(window, rows)


def _searched(prepared: "Prepared", compared: Rows, decide: Decide | None) -> Trials:
    """Trials of the settings that fit: one alone, two, three, and other values of these."""
    whole = Trials(prepared, compared, decide=decide)
    chosen: Chosen = ()
    parts = list(densest(prepared, compared, whole.open_under(chosen), WINDOWS))
    every = list(assumed(prepared, {length: None for part in parts for length in part.trials().windows()}))
    for choices in (_one(every), *[_one_more(every)] * (MOST_SETTINGS - 1), _other_values(every)):
        for fitting in _varied(_fitting(parts, chosen, choices(chosen)))[:JUDGED]:
            whole.judge(fitting)
        nearest = max(whole.scores, key=lambda one: whole.scores[one].agreeing, default=chosen)
        if nearest == chosen or not whole.open_under(nearest):
            break
        chosen = nearest
        parts = list(densest(prepared, compared, whole.open_under(chosen), WINDOWS))
    whole.simplify()
    return whole


Choices = Callable[[Chosen], Iterable[Chosen]]


def _one(every: Sequence[Setting]) -> Choices:
    return lambda _: [(setting,) for setting in every]


def _one_more(every: Sequence[Setting]) -> Choices:
    """The chosen settings together with each other one."""
    return lambda chosen: [(*chosen, other) for other in every if other.key not in {one.key for one in chosen}]


def _other_values(every: Sequence[Setting]) -> Choices:
    """The chosen settings, with another value of one of them."""
    return lambda chosen: [
        tuple(other if one.key == other.key else one for one in chosen)
        for other in every
        if any(one.key == other.key and one.alternative != other.alternative for one in chosen)
    ]


def _fitting(parts: Sequence[Window], chosen: Chosen, choices: Iterable[Chosen]) -> list[Chosen]:
    """The choices with which the most reconciles of the windows agree: those of each window go on to the next.

    chosen   what is known already: a choice must be better
    """
    left, is_better = list(choices), False
    for window in parts:
        trials = window.trials()
        for one in (chosen, *left):
            trials.judge(one)
        known = trials.scores.pop(chosen).agreeing
        most = max((score.agreeing for score in trials.scores.values()), default=known)
        is_better = is_better or most > known
        left = [one for one, score in trials.scores.items() if score.agreeing == most]
    return left if is_better else []


def _varied(fitting: Sequence[Chosen]) -> list[Chosen]:
    """The same choices, each combination of settings once before any has a second value.

    What two settings explain alike in the windows, all of the recording may tell apart.
    """
    seen = Counter[tuple[str, ...]]()
    ranked = []
    for chosen in fitting:
        keys = tuple(setting.key for setting in chosen)
        ranked.append((seen[keys], chosen))
        seen[keys] += 1
    return [chosen for _, chosen in sorted(ranked, key=lambda both: both[0])]


def _differs(row: Compared) -> bool:
    return row.divergence_id is not None and row.is_seen


def _of_window(window: Window, rows: Sequence[Compared]) -> Iterator[Sensitivity]:
    """Other times of reconciles or of restarts that explain divergences which lie within a window.

    Where these explain nothing, settings that may: too little differs to prove one.

    rows   all reconciles of its HPA
    """
    times, memory, settings = window.trials(), window.trials(), window.trials()
    times.run((setting,) for setting in times.untraced())
    memory.run((setting,) for setting in memories(window.prepared, memory.rows, window.facts))
    if not is_asked(window.prepared):
        settings.run((setting,) for setting in assumed(window.prepared))
    for hpa, own in window.rows.items():
        here, there = (Counter(row.divergence_id for row in some) for some in (own, rows))
        found_best = best([], times.best.get(hpa, []), memory.best.get(hpa, []), [])
        told = [*found_best, *unsure(times.possible.get(hpa, {}), found_best)]
        settled = {number for found in told for number in found.divergence_ids}
        told += [
            found
            for number, found in sorted(settings.possible.get(hpa, {}).items())
            if number not in settled and (found.broken == 0 or not is_recorded(window.prepared))
        ]
        for found in told:
            if all(here[number] == there[number] for number in found.divergence_ids):
                yield found
