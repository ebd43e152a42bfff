"""Reads the page headers of a Parquet column: how much memory it will take, before anything is unpacked.

Arrow believes these headers: a page of a few kB may claim two GB and Arrow asks for them. The headers are Thrift's
compact protocol, https://github.com/apache/parquet-format/blob/master/src/main/thrift/parquet.thrift.
"""

from dataclasses import dataclass
from typing import Any

DATA, DICTIONARY, DATA_2 = 0, 2, 3  # PageType
HEADERS = {DATA: 5, DICTIONARY: 7, DATA_2: 8}  # the field of PageHeader that tells of such a page
ENCODING = {DATA: 2, DICTIONARY: 2, DATA_2: 4}  # the field of that which is its encoding
OF_DICTIONARY = (2, 8)  # PLAIN_DICTIONARY, RLE_DICTIONARY
DELTA_BYTE_ARRAY = 7

_STOP, _TRUE, _FALSE, _BYTE, _DOUBLE, _BINARY, _STRUCT = 0, 1, 2, 3, 7, 8, 12
_WHOLE = (4, 5, 6)
_LONGEST_NUMBER = 10  # bytes of a 64 bit number
_DEEPEST = 4
_MAX_INT32 = 2**31 - 1


class BadPage(ValueError):
    """A page header that no writer of this format writes; its text is a predicate."""


@dataclass(slots=True)
class Pages:
    """The pages of a column.

    pages, values   how many;  words   of its dictionary
    unpacked        bytes of all pages;  largest   of one
    by_dictionary, by_prefix   whether some page tells its values by a dictionary, or by what they share with the value
                               before: then they may take far more than `unpacked`
    """

    pages: int = 0
    values: int = 0
    words: int = 0
    unpacked: int = 0
    largest: int = 0
    by_dictionary: bool = False
    by_prefix: bool = False


def read_page_headers(file: memoryview, begin: int, size: int, values: int, most: int) -> Pages:
    """Return what the pages of a column chunk claim.

    begin, size   where the chunk stands in the file;  values   that it has;  most   pages that there may be

    Raises `BadPage`.
    """
    end = begin + size
    if not 0 < begin <= end <= len(file):
        raise BadPage("has a column outside of the file")
    found, at = Pages(), begin
    while found.values < values:
        if found.pages >= most:
            raise BadPage(f"has a column of more than {most} pages")
        header, at = _struct(file, at, end, 0)
        kind, unpacked, packed = (_number(header, field) for field in (1, 2, 3))
        if kind not in HEADERS or packed > end - at:
            raise BadPage("has a page that no writer of this format writes")
        page = header.get(HEADERS[kind])
        if not isinstance(page, dict):
            raise BadPage("has a page without a header of its kind")
        count, encoding = _number(page, 1), _number(page, ENCODING[kind])
        found.pages += 1
        found.unpacked += unpacked
        found.largest = max(found.largest, unpacked)
        if kind == DICTIONARY:
            found.words += count
        else:
            found.values += count
            found.by_dictionary |= encoding in OF_DICTIONARY
            found.by_prefix |= encoding == DELTA_BYTE_ARRAY
        at += packed
    if found.values != values:
        raise BadPage(f"has a column of {found.values} values instead of {values}")
    return found


def _number(fields: dict[int, Any], field: int) -> int:
    number = fields.get(field)
    if type(number) is not int or not 0 <= number <= _MAX_INT32:
        raise BadPage("has a page header without its numbers")
    return number


def _struct(data: memoryview, at: int, end: int, depth: int) -> tuple[dict[int, Any], int]:
    """Read a struct: its fields by number, and where it ends."""
    if depth > _DEEPEST:
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
            field, at = _zigzag(data, at, end)
        if kind in (_TRUE, _FALSE):
            fields[field] = kind == _TRUE
        elif kind in _WHOLE:
            fields[field], at = _zigzag(data, at, end)
        elif kind == _BINARY:
            length, at = _varint(data, at, end)
            at += length
        elif kind == _STRUCT:
            fields[field], at = _struct(data, at, end, depth + 1)
        elif kind in (_BYTE, _DOUBLE):
            at += 1 if kind == _BYTE else 8
        else:  # lists, sets and maps: no page header has one
            raise BadPage("has a page header of another shape")


def _varint(data: memoryview, at: int, end: int) -> tuple[int, int]:
    number = 0
    for place in range(_LONGEST_NUMBER):
        if at >= end:
            break
        byte = data[at]
        at += 1
        number |= (byte & 0x7F) << (7 * place)
        if byte < 0x80:  # noqa: PLR2004 the highest bit says that another byte follows
            return number, at
    raise BadPage("has a page header with a number that does not end")


def _zigzag(data: memoryview, at: int, end: int) -> tuple[int, int]:
    number, at = _varint(data, at, end)
    return (number >> 1) ^ -(number & 1), at
