"""Compares our conversions and refusals with those of an API server."""

import json
import re
from collections.abc import Iterator
from typing import Any

from hpaaudit.api.conversion import from_internal, to_internal
from hpaaudit.api.refusals import refusals

Json = dict[str, Any]

_DUMP = re.compile(r"resource\.Quantity\{.*?Format:\"\w*\"\}")
_QUANTITY = re.compile(r'Invalid value: "-?[\w.]+": (?=must be positive|must be greater than or equal to 0)')
_TOLERANCE = ',"Tolerance":null'


def differences(row: Json) -> Iterator[str]:
    """Where we differ from what an API server made of `row["object"]`, in words."""
    hpa = to_internal(row["object"])
    name = json.dumps(row["object"])
    # Until 1.33 a quantity that is refused is printed as the memory of Go holds it.
    is_dumped = any(_DUMP.search(text) for text in row["errors"])
    ours = [_QUANTITY.sub("Invalid value: <quantity>: ", text) if is_dumped else text for text in refusals(hpa)]
    theirs = list(dict.fromkeys(_DUMP.sub("<quantity>", text) for text in row["errors"]))
    # A source too many is named in the order of a map.
    if sorted(ours) != sorted(theirs):
        yield f"{name}\n  refusals: {ours}\n  theirs:   {theirs}"
    for version, wanted in row["to"].items():
        shown = from_internal(hpa, f"autoscaling/{version}")
        if _plain(shown, with_status=hpa.status is not None) != _plain(wanted, with_status=hpa.status is not None):
            yield f"{name}\n  {version}: {json.dumps(shown)}\n  theirs: {json.dumps(wanted)}"


def _plain(document: Json, *, with_status: bool) -> Json:
    """Without what a conversion does not decide: a status that was not given, a creation that did not happen."""
    metadata = {key: value for key, value in document["metadata"].items() if key != "creationTimestamp"}
    if "annotations" in metadata:  # until 1.32 a behavior has no tolerance in its annotation either
        annotations = metadata["annotations"]
        metadata["annotations"] = {key: text.replace(_TOLERANCE, "") for key, text in annotations.items()}
    shown = {**document, "metadata": metadata}
    if not with_status:
        shown.pop("status", None)
    return shown
