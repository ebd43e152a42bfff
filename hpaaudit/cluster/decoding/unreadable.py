"""Describes an object that cannot be read: which one it is, and those of its fields that are safe to keep."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from types import UnionType
from typing import Annotated, Any, Required, Union, get_args, get_origin, get_type_hints, is_typeddict

import msgspec

KEPT_CHARS = 64 << 10
"""At most so much of an object that cannot be read is kept."""
TEXT_CHARS, ITEMS, LEVELS = 256, 50, 24
"""At most so much is kept of a text, of a list or a map, and of levels of nesting."""
REASON_CHARS, NAME_CHARS = 500, 253
MAX_NUMBER = 10**18
"""Of a larger number only the type is kept: it may have thousands of digits."""
NOTHING = "{}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Unreadable:
    """An object that does not fit the type of its kind.

    namespace, name, uid   empty if they are not texts of a sensible length
    version      its resource version, empty if it has none
    labels       None if they cannot be read
    about        of an Event: namespace and name of the object that it is about
    object_json  the redacted object;  bytes  the size of the whole object, 0 if unknown
    """

    reason: str
    bytes: int = 0
    namespace: str = ""
    name: str = ""
    uid: str = ""
    version: str = ""
    labels: Mapping[str, str] | None = None
    about: tuple[str, str] | None = None
    object_json: str = NOTHING

    @property
    def key(self) -> tuple[str, str]:
        """Namespace and name."""
        return self.namespace, self.name


def unreadable(data: bytes, kind: Any, reason: str) -> Unreadable:
    """Describes the object in these bytes, which does not fit this kind for this reason."""
    try:
        raw = msgspec.json.decode(data)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as problem:
        return Unreadable(reason=_one_line(f"it is no JSON: {problem}"), bytes=len(data))
    return of_object(raw, kind, reason, len(data))


def of_object(raw: Any, kind: Any, reason: str, size: int = 0) -> Unreadable:
    """The same for an object that is decoded already."""
    meta = raw.get("metadata") if isinstance(raw, dict) else None
    meta = meta if isinstance(meta, dict) else {}
    labels, about = meta.get("labels") or {}, raw.get("involvedObject") if isinstance(raw, dict) else None
    are_labels = isinstance(labels, dict) and all(isinstance(value, str) for value in labels.values())
    return Unreadable(
        reason=_one_line(reason),
        bytes=size,
        namespace=_short_text(meta.get("namespace")),
        name=_short_text(meta.get("name")),
        uid=_short_text(meta.get("uid")),
        version=_short_text(meta.get("resourceVersion")),
        labels=labels if are_labels else None,
        about=(_short_text(about.get("namespace")), _short_text(about.get("name")))
        if isinstance(about, dict)
        else None,
        object_json=redacted(raw, kind),
    )


def _short_text(value: Any) -> str:
    return value if isinstance(value, str) and len(value) <= NAME_CHARS else ""


def _one_line(reason: str) -> str:
    return " ".join(reason.split())[:REASON_CHARS]


def redacted(raw: Any, kind: Any) -> str:
    """The object as JSON, reduced to the fields of its kind. A value of another type is replaced by its type's name.

    So no value of an unexpected field is kept, such as the environment of a container.
    """
    try:
        text = json.dumps(_redact(raw, kind, LEVELS), sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    except (RecursionError, ValueError, TypeError):
        return NOTHING
    return text if len(text) <= KEPT_CHARS and isinstance(raw, dict) else NOTHING


def _redact(value: Any, kind: Any, levels: int) -> Any:  # noqa: PLR0911  # a case for each JSON type
    if get_origin(kind) is Annotated:
        kind, *notes = get_args(kind)
        if any(getattr(note, "extra", None) == {"kept": False} for note in notes):
            return _type_of(value)
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, int | float):
        return value if -MAX_NUMBER < value < MAX_NUMBER else _type_of(value)
    kinds = get_args(kind) if get_origin(kind) in (Union, UnionType) else (kind,)
    bare = [get_args(option)[0] if get_origin(option) is Annotated else option for option in kinds]
    if isinstance(value, str):
        return value[:TEXT_CHARS] if str in bare or Any in bare else _type_of(value)
    if not levels:
        return _type_of(value)
    if isinstance(value, dict):
        return _redact_map(value, bare, levels)
    if isinstance(value, list):
        items = next(
            (get_args(option)[0] for option in bare if get_origin(option) is list), Any if Any in bare else None
        )
        return _type_of(value) if items is None else [_redact(item, items, levels - 1) for item in value[:ITEMS]]
    return _type_of(value)


def _redact_map(value: dict[str, Any], kinds: Iterable[Any], levels: int) -> Any:
    for kind in kinds:
        if is_typeddict(kind):
            hints = _fields(kind)
            return {name: _redact(value[name], hints[name], levels - 1) for name in hints.keys() & value.keys()}
        if get_origin(kind) is dict or kind is Any:
            inner = get_args(kind)[1] if get_origin(kind) is dict else Any
            return {name[:TEXT_CHARS]: _redact(value[name], inner, levels - 1) for name in list(value)[:ITEMS]}
    return _type_of(value)


@lru_cache(256)
def _fields(kind: Any) -> dict[str, Any]:
    hints = get_type_hints(kind, include_extras=True)
    return {name: get_args(hint)[0] if get_origin(hint) is Required else hint for name, hint in hints.items()}


def _type_of(value: Any) -> str:
    """The name of the JSON type of a value, in angle brackets."""
    names = {dict: "object", list: "array", str: "string", int: "number", float: "number", bool: "boolean"}
    return f"<{names.get(type(value), 'null')}>"
