"""Starts several recorders on one new folder at the same time, again and again: run as a script."""

import contextlib
import itertools
import os
import sys
import time
from pathlib import Path

from hpaaudit.errors import AuditError
from hpaaudit.model.facts import Ended
from hpaaudit.model.units import Micros
from hpaaudit.recording.inspection.verify import verify
from hpaaudit.recording.reading.recording import open_recording
from hpaaudit.recording.recorder.recorder_writer import RecorderWriter
from hpaaudit.recording.recorder.writer_limits import Limits

RECORDERS = 4
SECONDS = 0.005


def one(folder: Path, number: int, begin: float) -> str:
    """Records a fact; tells from when to when the folder was ours, or why it was not."""
    while time.monotonic() < begin:
        pass
    try:
        writer = RecorderWriter(
            folder, cluster="here", now_us=Micros(0), note=lambda _: None, limits=Limits(ballast_bytes=0)
        )
    except AuditError as error:
        return f"out {type(error).__name__} {error}"
    since = time.monotonic()
    writer.add(Ended(at_us=Micros(1000 + number)))
    accepted = writer.flush(Micros(0))
    time.sleep(SECONDS)
    accepted &= writer.seal(Micros(0))
    return f"in {since} {time.monotonic()} {accepted}"


def race(folder: Path) -> list[str]:
    """Lets recorders start at once; returns what each says."""
    begin, ends = time.monotonic() + 0.01, []
    for number in range(RECORDERS):
        hear, tell = os.pipe()
        if not os.fork():
            outcome_text = "died"
            with contextlib.suppress(BaseException):
                outcome_text = one(folder, number, begin)
            os.write(tell, outcome_text.encode())
            os._exit(0)
        os.close(tell)
        ends.append(hear)
    outcomes = []
    for hear in ends:
        with os.fdopen(hear) as answer:
            outcomes.append(answer.read())
    for _ in ends:
        os.wait()
    return outcomes


def main(base_folder: Path, races: int) -> None:
    """Tells how many races there were, in how many several were in at once, in how many something was lost."""
    overlaps = losses = winners = 0
    others: set[str] = set()
    for number in range(races):
        folder = base_folder / str(number)
        outcome = race(folder)
        spans = sorted(tuple(map(float, each.split()[1:3])) for each in outcome if each.startswith("in "))
        acknowledged = {1000 + which for which, each in enumerate(outcome) if each.endswith("True")}
        winners += len(spans)
        overlaps += any(end > after[0] for (_, end), after in itertools.pairwise(spans))
        try:
            ended_us = {fact.at_us for fact in open_recording(folder).facts() if isinstance(fact, Ended)}
            losses += not acknowledged <= ended_us or bool(verify(folder, reread=True).damages)
        except AuditError:
            losses += 1
        others |= {each.split()[1] for each in outcome if each.startswith("out ")} | ({"died"} & set(outcome))
    sys.stdout.write(" ".join(map(str, (races, winners, overlaps, losses, *sorted(others)))))


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]))
