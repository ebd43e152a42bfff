"""Describes what a repair did, or would do."""

from collections.abc import Iterator

from hpaaudit.model.counted import counted
from hpaaudit.model.inspection import Mend, Repair
from hpaaudit.report.text import pasteable, printable


def repair_text(repair: Repair) -> str:
    """Each damage, how many facts remain and how many are lost, and the next command."""
    return "\n".join(printable(line) for line in _lines(repair)) + "\n"


def _lines(repair: Repair) -> Iterator[str]:
    if not repair.mends:
        yield f"{repair.path} needs no repair."
        return
    yield f"{repair.path} is repaired." if repair.done else f"{repair.path} can be repaired:"
    yield ""
    for mend in repair.mends:
        yield f"  {mend.file} {mend.problem}"
        yield f"    {_remaining_facts(mend)}"
    yield ""
    if repair.done:
        yield "  What is lost is a gap. Damaged files are in quarantine/."
        yield f"  next  hpaaudit verify {pasteable(repair.path)}"
    else:
        yield "  What is lost becomes a gap. Damaged files are moved to quarantine/."
        yield f"  next  hpaaudit repair {pasteable(repair.path)}"


def _remaining_facts(mend: Mend) -> str:
    """`1,204 facts stay, 12 are lost`."""
    lost = "it is unknown how many are lost" if mend.lost is None else f"{mend.lost:,} are lost"
    return f"{counted(mend.kept, 'fact')} {'stays' if mend.kept == 1 else 'stay'}, {lost}"
