"""Error texts as client-go words them: what the controller says about a request that failed."""

import re
from dataclasses import dataclass
from typing import Any

from hpaaudit.api.requests import split

_GENERIC = {
    400: "the server rejected our request for an unknown reason",
    401: "the server has asked for the client to provide credentials",
    404: "the server could not find the requested resource",
    405: "the server does not allow this method on the requested resource",
    409: "the server reported a conflict",
    422: "the server rejected our request due to an error in our request",
    429: "the server has received too many requests and has asked us to try again later",
    503: "the server is currently unable to handle the request",
    504: "the server was unable to return a response in the time allotted, but may still be processing the request",
}
MAX_CHARS = 32 << 10
"""At most so much of an error is kept. The message of a condition is no longer."""
_WITH_MESSAGE = (403, 406, 415)
_SERVER_ERROR = 500
TODAY = 99
"""The minor version of a client whose words are today's."""

_SINCE = {503: 10, 504: 8, 403: 6}
_BEFORE = {
    403: "the server does not allow access to the requested resource",
    504: "the server cannot complete the requested operation at this time, try again later",
}
"""Words that changed: since which minor version they are today's, and what they were before, if anything."""

_UNREAD_GROUP_IN = 6
"""The client of 1.6 for the group `metrics` does not decode a Status."""

_WITHOUT_GROUPS = 1
"""The client of 1.1 names no group, and spells the HPA's resource in its own way."""

_GROUP_OF_SCALE = range(2, 9)
"""The releases whose scales have a typed client, which names the group. Before, no client does."""

_SERVER_ERROR_QUOTED_SINCE = 4  # 1.4 quotes what the server said


def error_text(verb: str, path: str, status: int, body: Any, error: str, minor: int = TODAY) -> str:
    """The error of an answer as client-go words it.

    body    the decoded JSON, or text if the answer was not JSON;  error   the text of a capture
    minor   of the Kubernetes release whose client it is

    A Status has its message. Text (Go's `http.Error` ends it with a new line) is replaced by a generic sentence.
    Without an answer (status 0) the error is that of the transport. client-go puts verb and URL in front of it: see
    `Server`, because the URL depends on the controller's flags.
    """
    return _error_text(verb, path, status, body, error, minor)[:MAX_CHARS]


def raw_error_text(verb: str, path: str, status: int, body: Any, error: str, minor: int = TODAY) -> str:
    """The same for a request whose answer client-go does not decode (`DoRaw`): it ignores a Status in the body."""
    if status == 0:
        return error
    raw = body.strip() if isinstance(body, str) else "unknown"
    return _generic(verb, path, status, raw, minor)[:MAX_CHARS]


def _error_text(verb: str, path: str, status: int, body: Any, error: str, minor: int) -> str:
    if minor == _UNREAD_GROUP_IN and path.startswith("/apis/metrics/"):
        return raw_error_text(verb, path, status, body, error, minor)
    if isinstance(body, dict) and body.get("message"):
        return str(body["message"])
    if status == 0:
        return error
    raw = body if isinstance(body, str) else error
    if error and not raw.endswith("\n") and not isinstance(body, str):
        return error
    return _generic(verb, path, status, raw.strip(), minor)


def _generic(verb: str, path: str, status: int, raw: str, minor: int) -> str:
    is_old = minor < _SINCE.get(status, 0)
    if is_old and status in _BEFORE:
        message = _BEFORE[status]
    elif status in _WITH_MESSAGE:
        message = raw
    elif status in _GENERIC and not is_old:
        message = _GENERIC[status]
    elif status >= _SERVER_ERROR:
        quoted = f' ("{raw or "unknown"}")' if minor >= _SERVER_ERROR_QUOTED_SINCE else ""
        message = f"an error on the server{quoted} has prevented the request from succeeding"
    else:
        message = f"the server responded with the status code {status} but did not return more information"
    where = _subject(path, minor)
    return f"{message} ({verb} {where})" if where else message


def _subject(path: str, minor: int) -> str:
    """Resource, group and name as in the generic sentences of client-go."""
    parts, _ = split(path)
    match parts:
        case ["apis", _, _, "namespaces", _, "horizontalpodautoscalers", name, *_] if minor == _WITHOUT_GROUPS:
            return f"horizontalPodAutoscalers {name}"
        case ["apis", _, _, "namespaces", _, resource, name, "scale"] if minor not in _GROUP_OF_SCALE:
            return f"{resource} {name}"  # the scale client knows no group
        case ["api", _, "namespaces", _, resource]:
            return resource
        case _:
            return _named_with_group(parts)


def _named_with_group(parts: list[str]) -> str:
    match parts:
        case ["apis", "external.metrics.k8s.io", _, "namespaces", _, metric]:
            return f"{metric}.external.metrics.k8s.io"
        case ["apis", group, _, "namespaces", _, resource]:
            return f"{resource}.{group}"
        case ["apis", group, _, "namespaces", _, resource, name, *_]:
            return f"{resource}.{group} {name}"
        case ["api", _, "namespaces", _, resource, name, *_] | ["api", _, "proxy", "namespaces", _, resource, name, *_]:
            return f"{resource} {name}"
    return ""


@dataclass(frozen=True, slots=True)
class Server:
    """An API server as the controller's errors name it. Go quotes the URL since 1.14 (Kubernetes 1.19)."""

    url: str
    quoted: bool

    def without_answer(self, verb: str, path: str, error: str) -> str:
        """The error of a request without an answer, Go's `url.Error`: `Get "https://…": dial tcp …`."""
        if re.match(r'^(Get|Put|Post|Patch|Delete) "?http', error):
            return error
        url = f"{self.url}{path}"
        return f'{verb} "{url}": {error}' if self.quoted else f"{verb} {url}: {error}"
