"""Checks rows before anything of them is kept: what a reader of this format would refuse is refused here."""

from collections.abc import Iterable
from typing import Annotated, Any, Literal

import msgspec

from hpaaudit.api.canonical import levels
from hpaaudit.model.facts import Fact, Refused
from hpaaudit.model.units import Micros
from hpaaudit.recording.format.columns import Column, Row, Table
from hpaaudit.recording.format.reader_limits import JSON_DEPTH
from hpaaudit.recording.format.schema import TABLES
from hpaaudit.recording.validation.json_shape import KINDS, has_shape
from hpaaudit.recording.validation.table import WORDS, is_text, range_of, required_columns, row_problem

TEXT_CHARS = 4 << 20
"""No text is longer: etcd keeps objects of 1.5 MB unless told otherwise."""
REASON_CHARS = 500
NAME_CHARS = 253
"""The longest name of Kubernetes."""


def _type(table: Table, column: Column) -> Any:
    """The values that a column may hold; its JSON is looked at apart."""
    kind: Any = bool
    if column.type == "int64":
        low, high = range_of(column)
        kind = Annotated[int, msgspec.Meta(ge=low, le=high)]
    elif column.type == "string":
        words = WORDS.get((table.name, column.name))
        kind = Literal[words] if words else Annotated[str, msgspec.Meta(max_length=TEXT_CHARS)]
    return kind | None if column.nullable else kind


# Through MessagePack: 0.6 µs a row, a tenth of what `msgspec.convert` takes, and it sees lone surrogates.
_encode = msgspec.msgpack.Encoder().encode
_decoders = {
    name: msgspec.msgpack.Decoder(tuple[tuple(_type(table, column) for column in table.columns)])  # type: ignore[misc]
    for name, table in TABLES.items()
}
_json = {
    name: tuple(index for index, column in enumerate(table.columns) if column.name.endswith("_json"))
    for name, table in TABLES.items()
}
_gone = {
    name: next((index for index, column in enumerate(table.columns) if column.name == "gone"), None)
    for name, table in TABLES.items()
}
_needed = {
    name: tuple(
        index
        for index, column in enumerate(table.columns)
        if column.name in required_columns(table, [one.name for one in table.columns])
    )
    for name, table in TABLES.items()
}


def first_problem(rows: Iterable[tuple[str, Row]]) -> tuple[str, str]:
    """The first table whose row this format cannot hold, and why as a predicate; two empty texts where all hold."""
    for table, row in rows:
        if not _holds(table, row):
            return table, row_problem(TABLES[table], row) or "has a text or JSON that is too long or too deep"
    return "", ""


def _holds(table: str, row: Row) -> bool:
    try:
        _decoders[table].decode(_encode(row))
    except (msgspec.ValidationError, UnicodeEncodeError, OverflowError, TypeError):
        return False
    for index in _json[table]:
        text = row[index]
        if text is not None and not _is_json(table, index, text):
            return False
    gone = _gone[table]
    return gone is None or row[gone] or all(row[index] is not None for index in _needed[table])


def _is_json(table: str, index: int, text: str) -> bool:
    kind = KINDS.get((table, TABLES[table].columns[index].name))
    if kind is not None:
        return has_shape(text, kind)
    return levels(text) <= JSON_DEPTH


def refused_fact(at_us: Micros, fact: Fact, table: str, problem: str) -> Refused:
    """What is kept instead of a fact whose row of `table` breaks an invariant: whose it was, and why."""
    path = getattr(fact, "path", None)
    thing = next((found for name in ("pod", "target") if (found := getattr(fact, name, None)) is not None), fact)
    return Refused(
        at_us=at_us,
        path=path if isinstance(path, str) and is_text(path, TEXT_CHARS) else table,
        namespace=_name(thing, "namespace"),
        name=_name(thing, "name"),
        uid=_name(thing, "uid") or _name(fact, "uid"),
        reason=f"{type(fact).__name__} {problem} ({table})"[:REASON_CHARS],
        object_json="{}",
        bytes=0,
        count=1,
    )


def _name(thing: object, field: str) -> str:
    found = getattr(thing, field, "")
    return found[:NAME_CHARS] if isinstance(found, str) and is_text(found, TEXT_CHARS) else ""
