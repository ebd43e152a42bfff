"""The answer to one request, and what went wrong in plain words."""

import os
import ssl
from dataclasses import dataclass
from typing import Any

import aiohttp

from hpaaudit.model.units import Micros

OK, UNAUTHORIZED, FORBIDDEN, NOT_FOUND, GONE, TOO_MANY = 200, 401, 403, 404, 410, 429
MAX_MESSAGE = 4096
"""At most so much of the server's message is kept."""
MAX_RETRY_DIGITS = 9
"""Of Retry-After. More digits would mean for ever."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """The answer to one request, or why there is none.

    status    0 if there was no answer at all; then `error` says why
    body      decoded JSON, or text
    date      the header Date, empty if there was none;  retry_seconds  the header Retry-After
    too_long  there is no body because the answer is longer than our limit
    """

    path: str
    status: int
    body: Any
    error: str
    sent_us: Micros
    at_us: Micros
    date: str = ""
    retry_seconds: float = 0
    too_long: bool = False

    @property
    def took_us(self) -> Micros:
        """The time between request and answer."""
        return Micros(self.at_us - self.sent_us)

    @property
    def good(self) -> bool:
        """True for a 200 with a JSON object."""
        return self.status == OK and isinstance(self.body, dict)

    @property
    def message(self) -> str:
        """The server's message, or why there is none."""
        if isinstance(self.body, dict):
            message = str(self.body.get("message") or self.body.get("reason") or self.status)[:MAX_MESSAGE]
            return " ".join(message.split())
        return self.error or " ".join(str(self.body).split())[:200] or f"status {self.status}"


class WatchFailed(Exception):
    """A watch or a list that was refused. The answer says how."""

    def __init__(self, answer: Answer) -> None:
        super().__init__(answer.message)
        self.answer = answer


def retry_seconds(header: str) -> float:
    """The seconds of a Retry-After header, 0 if it has none."""
    # isdigit alone would also accept digits of other scripts.
    return float(header[:MAX_RETRY_DIGITS]) if header.isascii() and header.isdigit() else 0


def why_no_answer(problem: BaseException, seconds: float) -> str:
    """Why there is no answer, in one line."""
    if isinstance(problem, TimeoutError):
        return f"no answer in {seconds:g} s"
    if isinstance(problem, aiohttp.ClientConnectorCertificateError):
        return f"its certificate is not valid: {problem.certificate_error}"
    if isinstance(problem, aiohttp.ClientHttpProxyError):
        return f"the proxy refused to connect ({problem.status}): {problem.message}"
    if isinstance(problem, aiohttp.ClientConnectorError):
        peer = "the proxy before it: " if isinstance(problem, aiohttp.ClientProxyConnectionError) else ""
        number = problem.os_error.errno
        # OpenSSL's errors have numbers of their own.
        is_errno = number and number > 0 and not isinstance(problem.os_error, ssl.SSLError)
        return peer + (os.strerror(number) if is_errno and number else str(problem.os_error))
    return " ".join(str(problem).split()) or type(problem).__name__
