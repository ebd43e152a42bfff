"""What changed between two answers to one request, and the second answer again from the first."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Generic, TypeVar

Item = TypeVar("Item")

# Name of an item in its answer, and which repetition of that name it is.
Key = tuple[str, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Change(Generic[Item]):
    """One item that is new, changed, moved or gone.

    place   its index in the new answer if it is new or was moved; None: it follows whom it followed
    item    None where the new answer no longer has it
    """

    key: Key
    place: int | None
    item: Item | None


def by_key(items: Iterable[Item], name: Callable[[Item], str]) -> dict[Key, Item]:
    """Give every item of an answer a key of its own, in the answer's order."""
    seen: dict[str, int] = {}
    answer: dict[Key, Item] = {}
    for item in items:
        word = name(item)
        occurrence = seen.get(word, 0)
        seen[word] = occurrence + 1
        answer[word, occurrence] = item
    return answer


def changes_between(before: Mapping[Key, Item], after: Mapping[Key, Item]) -> list[Change[Item]]:
    """Return what makes `after` of `before`: values, coming and going, and order."""
    found: list[Change[Item]] = [Change(key=key, place=None, item=None) for key in before if key not in after]
    stayed = [key for key in after if key in before]
    # Where those who stayed changed their order, everyone says its place: rare, for API servers sort.
    moved = stayed != [key for key in before if key in after]
    for place, (key, item) in enumerate(after.items()):
        if moved or key not in before:
            found.append(Change(key=key, place=place, item=item))
        elif before[key] != item:
            found.append(Change(key=key, place=None, item=item))
    return found


def apply_changes(before: Mapping[Key, Item], found: Iterable[Change[Item]]) -> dict[Key, Item]:
    """Return the answer that `changes_between` was given as `after`."""
    values = dict(before)
    leaves: set[Key] = set()
    placed: list[tuple[int, Key]] = []
    for change in found:
        if change.item is None:
            leaves.add(change.key)
            continue
        values[change.key] = change.item
        if change.place is not None:
            leaves.add(change.key)
            placed.append((change.place, change.key))
    if not leaves:
        return values
    order = [key for key in before if key not in leaves]
    for place, key in sorted(placed):
        order.insert(place, key)
    return {key: values[key] for key in order}
