"""A long list is split into its items wherever its chunks end, and what is no list is refused."""

import json
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from hpaaudit.cluster.client.list_items import HEAD_BYTES, ListItems

TEXTS = st.text(max_size=12) | st.sampled_from(['"', "\\", '\\"', "}", "{", "],", '"items":[', "\x00", "é", "\ud7ff"])
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | TEXTS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXTS, inner, max_size=4),
    max_leaves=12,
)
OBJECTS = st.dictionaries(TEXTS, VALUES, max_size=4)
FIELDS = st.dictionaries(TEXTS.filter(lambda text: text != "items"), VALUES, max_size=3)


def fed(data: bytes, cuts: list[int]) -> tuple[list[bytes], ListItems]:
    """All items of a text that comes in pieces."""
    items, fed_items, before = ListItems(), [], 0
    for cut in [*sorted(cut % (len(data) + 1) for cut in cuts), len(data)]:
        fed_items += items.feed(data[before:cut])
        before = cut
    return fed_items + items.last(), items


@given(FIELDS, st.lists(OBJECTS, max_size=8), FIELDS, st.lists(st.integers(0, 10_000), max_size=12), st.booleans())
@example(before={}, objects=[{}], after={}, cuts=[], wide=False)
@example(before={"": None}, objects=[{"": None, "0": None}], after={}, cuts=[33], wide=False)
@example(before={}, objects=[], after={" a": [" "]}, cuts=list(range(40)), wide=False)
def test_every_list_is_the_same_in_whatever_pieces_it_comes(
    before: dict[str, Any], objects: list[Any], after: dict[str, Any], cuts: list[int], wide: bool
) -> None:
    body = {**before, "items": objects, **{key: value for key, value in after.items() if key not in before}}
    data = json.dumps(body, indent=3 if wide else None, ensure_ascii=wide).encode()
    fed_items, items = fed(data, cuts)
    assert [json.loads(item) for item in fed_items] == objects
    assert json.loads(items.rest) == {**body, "items": []}
    assert items.count == len(objects)


@given(st.lists(OBJECTS, max_size=4), st.integers(0, 10_000), st.binary(min_size=1, max_size=3), st.integers(0, 200))
def test_changed_bytes_are_another_list_or_no_list_but_nothing_else(
    objects: list[Any], position: int, other: bytes, cut: int
) -> None:
    """What was cut out is judged by whoever decodes it: together they accept no more than a parser of the whole."""
    data = json.dumps({"kind": "L", "items": objects}).encode()
    position %= len(data)
    data = data[:position] + other + data[position + len(other) :]
    try:
        fed_items, items = fed(data, [cut])
        parts = [json.loads(item) for item in fed_items]
        rest = json.loads(items.rest)
    except ValueError:
        return
    if rest.get("items") == []:
        whole = json.loads(data)
        assert whole == {**rest, "items": parts}


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b'{"items":[{"a":1},', "ends within its list"),
        (b'{"items":[{"a":1} {"a":2}]}', "item 1 of the list is no object"),
        (b'{"items":[1,2]}', "item 0 of the list is no object"),
        (b'{"items":[{},,{}]}', "ends within its list"),
        (b'{"items":[{},]}', "ends within its list"),
        (b'["items"]', "ends within its list"),
        (b'{"kind":"x"}', "ends within its list"),
        (b"", "ends within its list"),
    ],
)
def test_what_is_no_list_is_said_to_be_none(data: bytes, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        _ = fed(data, [])[1].rest


def test_blanks_are_not_kept_and_a_head_without_end_is_given_up() -> None:
    items = ListItems()
    items.feed(b'{"items":[')
    for _ in range(100):
        assert items.feed(b" " * 100_000) == []
    assert items.held < 100
    endless = ListItems()
    endless.feed(b"x" * HEAD_BYTES)
    with pytest.raises(ValueError, match="no list of items"):
        endless.feed(b"x")
    tail = ListItems()
    tail.feed(b'{"items":[]')
    tail.feed(b"x" * HEAD_BYTES)
    with pytest.raises(ValueError, match="has no end"):
        tail.feed(b"x")


def test_an_item_deeper_than_any_object_is_no_item() -> None:
    items = ListItems()
    items.feed(b'{"items":[' + b'{"a":' * 100 + b"1" + b"}" * 100 + b"]}")
    with pytest.raises(ValueError, match="ends within its list"):
        _ = items.rest
