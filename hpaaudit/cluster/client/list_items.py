"""Splits a long list into its items while it comes, so that it is never in memory as a whole."""

import re

DEPTH = 40
"""Levels of nested objects. Those of Kubernetes are far from it."""
HEAD_BYTES = 1 << 20
"""Of what comes before and after the items."""
LONG_ITEM_BYTES = 1 << 16

_STRING = rb'"(?:[^"\\]++|\\.)*+"'


def _nested(opening: bytes, closing: bytes) -> bytes:
    """The pattern of an object or an array. Whether its content is JSON shows when it is decoded."""
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


class ListItems:
    """Takes the bytes of `{…, "items": [{…}, …], …}` as they come. ValueError if they are no such list.

    `rest` is the document without its items, once everything was fed.
    """

    def __init__(self) -> None:
        self.count = 0
        self._buffer, self._head, self._tail = b"", b"", b""
        self._is_within, self._has_ended = False, False
        self._next_try = 0

    @property
    def held(self) -> int:
        """Bytes in memory that wait for more."""
        return len(self._buffer) + len(self._head) + len(self._tail)

    def feed(self, data: bytes) -> list[bytes]:
        """The items that are complete now, each as JSON."""
        if self._has_ended:
            # A piece may begin within a text, whose blanks count.
            self._tail += data if self._tail else data.lstrip()
            if len(self._tail) > HEAD_BYTES:
                raise ValueError("what stands after the items has no end")
            return []
        self._buffer = self._buffer + data if self._buffer else data
        if len(self._buffer) < self._next_try:
            return []
        if not self._is_within and not self._find_first_item():
            return []
        return self._split()

    def last(self) -> list[bytes]:
        """The items that are complete when nothing more comes."""
        self._next_try = 0
        return self.feed(b"")

    @property
    def rest(self) -> bytes:
        """The document with an empty list of items."""
        if not self._has_ended:
            raise ValueError("the answer ends within its list of items")
        return self._head + b"]" + self._tail

    def _find_first_item(self) -> bool:
        head = HEAD.match(self._buffer)
        if not head:
            self._buffer = self._buffer.lstrip()
            if len(self._buffer) > HEAD_BYTES:
                raise ValueError("it is no list of items")
            return False
        self._is_within, self._head, self._buffer = True, head[0], self._buffer[head.end() :]
        return True

    def _split(self) -> list[bytes]:
        items, position, buffer = [], 0, self._buffer
        while item := (NEXT if self.count else FIRST).match(buffer, position):
            items.append(item[1])
            self.count += 1
            position = item.end()
        if end := END.match(buffer, position):
            self._has_ended, self._tail, self._buffer = True, buffer[end.end() :], b""
            return items
        self._buffer = buffer[position:].lstrip()
        if self._buffer[:1] not in ((b"", b",") if self.count else (b"", b"{")):
            raise ValueError(f"item {self.count} of the list is no object")
        # The longer an item is, the more rarely it is matched again.
        self._next_try = 0 if items or len(self._buffer) < LONG_ITEM_BYTES else 2 * len(self._buffer)
        return items
