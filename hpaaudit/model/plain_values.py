"""Values of DuckDB's types as values of JSON's types, and as texts."""

import json
from collections.abc import Mapping, Sequence
from datetime import date, datetime
from decimal import Decimal
from math import isfinite
from typing import Any

_QUOTED = frozenset(b"\\'\"")


def plain(value: Any) -> Any:
    """A value in the types of JSON.

    Infinity and what is no number are None, as JSON knows neither. A decimal is a number, a time RFC 3339, a blob the
    text that SQL reads as a blob, and every other value is its text.
    """
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, float | Decimal):
        return float(value) if isfinite(value) else None
    if isinstance(value, Mapping):
        return {_key(key): plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    return text_of(value)


def text_of(value: Any) -> str:
    """A value that is no number and holds no other values, as text; a datetime is in UTC."""
    if isinstance(value, datetime):
        return value.replace(tzinfo=None).isoformat() + "Z"
    if isinstance(value, date):
        return value.isoformat()
    return blob_text(value) if isinstance(value, bytes) else str(value)


def blob_text(value: bytes) -> str:
    r"""A blob as DuckDB writes and reads it: `\xAA` for each byte that is no letter, digit or usual sign."""
    return "".join(
        chr(byte) if 0x20 <= byte < 0x7F and byte not in _QUOTED else f"\\x{byte:02X}"  # noqa: PLR2004 ASCII's signs
        for byte in value
    )


def distinct(names: Sequence[str]) -> list[str]:
    """Names of columns as keys: of several equal ones the later get a number, as in DuckDB's own JSON."""
    found: dict[str, None] = {}
    for name in names:
        number, key = 1, name
        while key in found:
            key, number = f"{name}_{number}", number + 1
        found[key] = None
    return list(found)


def _key(value: Any) -> str:
    """A key of a map as a key of JSON."""
    if isinstance(value, float):
        return str(value)
    key = plain(value)
    return key if isinstance(key, str) else json.dumps(key)
