"""A warm process that starts recorders and kills each at a chosen time: run as a script, controlled by `Killer`."""

import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import Self

from hpaaudit.model.facts import Ended, Fact, ResourceMetricsRead
from hpaaudit.model.metrics import ContainerUsage, MetricsRequest, PodSample
from hpaaudit.model.units import Micros, Milli
from hpaaudit.recording.recorder.recorder_writer import RecorderWriter
from hpaaudit.recording.recorder.writer_limits import Limits

REPOSITORY = Path(__file__).parents[2]
REQUEST = MetricsRequest(
    api="metrics.k8s.io/v1beta1",
    namespace="shop",
    resource="pods",
    object="",
    metric="",
    selector="",
    metric_selector="",
)
SMALL = Limits(sync_bytes=3000, segment_bytes=30_000, ballast_bytes=0)
"""So small that logs are synced and segments sealed all the time."""
SHORT = replace(SMALL, keep_bytes=5000)
"""So short that old segments are removed all the time."""


def fact(number: int) -> Fact:
    """Returns the fact of a number, which is its time."""
    if number % 3:
        return Ended(at_us=Micros(number))
    return ResourceMetricsRead(
        at_us=Micros(number),
        took_us=Micros(0),
        request=REQUEST,
        path="/",
        status=200,
        error="",
        by="",
        samples=tuple(
            PodSample(
                pod=f"web-{pod}",
                timestamp_us=Micros(number // 9),
                window_us=Micros(0),
                containers=(ContainerUsage(name="app", usage=(("cpu", Milli(number // 30)),)),),
            )
            for pod in range(number // 50 % 4)
        ),
    )


def record_for_ever(folder: Path, limits: Limits, number: int, tell: int) -> None:
    """Records facts from a number on; tells after each how many are acknowledged, gaps not counted."""
    again = (folder / "recording.json").exists()
    writer = RecorderWriter(folder, cluster="here", now_us=Micros(number), note=lambda _: None, limits=limits)
    before, acknowledged = writer.acknowledged + again - number, -1
    while True:
        writer.add(fact(number))
        number += 1
        if writer.acknowledged != acknowledged:
            acknowledged = writer.acknowledged
            os.write(tell, f"{acknowledged - before}\n".encode())


def serve() -> None:
    """For each line start a recorder, kill it so many seconds later, say what it acknowledged last."""
    for line in sys.stdin:
        seconds, number, limits, folder = line.rstrip("\n").split(" ", 3)
        hear, tell = os.pipe()
        child = os.fork()
        if not child:
            record_for_ever(Path(folder), SHORT if limits == "short" else SMALL, int(number), tell)
        os.close(tell)
        time.sleep(float(seconds))
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        with os.fdopen(hear) as pipe:
            numbers = pipe.read().splitlines()
        os.write(1, f"{numbers[-1] if numbers else 0}\n".encode())


class Killer:
    """The process, from our side."""

    def __enter__(self) -> Self:
        self.process = subprocess.Popen(
            [sys.executable, __file__], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=REPOSITORY
        )
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.process.communicate()

    def kill(self, folder: Path, number: int, seconds: float, *, short: bool) -> int:
        """Records facts from a number on and kills that so much later; returns how many were acknowledged in all."""
        assert self.process.stdin
        assert self.process.stdout
        print(seconds, number, "short" if short else "all", folder, file=self.process.stdin, flush=True)
        return int(self.process.stdout.readline())


if __name__ == "__main__":
    serve()
