"""A warm process that starts recorders and kills each at an instant: run as a script, `Killer` speaks with it."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from types import TracebackType
from typing import Self

from hpaaudit.model.facts import Ended, Fact, ResourceMetricsRead
from hpaaudit.model.metrics import ContainerUsage, MetricsRequest, PodSample
from hpaaudit.model.units import Micros, Milli
from hpaaudit.recording.keep import Keeper, Limits

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


def fact(number: int) -> Fact:
    """Return the fact of a number, which is its time."""
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


def record_for_ever(folder: Path, number: int, tell: int) -> None:
    """Record facts from a number on; tell after each how many are acknowledged."""
    again = (folder / "recording.json").exists()
    keeper = Keeper(folder, cluster="here", now_us=Micros(number), note=lambda _: None, limits=SMALL)
    # Among the facts are gaps, which say when nobody recorded.
    before, told = keeper.acknowledged + again - number, -1
    while True:
        keeper.add(fact(number))
        number += 1
        if keeper.acknowledged != told:
            told = keeper.acknowledged
            os.write(tell, f"{told - before}\n".encode())


def serve() -> None:
    """For each line `seconds number folder` start a recorder, kill it so much later, say what it acknowledged last."""
    for line in sys.stdin:
        seconds, number, folder = line.rstrip("\n").split(" ", 2)
        hear, tell = os.pipe()
        child = os.fork()
        if not child:
            record_for_ever(Path(folder), int(number), tell)
        os.close(tell)
        time.sleep(float(seconds))
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        with os.fdopen(hear) as said:
            numbers = said.read().splitlines()
        os.write(1, (numbers[-1] if numbers else b"0") + b"\n")


class Killer:
    """The process, from our side."""

    def __enter__(self) -> Self:
        self.process = subprocess.Popen(
            [sys.executable, __file__], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=REPOSITORY
        )
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.process.communicate()

    def kill(self, folder: Path, number: int, seconds: float) -> int:
        """Record facts from a number on and kill that so much later; return how many were acknowledged in all."""
        assert self.process.stdin
        assert self.process.stdout
        print(seconds, number, folder, file=self.process.stdin, flush=True)
        return int(self.process.stdout.readline())


if __name__ == "__main__":
    serve()
