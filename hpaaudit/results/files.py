"""Finds the Parquet files of a recording's tables, as far as they can be read."""

from collections.abc import Iterator
from glob import glob

import pyarrow as pa
from pyarrow import parquet


def readable(pattern: str) -> tuple[str, ...]:
    """The files of one table, segment by segment, up to the first that is damaged.

    What was replayed was checked, so a damaged file lies behind it: `--until` ends before its segment.
    """
    return tuple(_sound(sorted(glob(pattern))))  # noqa: PTH207 (the pattern is absolute)


def _sound(paths: list[str]) -> Iterator[str]:
    for path in paths:
        try:
            parquet.read_metadata(path)
        except (OSError, pa.ArrowInvalid):
            return
        yield path
