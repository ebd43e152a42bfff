"""Reads the documents of a file of YAML or JSON: several of them, and the items of a List."""

from collections.abc import Iterator
from typing import Any

import yaml

from hpaaudit.errors import BadObject

LEVELS, VALUES = 60, 1_000_000
"""How deep a document may be nested, and how many values it may have."""


class _Loader(yaml.SafeLoader):
    """YAML as Kubernetes reads it: a time stays the text that it is."""


_Loader.yaml_implicit_resolvers = {
    first: [(tag, pattern) for tag, pattern in resolvers if tag != "tag:yaml.org,2002:timestamp"]
    for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
}


def documents(text: str, name: str) -> Iterator[dict[str, Any]]:
    """Every object in a text; `name` says where it is from. Raises BadObject."""
    try:
        found = list(yaml.load_all(text, Loader=_Loader))
    except (yaml.YAMLError, ValueError, RecursionError, OverflowError) as problem:
        where = getattr(problem, "problem_mark", None)
        line = "" if where is None else f" line {where.line + 1}:"
        raise BadObject(f"{name}:{line} neither YAML nor JSON: {getattr(problem, 'problem', problem)}") from None
    for number, document in enumerate(found, 1):
        if document is None:
            continue
        if not isinstance(document, dict):
            raise BadObject(f"{name}: document {number} is no object")
        try:
            plain = _with_text_keys(document, [VALUES])
        except ValueError as problem:
            raise BadObject(f"{name}: document {number}: {problem}") from None
        yield from _items(plain)


def _with_text_keys(value: Any, left: list[int], levels: int = LEVELS) -> Any:
    """The same with every key as text: YAML reads `1:` and `true:` as other types, JSON has no such keys.

    left   how many values may follow. An alias repeats what it names, even itself: ValueError if that has no end.
    """
    left[0] -= 1
    if left[0] < 0 or not levels:
        raise ValueError("it is nested too deeply, or its aliases repeat too much")
    if isinstance(value, dict):
        return {
            _whole(str(key).lower() if isinstance(key, bool) else str(key)): _with_text_keys(item, left, levels - 1)
            for key, item in value.items()
        }
    if isinstance(value, list):
        return [_with_text_keys(item, left, levels - 1) for item in value]
    return _whole(value) if isinstance(value, str) else value


def _whole(text: str) -> str:
    r"""The text as Go reads it: the halves of `\ud83d\ude00` are one character, and a half alone is none."""
    return text if text.isascii() else text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _items(document: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The items of a List, else the document itself. Items of a typed list take kind and version from it."""
    kind, items = str(document.get("kind", "")), document.get("items")
    if not kind.endswith("List") or not isinstance(items, list):
        yield document
        return
    inherited = {} if kind == "List" else {"apiVersion": document.get("apiVersion"), "kind": kind.removesuffix("List")}
    for item in items:
        if isinstance(item, dict):
            yield from _items({**inherited, **item})
