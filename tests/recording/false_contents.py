"""Makes recordings with false contents: every hash is right, and what the files say is wrong."""

import io
import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from hpaaudit.recording.files import layout
from hpaaudit.recording.format import manifest

Body = dict[str, Any]


def tables_of(folder: Path) -> list[tuple[int, str]]:
    """Every table file of a recording: number of its segment, and its table."""
    ordered = sorted((folder / layout.SEGMENTS).glob("*/*.parquet"))
    return [(int(path.parent.name), path.stem) for path in ordered]


def rows_of(folder: Path, number: int, table: str) -> pa.Table:
    """What a table's file holds, texts as they are."""
    return pq.read_table(path_of(folder, number, table), use_threads=False)


def path_of(folder: Path, number: int, table: str) -> Path:
    """The file of a table."""
    return folder / layout.segment_name(number) / f"{table}.parquet"


def parquet(rows: pa.Table, **how: Any) -> bytes:
    """Rows as a Parquet file, written by whoever lies."""
    file = io.BytesIO()
    pq.write_table(rows, file, **{"compression": "zstd", "row_group_size": max(rows.num_rows, 1), **how})
    return file.getvalue()


def tell(
    folder: Path,
    files: Mapping[tuple[int, str], bytes],
    rows: Mapping[tuple[int, str], int] | None = None,
    change: Callable[[str, Body], Body] = lambda _, body: body,
) -> None:
    """Puts files in the place of tables, and makes every document right again that leads to them.

    rows     that the manifest says of them, where that is not what they hold
    change   is given each document by its name, and says what it says instead
    """
    head = json.loads((folder / layout.RECORDING).read_bytes())
    previous = _publish(folder, layout.RECORDING, change(layout.RECORDING, head))
    parts = sorted(path for path in (folder / layout.SEGMENTS).iterdir() if path.name.isdecimal())
    first_seq = 0
    for part in parts:
        body = json.loads((part / layout.MANIFEST).read_bytes())
        for (number, table), data in files.items():
            if number == body["number"]:
                (part / f"{table}.parquet").write_bytes(data)
                count = (rows or {}).get((number, table))
                if count is None:
                    count = pq.read_metadata(io.BytesIO(data)).num_rows
                body["tables"][table] = {"rows": count, "bytes": len(data), "sha256": manifest.sha256_of(data)}
        body["first_seq"] = first_seq
        body["facts"] = sum(one["rows"] for table, one in body["tables"].items() if table not in manifest.PARTS)
        first_seq += body["facts"]
        name = f"{layout.SEGMENTS}/{part.name}/{layout.MANIFEST}"
        previous = _publish(folder, name, change(name, body | {"previous": previous}))
    if (folder / layout.END).exists():
        end = {"segments": len(parts), "facts": first_seq, "previous": previous}
        _publish(folder, layout.END, change(layout.END, end))


def _publish(folder: Path, name: str, body: Body) -> str:
    data, sha256 = manifest.render({key: value for key, value in body.items() if key != manifest.HASH})
    (folder / name).write_bytes(data)
    return sha256


NUMBERS = (-(2**63), 2**63 - 1, -1, 0, 10**15, 253_402_300_800_000_000, -62_135_596_800_000_001, 2**31, 2**53)
TEXTS = (
    "", "x", "{", "[]", "null", "1", '"x"', "{}", '{"a":{}}', '{"a":null}', '{"metrics":5}', '{"conditions":[1]}',
    "[" * 5000 + "]" * 5000, '{"a":' * 500 + "1" + "}" * 500, '{"a":"\\ud800"}', '{"maxReplicas":1e999}',
    '{"maxReplicas":99999999999999999999}', '{"behavior":{"scaleUp":{"policies":[{"value":-1}]}}}',
    '{"scaleTargetRef":[]}', '{"scaleTargetRef":{"kind":5}}', '{"metrics":[{"type":"Resource"}]}',
    '{"metrics":[{"type":[]}]}', '{"currentMetrics":[null]}', '{"a":1}', '[["a","b"]]', '[["a",1]]',
    '[{"name":"a","requests_milli":{"cpu":"x"}}]', "a" * 300_000, "a\0b", "\u202e", "\x1b[31m", "é" * 10,
    "../../etc/passwd", "*", "a/b",
)  # fmt: skip


def lies(column: pa.ChunkedArray) -> list[tuple[str, pa.Array]]:
    """A column with other values, each lie by its name: in every row, in the first and in the last."""
    values = column.to_pylist()
    count = len(values)
    lies_of: list[tuple[str, pa.Array]] = [("NULL", pa.nulls(count, column.type))]

    def add_lie(name: str, value: Any) -> None:
        lies_of.append((f"all {name}", pa.array([value] * count, column.type)))
        if count > 1:
            lies_of.append((f"first {name}", pa.array([value, *values[1:]], column.type)))
            lies_of.append((f"last {name}", pa.array([*values[:-1], value], column.type)))

    if pa.types.is_integer(column.type):
        for number in NUMBERS:
            add_lie(str(number), number)
        lies_of.append(("reversed", pa.array(values[::-1], column.type)))
    elif pa.types.is_boolean(column.type):
        add_lie("true", True)  # noqa: FBT003 a value
        add_lie("false", False)  # noqa: FBT003 a value
    else:
        for index, text in enumerate(TEXTS):
            add_lie(f"text {index} {text[:20]!r}", text)
    text = [None if value is None else str(value) for value in values]
    no_utf8 = [None if item is None else item.encode() + b"\xed\xa0\x80" for item in text]
    lies_of += [
        ("as text", pa.array(text, pa.string())),
        ("as bytes", pa.array(no_utf8, pa.binary())),
        ("as floats", pa.array([0.5] * count, pa.float64())),
        ("as lists", pa.array([[1, 2]] * count, pa.list_(pa.int64()))),
        ("as structs", pa.array([{"a": 1}] * count)),
        ("as times", pa.array([1] * count, pa.timestamp("us"))),
        ("as int32", pa.array([1] * count, pa.int32())),
    ]  # fmt: skip
    return lies_of


def replaced(rows: pa.Table, name: str, column: pa.Array) -> pa.Table:
    """A table with another column in the place of one."""
    return rows.set_column(rows.schema.get_field_index(name), name, column)
