"""A small Kubernetes API client for the set-up of tests: standard library only, and no part of the product."""

import http.client
import json
import ssl
import urllib.parse
from collections.abc import Iterator
from typing import Any

MERGE = "application/merge-patch+json"


class ApiError(Exception):
    """An answer that is not 2xx."""

    def __init__(self, method: str, path: str, status: int, body: Any) -> None:
        message = body.get("message", body) if isinstance(body, dict) else body
        super().__init__(f"{method} {path}: {status} {message}")
        self.status = status
        self.body = body


class Kube:
    """A connection per call; every call raises ApiError unless the answer is 2xx.

    agent   the user agent; the API server makes the field manager of it
    """

    def __init__(
        self, url: str, token: str, ca_file: str, *, agent: str = "tests/1", timeout_seconds: float = 30
    ) -> None:
        self.url, self.token, self.agent, self.timeout = url, token, agent, timeout_seconds
        self.context = ssl.create_default_context(cafile=ca_file)
        self.context.verify_flags &= ~ssl.VERIFY_X509_STRICT  # pki.py's authority is one of an old cluster

    def connect(self) -> http.client.HTTPSConnection:
        """A new connection, not yet opened."""
        at = urllib.parse.urlsplit(self.url)
        return http.client.HTTPSConnection(at.hostname or "", at.port, timeout=self.timeout, context=self.context)

    def raw(
        self, method: str, path: str, body: Any = None, content_type: str = "application/json"
    ) -> tuple[int, dict[str, str], bytes]:
        """Status, headers and body of the answer, whatever they are."""
        headers = {
            "Authorization": f"Bearer {self.token}",
            "Accept": "application/json",
            "User-Agent": self.agent,
        }
        data = None
        if body is not None:
            data, headers["Content-Type"] = json.dumps(body).encode(), content_type
        connection = self.connect()
        try:
            connection.request(method, path, data, headers)
            answer = connection.getresponse()
            return answer.status, dict(answer.getheaders()), answer.read()
        finally:
            connection.close()

    def call(self, method: str, path: str, body: Any = None, content_type: str = "application/json") -> Any:
        """The decoded body of a 2xx answer."""
        status, _, data = self.raw(method, path, body, content_type)
        try:
            answer = json.loads(data)
        except ValueError:
            answer = data.decode(errors="replace")
        if not 200 <= status < 300:
            raise ApiError(method, path, status, answer)
        return answer

    def get(self, path: str) -> Any:
        """Reads one object or a list."""
        return self.call("GET", path)

    def post(self, path: str, body: Any) -> Any:
        """Creates an object."""
        return self.call("POST", path, body)

    def put(self, path: str, body: Any) -> Any:
        """Replaces an object."""
        return self.call("PUT", path, body)

    def patch(self, path: str, body: Any) -> Any:
        """Changes some fields of an object (merge patch)."""
        return self.call("PATCH", path, body, MERGE)

    def delete(self, path: str, **options: Any) -> Any:
        """Deletes an object, with DeleteOptions as keywords."""
        return self.call("DELETE", path, {"kind": "DeleteOptions", "apiVersion": "v1", **options})

    def watch(self, path: str, resource_version: str, seconds: int = 300) -> Iterator[bytes]:
        """The lines of a watch, each one JSON object, until the server ends it."""
        query = urllib.parse.urlencode(
            {"watch": "1", "resourceVersion": resource_version, "timeoutSeconds": str(seconds)}
        )
        connection = self.connect()
        connection.timeout = seconds + 30
        try:
            headers = {"Authorization": f"Bearer {self.token}", "User-Agent": self.agent}
            connection.request("GET", f"{path}?{query}", headers=headers)
            answer = connection.getresponse()
            if answer.status != 200:
                raise ApiError("WATCH", path, answer.status, answer.read().decode(errors="replace"))
            while line := answer.readline():
                yield line
        finally:
            connection.close()
