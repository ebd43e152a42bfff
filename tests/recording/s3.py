"""A real S3-compatible server on loopback, whose bucket outlives a restart."""

import os
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import obstore
import pytest
from obstore.store import from_url

from tests.cluster.tools import find

BUCKET = "recordings"
SECRET = "not-for-anybodys-eyes"  # noqa: S105  # of a server that asks nobody


class Store:
    """The server; `up` and `down` as often as a test likes, on the same port."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        with socket.create_server(("127.0.0.1", 0)) as probe:
            self.port = probe.getsockname()[1]
        self.process: subprocess.Popen[bytes] | None = None

    @property
    def environment(self) -> dict[str, str]:
        """What a user of it has in the environment."""
        return {
            "AWS_ENDPOINT_URL": f"http://127.0.0.1:{self.port}",
            "AWS_ALLOW_HTTP": "true",
            "AWS_REGION": "us-east-1",
            "AWS_ACCESS_KEY_ID": "tests",
            "AWS_SECRET_ACCESS_KEY": SECRET,
        }

    def up(self) -> None:
        """Start it and wait until it answers."""
        backend = ["-backend", "bolt", "-bolt.db", str(self.folder / "s3.db"), "-initialbucket", BUCKET]
        command = [find("gofakes3"), "-host", f"127.0.0.1:{self.port}", *backend]
        with (self.folder / "s3.log").open("ab") as log:
            self.process = subprocess.Popen(command, stdout=log, stderr=log, env={**os.environ, "TZ": "UTC"})
        end = time.monotonic() + 30
        while time.monotonic() < end:
            with suppress(OSError), socket.create_connection(("127.0.0.1", self.port), 1):
                return
            time.sleep(0.05)
        raise TimeoutError((self.folder / "s3.log").read_text())

    def down(self) -> None:
        """Stop it; what it holds stays."""
        if self.process:
            self.process.kill()
            self.process.wait()
            self.process = None

    def names(self, prefix: str) -> list[str]:
        """All objects below a prefix, in the order of their names."""
        objects = obstore.list(from_url(f"s3://{BUCKET}/{prefix}")).collect()
        return sorted(entry["path"] for entry in objects)

    def download(self, prefix: str, into: Path) -> Path:
        """Everything below a prefix, as a folder."""
        store = from_url(f"s3://{BUCKET}/{prefix}")
        for name in self.names(prefix):
            path = into / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(bytes(obstore.get(store, name).bytes()))
        return into

    def put(self, name: str, data: bytes) -> None:
        """Put an object there, whatever was there."""
        obstore.put(from_url(f"s3://{BUCKET}"), name, data)


@contextmanager
def s3(folder: Path, patch: pytest.MonkeyPatch) -> Iterator[Store]:
    """A server that runs, and an environment that leads to it."""
    store = Store(folder)
    for name, value in store.environment.items():
        patch.setenv(name, value)
    store.up()
    try:
        yield store
    finally:
        store.down()
