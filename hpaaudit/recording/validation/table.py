"""Says what in a table's rows no writer of this format writes: NULLs, numbers, words, order and JSON."""

from collections.abc import Iterable, Sequence
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from hpaaudit.model.units import LAST_US, YEAR_1_US, YEAR_10000_US
from hpaaudit.recording.format.columns import Column, Table
from hpaaudit.recording.format.schema import TABLES, US
from hpaaudit.recording.validation.json_shape import KINDS, all_have_shape, has_shape

MAX_INT64 = 2**63 - 1
LONGEST_US = MAX_INT64 // 1000
"""Go's durations are nanoseconds in 64 bits."""

SEEN = ("at_us", "until_us", "began_us")
"""Times of the recorder's own clock, which are never before 1970 nor far in the future."""

COUNTED = ("seq", "occurrence", "place", "container_idx", "items")
"""What is never negative."""

WORDS = {
    ("controllers", "state"): ("started", "stopped", "declared"),
    ("reads", "kind"): ("scale", "resource", "values"),
}
"""Texts that are one of a few."""

TYPES: dict[str, type[Any]] = {"int64": int, "string": str, "bool": bool}

UNKNOWN = {
    "hpas": ("created_us",),
    "pods": ("deleting_us", "start_us", "ready_transition_us", "pod_requests_json", "created_us"),
    "targets": ("written_us",),
    "samples": ("place", "timestamp_us", "container_idx", "container", "cpu_milli", "memory_bytes", "usage_json"),
    "metric_values": ("place", "timestamp_us", "window_us"),
    "scaled_objects": ("min_replicas", "max_replicas", "idle_replicas", "fallback_replicas"),
}
"""Columns that may be NULL in a row that is no end, for that is unknown or not there."""


def table_problem(
    table: Table, rows: pa.Table, first_seq: int, facts: int, span: tuple[int, int] = (0, LAST_US)
) -> str:
    """Say as a predicate what is wrong with some columns of a table; empty where nothing is.

    rows              in the order of the file, at least one
    first_seq, facts  of the segment: every row is of one of its facts
    span              from its first to its last `at_us`
    """
    try:
        rows.validate(full=True)  # texts are UTF-8, so without lone surrogates
    except pa.ArrowInvalid as error:
        return f"holds what is no text or no number ({' '.join(str(error).split())[:200]})"
    named = {column.name: column for column in table.columns}
    try:
        for name in rows.column_names:
            problem = _column(table.name, named[name], rows.column(name))
            if problem:
                return f"has {problem} in its column {name}"
        if "at_us" in rows.column_names:
            seen = pc.min_max(rows.column("at_us")).as_py()
            if seen["min"] < span[0] or seen["max"] > span[1]:
                return "has facts that were seen at other times than its manifest says"
        return _rows(table, rows, first_seq, facts)
    except pa.ArrowException as error:
        return f"has columns that cannot be compared ({' '.join(str(error).split())[:200]})"


def row_problem(table: Table, row: Sequence[Any]) -> str:
    """Say as a predicate what in one row, in the order of the table's columns, this format cannot hold."""
    for column, value in zip(table.columns, row, strict=True):
        problem = _value(table.name, column, value)
        if problem:
            return f"has {problem} as its {column.name}"
    gone = dict(zip((column.name for column in table.columns), row, strict=True))
    if "gone" in gone and not gone["gone"]:
        for name in required_columns(table, gone):
            if gone[name] is None:
                return f"has no {name}"
    return ""


def _value(table: str, column: Column, value: Any) -> str:
    """What is wrong with one value."""
    if value is None:
        return "" if column.nullable else "nothing"
    if type(value) is not TYPES[column.type]:
        return f"a value of type {type(value).__name__}"
    if column.type == "int64":
        low, high = range_of(column)
        return "" if low <= value <= high else f"a number beyond {low} to {high}"
    return _text(table, column.name, value) if column.type == "string" else ""


def _text(table: str, name: str, value: str) -> str:
    """What is wrong with one text."""
    if not is_text(value):
        return "a text with half a character"
    words = WORDS.get((table, name))
    if words is not None and value not in words:
        return f"a word that is none of {', '.join(words)}"
    kind = KINDS.get((table, name))
    return "" if kind is None or has_shape(value, kind) else "JSON of another shape"


def is_text(value: str, most: int = MAX_INT64) -> bool:
    """Whether a text is of at most so many characters, and without half ones (lone surrogates)."""
    if value.isascii():
        return len(value) <= most
    try:
        value.encode()
    except UnicodeEncodeError:
        return False
    return len(value) <= most


