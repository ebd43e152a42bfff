"""JSON with Go's own field names, in which an annotation of `autoscaling/v1` keeps a behavior."""

import json
from typing import Any

from hpaaudit.api.shapes import Json, Shapes, read


def go_json(shapes: Shapes, shape: str, value: Json) -> str:
    """A value with Go's field names, null where nothing is set."""
    return json.dumps(_go(shapes, shape, value), separators=(",", ":"), ensure_ascii=False)


def _go(shapes: Shapes, shape: str, value: Json) -> Json:
    shown: Json = {}
    for each in shapes[shape]:
        inner = value.get(each.name)
        if inner is not None and each.kind.startswith("["):
            inner = [_go(shapes, each.kind[1:-1], item) for item in inner]
        elif inner is not None and each.kind in shapes:
            inner = _go(shapes, each.kind, inner)
        shown[each.name[:1].upper() + each.name[1:]] = inner
    return shown


def go_object(shapes: Shapes, shape: str, raw: Json) -> Json:
    """A value of such JSON, nothing filled in. Names count whatever their case, as Go reads them. Raises WrongType."""
    return read(shapes, shape, _plain(shapes, shape, raw))


def _plain(shapes: Shapes, shape: str, raw: Any) -> Any:
    if not isinstance(raw, dict):
        return raw
    fields = {each.name.lower(): each for each in shapes[shape]}
    shown = {}
    for name, value in raw.items():
        each = fields.get(name.lower())
        if each is None:
            continue
        inner = each.kind.strip("[]")
        if inner != each.kind and isinstance(value, list):
            shown[each.name] = [_plain(shapes, inner, item) for item in value]
        else:
            shown[each.name] = _plain(shapes, inner, value) if inner in shapes else value
    return shown
