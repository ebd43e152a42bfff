"""Says of an object that cannot be read whose it is, and keeps what is read of a sound one: nothing else is safe."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from types import UnionType
from typing import Annotated, Any, Required, Union, get_args, get_origin, get_type_hints, is_typeddict

import msgspec

KEPT_CHARS = 64 << 10
"""So much of an object that cannot be read is kept at most."""
TEXT_CHARS, ITEMS, LEVELS = 256, 50, 24
"""Of a text, of a list or a map, and of what is nested in each other so much is kept."""
REASON_CHARS, NAME_CHARS = 500, 253
FAR = 10**18
"""A number beyond is told by its type only: it may have thousands of digits."""
NOTHING = "{}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Unreadable:
    """An object that does not have the shape of its kind.

    namespace, name, uid   as far as it tells them as texts of a sensible length, else empty
    version      its resource version, empty where it tells none
    labels       None where they cannot be read
    about        of an Event: the object that it is about, by namespace and name
    object_json  of its fields those that are read of a sound one;  bytes  of all of it, 0 where unknown
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
    """The object in these bytes, which is not of this kind, for this reason."""
    try:
        raw = msgspec.json.decode(data)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as problem:
        return Unreadable(reason=_short(f"it is no JSON: {problem}"), bytes=len(data))
    return of_object(raw, kind, reason, len(data))


def of_object(raw: Any, kind: Any, reason: str, size: int = 0) -> Unreadable:
    """The same of an object that was decoded."""
    meta = raw.get("metadata") if isinstance(raw, dict) else None
    meta = meta if isinstance(meta, dict) else {}
    labels, about = meta.get("labels") or {}, raw.get("involvedObject") if isinstance(raw, dict) else None
    sound = isinstance(labels, dict) and all(isinstance(value, str) for value in labels.values())
    return Unreadable(
        reason=_short(reason),
        bytes=size,
        namespace=_word(meta.get("namespace")),
        name=_word(meta.get("name")),
        uid=_word(meta.get("uid")),
        version=_word(meta.get("resourceVersion")),
        labels=labels if sound else None,
        about=(_word(about.get("namespace")), _word(about.get("name"))) if isinstance(about, dict) else None,
        object_json=kept(raw, kind),
    )


def _word(value: Any) -> str:
    return value if isinstance(value, str) and len(value) <= NAME_CHARS else ""


def _short(reason: str) -> str:
    return " ".join(reason.split())[:REASON_CHARS]


def kept(raw: Any, kind: Any) -> str:
    """What is kept of an object, as JSON: the fields of its kind, each value of another type by its type's name.

    So whatever stands where nobody expects it, as the environment of a container, is not kept.
    """
    try:
        text = json.dumps(_outline(raw, kind, LEVELS), sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    except (RecursionError, ValueError, TypeError):
        return NOTHING
    return text if len(text) <= KEPT_CHARS and isinstance(raw, dict) else NOTHING


def _outline(value: Any, kind: Any, levels: int) -> Any:
    if get_origin(kind) is Annotated:
        kind, *notes = get_args(kind)
        if any(getattr(note, "extra", None) == {"kept": False} for note in notes):
            return _type_of(value)
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, int | float):
        return value if -FAR < value < FAR else _type_of(value)
    kinds = get_args(kind) if get_origin(kind) in (Union, UnionType) else (kind,)
    bare = [get_args(one)[0] if get_origin(one) is Annotated else one for one in kinds]
    if isinstance(value, str):
        return value[:TEXT_CHARS] if str in bare or Any in bare else _type_of(value)
    if not levels:
        return _type_of(value)
    if isinstance(value, dict):
        return _map(value, bare, levels)
    if isinstance(value, list):
        items = next((get_args(one)[0] for one in bare if get_origin(one) is list), Any if Any in bare else None)
        return _type_of(value) if items is None else [_outline(one, items, levels - 1) for one in value[:ITEMS]]
    return _type_of(value)


def _map(value: dict[str, Any], kinds: Iterable[Any], levels: int) -> Any:
    for kind in kinds:
        if is_typeddict(kind):
            hints = _fields(kind)
            return {name: _outline(value[name], hints[name], levels - 1) for name in hints.keys() & value.keys()}
        if get_origin(kind) is dict or kind is Any:
            inner = get_args(kind)[1] if get_origin(kind) is dict else Any
            return {name[:TEXT_CHARS]: _outline(value[name], inner, levels - 1) for name in list(value)[:ITEMS]}
    return _type_of(value)


@lru_cache(256)
def _fields(kind: Any) -> dict[str, Any]:
    hints = get_type_hints(kind, include_extras=True)
    return {name: get_args(hint)[0] if get_origin(hint) is Required else hint for name, hint in hints.items()}


def _type_of(value: Any) -> str:
    """The name of a JSON type, which is no text of the object."""
    names = {dict: "object", list: "array", str: "string", int: "number", float: "number", bool: "boolean"}
    return f"<{names.get(type(value), 'null')}>"
