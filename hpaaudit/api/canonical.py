"""Writes JSON so that equal documents are equal texts, and measures how deep a document is nested."""

import json
import re
from typing import Any

_CANONICAL = json.JSONEncoder(sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def canonical_json(value: Any) -> str:
    """JSON with sorted keys and without blanks."""
    return _CANONICAL.encode(value)


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
