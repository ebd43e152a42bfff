"""Writes JSON so that equal documents are equal texts, compares such texts, and measures how deep one is nested."""

import json
import re
from collections.abc import Mapping
from math import isfinite
from typing import Any

_CANONICAL = json.JSONEncoder(sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def canonical_json(value: Any) -> str:
    """JSON with sorted keys and without blanks."""
    return _CANONICAL.encode(value)


def finite(value: Any) -> Any:
    """A value of JSON's types, with None for numbers that JSON does not know: infinity, and what is no number."""
    if isinstance(value, float):
        return value if isfinite(value) else None
    if isinstance(value, Mapping):
        return {name: finite(item) for name, item in value.items()}
    return [finite(item) for item in value] if isinstance(value, list | tuple) else value


def only_removes(before: str, after: str) -> bool:
    """Whether a JSON document sets nothing that another one did not: it has fewer fields, or is equal."""
    return _is_part(json.loads(after), json.loads(before))


def _is_part(part: Any, whole: Any) -> bool:
    if isinstance(part, dict) and isinstance(whole, dict):
        return all(name in whole and _is_part(value, whole[name]) for name, value in part.items())
    return bool(part == whole)


_MARK = re.compile(r'"(?:[^"\\]|\\.)*"|[\[\]{}]', re.DOTALL)
SHALLOW = 50


def levels(text: str) -> int:
    """How deep a JSON text is nested. For a text with few brackets an upper bound."""
    opened = text.count("{") + text.count("[")
    if opened <= SHALLOW:
        return opened
    depth = deepest = 0
    for mark in _MARK.findall(text):
        if mark in "{[":
            depth += 1
            deepest = max(deepest, depth)
        elif mark in "}]":
            depth -= 1
    return deepest
