"""The interface of a store that a reflector feeds, as client-go's `cache.Store`."""

from typing import Any, Protocol

from hpaaudit.cluster.decoding.unreadable import Unreadable
from hpaaudit.model.units import Micros

Object = dict[str, Any]
Key = tuple[str, str]
"""Namespace and name; the namespace is empty for objects of the cluster."""


class Store(Protocol):
    """Keeps the last state of each object, and emits a fact for each change."""

    def update(self, raw: Object, at_us: Micros) -> None:
        """Adds or update an object, from a list or from a watch."""

    def delete(self, raw: Object, at_us: Micros) -> None:
        """Deletes an object; `raw` is its last state."""

    def retain(self, keys: set[Key], at_us: Micros) -> None:
        """Deletes all objects but these: the collection was just read as a whole."""


def key_of(raw: Object) -> Key:
    """The key of an object. ValueError if it has no name."""
    meta = raw["metadata"]
    namespace, name = meta.get("namespace", ""), meta["name"]
    if not (isinstance(namespace, str) and isinstance(name, str) and name):
        raise ValueError("it has no name")
    return namespace, name


def resource_version_of(raw: Object | Unreadable) -> str:
    """The resource version of an object, empty if it is not a string."""
    if isinstance(raw, Unreadable):
        return raw.version
    meta = raw.get("metadata")
    version = meta.get("resourceVersion") if isinstance(meta, dict) else None
    return version if isinstance(version, str) else ""
