"""Runs SQL of our own that many replays run: each text is parsed once in a process."""

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import duckdb


def run(connection: duckdb.DuckDBPyConnection, text: str, parameters: Mapping[str, Any] | None = None) -> None:
    """Runs the statements of a text in order."""
    for statement in _parsed(text):
        connection.execute(statement, parameters or None)


@lru_cache(maxsize=256)
def _parsed(text: str) -> tuple[duckdb.Statement, ...]:
    return tuple(duckdb.extract_statements(text))
