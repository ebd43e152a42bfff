"""Reads the body of an answer within bounds: of bytes, of memory, of time, and unpacked."""

import asyncio
import zlib
from collections.abc import AsyncGenerator, Callable
from typing import Any

import aiohttp

from hpaaudit.cluster.client.list_items import Items
from hpaaudit.cluster.client.memory_budget import Share, weight
from hpaaudit.cluster.decoding.decoders import MAX_ANSWER_BYTES, UNREADABLE, TooLong

LONG_BYTES = 1 << 20
"""A list that is longer is cut into its items while it comes."""
ITEM_BYTES = 300
"""What an item takes beside its text: an empty one, as a fact and as a row."""
PIECE_BYTES = 1 << 18
SLOW_SECONDS, SLOW_BYTES = 10, 1000
"""After this many seconds an answer must have come at this many bytes per second, or it is given up."""
PACKED = "gzip"
Decode = Callable[[bytes], Any]


class Broken(aiohttp.ClientError):
    """A body that is not what its header says."""


async def pieces(got: aiohttp.ClientResponse) -> AsyncGenerator[bytes, None]:
    """The body as it comes, unpacked: a short text may unpack to gigabytes, but never at once."""
    packing = got.headers.get("Content-Encoding", "").strip().lower()
    if packing in ("", "identity"):
        async for data in got.content.iter_any():
            yield data
        return
    if packing != PACKED:
        raise Broken(f"its Content-Encoding {packing[:40]!r} was not asked for")
    unpacking = zlib.decompressobj(wbits=zlib.MAX_WBITS | 16)
    async for data in got.content.iter_any():
        left = data
        while left:
            try:
                piece = unpacking.decompress(left, PIECE_BYTES)
            except zlib.error as problem:
                raise Broken(f"it is no gzip: {problem}") from None
            if piece:
                yield piece
            left = b"" if unpacking.eof else unpacking.unconsumed_tail
    if not unpacking.eof:
        raise Broken("its gzip has no end")


async def bounded(got: aiohttp.ClientResponse, most: int = MAX_ANSWER_BYTES) -> AsyncGenerator[bytes, None]:
    """The body as it comes; TooLong where it is, and TimeoutError where it hardly comes."""
    loop = asyncio.get_running_loop()
    size, begun = 0, loop.time()
    async for piece in pieces(got):
        size += len(piece)
        if size > most:
            told = got.headers.get("Content-Length", "")
            whole = f", its header says {told[:20]} bytes" if told else ""
            raise TooLong(f"the answer is longer than {most >> 20} MB{whole}")
        seconds = loop.time() - begun
        if seconds > SLOW_SECONDS and size < SLOW_BYTES * seconds:
            raise Broken(f"it came too slowly: {size} bytes in {seconds:.0f} s")
        yield piece


async def read(got: aiohttp.ClientResponse, share: Share, decode: Decode, item: Decode | None, most: int) -> Any:
    """What was made of a body: a list with the made items where it is long and `item` makes them.

    TooLong, where its JSON takes more memory than one answer may have.
    """
    found: list[bytes] = []
    size = 0
    body = bounded(got, most)
    async for piece in body:
        await share.grow(len(piece))
        found.append(piece)
        size += len(piece)
        if item and size > LONG_BYTES:
            return await _cut(b"".join(found), body, share, decode, item)
    data = b"".join(found)
    share.check(weight(data) - len(data))
    return decode(data)


async def _cut(first: bytes, body: AsyncGenerator[bytes, None], share: Share, decode: Decode, item: Decode) -> Any:
    """The list, item by item."""
    items, made, kept, piece = Items(), [], 0, first
    try:
        while True:
            for raw in items.feed(piece) if piece else items.last():
                share.check(weight(raw) - share.held)
                made.append(item(raw))
                kept += len(raw) + ITEM_BYTES
            await share.hold(kept + items.held)
            if not piece:
                break
            piece = await anext(body, b"")
        rest = decode(items.rest)
    except (*UNREADABLE, ValueError, TypeError, AttributeError, KeyError) as problem:
        # As text it is no good answer, and says why.
        return f"the answer cannot be read: {problem}"
    if isinstance(rest, dict):
        rest["items"] = made
    elif hasattr(rest, "items"):
        rest.items = made
    return rest
