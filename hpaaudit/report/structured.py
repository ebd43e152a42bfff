"""Writes values for programs: all their fields, as JSON or as YAML, and each time also as RFC 3339."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from hpaaudit.api.canonical import finite
from hpaaudit.api.times import precise
from hpaaudit.model.audit import RecordingInfo
from hpaaudit.model.units import Micros

if TYPE_CHECKING:
    from _typeshed import DataclassInstance


_DURATIONS = re.compile(r"(.*_)?(delay|later|offset|period|stabilization|took|trip|uncertainty|window)_us")
"""The names of fields that hold a duration in microseconds, not a time."""


def structured(value: "DataclassInstance | Mapping[str, Any]", form: str) -> str:
    """A dataclass or a mapping of fields, as `json` or `yaml`. Fields keep their order.

    A time `at_us` is in microseconds since 1970; before it stands `at`, the same as RFC 3339 in UTC. Where that name is
    taken, by a count, it is `at_at`: `seen_at` beside `seen`.
    """
    return _written(_fields(value), form)


def of_recording(info: RecordingInfo, value: "DataclassInstance") -> Mapping[str, Any]:
    """The fields of a value about a recording, after the recording's path, begin and end as in all other output."""
    head = {"recording": info.path, "started_us": info.started_us, "ended_us": info.ended_us}
    return head | asdict(value)


def structured_list(values: "Sequence[DataclassInstance | Mapping[str, Any]]", form: str) -> str:
    """Several of them: a document each in `yaml`, an array in `json`."""
    if form == "json":
        return _written([*map(_fields, values)], form)
    return "---\n".join(structured(value, form) for value in values)


def _fields(value: "DataclassInstance | Mapping[str, Any]") -> Any:
    return with_times(finite(value if isinstance(value, Mapping) else asdict(value)))


def _written(fields: Any, form: str) -> str:
    if form == "json":
        return json.dumps(fields, indent=2, ensure_ascii=False) + "\n"
    return as_yaml(json.loads(json.dumps(fields)))


def with_times(value: Any) -> Any:
    """The same value; before each time in microseconds, `at_us`, stands the same time as text: `at`, or `at_at`."""
    if isinstance(value, Mapping):
        fields: dict[str, Any] = {}
        for name, field in value.items():
            at = name.removesuffix("_us")
            at = f"{at}_at" if at != name and at in value else at
            if at not in (name, *value) and not _DURATIONS.fullmatch(name) and isinstance(field, int | None):
                fields[at] = _text_of(field)
            fields[name] = with_times(field)
        return fields
    return [*map(with_times, value)] if isinstance(value, list | tuple) else value


def _text_of(at_us: int | None) -> str | None:
    """A time as RFC 3339; None where it has none."""
    try:
        return None if at_us is None else precise(Micros(at_us))
    except (ValueError, OverflowError, OSError):
        return None


def as_yaml(document: Any, *, is_sorted: bool = False) -> str:
    """A value of JSON's types as YAML."""
    import yaml

    text: str = yaml.safe_dump(document, sort_keys=is_sorted, allow_unicode=True, width=2**20, default_flow_style=False)
    return text
