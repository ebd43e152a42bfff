"""Formats the progress of a recorder, of a replay and of other long work in one line."""

from collections.abc import Sequence

from hpaaudit.model.counted import counted
from hpaaudit.model.recorder_plan import Progress

_UNITS = ((1_000_000_000, "GB"), (1_000_000, "MB"), (1_000, "kB"))

_FEW = 100
"""Until one in so many is done nothing is said of the time that is left: the first ones wait for what is prepared."""


def size(count: float) -> str:
    """Bytes with a unit: `999 B`, `1.2 kB`."""
    for factor, unit in _UNITS:
        if count >= factor:
            return f"{count / factor:.1f} {unit}"
    return f"{count:.0f} B"


def progress_line(progress: Progress) -> str:
    """`12:05  3 HPAs, 14 pods, 812 samples, 41.2 kB, no gaps`."""
    minutes, seconds = divmod(int(progress.seconds), 60)
    hours, minutes = divmod(minutes, 60)
    clock = f"{hours}:{minutes:02d}:{seconds:02d}" if hours else f"{minutes}:{seconds:02d}"
    gaps = counted(progress.gaps, "gap") if progress.gaps else "no gaps"
    counts = (counted(progress.hpas, "HPA"), counted(progress.pods, "pod"), counted(progress.samples, "sample"))
    return f"{clock}  {', '.join(counts)}, {size(progress.bytes)}, {gaps}"


def replay_line(decided: int, planned: int, seconds: float) -> str:
    """`decided 12,300 of 43,000 reconciles, 4,100 a second, 8 s left`; after the last one what is done then."""
    if decided >= planned:
        return f"decided {decided:,} reconciles, comparing them with what happened"
    return _line("decided", decided, planned, "reconciles", seconds)


def import_line(read: int, lines: int, seconds: float) -> str:
    """`read 12,300 of 43,000 lines, 4,100 a second, 8 s left`."""
    return _line("read", read, lines, "lines", seconds)


def verification_line(checked: int, facts: int, seconds: float) -> str:
    """`checked 12,300 of 43,000 facts, 4,100 a second, 8 s left`."""
    return _line("checked", checked, facts, "facts", seconds)


def page_line(drawn: int, hpas: int, seconds: float) -> str:
    """`drew 40 of 300 HPAs, 10 a second, 26 s left`."""
    return _line("drew", drawn, hpas, "HPAs", seconds)


def steps_line(steps: Sequence[tuple[str, float]], end_s: float) -> str:
    """`opened 0.12 s, decided 3.40 s, compared 1.02 s; 4.54 s in all`: each step with the second of its begin."""
    ends_s = [*(begin_s for _, begin_s in steps[1:]), end_s]
    took = [f"{step} {until_s - begin_s:.2f} s" for (step, begin_s), until_s in zip(steps, ends_s, strict=True)]
    return f"{', '.join(took)}; {end_s - steps[0][1]:.2f} s in all"


def _line(verb: str, done: int, planned: int, things: str, seconds: float) -> str:
    if done * _FEW < planned:
        return f"{verb} {done:,} of {planned:,} {things}"
    rate = done / seconds
    left = (planned - done) / rate
    return f"{verb} {done:,} of {planned:,} {things}, {rate:,.0f} a second, {left:,.0f} s left"
