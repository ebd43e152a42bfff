"""Reads the body of an answer within bounds: of size, of memory and of time, also if it is packed."""

import asyncio
import zlib
from collections.abc import AsyncGenerator
from typing import Any, NamedTuple

import aiohttp

from hpaaudit.cluster.client.list_items import ListItems
from hpaaudit.cluster.client.memory_budget import Reservation, decoded_bytes
from hpaaudit.cluster.decoding.decoders import MAX_LINE_BYTES, UNREADABLE, Decode, TooLong
from hpaaudit.model.counted import counted

LONG_BYTES = 1 << 20
"""A longer list is split into its items while it comes."""
ITEM_BYTES = 300
"""What an item takes besides its text: an empty one, as a fact and as a row."""
CHUNK_BYTES = 1 << 18
SLOW_SECONDS, SLOW_BYTES = 10, 1000
"""After so many seconds an answer must come with so many bytes per second on average."""
GZIP = "gzip"


class BrokenBody(aiohttp.ClientError):
    """A body that contradicts its headers, or comes too slowly."""


class Limits(NamedTuple):
    """How much one body may take: of the memory budget, and in bytes after unpacking."""

    reservation: Reservation
    max_bytes: int


async def unpacked(response: aiohttp.ClientResponse) -> AsyncGenerator[bytes, None]:
    """The body in chunks, unpacked. A short body may unpack to gigabytes, but never at once."""
    encoding = response.headers.get("Content-Encoding", "").strip().lower()
    if encoding in ("", "identity"):
        async for data in response.content.iter_any():
            yield data
        return
    if encoding != GZIP:
        raise BrokenBody(f"its Content-Encoding {encoding[:40]!r} was not asked for")
    decompressor = zlib.decompressobj(wbits=zlib.MAX_WBITS | 16)
    async for data in response.content.iter_any():
        packed = data
        while packed:
            try:
                chunk = decompressor.decompress(packed, CHUNK_BYTES)
            except zlib.error as problem:
                raise BrokenBody(f"it is not gzip: {problem}") from None
            if chunk:
                yield chunk
            packed = b"" if decompressor.eof else decompressor.unconsumed_tail
    if not decompressor.eof:
        raise BrokenBody("its gzip has no end")


async def _bounded(response: aiohttp.ClientResponse, max_bytes: int) -> AsyncGenerator[bytes, None]:
    """The body in chunks. TooLong if there is too much of it, BrokenBody if it comes too slowly."""
    loop = asyncio.get_running_loop()
    size, began = 0, loop.time()
    async for chunk in unpacked(response):
        size += len(chunk)
        if size > max_bytes:
            length = response.headers.get("Content-Length", "")
            whole = f", its header says {length[:20]} bytes" if length else ""
            raise TooLong(f"the answer is longer than {max_bytes >> 20} MB{whole}")
        seconds = loop.time() - began
        if seconds > SLOW_SECONDS and size < SLOW_BYTES * seconds:
            raise BrokenBody(f"it came too slowly: {counted(size, 'byte')} in {seconds:.0f} s")
        yield chunk


async def read(response: aiohttp.ClientResponse, limits: Limits, decode: Decode, decode_item: Decode | None) -> Any:
    """The decoded body. A long list is decoded item by item if there is a `decode_item`.

    TooLong if its JSON takes more memory than one answer may have.
    """
    reservation = limits.reservation
    chunks: list[bytes] = []
    size = 0
    body = _bounded(response, limits.max_bytes)
    async for chunk in body:
        await reservation.grow(len(chunk))
        chunks.append(chunk)
        size += len(chunk)
        if decode_item and size > LONG_BYTES:
            return await _read_items(b"".join(chunks), body, reservation, decode, decode_item)
    data = b"".join(chunks)
    reservation.check(decoded_bytes(data) - len(data))
    return decode(data)


async def _read_items(
    first: bytes, body: AsyncGenerator[bytes, None], reservation: Reservation, decode: Decode, decode_item: Decode
) -> Any:
    """A list, item by item."""
    splitter, items, kept_bytes, chunk = ListItems(), [], 0, first
    try:
        while True:
            for raw in splitter.feed(chunk) if chunk else splitter.last():
                reservation.check(decoded_bytes(raw) - reservation.held)
                items.append(decode_item(raw))
                kept_bytes += len(raw) + ITEM_BYTES
            await reservation.resize(kept_bytes + splitter.held)
            if not chunk:
                break
            chunk = await anext(body, b"")
        listed = decode(splitter.rest)
    except (*UNREADABLE, ValueError, TypeError, AttributeError, KeyError) as problem:
        # A text is no good answer, and says why.
        return f"the answer cannot be read: {problem}"
    if isinstance(listed, dict):
        listed["items"] = items
    elif hasattr(listed, "items"):
        listed.items = items
    return listed


async def lines(response: aiohttp.ClientResponse, reservation: Reservation) -> AsyncGenerator[bytes, None]:
    """The whole lines of a body; half a line at its end is dropped.

    TooLong for a line that takes more memory than one answer may have.
    """
    parts: list[bytes] = []
    async for chunk in unpacked(response):
        first, *others = chunk.split(b"\n")
        parts.append(first)
        for following in others:
            line = b"".join(parts)
            reservation.check(decoded_bytes(line) - reservation.held)
            yield line
            parts = [following]
        size = sum(map(len, parts)) if others else reservation.held + len(first)
        if size > MAX_LINE_BYTES:
            raise TooLong(f"a line of the watch is longer than {MAX_LINE_BYTES >> 20} MB")
        await reservation.resize(size)
