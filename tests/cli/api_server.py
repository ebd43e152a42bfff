"""An API server of a few paths, for what a command says when it is refused: plain HTTP on loopback."""

import contextlib
import json
import threading
from collections.abc import Iterator, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

HPAS = "/apis/autoscaling/v2/namespaces/shop/horizontalpodautoscalers"
SERVED: Mapping[str, Any] = {
    "/version": {"gitVersion": "v1.36.3"},
    "/apis/autoscaling": {"versions": [{"version": "v2"}]},
}


@contextlib.contextmanager
def api_server(answers: Mapping[str, tuple[int, Any]]) -> Iterator[str]:
    """Its URL; paths that are not named are served as they should be, else 404."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            path, _, query = self.path.partition("?")
            missing = (404, {"kind": "Status", "message": "the server could not find the requested resource"})
            status, body = answers.get(path) or ((200, SERVED[path]) if path in SERVED else missing)
            if "sendInitialEvents" in query:  # as where the feature WatchList is switched off
                status, body = 422, {"kind": "Status", "message": "sendInitialEvents is forbidden for watch"}
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.end_headers()
            self.wfile.write(json.dumps(body).encode())

        def log_message(self, *_: Any) -> None:
            """What was asked is no concern of a test."""

    class Server(ThreadingHTTPServer):
        def handle_error(self, *_: Any) -> None:
            """Who hangs up in the middle is no concern of a test, and of the next one's output even less."""

    server = Server(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def kubeconfig(folder: Path, server: str, context: str = "shop") -> Path:
    """A kubeconfig with one context, and one more whose cluster is not there."""
    path = folder / "kubeconfig"
    content = {
        "current-context": context,
        "clusters": [{"name": "here", "cluster": {"server": server}}],
        "users": [{"name": "me", "user": {"token": "mine"}}],
        "contexts": [
            {"name": "shop", "context": {"cluster": "here", "user": "me", "namespace": "shop"}},
            {"name": "staging", "context": {"cluster": "here", "user": "me"}},
        ],
    }
    path.write_text(json.dumps(content))
    return path
