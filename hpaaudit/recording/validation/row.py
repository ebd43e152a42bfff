"""Checks rows before they are written: refuses what a reader of this format would refuse."""

from collections.abc import Iterable
from typing import Annotated, Any, Literal

import msgspec

from hpaaudit.api.canonical import levels
from hpaaudit.model.facts import Fact, Refused
from hpaaudit.model.units import Micros
from hpaaudit.recording.format.column_types import Column, Row, Table
from hpaaudit.recording.format.reader_limits import JSON_DEPTH
from hpaaudit.recording.format.schema import TABLES
from hpaaudit.recording.validation.check_rows import WORDS, is_text, range_of, required_columns, row_problem
from hpaaudit.recording.validation.json_shape import KINDS, has_shape

TEXT_CHARS = 4 << 20
"""Longest text. etcd stores objects of 1.5 MB at most by default."""
REASON_CHARS = 500
NAME_CHARS = 253
"""Longest name in Kubernetes."""


def _type(table: Table, column: Column) -> Any:
    """The msgspec type of a column. Its JSON is checked apart."""
    kind: Any = bool
    if column.type == "int64":
        low, high = range_of(column)
        kind = Annotated[int, msgspec.Meta(ge=low, le=high)]
    elif column.type == "string":
        words = WORDS.get((table.name, column.name))
        kind = Literal[words] if words else Annotated[str, msgspec.Meta(max_length=TEXT_CHARS)]
    return kind | None if column.nullable else kind


# By way of MessagePack: 0.6 µs a row, a tenth of what `msgspec.convert` takes, and it detects lone surrogates.
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
        if column.name in required_columns(table, [other.name for other in table.columns])
    )
    for name, table in TABLES.items()
}


def first_problem(rows: Iterable[tuple[str, Row]]) -> tuple[str, str]:
    """The first table whose row the format cannot hold, and why, as a predicate. Two empty texts if it can hold all."""
    for table, row in rows:
        if not _is_valid(table, row):
            return table, row_problem(TABLES[table], row) or "has a text or JSON that is too long or too deep"
    return "", ""


def _is_valid(table: str, row: Row) -> bool:
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
    """What is recorded instead of a fact that the format cannot hold: which object it was about, and why not."""
    path = getattr(fact, "path", None)
    parts = (getattr(fact, name, None) for name in ("pod", "target"))
    described = next((part for part in parts if part is not None), fact)
    return Refused(
        at_us=at_us,
        path=path if isinstance(path, str) and is_text(path, TEXT_CHARS) else table,
        namespace=_name(described, "namespace"),
        name=_name(described, "name"),
        uid=_name(described, "uid") or _name(fact, "uid"),
        reason=f"{type(fact).__name__} {problem} ({table})"[:REASON_CHARS],
        object_json="{}",
        bytes=0,
        count=1,
    )


def _name(described: object, field: str) -> str:
    name = getattr(described, field, "")
    return name[:NAME_CHARS] if isinstance(name, str) and is_text(name, TEXT_CHARS) else ""
