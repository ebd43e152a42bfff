"""Records objects of one collection that cannot be read: a row, a gap and a log line for each, but few of each."""

from collections.abc import Callable
from dataclasses import dataclass, field
from urllib.parse import quote

from hpaaudit.cluster.decoding.unreadable import Unreadable
from hpaaudit.cluster.watch.gaps import Gaps
from hpaaudit.cluster.watch.store import Key
from hpaaudit.model.facts import Refused
from hpaaudit.model.note import Event, Note
from hpaaudit.model.units import SECOND, Micros

ROW_US = 60 * SECOND
"""How often an object that comes again and again gets a row; the row counts those that came since."""
RELIST_US = 600 * SECOND
MAX_OBJECTS = 100
"""So many objects of a collection are told apart. With more, the collection as a whole cannot be read."""
UNNAMED: Key = ("", "")
"""Stands for objects without a name, and for all beyond MAX_OBJECTS."""
CAUSE = "the object cannot be read: "


@dataclass(slots=True)
class Entry:
    """An object that cannot be read, as it came last.

    written_us   when its last row was written;  listed_us  when the collection was last read as a whole
    count        how often it came since that row
    is_listed    whether it came since the last list began
    """

    last: Unreadable
    written_us: Micros
    listed_us: Micros
    count: int = 0
    is_listed: bool = True


@dataclass(slots=True)
class UnreadableObjects:
    """The objects of one collection that cannot be read now, by key.

    path         of the collection, without a query
    is_relevant  whether an object may be one that is recorded; of others nothing is written down
    part         of what the objects say that is read in no other way
    """

    path: str
    gaps: Gaps
    sink: Callable[[Refused], None]
    note: Callable[[str], None]
    is_relevant: Callable[[Unreadable], bool] = lambda _: True
    part: str = ""
    objects: dict[Key, Entry] = field(default_factory=dict)

    def add(self, bad: Unreadable, at_us: Micros) -> None:
        """Write down that an object cannot be read."""
        if not self.is_relevant(bad):
            return
        key = bad.key if bad.key in self.objects or len(self.objects) < MAX_OBJECTS else UNNAMED
        entry = self.objects.get(key)
        is_new = entry is None
        if entry is None:
            self.objects[key] = entry = Entry(bad, at_us, at_us)
            self.gaps.begin(self.gap_prefix(key), at_us, CAUSE + bad.reason)
            line = f"{self._name(bad)} cannot be read, all else is recorded: {bad.reason}"
            self.note(Note(line, Event.OBJECT_REFUSED, path=self.path, reason=bad.reason))
        entry.last, entry.count, entry.is_listed = bad, entry.count + 1, True
        if is_new or at_us - entry.written_us >= ROW_US:
            self._write(entry, at_us)

    def discard(self, key: Key, at_us: Micros) -> None:
        """Note that an object was read."""
        if key in self.objects:
            self._remove(key, at_us)

    def begin_list(self) -> None:
        """Note that the collection is about to be read as a whole."""
        for entry in self.objects.values():
            entry.is_listed = False

    def end_list(self, at_us: Micros) -> None:
        """Forget objects that did not come: the collection was read as a whole."""
        for key in [key for key, entry in self.objects.items() if not entry.is_listed]:
            self._remove(key, at_us)
        for entry in self.objects.values():
            entry.listed_us = at_us

    def needs_list(self, now_us: Micros) -> bool:
        """Whether a new list is due: only that can say that unnamed objects are gone."""
        unnamed = self.objects.get(UNNAMED)
        return unnamed is not None and now_us - unnamed.listed_us >= RELIST_US

    def write_counts(self, at_us: Micros) -> None:
        """Write a row for each object that came again since its last row."""
        for entry in self.objects.values():
            if entry.count:
                self._write(entry, at_us)

    def gap_prefix(self, key: Key) -> str:
        """The prefix of a gap: the path of the object, of its namespace, or of the whole collection."""
        namespace, name = (quote(word, safe="") for word in key)
        base, _, resource = self.path.rpartition("/")
        if namespace and not base.endswith(f"/namespaces/{namespace}"):
            base = f"{base}/namespaces/{namespace}"
        return f"{base}/{resource}/{name}" + (f"#{self.part}" if self.part else "")

    def _name(self, bad: Unreadable) -> str:
        resource = self.path.rpartition("/")[2]
        name = "/".join(word for word in bad.key if word)
        return f"{resource} {name}" if name else f"one of {resource}"

    def _write(self, entry: Entry, at_us: Micros) -> None:
        bad, count = entry.last, entry.count
        entry.written_us, entry.count = at_us, 0
        self.sink(
            Refused(
                at_us=at_us,
                path=self.path,
                namespace=bad.namespace,
                name=bad.name,
                uid=bad.uid,
                reason=bad.reason,
                object_json=bad.object_json,
                bytes=bad.bytes,
                count=count,
            )
        )

    def _remove(self, key: Key, at_us: Micros) -> None:
        entry = self.objects.pop(key)
        if entry.count:
            self._write(entry, at_us)
        self.gaps.end(self.gap_prefix(key), at_us)
