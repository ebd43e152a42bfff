"""Writes down what cannot be read of one collection: a row, a gap and a line for each object, and few of each."""

from collections.abc import Callable
from dataclasses import dataclass, field
from urllib.parse import quote

from hpaaudit.cluster.decoding.unreadable import Unreadable
from hpaaudit.cluster.watch.gaps import Gaps
from hpaaudit.model.facts import Refused
from hpaaudit.model.note import Event, Note
from hpaaudit.model.units import SECOND, Micros

Key = tuple[str, str]
"""Namespace and name, empty where the object does not tell them."""
ROW_US = 60 * SECOND
"""An object that is refused again and again has a row so often; the row counts the others."""
LIST_US = 600 * SECOND
MOST = 100
"""So many objects of a collection are told apart; beyond, the collection as a whole is what cannot be read."""
NOBODY: Key = ("", "")
CAUSE = "the object cannot be read: "


@dataclass(slots=True)
class Bad:
    """An object that cannot be read, as it came last.

    told_us, listed_us   when its last row was, and the last list;  count   how often it came since that row
    listed   whether it came since the last list began
    """

    last: Unreadable
    told_us: Micros
    listed_us: Micros
    count: int = 0
    listed: bool = True


@dataclass(slots=True)
class Unread:
    """The objects of one collection that cannot be read now.

    path       of the collection, without a query;  part  of what its objects tell that is not seen otherwise
    concerned  whether one of them may be something that is recorded; of others nothing is written down
    objects    those that are known, by key
    """

    path: str
    gaps: Gaps
    sink: Callable[[Refused], None]
    note: Callable[[str], None]
    concerned: Callable[[Unreadable], bool] = lambda _: True
    part: str = ""
    objects: dict[Key, Bad] = field(default_factory=dict)

    def refuse(self, bad: Unreadable, at_us: Micros) -> None:
        """Write down that an object cannot be read from now on."""
        if not self.concerned(bad):
            return
        key = bad.key if bad.key in self.objects or len(self.objects) < MOST else NOBODY
        known = self.objects.get(key)
        if known is None:
            self.objects[key] = known = Bad(bad, at_us, at_us)
            self.gaps.lost(self.prefix(key), at_us, CAUSE + bad.reason)
            line = f"{self._words(bad)} cannot be read, all else is recorded: {bad.reason}"
            self.note(Note(line, Event.OBJECT_REFUSED, path=self.path, reason=bad.reason))
        elif at_us - known.told_us < ROW_US:
            known.last, known.count, known.listed = bad, known.count + 1, True
            return
        known.last, known.count, known.listed = bad, known.count + 1, True
        self._tell(known, at_us)

    def sound(self, key: Key, at_us: Micros) -> None:
        """An object was read."""
        if key in self.objects:
            self._forget(key, at_us)

    def listing(self) -> None:
        """All will be told once."""
        for known in self.objects.values():
            known.listed = False

    def only(self, at_us: Micros) -> None:
        """All was told once: of what did not come nothing is left."""
        for key in [key for key, known in self.objects.items() if not known.listed]:
            self._forget(key, at_us)
        for known in self.objects.values():
            known.listed_us = at_us

    def wants_list(self, now_us: Micros) -> bool:
        """Whether only a new list can say that what cannot be told apart is no more."""
        known = self.objects.get(NOBODY)
        return known is not None and now_us - known.listed_us >= LIST_US

    def tell(self, at_us: Micros) -> None:
        """Write down how often objects came that had their row before."""
        for known in self.objects.values():
            if known.count:
                self._tell(known, at_us)

    def prefix(self, key: Key) -> str:
        """The paths that nobody sees: of the object, of its namespace, or of all that the collection has."""
        namespace, name = (quote(word, safe="") for word in key)
        base, _, resource = self.path.rpartition("/")
        if namespace and not base.endswith(f"/namespaces/{namespace}"):
            base = f"{base}/namespaces/{namespace}"
        return f"{base}/{resource}/{name}" + (f"#{self.part}" if self.part else "")

    def _words(self, bad: Unreadable) -> str:
        kind = self.path.rpartition("/")[2]
        whose = "/".join(word for word in bad.key if word)
        return f"{kind} {whose}" if whose else f"one of {kind}"

    def _tell(self, known: Bad, at_us: Micros) -> None:
        bad, count = known.last, known.count
        known.told_us, known.count = at_us, 0
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

    def _forget(self, key: Key, at_us: Micros) -> None:
        known = self.objects.pop(key)
        if known.count:
            self._tell(known, at_us)
        self.gaps.found(self.prefix(key), at_us)
