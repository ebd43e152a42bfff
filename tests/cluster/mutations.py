"""Draws objects and answers that differ from those of an API server by one value, then by some bytes."""

import json
from collections.abc import Callable, Iterator
from typing import Any

from hypothesis import strategies as st

Draw = Callable[[st.SearchStrategy[Any]], Any]
Way = tuple[str | int, ...]
REMOVED = object()


def deep(levels: int) -> Any:
    """An array in an array, so often."""
    nested: list[Any] = []
    for _ in range(levels):
        nested = [nested]
    return nested


NUMBERS = [0, 1, -1, 2**31 - 1, 2**31, -(2**31) - 1, 2**53 + 1, 2**63 - 1, 2**63, 2**64, -(2**63) - 1, 10**30, 10**400]
FLOATS = [0.5, -0.0, 1e300, -1e300, 1e-300, 3.0]
TEXTS = [
    *("", " ", "0", "-1", "true", "null", "²", "\u0661", "x" * 300, "x" * 70_000, "\0", "\u202e", "a/b", "../.."),
    *("%2e", "a\r\nb"),
    *("1e9999999", "1" + "0" * 30, "9" * 5000, "NaN", "-0.000000001n", "100E", "1Ki", "5m", "..", "+", "1e", "0x10"),
    *("0000-01-01T00:00:00Z", "0001-01-01T00:00:00Z", "9999-12-31T23:59:60Z", "2026-02-30T00:00:00Z"),
    *("0001-01-01T00:00:00+23:59", "9999-12-31T23:59:59-23:59", "2026-03-02T12:00:00.123456789+14:00", "yesterday"),
    *("2026-03-02T12:00:00+99:99", "99999h", "-15s", "1h1h1h", "99999999999999999999s"),
    *("app=web,app in (a,b)", "!", "=,"),
    *('[{"type":"Resource"}]', '{"ScaleUp":5}', "[1]", '"\\ud800"', "[" * 200 + "]" * 200, "apps/v1"),
]  # fmt: skip
VALUES = [
    REMOVED,
    *(None, True, False),
    *(*NUMBERS, *FLOATS, *TEXTS),
    *([], [None], [5], ["x"], [[]], [{}], {}, {"": ""}, {"a": None}, {"a": 5}, {"name": 5}, {"name": None}),
    *({"x" * 1000: "y"}, ["x"] * 300, {str(index): index for index in range(300)}, deep(30), deep(70), deep(500)),
]
"""Every JSON type, and its extremes."""
FRAGMENTS = [
    *(b"null", b"true", b"1e999", b"-", b"NaN", b'"\\ud800"', b"\\u0000", b"\xff", b"\xed\xa0\x80", b"\x00"),
    *(b"}", b"]"),
    *(b'"', b",", b":", b"{}", b"[[[[", b'{"type":"ADDED"}', b"\n", b" " * 50, b"\\", b"9" * 400, b'"metadata":null,'),
]  # fmt: skip


def ways(value: Any, before: Way = ()) -> Iterator[Way]:
    """The ways to every value within a JSON document, itself included."""
    yield before
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from ways(inner, (*before, key))
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            yield from ways(inner, (*before, index))


def changed(value: Any, way: Way, to: Any) -> Any:
    """The document with another value at the end of a way, or without it."""
    if not way:
        return {} if to is REMOVED else to
    step, *rest = way
    copied = dict(value) if isinstance(value, dict) else list(value)
    if not rest and to is REMOVED:
        del copied[step]
    else:
        copied[step] = changed(value[step], tuple(rest), to)
    return copied


@st.composite
def documents(draw: Draw, sound: Any, *, whole: bool = False) -> bytes:
    """The JSON of a document in which one value is another, now and then two; unless it is `whole` some bytes too."""
    value = sound
    for _ in range(draw(st.sampled_from([1, 1, 1, 2]))):
        way = draw(st.sampled_from(list(ways(value))))
        value = changed(value, way, draw(st.sampled_from(VALUES)))
    data = json.dumps(value).encode()
    return draw(torn(data)) if not whole and draw(st.integers(0, 3)) == 0 else data


@st.composite
def torn(draw: Draw, data: bytes) -> bytes:
    """The same with a few bytes changed, inserted, doubled or cut off."""
    for _ in range(draw(st.integers(1, 3))):
        position = draw(st.integers(0, len(data)))
        match draw(st.sampled_from(["change", "insert", "remove", "cut", "double"])):
            case "change":
                data = data[:position] + draw(st.binary(min_size=1, max_size=2)) + data[position + 1 :]
            case "insert":
                data = data[:position] + draw(st.sampled_from(FRAGMENTS)) + data[position:]
            case "remove":
                data = data[:position] + data[position + draw(st.integers(1, 20)) :]
            case "cut":
                data = data[:position]
            case "double":
                end = position + draw(st.integers(1, 60))
                data = data[:end] + data[position:end] + data[end:]
    return data
