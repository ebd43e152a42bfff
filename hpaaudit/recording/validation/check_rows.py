"""Checks the rows of a table against the format: NULLs, ranges, words, order and JSON."""

from collections.abc import Iterable, Sequence
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from hpaaudit.model.units import LAST_US, YEAR_1_US, YEAR_10000_US
from hpaaudit.recording.format.column_types import Column, Table
from hpaaudit.recording.format.schema import TABLES, US
from hpaaudit.recording.validation.json_shape import KINDS, all_have_shape, has_shape

MAX_INT64 = 2**63 - 1
LONGEST_US = MAX_INT64 // 1000
"""Go's durations are nanoseconds in 64 bits."""

RECORDER_TIMES = ("at_us", "until_us", "began_us")
"""Times of the recorder's own clock: never before 1970, nor far in the future."""

COUNTS = ("seq", "occurrence", "place", "container_idx", "items")
"""Columns that are never negative."""

WORDS = {
    ("controllers", "state"): ("started", "stopped", "declared"),
    ("reads", "kind"): ("scale", "resource", "values"),
}
"""Columns that have a closed set of words."""

TYPES: dict[str, type[Any]] = {"int64": int, "string": str, "bool": bool}

NULLABLE_IF_PRESENT = {
    "hpas": ("created_us", "labels_json"),
    "pods": ("deleting_us", "start_us", "ready_transition_us", "pod_requests_json", "created_us"),
    "targets": ("written_us",),
    "samples": ("place", "timestamp_us", "container_idx", "container", "cpu_milli", "memory_bytes", "usage_json"),
    "metric_values": ("place", "timestamp_us", "window_us"),
    "scaled_objects": ("min_replicas", "max_replicas", "idle_replicas", "fallback_replicas"),
}
"""Columns that may be NULL although the object exists: the value is unknown, or not set."""


def table_problem(
    table: Table, rows: pa.Table, first_seq: int, facts: int, span: tuple[int, int] = (0, LAST_US)
) -> str:
    """What is wrong with some columns of a table, as a predicate. Empty if nothing is.

    rows              in the order of the file, at least one
    first_seq, facts  of the segment: each row must belong to one of its facts
    span              from the first to the last `at_us` of the segment
    """
    try:
        rows.validate(full=True)  # texts are UTF-8, so without lone surrogates
    except pa.ArrowInvalid as error:
        return f"has a value that is neither text nor a number ({' '.join(str(error).split())[:200]})"
    columns = {column.name: column for column in table.columns}
    try:
        for name in rows.column_names:
            problem = _column(table.name, columns[name], rows.column(name))
            if problem:
                return f"has {problem} in its column {name}"
        if "at_us" in rows.column_names:
            times = pc.min_max(rows.column("at_us")).as_py()
            if times["min"] < span[0] or times["max"] > span[1]:
                return "has facts that were seen at other times than its manifest says"
        return _rows(table, rows, first_seq, facts)
    except pa.ArrowException as error:
        return f"has columns that cannot be compared ({' '.join(str(error).split())[:200]})"


def row_problem(table: Table, row: Sequence[Any]) -> str:
    """What in one row the format cannot hold, as a predicate. Empty if it can hold all."""
    for column, value in zip(table.columns, row, strict=True):
        problem = _value(table.name, column, value)
        if problem:
            return f"has {problem} as its {column.name}"
    values = dict(zip((column.name for column in table.columns), row, strict=True))
    if "gone" in values and not values["gone"]:
        for name in required_columns(table, values):
            if values[name] is None:
                return f"has no {name}"
    return ""


def _value(table: str, column: Column, value: Any) -> str:
    """What is wrong with one value. Empty if nothing is."""
    if value is None:
        return "" if column.nullable else "nothing"
    if type(value) is not TYPES[column.type]:
        return f"a value of type {type(value).__name__}"
    if column.type == "int64":
        low, high = range_of(column)
        return "" if low <= value <= high else f"a number beyond {low} to {high}"
    return _text(table, column.name, value) if column.type == "string" else ""


def _text(table: str, name: str, value: str) -> str:
    """What is wrong with one text. Empty if nothing is."""
    if not is_text(value):
        return "a text with half a character"
    words = WORDS.get((table, name))
    if words is not None and value not in words:
        return f"a word other than {', '.join(words)}"
    kind = KINDS.get((table, name))
    return "" if kind is None or has_shape(value, kind) else "JSON of another shape"


def is_text(value: str, max_chars: int = MAX_INT64) -> bool:
    """True if a text has at most `max_chars` characters, and no lone surrogates."""
    if value.isascii():
        return len(value) <= max_chars
    try:
        value.encode()
    except UnicodeEncodeError:
        return False
    return len(value) <= max_chars


