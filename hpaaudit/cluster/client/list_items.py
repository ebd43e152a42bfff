"""Cuts a long list of objects into its items while it comes, so that never all of it is held."""

import re

DEPTH = 40
"""Objects within objects, as deep as those of Kubernetes are by far."""
HEAD_BYTES = 1 << 20
"""What stands before and after the items is shorter."""
LONG_ITEM_BYTES = 1 << 16

_STRING = rb'"(?:[^"\\]++|\\.)*+"'


def _nested(opening: bytes, closing: bytes) -> bytes:
    """The pattern of an object or an array; what it holds is judged by whoever decodes it."""
    inner = rb"(?!)"
    plain = rb'[^"' + opening + closing + rb"]++"
    for _ in range(DEPTH):
        inner = opening + rb"(?:" + plain + rb"|" + _STRING + rb"|" + inner + rb")*+" + closing
    return inner


_OBJECT, _ARRAY = _nested(rb"\{", rb"\}"), _nested(rb"\[", rb"\]")
_VALUE = rb"(?:" + _STRING + rb"|" + _OBJECT + rb"|" + _ARRAY + rb"|[-+.\w]++)"
_FIELD = rb'\s*+(?!"items"\s*+:)' + _STRING + rb"\s*+:\s*+" + _VALUE + rb"\s*+,"
HEAD = re.compile(rb"\s*+\{(?:" + _FIELD + rb')*+\s*+"items"\s*+:\s*+\[', re.DOTALL)
FIRST = re.compile(rb"\s*+(" + _OBJECT + rb")", re.DOTALL)
NEXT = re.compile(rb"\s*+,\s*+(" + _OBJECT + rb")", re.DOTALL)
END = re.compile(rb"\s*+\]")


class Items:
    """Takes the bytes of `{…, "items": [{…}, …], …}` as they come.

    `rest` is the document without its items, once all was fed. ValueError where it is no such list.
    """

    def __init__(self) -> None:
        self.count = 0
        self._buffer, self._head, self._tail = b"", b"", b""
        self._within, self._ended = False, False
        self._next_try = 0

    @property
    def held(self) -> int:
        """Bytes that wait for more."""
        return len(self._buffer) + len(self._head) + len(self._tail)

    def feed(self, data: bytes) -> list[bytes]:
        """The items that are whole now, each as its JSON."""
        if self._ended:
            self._tail += data.strip()
            if len(self._tail) > HEAD_BYTES:
                raise ValueError("what stands after the items has no end")
            return []
        self._buffer = self._buffer + data if self._buffer else data
        if len(self._buffer) < self._next_try:
            return []
        if not self._within and not self._begin():
            return []
        return self._cut()

    def last(self) -> list[bytes]:
        """The items that are whole when nothing more comes."""
        self._next_try = 0
        return self.feed(b"")

    @property
    def rest(self) -> bytes:
        """The document with an empty list."""
        if not self._ended:
            raise ValueError("the answer ends within its list of items")
        return self._head + b"]" + self._tail

    def _begin(self) -> bool:
        found = HEAD.match(self._buffer)
        if not found:
            self._buffer = self._buffer.lstrip()
            if len(self._buffer) > HEAD_BYTES:
                raise ValueError("it is no list of items")
            return False
        self._within, self._head, self._buffer = True, found[0], self._buffer[found.end() :]
        return True

    def _cut(self) -> list[bytes]:
        found, place, buffer = [], 0, self._buffer
        while cut := (NEXT if self.count else FIRST).match(buffer, place):
            found.append(cut[1])
            self.count += 1
            place = cut.end()
        if end := END.match(buffer, place):
            self._ended, self._tail, self._buffer = True, buffer[end.end() :], b""
            return found
        self._buffer = buffer[place:].lstrip()
        if self._buffer[:1] not in ((b"", b",") if self.count else (b"", b"{")):
            raise ValueError(f"item {self.count} of the list is no object")
        # The longer one item is, the more rarely it is looked whether it is whole.
        self._next_try = 0 if found or len(self._buffer) < LONG_ITEM_BYTES else 2 * len(self._buffer)
        return found
