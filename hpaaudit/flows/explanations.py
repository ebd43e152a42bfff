"""Chooses among the settings that explain the divergences of an HPA those that are worth to be told."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from hpaaudit.flows.trials import ENOUGH
from hpaaudit.model.sensitivity import Sensitivity, Value


def unsure(possible: Mapping[int, Sensitivity], best: Sequence[Sensitivity]) -> Iterator[Sensitivity]:
    """Other times of reconciles that explain divergences, unless something is proven to explain them."""
    proven = {number for found in best if found.explained >= ENOUGH for number in found.divergence_ids}
    by_setting: dict[tuple[Value, ...], list[Sensitivity]] = defaultdict(list)
    for number, found in sorted(possible.items()):
        if found.broken == 0 and number not in proven:
            by_setting[found.settings].append(found)
    for alike in by_setting.values():
        numbers = tuple(number for found in alike for number in found.divergence_ids)
        yield replace(alike[0], explained=sum(found.explained for found in alike), divergence_ids=numbers)


def best(
    one: Sequence[Sensitivity], times: Sequence[Sensitivity], memory: Sequence[Sensitivity], two: Sequence[Sensitivity]
) -> list[Sensitivity]:
    """What explains the most reconciles of an HPA: one setting, other times, what it remembered; else two settings.

    Several where these explain as many: which of them is true is not known.
    """
    singles = [found for kind in (one, times[:1], memory[:1]) for found in kind]
    most = max((found.explained for found in (*singles, *two[:1])), default=0)
    best = [found for found in singles if found.explained == most]
    return best or aligned(two)


def aligned(several: Sequence[Sensitivity]) -> list[Sensitivity]:
    """The explanations with their settings sorted: first those that every explanation names."""
    if not several:
        return []
    common = set.intersection(*(set(found.keys) for found in several))
    order = sorted(several[0].keys, key=lambda key: key not in common)

    def place(setting: Value) -> tuple[int, str]:
        return order.index(setting.key) if setting.key in order else len(order), setting.key

    return [replace(found, settings=tuple(sorted(found.settings, key=place))) for found in several]
