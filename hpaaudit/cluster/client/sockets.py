"""Opens the sockets of a client, and shuts down those that are still open when it ends."""

import asyncio
import contextlib
import socket
from weakref import WeakSet

from aiohttp import AddrInfoType

TURN_SECONDS, TURNS = 0.005, 200
"""An event loop needs two or three turns to close a socket. We do not wait much longer."""


class Sockets:
    """The sockets of a client.

    A closed TLS connection waits up to 30 s for the close_notify of the peer. An event loop that ends before would
    leave it open. The recorder has ended, so it does not wait for anything.
    """

    def __init__(self) -> None:
        self._sockets: WeakSet[socket.socket] = WeakSet()

    def make(self, address: AddrInfoType) -> socket.socket:
        """A socket for an address as `getaddrinfo` gives it."""
        family, kind, protocol, *_ = address
        created = socket.socket(family, kind, protocol)
        self._sockets.add(created)
        return created

    @property
    def still_open(self) -> list[socket.socket]:
        """The sockets that are not closed yet."""
        return [open_socket for open_socket in self._sockets if open_socket.fileno() >= 0]

    async def hang_up(self) -> None:
        """Shuts down every connection, and returns when the event loop has closed them."""
        for open_socket in self.still_open:
            with contextlib.suppress(OSError):  # it was never connected, or the peer was quicker
                open_socket.shutdown(socket.SHUT_RDWR)
        for _ in range(TURNS):
            if not self.still_open:
                return
            await asyncio.sleep(TURN_SECONDS)
