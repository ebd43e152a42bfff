"""Checks the JSON in columns: its shape, its depth, and that its texts are valid."""

from collections.abc import Sequence
from typing import Annotated, Any

import msgspec
import pyarrow as pa
import pyarrow.compute as pc
from msgspec import Meta

from hpaaudit.api.canonical import levels
from hpaaudit.recording.format.reader_limits import JSON_DEPTH

Int64 = Annotated[int, Meta(ge=-(2**63), le=2**63 - 1)]
Texts = dict[str, str] | list[tuple[str, str]]
Bools = dict[str, bool] | list[tuple[str, bool]]
Amounts = dict[str, Int64] | list[tuple[str, Int64]]


class Container(msgspec.Struct):
    """A container of a pod."""

    name: str
    requests_milli: Amounts
    restart_policy: str = ""


OBJECT = msgspec.json.Decoder(dict[str, msgspec.Raw])
OBJECTS = msgspec.json.Decoder(list[dict[str, msgspec.Raw]])
PAIRS_OF_TEXT = msgspec.json.Decoder(Texts)
NAMED_TEXTS = msgspec.json.Decoder(dict[str, str])
PAIRS_OF_BOOLS = msgspec.json.Decoder(Bools)
PAIRS_OF_AMOUNTS = msgspec.json.Decoder(Amounts)
CONTAINERS = msgspec.json.Decoder(list[Container])

KINDS: dict[tuple[str, str], msgspec.json.Decoder[Any]] = {
    ("controllers", "flags_json"): PAIRS_OF_TEXT,
    ("controllers", "gates_json"): PAIRS_OF_BOOLS,
    ("hpas", "spec_json"): OBJECT,
    ("hpas", "status_json"): OBJECT,
    ("hpas", "annotations_json"): NAMED_TEXTS,
    ("hpas", "labels_json"): NAMED_TEXTS,
    ("pods", "labels_json"): PAIRS_OF_TEXT,
    ("pods", "containers_json"): CONTAINERS,
    ("pods", "init_containers_json"): CONTAINERS,
    ("pods", "pod_requests_json"): PAIRS_OF_AMOUNTS,
    ("pods", "overhead_json"): PAIRS_OF_AMOUNTS,
    ("samples", "usage_json"): PAIRS_OF_AMOUNTS,
    ("status_writes", "status_json"): OBJECT,
    ("surroundings", "state_json"): OBJECT,
    ("scaled_objects", "triggers_json"): OBJECTS,
    ("scaled_objects", "annotations_json"): NAMED_TEXTS,
}
"""The decoder of each JSON column, by table and column."""

_RAW = msgspec.json.Decoder(list[msgspec.Raw])
_BATCH = 4096


def has_shape(text: str, kind: msgspec.json.Decoder[Any]) -> bool:
    """True if a text is JSON of this kind that readers can decode."""
    if levels(text) > JSON_DEPTH:
        return False
    try:
        kind.decode(text)
        if "\\u" in text:  # the decoder skips raw values: they may hold a lone surrogate
            msgspec.json.decode(text)
    except (ValueError, RecursionError):
        return False
    return True


def all_have_shape(words: pa.Array, kind: msgspec.json.Decoder[Any]) -> bool:
    """True if all words of a column are JSON of this kind."""
    if kind is not OBJECT or not len(words):
        return all(has_shape(word, kind) for word in words.to_pylist())
    # A fleet has millions of statuses: the simple checks are made for all at once.
    brackets = pc.add(pc.count_substring(words, "{"), pc.count_substring(words, "["))
    unusual = pc.or_(pc.greater(brackets, JSON_DEPTH), pc.match_substring(words, "\\u"))
    if not pc.all(pc.starts_with(words, "{")).as_py():
        return False
    if not all(has_shape(word, kind) for word in words.filter(unusual).to_pylist()):
        return False
    plain = words.filter(pc.invert(unusual))
    return all(_are_objects(plain.slice(begin, _BATCH).to_pylist()) for begin in range(0, len(plain), _BATCH))


def _are_objects(words: Sequence[str]) -> bool:
    """True if each word is one JSON value: joined, they decode to as many values, each exactly as long."""
    encoded = [word.encode() for word in words]
    try:
        values = _RAW.decode(b"[" + b",".join(encoded) + b"]")
    except (ValueError, RecursionError):
        return False
    return len(values) == len(encoded) and all(
        len(raw) == len(word) for raw, word in zip(map(bytes, values), encoded, strict=True)
    )
