"""Converts pairs and containers to JSON text, and back."""

import json
from functools import lru_cache
from typing import Any

from hpaaudit.model.target import Container
from hpaaudit.model.units import Milli

CACHED_TEXTS = 1 << 14  # most pods share a few dozen


def dumps(value: Any) -> str:
    """JSON without blanks, keys in their own order."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def pairs_to_json(pairs: tuple[tuple[str, Any], ...]) -> str:
    """Pairs as a JSON object. If a key repeats, as an array of pairs, because an object would lose one."""
    return dumps(_pairs_to_value(pairs))


def pairs_from_json(text: str) -> tuple[tuple[str, Any], ...]:
    """The inverse of `pairs_to_json`."""
    return _pairs_from_value(json.loads(text))


def _pairs_to_value(pairs: tuple[tuple[str, Any], ...]) -> Any:
    as_object = dict(pairs)
    return as_object if len(as_object) == len(pairs) else pairs


def _pairs_from_value(value: Any) -> tuple[tuple[str, Any], ...]:
    return tuple(value.items()) if isinstance(value, dict) else tuple((key, item) for key, item in value)


# Each kind of pair has its own cache: a shared one would answer 1 for True.
labels_to_json = lru_cache(CACHED_TEXTS)(pairs_to_json)
labels_from_json = lru_cache(CACHED_TEXTS)(pairs_from_json)
requests_to_json = lru_cache(CACHED_TEXTS)(pairs_to_json)
requests_from_json = lru_cache(CACHED_TEXTS)(pairs_from_json)


@lru_cache(CACHED_TEXTS)
def containers_to_json(containers: tuple[Container, ...]) -> str:
    """Containers as a JSON array of objects."""
    return dumps([_container_to_value(container) for container in containers])


def _container_to_value(container: Container) -> dict[str, Any]:
    value = {"name": container.name, "requests_milli": _pairs_to_value(container.requests)}
    if container.restart_policy:
        value["restart_policy"] = container.restart_policy
    return value


@lru_cache(CACHED_TEXTS)
def containers_from_json(text: str) -> tuple[Container, ...]:
    """The inverse of `containers_to_json`."""
    return tuple(
        Container(
            name=value["name"],
            requests=tuple((name, Milli(milli)) for name, milli in _pairs_from_value(value["requests_milli"])),
            restart_policy=value.get("restart_policy", ""),
        )
        for value in json.loads(text)
    )
