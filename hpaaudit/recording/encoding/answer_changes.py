"""Computes what changed between two answers to one request, and rebuilds the second answer from the first."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Generic, TypeVar

Item = TypeVar("Item")

Key = tuple[str, int]
"""Name of an item in its answer, and its occurrence: names may repeat."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Change(Generic[Item]):
    """One item that is new, changed, moved or gone.

    place   its index in the new answer if it is new or was moved; None: it keeps its place
    item    None if the new answer does not have it any more
    """

    key: Key
    place: int | None
    item: Item | None


def by_key(items: Iterable[Item], name: Callable[[Item], str]) -> dict[Key, Item]:
    """The items of an answer by name and occurrence, in the answer's order."""
    counts: dict[str, int] = {}
    answer: dict[Key, Item] = {}
    for item in items:
        item_name = name(item)
        occurrence = counts.get(item_name, 0)
        counts[item_name] = occurrence + 1
        answer[item_name, occurrence] = item
    return answer


def changes_between(before: Mapping[Key, Item], after: Mapping[Key, Item]) -> list[Change[Item]]:
    """The changes that make `after` of `before`: values, items that come or go, and order."""
    changes: list[Change[Item]] = [Change(key=key, place=None, item=None) for key in before if key not in after]
    stayed = [key for key in after if key in before]
    # If those that stayed changed their order, every item gets a place. That is rare, because API servers sort.
    is_reordered = stayed != [key for key in before if key in after]
    for position, (key, item) in enumerate(after.items()):
        if is_reordered or key not in before:
            changes.append(Change(key=key, place=position, item=item))
        elif before[key] != item:
            changes.append(Change(key=key, place=None, item=item))
    return changes


def apply_changes(before: Mapping[Key, Item], changes: Iterable[Change[Item]]) -> dict[Key, Item]:
    """The answer after `changes`: what `changes_between` was given as `after`."""
    items = dict(before)
    displaced: set[Key] = set()
    places: list[tuple[int, Key]] = []
    for change in changes:
        if change.item is None:
            displaced.add(change.key)
            continue
        items[change.key] = change.item
        if change.place is not None:
            displaced.add(change.key)
            places.append((change.place, change.key))
    if not displaced:
        return items
    order = [key for key in before if key not in displaced]
    for position, key in sorted(places):
        order.insert(position, key)
    return {key: items[key] for key in order}