def _column(table: str, column: Column, values: pa.ChunkedArray) -> str:
    """What is wrong with one column. Empty if nothing is."""
    if values.null_count and not column.nullable:
        return f"{values.null_count} NULLs"
    if column.type == "int64":
        extremes = pc.min_max(values).as_py()
        low, high = range_of(column)
        if extremes["min"] is not None and not (low <= extremes["min"] and extremes["max"] <= high):
            return f"a number beyond {low} to {high}"
    elif column.type == "string":
        allowed = WORDS.get((table, column.name))
        if allowed is not None and not all(set(words.to_pylist()) <= set(allowed) for words in _distinct(values)):
            return f"a word other than {', '.join(allowed)}"
        kind = KINDS.get((table, column.name))
        if kind is not None:
            return next(("JSON of another shape" for words in _distinct(values) if not all_have_shape(words, kind)), "")
    return ""


def range_of(column: Column) -> tuple[int, int]:
    """The least and the greatest value that a column of numbers may have."""
    if column.unit == US:
        return (0, LAST_US) if column.name in RECORDER_TIMES else (YEAR_1_US, YEAR_10000_US - 1)
    if column.name in COUNTS:
        return 0, LONGEST_US
    if column.unit == "µs":
        return -LONGEST_US, LONGEST_US
    if column.name == "memory_bytes":  # quantities are counted in thousandths
        return -LONGEST_US, LONGEST_US
    return -MAX_INT64 - 1, MAX_INT64


def _distinct(values: pa.ChunkedArray) -> Iterable[pa.Array]:
    """The distinct texts of a column. Its chunks mostly share a dictionary, which is yielded once."""
    before = None
    for chunk in values.chunks:
        words = chunk.dictionary if pa.types.is_dictionary(chunk.type) else chunk
        if before is None or not words.equals(before):
            before = words
            yield words.drop_null()


def _rows(table: Table, rows: pa.Table, first_seq: int, facts: int) -> str:
    """What is wrong between the columns of a row, or between rows. Empty if nothing is."""
    names = set(rows.column_names)
    if "seq" in names:
        seq = rows.column("seq")
        extremes = pc.min_max(seq).as_py()
        if extremes["min"] < first_seq or extremes["max"] >= first_seq + facts:
            return f"has rows of other facts than {first_seq} to {first_seq + facts - 1}"
        if not table.sort and not _is_increasing(seq):
            return "has rows that are not in the order of their facts"
        if table.name == "reads" and names.issuperset(table.sort) and not _is_grouped(rows, table.sort):
            return "has reads of one stream that are not grouped in their order"
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
    """Those of the columns `names` that are NULL only in the row of a deleted object."""
    nullable, wanted = NULLABLE_IF_PRESENT.get(table.name, ()), set(names)
    return [
        column.name
        for column in table.columns
        if column.nullable and column.name not in nullable and column.name in wanted
    ]


def _is_increasing(values: pa.ChunkedArray) -> bool:
    """True if each number is greater than the one before."""
    return len(values) < 2 or bool(pc.all(pc.greater(values[1:], values[:-1])).as_py())  # noqa: PLR2004 one number is in order


def _is_grouped(rows: pa.Table, names: Sequence[str]) -> bool:
    """True if rows that agree in some columns follow each other, in the order of their `seq`."""
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
    if same is None or count < 2:  # noqa: PLR2004 one row is a group
        return True
    seq = rows.column("seq")
    increasing = pc.greater(seq[1:], seq[:-1]).combine_chunks()
    if not pc.all(pc.or_(pc.invert(same), increasing)).as_py():
        return False
    streams = 1 + pc.sum(pc.invert(same)).as_py()
    distinct = pa.table(keys).group_by(list(keys)).aggregate([]).num_rows
    return bool(streams == distinct)


def numbering_problem(columns: Iterable[pa.ChunkedArray], first_seq: int, facts: int) -> str:
    """Why `columns` do not number each fact of a segment once, as a predicate. Empty if they do."""
    chunks = [chunk for column in columns for chunk in column.chunks]
    seqs = pa.chunked_array(chunks, pa.int64())
    extremes = pc.min_max(seqs).as_py()
    is_complete = len(seqs) == facts == pc.count_distinct(seqs).as_py()
    if not is_complete or (extremes["min"], extremes["max"]) != (first_seq, first_seq + facts - 1):
        return f"does not number its facts from {first_seq} to {first_seq + facts - 1}, each once"
    return ""


assert set(NULLABLE_IF_PRESENT) <= set(TABLES)  # noqa: S101 a table that is renamed here and not there would be checked less
