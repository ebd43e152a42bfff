"""Serves the three metrics APIs over HTTPS, with values from a world's state."""

import json
import ssl
import threading
import time
import urllib.parse
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from tests.cluster.selectors import matches
from tests.cluster.world import World, ready, rfc3339

Answer = tuple[int, dict[str, Any]]

VERSIONS = {
    "metrics.k8s.io": ("v1beta1",),
    "custom.metrics.k8s.io": ("v1beta1", "v1beta2"),
    "external.metrics.k8s.io": ("v1beta1",),
}
REASONS = {
    403: "Forbidden",
    404: "NotFound",
    429: "TooManyRequests",
    500: "InternalError",
    503: "ServiceUnavailable",
    504: "Timeout",
}


def failure(code: int, message: str) -> Answer:
    """A `Status` that says what went wrong."""
    body = {"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Failure", "message": message}
    return code, {**body, "reason": REASONS.get(code, "Unknown"), "code": code}


def answer(world: World, path: str, query: dict[str, str]) -> Answer:
    """Status and body for one decoded path."""
    parts = path.strip("/").split("/")
    if parts[0] != "apis" or len(parts) < 3 or parts[2] not in VERSIONS.get(parts[1], ()):
        return failure(404, "the server could not find the requested resource")
    group, version, rest = parts[1], parts[2], parts[3:]
    if not rest:
        return 200, discovery(world, group, version)
    faults = world.state().get("faults", {})
    fault = faults.get(group) or faults.get(f"{group}/{rest[1]}" if len(rest) > 1 else "", {})
    if fault.get("delay_seconds"):
        time.sleep(fault["delay_seconds"])
    if fault.get("status"):
        return failure(fault["status"], fault.get("message", "told to fail"))
    api = f"{group}/{version}"
    if group == "metrics.k8s.io":
        items = world.usage(rest[1], query.get("labelSelector", "")) if rest[0] == "namespaces" else []
        return 200, {"kind": "PodMetricsList", "apiVersion": api, "metadata": {}, "items": items}
    if group == "custom.metrics.k8s.io" and rest[0] == "namespaces" and len(rest) == 5:
        return custom(world, api, rest[1:], query)
    if group == "external.metrics.k8s.io" and rest[0] == "namespaces" and len(rest) == 3:
        return external(world, api, rest[1], rest[2], query.get("labelSelector", ""))
    return failure(404, "the server could not find the requested resource")


def custom(world: World, api: str, rest: list[str], query: dict[str, str]) -> Answer:
    """The metric of pods, or of one other object."""
    namespace, resource, name, metric = rest
    if resource == "pods":
        values = custom_of_pods(world, namespace, name, metric, query.get("labelSelector", ""))
    else:
        value = world.state().get("objects", {}).get(f"{namespace}/{resource}/{name}/{metric}")
        described = {"kind": resource, "namespace": namespace, "name": name, "apiVersion": "v1"}
        values = [] if value is None else [(described, str(value))]
    if not values:
        return failure(404, f"the server could not find the metric {metric} for {resource}")
    wanted = query.get("metricLabelSelector", "")
    selector = {"matchLabels": dict(part.split("=") for part in wanted.split(","))} if wanted else None
    named: dict[str, Any] = {"metric": {"name": metric, "selector": selector}}
    if api.endswith("v1beta1"):
        named = {"metricName": metric, "selector": selector}
    stamp = rfc3339(time.time())
    items = [{"describedObject": described, **named, "timestamp": stamp, "value": value} for described, value in values]
    return 200, {"kind": "MetricValueList", "apiVersion": api, "metadata": {}, "items": items}


def custom_of_pods(
    world: World, namespace: str, name: str, metric: str, selector: str
) -> list[tuple[dict[str, str], str]]:
    """Each ready pod's share of a metric."""
    silent = world.state().get("without_metrics", [])
    collected = []
    for pod in world.select(namespace, selector):
        of_workload, pod_name = world.demand(pod), pod["metadata"]["name"]
        if not ready(pod) or not of_workload or metric not in of_workload[0] or pod_name in silent:
            continue
        if name in ("*", pod_name):
            described = {"kind": "Pod", "namespace": namespace, "name": pod_name, "apiVersion": "/v1"}
            collected.append((described, f"{of_workload[0][metric] / of_workload[1] * 1000:.0f}m"))
    return collected


def external(world: World, api: str, namespace: str, metric: str, selector: str) -> Answer:
    """The series of an external metric that a selector matches."""
    series = world.state().get("external", {}).get(f"{namespace}/{metric}")
    if series is None:
        return failure(404, f"the server could not find the metric {metric}")
    stamp = rfc3339(time.time())
    items = [
        {"metricName": metric, "metricLabels": item["labels"], "timestamp": stamp, "value": str(item["value"])}
        for item in series
        if matches(selector, item["labels"])
    ]
    return 200, {"kind": "ExternalMetricValueList", "apiVersion": api, "metadata": {}, "items": items}


def discovery(world: World, group: str, version: str) -> dict[str, Any]:
    """What an `APIResourceList` says that this group has."""
    state = world.state()
    if group == "metrics.k8s.io":
        rows = [("nodes", "NodeMetrics"), ("pods", "PodMetrics")]
    elif group == "custom.metrics.k8s.io":
        names = {name for totals in state.get("pods", {}).values() for name in totals} - {"cpu", "memory"}
        objects = {"{1}/{3}".format(*key.split("/")) for key in state.get("objects", {})}
        rows = [(name, "MetricValueList") for name in sorted({f"pods/{name}" for name in names} | objects)]
    else:
        names = {key.split("/", 1)[1] for key in state.get("external", {})}
        rows = [(name, "ExternalMetricValueList") for name in sorted(names)]
    resources = [
        {"name": name, "singularName": "", "namespaced": name != "nodes", "kind": kind, "verbs": ["get", "list"]}
        for name, kind in rows
    ]
    return {
        "kind": "APIResourceList",
        "apiVersion": "v1",
        "groupVersion": f"{group}/{version}",
        "resources": resources,
    }


class Server(ThreadingHTTPServer):
    """Answers for a world; a caller that hangs up is not its concern."""

    daemon_threads = True
    request_queue_size = 64

    def __init__(self, world: World, address: tuple[str, int], certificate: str, key: str) -> None:
        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                respond(world, self)

            def log_message(self, *_: Any) -> None:
                """The capture has it all."""

        super().__init__(address, Handler)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate, key)
        self.socket = context.wrap_socket(self.socket, server_side=True, do_handshake_on_connect=False)
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def handle_error(self, *_: Any) -> None:
        """Says nothing."""

    def stop(self) -> None:
        """Hangs up."""
        self.shutdown()
        self.server_close()


def respond(world: World, request: BaseHTTPRequestHandler) -> None:
    """Answers one request and writes down what was asked, by whom, and what was said."""
    begun = time.time()
    at = urllib.parse.urlsplit(request.path)
    path = urllib.parse.unquote(at.path)  # Go writes * as %2A
    code, body = answer(world, path, dict(urllib.parse.parse_qsl(at.query)))
    if "/namespaces/" in at.path:
        took = round((time.time() - begun) * 1000, 3)
        agent = request.headers.get("User-Agent", "")
        by = request.headers.get("X-Remote-User", "")
        world.write(get=request.path, status=code, body=body, by=by, agent=agent, ms=took)
    data = json.dumps(body).encode()
    request.send_response(code)
    request.send_header("Content-Type", "application/json")
    request.send_header("Content-Length", str(len(data)))
    request.end_headers()
    request.wfile.write(data)
