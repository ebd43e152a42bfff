"""Hands objects to the store, and those that cannot be read to the list of unreadable objects."""

from dataclasses import dataclass
from typing import Any

from hpaaudit.cluster.decoding.decoders import UNFIT
from hpaaudit.cluster.decoding.unreadable import Unreadable, of_object
from hpaaudit.cluster.watch.store import Key, Object, Store, key_of
from hpaaudit.cluster.watch.unreadable_objects import UnreadableObjects
from hpaaudit.model.units import Micros


@dataclass(frozen=True, slots=True)
class Intake:
    """Objects of one collection, on their way from the server to the store. `kind` is their type."""

    store: Store
    unreadable: UnreadableObjects
    kind: Any

    def update(self, raw: Object | Unreadable, at_us: Micros) -> set[Key]:
        """Takes an object that exists; its key."""
        if isinstance(raw, Unreadable):
            return self._reject(raw, at_us)
        try:
            key = key_of(raw)
            self.store.update(raw, at_us)
        except UNFIT as problem:
            return self._reject(of_object(raw, self.kind, reason_of(problem)), at_us)
        self.unreadable.discard(key, at_us)
        return {key}

    def delete(self, raw: Object | Unreadable, at_us: Micros) -> set[Key]:
        """Takes the deletion of an object; its key."""
        if isinstance(raw, Unreadable):
            if not raw.name:
                return self._reject(raw, at_us)
            raw = {"metadata": {"namespace": raw.namespace, "name": raw.name, "uid": raw.uid}}
        try:
            key = key_of(raw)
            self.store.delete(raw, at_us)
        except UNFIT as problem:
            return self._reject(of_object(raw, self.kind, reason_of(problem)), at_us)
        self.unreadable.discard(key, at_us)
        return {key}

    def _reject(self, bad: Unreadable, at_us: Micros) -> set[Key]:
        self.unreadable.add(bad, at_us)
        return {bad.key}


def reason_of(problem: BaseException) -> str:
    """Why an object could not be read. A KeyError alone would only name the field."""
    return f"it lacks {problem}" if isinstance(problem, KeyError) else str(problem) or type(problem).__name__
