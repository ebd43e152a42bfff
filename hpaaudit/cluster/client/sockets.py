"""Opens the sockets of a client, and hangs up all that are left when it ends."""

import asyncio
import contextlib
import socket
from weakref import WeakSet

from aiohttp import AddrInfoType

TURN_SECONDS, TURNS = 0.005, 200
"""A loop needs two or three turns to let go of a socket; much longer it is not waited for."""


class Sockets:
    """The sockets of a client.

    A TLS connection that is closed waits for the other side to say good-bye, 30 seconds long, and would be left behind
    by a loop that ends before: whoever ends has nothing more to hear.
    """

    def __init__(self) -> None:
        self._made: WeakSet[socket.socket] = WeakSet()

    def make(self, address: AddrInfoType) -> socket.socket:
        """A socket for an address as `getaddrinfo` gives it."""
        family, kind, protocol, *_ = address
        made = socket.socket(family, kind, protocol)
        self._made.add(made)
        return made

    @property
    def left(self) -> list[socket.socket]:
        """Those that are still open."""
        return [one for one in self._made if one.fileno() >= 0]

    async def hang_up(self) -> None:
        """End every connection at once, and return when the loop has let go of them."""
        for one in self.left:
            with contextlib.suppress(OSError):  # it was never connected, or the other side was quicker
                one.shutdown(socket.SHUT_RDWR)
        for _ in range(TURNS):
            if not self.left:
                return
            await asyncio.sleep(TURN_SECONDS)
