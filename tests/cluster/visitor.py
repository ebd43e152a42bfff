"""Writes a kubeconfig for a server over TLS, and asks the server with it."""

import json
from pathlib import Path
from typing import Any

import pytest

from hpaaudit.cluster.access.kubeconfig import load_config
from hpaaudit.cluster.client.client import Client
from hpaaudit.cluster.client.clock import Clock
from hpaaudit.cluster.client.http_answer import Answer
from tests.cluster.unruly import Unruly


class Scene:
    """A server, the folder of a user, and what a case changes in the process."""

    def __init__(self, server: Unruly, folder: Path, patch: pytest.MonkeyPatch) -> None:
        self.server, self.folder, self.patch, self.pki = server, folder, patch, server.pki

    def config(self, user: dict[str, Any], **cluster: Any) -> dict[str, Any]:
        """The content of a kubeconfig with the one context `here`."""
        reached = {"server": self.server.url, "certificate-authority": str(self.pki / "ca.crt"), **cluster}
        return {
            "current-context": "here",
            "clusters": [{"name": "here", "cluster": {k: v for k, v in reached.items() if v}}],
            "users": [{"name": "me", "user": user}],
            "contexts": [{"name": "here", "context": {"cluster": "here", "user": "me"}}],
        }

    def write(self, content: dict[str, Any], name: str = "config") -> Path:
        """A kubeconfig in the user's folder."""
        path = self.folder / name
        path.write_text(json.dumps(content))
        return path

    def client(self, user: dict[str, Any], **cluster: Any) -> Client:
        """A client for this user, who came by a kubeconfig on the disk."""
        return Client(load_config(self.write(self.config(user, **cluster)), None), Clock(), qps=1000)

    async def ask(self, user: dict[str, Any], **cluster: Any) -> Answer:
        """The answer to one question of a new client."""
        async with self.client(user, **cluster) as client:
            return await client.get("/version")

    async def comes_in(self, who: str, user: dict[str, Any], **cluster: Any) -> None:
        """The user is known as this, and nobody else is."""
        self.server.accepted = {who}
        answer = await self.ask(user, **cluster)
        assert answer.status == 200, answer.message
        assert self.server.who == [who]
