"""Checks that an HPA is one that an API server can serve: numbers of 32 bits, texts that are texts."""

from typing import Any

import msgspec

from hpaaudit.api.decode import decode_hpa
from hpaaudit.api.typed import typed
from hpaaudit.model.facts import HpaSeen
from hpaaudit.model.hpa import Hpa

INT32 = -(2**31), 2**31 - 1
LONG = frozenset({"milli", "nano", "generation", "observed_generation", "last_scale_us", "last_transition_us"})
"""Fields of the model that are longer than 32 bits."""


class _Spec(msgspec.Struct, rename="camel"):
    """Of a spec what is an object or an array."""

    scale_target_ref: dict[str, Any] | None = None
    metrics: list[dict[str, Any]] | None = None
    behavior: dict[str, Any] | None = None


class _Status(msgspec.Struct, rename="camel"):
    """The same of a status."""

    current_metrics: list[dict[str, Any]] | None = None
    conditions: list[dict[str, Any]] | None = None


_SPEC, _STATUS = msgspec.json.Decoder(_Spec), msgspec.json.Decoder(_Status)


def served(fact: HpaSeen) -> Hpa:
    """The HPA of a fact, decoded; ValueError or another error of decoding where no API server can have served it.

    The types of the fact and of all that is decoded from its JSON are those of the model, its numbers are in range.
    20 µs for a status that is new, 20 more for a spec.
    """
    typed(fact)
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
        value.encode()  # half a character, as `\\ud800` in the JSON of an annotation, is a ValueError
    elif isinstance(value, int) and name not in LONG and not INT32[0] <= value <= INT32[1]:
        raise ValueError(f"{name} is {value}, which is no number of 32 bits")
