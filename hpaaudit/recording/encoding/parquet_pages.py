"""Reads the page headers of a Parquet column: how much memory it takes, before anything is unpacked.

Arrow trusts these headers: it allocates two GB for a page of a few kB that claims so. The headers are in Thrift's
compact protocol, https://github.com/apache/parquet-format/blob/master/src/main/thrift/parquet.thrift.
"""

from dataclasses import dataclass
from typing import Any

from hpaaudit.model.counted import counted

DATA, DICTIONARY, DATA_2 = 0, 2, 3  # PageType
HEADERS = {DATA: 5, DICTIONARY: 7, DATA_2: 8}  # the field of PageHeader with the header of such a page
ENCODING = {DATA: 2, DICTIONARY: 2, DATA_2: 4}  # the field of that header with the encoding
DICTIONARY_ENCODINGS = (2, 8)  # PLAIN_DICTIONARY, RLE_DICTIONARY
DELTA_BYTE_ARRAY = 7

_STOP, _TRUE, _FALSE, _BYTE, _DOUBLE, _BINARY, _STRUCT = 0, 1, 2, 3, 7, 8, 12
_INTEGERS = (4, 5, 6)
_MAX_VARINT_BYTES = 10  # bytes of a 64 bit number
_MAX_DEPTH = 4
_MAX_INT32 = 2**31 - 1


class BadPage(ValueError):
    """A page header that no writer of this format writes. Its text is a predicate."""


@dataclass(slots=True)
class Pages:
    """The pages of a column.

    pages, values   how many
    words           number of words in the dictionary
    unpacked        size of all pages in bytes
    largest         size of the largest page in bytes
    by_dictionary   some page refers to a dictionary
    by_prefix       some page stores only what differs from the value before; such values, and those by dictionary,
                    may take far more memory than `unpacked`
    """

    pages: int = 0
    values: int = 0
    words: int = 0
    unpacked: int = 0
    largest: int = 0
    by_dictionary: bool = False
    by_prefix: bool = False


def read_page_headers(file: memoryview, begin: int, size: int, values: int, max_pages: int) -> Pages:
    """The pages of a column chunk, as their headers describe them.

    begin, size   of the chunk in the file
    values        number of values that it must have

    Raises `BadPage`.
    """
    end = begin + size
    if not 0 < begin <= end <= len(file):
        raise BadPage("has a column outside of the file")
    pages, at = Pages(), begin
    while pages.values < values:
        if pages.pages >= max_pages:
            raise BadPage(f"has a column of more than {max_pages} pages")
        header, at = _read_struct(file, at, end, 0)
        kind, unpacked, packed = (_number(header, field) for field in (1, 2, 3))
        if kind not in HEADERS or packed > end - at:
            raise BadPage("has a page that no writer of this format writes")
        page = header.get(HEADERS[kind])
        if not isinstance(page, dict):
            raise BadPage("has a page without a header of its kind")
        count, encoding = _number(page, 1), _number(page, ENCODING[kind])
        pages.pages += 1
        pages.unpacked += unpacked
        pages.largest = max(pages.largest, unpacked)
        if kind == DICTIONARY:
            pages.words += count
        else:
            pages.values += count
            pages.by_dictionary |= encoding in DICTIONARY_ENCODINGS
            pages.by_prefix |= encoding == DELTA_BYTE_ARRAY
        at += packed
    if pages.values != values:
        raise BadPage(f"has a column of {counted(pages.values, 'value')} instead of {values}")
    return pages


def _number(fields: dict[int, Any], field: int) -> int:
    number = fields.get(field)
    if type(number) is not int or not 0 <= number <= _MAX_INT32:
        raise BadPage("has a page header without its numbers")
    return number


def _read_struct(data: memoryview, at: int, end: int, depth: int) -> tuple[dict[int, Any], int]:
    """Read a struct. Return its fields by number, and where it ends."""
    if depth > _MAX_DEPTH:
        raise BadPage("has a page header that is nested too deeply")
    fields: dict[int, Any] = {}
    field = 0
    while True:
        if at >= end:
            raise BadPage("has a page header that is cut off")
        first = data[at]
        at += 1
        kind, step = first & 15, first >> 4
        if kind == _STOP:
            return fields, at
        if step:
            field += step
        else:
            field, at = _read_zigzag(data, at, end)
        fields[field], at = _read_value(data, at, end, kind, depth)


def _read_value(data: memoryview, at: int, end: int, kind: int, depth: int) -> tuple[Any, int]:
    """Read a value of a struct. Return it, None for kinds that we do not need, and where it ends."""
    if kind in (_TRUE, _FALSE):
        return kind == _TRUE, at
    if kind in _INTEGERS:
        return _read_zigzag(data, at, end)
    if kind == _BINARY:
        length, at = _read_varint(data, at, end)
        return None, at + length
    if kind == _STRUCT:
        return _read_struct(data, at, end, depth + 1)
    if kind in (_BYTE, _DOUBLE):
        return None, at + (1 if kind == _BYTE else 8)
    # Lists, sets and maps: no page header has one.
    raise BadPage("has a page header of another shape")


def _read_varint(data: memoryview, at: int, end: int) -> tuple[int, int]:
    number = 0
    for position in range(_MAX_VARINT_BYTES):
        if at >= end:
            break
        byte = data[at]
        at += 1
        number |= (byte & 0x7F) << (7 * position)
        if byte < 0x80:  # noqa: PLR2004 the highest bit says that another byte follows
            return number, at
    raise BadPage("has a page header with a number that does not end")


def _read_zigzag(data: memoryview, at: int, end: int) -> tuple[int, int]:
    number, at = _read_varint(data, at, end)
    return (number >> 1) ^ -(number & 1), at
