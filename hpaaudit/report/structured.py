"""Writes values for programs: all their fields, as JSON or as YAML."""

import json
from collections.abc import Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from hpaaudit.api.canonical import finite

if TYPE_CHECKING:
    from _typeshed import DataclassInstance


def structured(value: "DataclassInstance | Mapping[str, Any] | list[Any]", form: str) -> str:
    """A dataclass, a mapping of fields or a list of these, as `json` or `yaml`. Fields keep their order."""
    fields = finite(value if isinstance(value, Mapping | list) else asdict(value))
    if form == "json":
        return json.dumps(fields, indent=2, ensure_ascii=False) + "\n"
    return as_yaml(json.loads(json.dumps(fields)))


def as_yaml(document: Any, *, is_sorted: bool = False) -> str:
    """A value of JSON's types as YAML."""
    import yaml

    text: str = yaml.safe_dump(document, sort_keys=is_sorted, allow_unicode=True, width=2**20, default_flow_style=False)
    return text
