"""What the JSON in a column must be, and whether it is: shape, depth, and texts that are text."""

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
Truths = dict[str, bool] | list[tuple[str, bool]]
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
PAIRS_OF_TRUTHS = msgspec.json.Decoder(Truths)
PAIRS_OF_AMOUNTS = msgspec.json.Decoder(Amounts)
CONTAINERS = msgspec.json.Decoder(list[Container])

KINDS: dict[tuple[str, str], msgspec.json.Decoder[Any]] = {
    ("controllers", "flags_json"): PAIRS_OF_TEXT,
    ("controllers", "gates_json"): PAIRS_OF_TRUTHS,
    ("hpas", "spec_json"): OBJECT,
    ("hpas", "status_json"): OBJECT,
    ("hpas", "annotations_json"): NAMED_TEXTS,
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
"""What the JSON of a column is, by table and column."""

_RAW = msgspec.json.Decoder(list[msgspec.Raw])
_AT_ONCE = 4096


def has_shape(text: str, kind: msgspec.json.Decoder[Any]) -> bool:
    """Whether a text is JSON of this kind that whoever reads a recording can decode."""
    if levels(text) > JSON_DEPTH:
        return False
    try:
        kind.decode(text)
        if "\\u" in text:  # what is passed over as raw is not looked at: it may hold half a character
            msgspec.json.decode(text)
    except (ValueError, RecursionError):
        return False
    return True


def all_have_shape(words: pa.Array, kind: msgspec.json.Decoder[Any]) -> bool:
    """Whether all words of a column are JSON of this kind."""
    if kind is not OBJECT or not len(words):
        return all(has_shape(word, kind) for word in words.to_pylist())
    # Statuses of a fleet are millions: what is plain about them is asked of all at once.
    brackets = pc.add(pc.count_substring(words, "{"), pc.count_substring(words, "["))
    odd = pc.or_(pc.greater(brackets, JSON_DEPTH), pc.match_substring(words, "\\u"))
    if not pc.all(pc.starts_with(words, "{")).as_py():
        return False
    if not all(has_shape(word, kind) for word in words.filter(odd).to_pylist()):
        return False
    plain = words.filter(pc.invert(odd))
    return all(_are_objects(plain.slice(begin, _AT_ONCE).to_pylist()) for begin in range(0, len(plain), _AT_ONCE))


def _are_objects(words: Sequence[str]) -> bool:
    """Whether each word is one JSON value: as many as words, and each exactly as long."""
    whole = [word.encode() for word in words]
    try:
        found = _RAW.decode(b"[" + b",".join(whole) + b"]")
    except (ValueError, RecursionError):
        return False
    return len(found) == len(whole) and all(
        len(raw) == len(word) for raw, word in zip(map(bytes, found), whole, strict=True)
    )
