"""Formats the progress of a recorder and of a replay in one line."""

from hpaaudit.model.counted import counted
from hpaaudit.model.plan import Progress

_UNITS = ((1_000_000_000, "GB"), (1_000_000, "MB"), (1_000, "kB"))


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
    rate = decided / seconds
    left = (planned - decided) / rate
    return f"decided {decided:,} of {planned:,} reconciles, {rate:,.0f} a second, {left:,.0f} s left"
