"""Decodes an HPA and checks that an API server can have served it: types, and integers of 32 bits."""

from typing import Any

import msgspec

from hpaaudit.api.decode import decode_hpa
from hpaaudit.api.type_check import INT32, type_checked
from hpaaudit.model.facts import HpaSeen
from hpaaudit.model.hpa import Hpa

INT64_FIELDS = frozenset({"milli", "nano", "generation", "observed_generation", "last_scale_us", "last_transition_us"})
"""Fields of the model with more than 32 bits."""


class _Spec(msgspec.Struct, rename="camel"):
    """The fields of a spec that are objects or arrays."""

    scale_target_ref: dict[str, Any] | None = None
    metrics: list[dict[str, Any]] | None = None
    behavior: dict[str, Any] | None = None


class _Status(msgspec.Struct, rename="camel"):
    """The fields of a status that are arrays."""

    current_metrics: list[dict[str, Any]] | None = None
    conditions: list[dict[str, Any]] | None = None


_SPEC, _STATUS = msgspec.json.Decoder(_Spec), msgspec.json.Decoder(_Status)


def validated_hpa(fact: HpaSeen) -> Hpa:
    """The decoded HPA. ValueError, or another error of decoding, if no API server can have served it.

    All its fields have the types of the model, and its integers are in range. Takes 20 µs for a new status, and 20 µs
    more for a new spec.
    """
    type_checked(fact)
    _SPEC.decode(fact.spec_json)
    _STATUS.decode(fact.status_json)
    hpa = decode_hpa(fact)
    parts: dict[str, Any] = {name: msgspec.to_builtins(getattr(hpa, name)) for name in ("spec", "status")}
    for name, part in parts.items():
        try:
            msgspec.convert(part, type(getattr(hpa, name)))
        except msgspec.ValidationError as problem:
            raise ValueError(f"its {name} is none: {problem}") from None
        _in_range(part, name)
    return hpa


def _in_range(value: Any, name: str) -> None:
    if isinstance(value, dict):
        for key, inner in value.items():
            _in_range(inner, key)
    elif isinstance(value, list | tuple):
        for inner in value:
            _in_range(inner, name)
    elif isinstance(value, str):
        value.encode()  # a lone surrogate, as `\\ud800` in the JSON of an annotation, is a ValueError
    elif isinstance(value, int) and name not in INT64_FIELDS and not INT32[0] <= value <= INT32[1]:
        raise ValueError(f"{name} is {value}, which is no number of 32 bits")
