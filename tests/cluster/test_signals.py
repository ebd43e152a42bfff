"""The first signal ends a recording, the second one the process."""

import asyncio
import os
import signal

import pytest

from hpaaudit.flows.record import _Signals


def test_the_second_signal_does_not_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    items: list[object] = []
    monkeypatch.setattr(os, "_exit", items.append)

    async def interrupted_twice() -> None:
        with _Signals(lambda: items.append("stop")):
            for _ in range(2):
                os.kill(os.getpid(), signal.SIGINT)
                await asyncio.sleep(0.05)

    asyncio.run(interrupted_twice())
    assert items == ["stop", 130]
