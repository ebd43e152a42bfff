"""Checks rows against the types and ranges of their columns, before anything of them is kept."""

import re
from collections.abc import Iterable
from typing import Annotated, Any

import msgspec

from hpaaudit.api.canonical import levels
from hpaaudit.model.facts import Fact, Refused
from hpaaudit.model.units import Micros
from hpaaudit.recording.columns import Column
from hpaaudit.recording.rows import Row
from hpaaudit.recording.schema import TABLES

TEXT_CHARS = 4 << 20
"""No text is longer: etcd keeps objects of 1.5 MB unless told otherwise."""
JSON_LEVELS = 64
"""No JSON is nested deeper: nothing of Kubernetes is, and a reader's recursion ends somewhere."""
REASON_CHARS = 500
NAME_CHARS = 253
"""The longest name of Kubernetes."""

_TYPES: dict[str, Any] = {
    "int64": Annotated[int, msgspec.Meta(ge=-(2**63), le=2**63 - 1)],
    "string": Annotated[str, msgspec.Meta(max_length=TEXT_CHARS)],
    "bool": bool,
}


_SURROGATE = re.compile("[\ud800-\udfff]")


def _type(column: Column) -> Any:
    kind = _TYPES[column.type]
    return kind | None if column.nullable else kind


# Through MessagePack: 0.6 µs a row, a tenth of what `msgspec.convert` takes, and it sees lone surrogates.
_encode = msgspec.msgpack.Encoder().encode
_decoders = {
    name: msgspec.msgpack.Decoder(tuple[tuple(_type(column) for column in table.columns)])  # type: ignore[misc]
    for name, table in TABLES.items()
}
_json = {  # columns of JSON
    name: tuple(index for index, column in enumerate(table.columns) if column.name.endswith("_json"))
    for name, table in TABLES.items()
}


def problem_of(rows: Iterable[tuple[str, Row]]) -> tuple[str, str]:
    """The first table whose row breaks an invariant of format 1, and how; two empty texts where all hold."""
    for table, row in rows:
        try:
            _decoders[table].decode(_encode(row))
        except (msgspec.ValidationError, UnicodeEncodeError, OverflowError, TypeError) as problem:
            return table, _told(table, problem)
        for index in _json[table]:
            text = row[index]
            if text is not None and levels(text) > JSON_LEVELS:
                return table, f"{TABLES[table].columns[index].name} is nested deeper than {JSON_LEVELS} levels"
    return "", ""


def _told(table: str, problem: Exception) -> str:
    """The problem with the name of its column instead of its place."""
    if isinstance(problem, UnicodeEncodeError):
        return "a text holds half of a character (a lone surrogate)"
    if isinstance(problem, OverflowError):
        return "a number does not fit into 64 bits"
    columns = TABLES[table].columns
    return re.sub(r"`\$\[(\d+)\]`", lambda match: columns[int(match[1])].name, str(problem))


def refused(at_us: Micros, fact: Fact, table: str, problem: str) -> Refused:
    """What is kept instead of a fact whose row of `table` breaks an invariant: whose it was, and why."""
    path = getattr(fact, "path", None)
    thing = next((found for name in ("pod", "target") if (found := getattr(fact, name, None)) is not None), fact)
    return Refused(
        at_us=at_us,
        path=path if isinstance(path, str) and sound(path) else table,
        namespace=_name(thing, "namespace"),
        name=_name(thing, "name"),
        uid=_name(thing, "uid") or _name(fact, "uid"),
        reason=f"{type(fact).__name__}: {problem}"[:REASON_CHARS],
        object_json="{}",
        bytes=0,
        count=1,
    )


def _name(thing: object, field: str) -> str:
    found = getattr(thing, field, "")
    return found[:NAME_CHARS] if isinstance(found, str) and sound(found) else ""


def sound(text: str) -> bool:
    """Whether a text can be kept: of bounded length, and without half characters."""
    return len(text) <= TEXT_CHARS and (text.isascii() or not _SURROGATE.search(text))
