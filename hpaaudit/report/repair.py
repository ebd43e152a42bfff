"""Tells what a repair did, or would do."""

from collections.abc import Iterator

from hpaaudit.model.inspection import Mend, Repair
from hpaaudit.report.text import counted, printable


def repair_text(found: Repair) -> str:
    """Return each damage, what stays of it, what is lost, and what next."""
    return "\n".join(printable(line) for line in _lines(found)) + "\n"


def _lines(found: Repair) -> Iterator[str]:
    if not found.mends:
        yield f"{found.path} needs no repair."
        return
    yield f"{found.path} is repaired." if found.done else f"{found.path} can be repaired:"
    yield ""
    for mend in found.mends:
        yield f"  {mend.file} {mend.problem}"
        yield f"    {_fate(mend)}"
    yield ""
    if found.done:
        yield "  What is lost is a gap. What was damaged lies in quarantine/."
        yield f"  next  hpaaudit verify {found.path}"
    else:
        yield "  What is lost becomes a gap. What is damaged is moved to quarantine/."
        yield f"  next  hpaaudit repair {found.path}"


def _fate(mend: Mend) -> str:
    """`1,204 facts stay, 12 are lost`."""
    lost = "nobody knows how many are lost" if mend.lost is None else f"{mend.lost:,} are lost"
    return f"{counted(mend.kept, 'fact')} {'stays' if mend.kept == 1 else 'stay'}, {lost}"
