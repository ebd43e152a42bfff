"""A client that ends leaves no connection open, whatever the other side does."""

import asyncio
import contextlib
import socket
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cluster.pki import HOST
from tests.cluster.unruly import make_pki, server_tls
from tests.cluster.visitor import Scene

STANDS = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
"""A watch begins; nothing ever follows."""


class Deaf:
    """A server that never hears a good-bye: it reads one request, says a few bytes, and does nothing any more."""

    def __init__(self, pki: Path, says: bytes) -> None:
        self.pki, self._says = pki, says
        self.asked, self._over = threading.Event(), threading.Event()
        self._listening = socket.create_server((HOST, 0))
        self.url = f"https://{HOST}:{self._listening.getsockname()[1]}"
        self._thread = threading.Thread(target=self._serve)
        self._thread.start()

    def _serve(self) -> None:
        plain, _ = self._listening.accept()
        with server_tls(self.pki, "serving").wrap_socket(plain, server_side=True) as talk:
            talk.recv(65536)
            talk.sendall(self._says)
            self.asked.set()
            self._over.wait(30)

    def end(self) -> None:
        """Goes on."""
        self._over.set()
        self._thread.join()
        self._listening.close()


@pytest.fixture(scope="module")
def pki(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The certificates."""
    return make_pki(tmp_path_factory.mktemp("sockets"))


@pytest.fixture(params=[STANDS, b""], ids=["in a watch", "before an answer"])
def deaf(pki: Path, request: pytest.FixtureRequest) -> Iterator[Deaf]:
    """The server, which answers only in part."""
    server = Deaf(pki, request.param)
    yield server
    server.end()


def test_who_ends_in_the_middle_of_a_request_hangs_up(
    deaf: Deaf, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without a word of the other side, and without a warning of the loop that ends."""

    async def ends_early() -> None:
        async with Scene(deaf, tmp_path, monkeypatch).client({"token": "t1"}) as client:

            async def watch() -> None:
                async for _ in client.lines("/watch"):
                    pass

            watching = asyncio.create_task(watch())
            await asyncio.to_thread(deaf.asked.wait, 10)
            await asyncio.sleep(0.1)
            watching.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await watching
            assert client._sockets.still_open
        assert not client._sockets.still_open

    asyncio.run(ends_early())