def _column(table: str, column: Column, values: pa.ChunkedArray) -> str:
    """What is wrong with a column by itself."""
    if values.null_count and not column.nullable:
        return f"{values.null_count} NULLs"
    if column.type == "int64":
        least = pc.min_max(values).as_py()
        low, high = range_of(column)
        if least["min"] is not None and not (low <= least["min"] and least["max"] <= high):
            return f"a number beyond {low} to {high}"
    elif column.type == "string":
        allowed = WORDS.get((table, column.name))
        if allowed is not None and not all(set(words.to_pylist()) <= set(allowed) for words in _distinct(values)):
            return f"a word that is none of {', '.join(allowed)}"
        kind = KINDS.get((table, column.name))
        if kind is not None:
            return next(("JSON of another shape" for words in _distinct(values) if not all_have_shape(words, kind)), "")
    return ""


def range_of(column: Column) -> tuple[int, int]:
    """The least and the greatest value of a column of numbers."""
    if column.unit == US:
        return (0, LAST_US) if column.name in SEEN else (YEAR_1_US, YEAR_10000_US - 1)
    if column.name in COUNTED:
        return 0, LONGEST_US
    if column.unit == "µs":
        return -LONGEST_US, LONGEST_US
    if column.name == "memory_bytes":  # it is counted in thousandths, like every quantity
        return -LONGEST_US, LONGEST_US
    return -MAX_INT64 - 1, MAX_INT64


def _distinct(values: pa.ChunkedArray) -> Iterable[pa.Array]:
    """The texts of a column, each about once; its chunks mostly share their words."""
    before = None
    for chunk in values.chunks:
        words = chunk.dictionary if pa.types.is_dictionary(chunk.type) else chunk
        if before is None or not words.equals(before):
            before = words
            yield words.drop_null()


def _rows(table: Table, rows: pa.Table, first_seq: int, facts: int) -> str:
    """What is wrong between the columns of a row, or between rows."""
    names = set(rows.column_names)
    if "seq" in names:
        seq = rows.column("seq")
        least = pc.min_max(seq).as_py()
        if least["min"] < first_seq or least["max"] >= first_seq + facts:
            return f"has rows of other facts than {first_seq} to {first_seq + facts - 1}"
        if not table.sort and not _rises(seq):
            return "has rows that are not in the order of their facts"
        if table.name == "reads" and names.issuperset(table.sort) and not _stands_together(rows, table.sort):
            return "has reads of one stream that do not stand together in their order"
    if "gone" in names:
        gone = rows.column("gone")
        for name in required_columns(table, names):
            column = rows.column(name)
            if column.null_count and not pc.all(pc.or_(gone, pc.is_valid(column))).as_py():
                return f"has no {name} where it is not gone"
    if {"kind", "resource_version"} <= names and table.name == "reads":
        scales = rows.filter(pc.equal(rows.column("kind"), "scale"))
        if scales.column("resource_version").null_count:
            return "has no resource_version of a scale"
    return ""


def required_columns(table: Table, names: Iterable[str]) -> list[str]:
    """The columns, of those with these names, that only an end leaves out."""
    unknown, asked = UNKNOWN.get(table.name, ()), set(names)
    return [one.name for one in table.columns if one.nullable and one.name not in unknown and one.name in asked]


def _rises(values: pa.ChunkedArray) -> bool:
    """Whether each number is greater than the one before."""
    return len(values) < 2 or bool(pc.all(pc.greater(values[1:], values[:-1])).as_py())  # noqa: PLR2004 the first has none


def _stands_together(rows: pa.Table, names: Sequence[str]) -> bool:
    """Whether rows that agree in some columns stand one after the other, by their `seq`."""
    count = rows.num_rows
    same = None
    keys = {}
    for name in names:
        column = rows.column(name)
        column = column if pa.types.is_dictionary(column.type) else column.dictionary_encode()
        codes = column.unify_dictionaries().combine_chunks().indices
        keys[name] = codes
        equal = pc.equal(codes[1:], codes[:-1])
        same = equal if same is None else pc.and_(same, equal)
    if same is None or count < 2:  # noqa: PLR2004 one row stands alone
        return True
    seq = rows.column("seq")
    risen = pc.greater(seq[1:], seq[:-1]).combine_chunks()
    if not pc.all(pc.or_(pc.invert(same), risen)).as_py():
        return False
    streams = 1 + pc.sum(pc.invert(same)).as_py()
    distinct = pa.table(keys).group_by(list(keys)).aggregate([]).num_rows
    return bool(streams == distinct)


def numbering_problem(columns: Iterable[pa.ChunkedArray], first_seq: int, facts: int) -> str:
    """Say as a predicate why the `seq` of all facts of a segment do not number them; empty where they do."""
    chunks = [chunk for column in columns for chunk in column.chunks]
    every = pa.chunked_array(chunks, pa.int64())
    least = pc.min_max(every).as_py()
    whole = len(every) == facts == pc.count_distinct(every).as_py()
    if not whole or (least["min"], least["max"]) != (first_seq, first_seq + facts - 1):
        return f"does not number its facts from {first_seq} to {first_seq + facts - 1}, each once"
    return ""


assert set(UNKNOWN) <= set(TABLES)  # noqa: S101 a table that is renamed here and not there would be checked less
