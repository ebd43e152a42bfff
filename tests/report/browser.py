"""A headless Chromium that opens one page, and what it met there."""

import asyncio
import base64
import json
import subprocess
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import aiohttp

ARGUMENTS = ("--headless", "--no-sandbox", "--disable-gpu", "--remote-debugging-port=0")
PATIENCE_S = 60


@dataclass(slots=True)
class Visit:
    """What a browser met: addresses that it asked for, lines on its console, a script's answer, a picture."""

    requests: list[str] = field(default_factory=list)
    console: list[str] = field(default_factory=list)
    answer: Any = None
    picture: bytes = b""


@dataclass(frozen=True, slots=True, kw_only=True)
class Window:
    """How a page is looked at: `scheme` is `light` or `dark`, `media` `screen` or `print`.

    Without `runs` the page's scripts do not run.
    """

    width: int = 1200
    height: int = 900
    scheme: str = "light"
    media: str = "screen"
    runs: bool = True


async def visit(program: str, page: Path, profile: Path, *, script: str, window: Window = Window()) -> Visit:
    """Opens a page in a window, and evaluates a script in it, whose promise is waited for; then takes its picture.

    The script is the browser's own, not the page's: the policy of the page does not stop it.
    """
    process = subprocess.Popen(  # noqa: ASYNC220 it ends with this function
        [program, *ARGUMENTS, f"--user-data-dir={profile}", "about:blank"],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        async with asyncio.timeout(PATIENCE_S), aiohttp.ClientSession() as session:
            port = await _port(profile)
            async with session.get(f"http://127.0.0.1:{port}/json") as response:
                tab = next(tab for tab in await response.json() if tab["type"] == "page")
            async with session.ws_connect(tab["webSocketDebuggerUrl"], max_msg_size=0) as socket:
                return await _visit(_Tab(socket), page, script, window)
    finally:
        process.kill()
        process.wait()


class _Tab:
    """Calls of the DevTools protocol, and the events that come between their answers."""

    def __init__(self, socket: aiohttp.ClientWebSocketResponse) -> None:
        self._socket = socket
        self._calls = 0
        self.events: list[dict[str, Any]] = []

    async def call(self, method: str, **parameters: Any) -> dict[str, Any]:
        self._calls += 1
        await self._socket.send_json({"id": self._calls, "method": method, "params": parameters})
        while True:
            message = json.loads((await self._socket.receive()).data)
            if message.get("id") == self._calls:
                result: dict[str, Any] = message["result"]
                return result
            self.events.append(message)


async def _visit(tab: _Tab, page: Path, script: str, window: Window) -> Visit:
    for domain in ("Page", "Network", "Log", "Runtime"):
        await tab.call(f"{domain}.enable")
    size = {"width": window.width, "height": window.height}
    await tab.call("Emulation.setDeviceMetricsOverride", **size, deviceScaleFactor=1, mobile=False)
    scheme = [{"name": "prefers-color-scheme", "value": window.scheme}]
    await tab.call("Emulation.setEmulatedMedia", media=window.media, features=scheme)
    await tab.call("Emulation.setScriptExecutionDisabled", value=not window.runs)
    await tab.call("Page.navigate", url=page.as_uri())
    loaded = f"location.href == {json.dumps(page.as_uri())} && document.readyState == 'complete'"
    while not (await tab.call("Runtime.evaluate", expression=loaded))["result"]["value"]:  # noqa: ASYNC110 the page has no event for us
        await asyncio.sleep(0.05)
    answer = await tab.call("Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True)
    picture = await tab.call("Page.captureScreenshot")
    visited = Visit(answer=answer["result"].get("value", answer), picture=base64.b64decode(picture["data"]))
    for event in tab.events:
        match event.get("method"):
            case "Network.requestWillBeSent":
                visited.requests.append(event["params"]["request"]["url"])
            case "Log.entryAdded" | "Runtime.consoleAPICalled" | "Runtime.exceptionThrown":
                visited.console.append(json.dumps(event["params"]))
            case _:
                pass
    return visited


async def _port(profile: Path) -> str:
    """The port that the browser chose; it writes it into its profile."""
    file = profile / "DevToolsActivePort"
    while True:
        lines = file.read_text().split() if file.exists() else []
        if len(lines) > 1:
            return lines[0]
        await asyncio.sleep(0.05)
