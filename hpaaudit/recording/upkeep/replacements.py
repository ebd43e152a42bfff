"""Makes the segments that replace damaged ones: the facts that can be read, and a gap for each that cannot."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from hpaaudit.model.facts import Fact, Gap
from hpaaudit.model.inspection import Mend
from hpaaudit.model.units import Micros
from hpaaudit.recording.files import layout
from hpaaudit.recording.format import manifest
from hpaaudit.recording.format.manifest import Link, Segment
from hpaaudit.recording.format.schema import ALL_PATHS
from hpaaudit.recording.reading.damaged_file import DamagedFile
from hpaaudit.recording.reading.log_tail import read_log
from hpaaudit.recording.reading.newest_log import LogFile, newest_log
from hpaaudit.recording.reading.segment import segment_columns
from hpaaudit.recording.reading.survey import Survey
from hpaaudit.recording.upkeep.salvage import STATES, Salvage, damaged_tables, from_segment, until_listed

RESTART = "the recorder "
"""The cause of a gap begins so if the recorder listed everything anew at its end."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Replacement:
    """A segment that replaces a damaged one, or all from the first one on.

    number              number of the segment that is replaced, or of the last one
    previous            hash that it names
    next_link           what the next segment continues
    first_us, last_us   the damaged facts lie between these times
    repaired            True: it follows a sound segment; False: it replaces all from the first one on
    is_last             no segment follows
    """

    number: int
    previous: str
    next_link: Link
    first_us: Micros
    last_us: Micros
    repaired: bool
    salvage: Salvage
    mend: Mend
    is_last: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class _Hole:
    """Segments whose manifests cannot be read, from number `first` to `last`.

    before, after     links of the undamaged neighbours, which show how many facts are lost
    from_us, to_us    times of the sound neighbours
    """

    first: int
    last: int
    before: Link
    after: Link
    from_us: Micros
    to_us: Micros


def replacements(folder: Path, survey: Survey, *, deep: bool) -> Iterator[Replacement]:
    """Yields what must replace each damaged segment that something follows.

    deep   read every byte of every segment; otherwise only those whose files are missing or have another size
    """
    before: Link = (survey.head[manifest.HASH], 0)
    last_us, expected = Micros(survey.head["started_us"]), 1
    for segment in survey.sealed:
        is_base = expected == 1 and segment.removed is not None and not segment.repaired
        if segment.number > expected and not is_base:
            yield from _replace_hole(
                survey,
                _Hole(
                    first=expected,
                    last=segment.number - 1,
                    before=before,
                    after=(segment.previous, segment.first_seq),
                    from_us=last_us,
                    to_us=segment.first_us,
                ),
            )
        if deep or any(damage.segment == segment.number for damage in survey.damages):
            tables = damaged_tables(folder, segment, deep=deep)
            if tables:
                listed_us = _listed_again(folder, survey.sealed, segment)
                yield _replace_segment(segment, from_segment(folder, segment, tables, listed_us))
        before, expected, last_us = segment.next_link, segment.number + 1, max(last_us, segment.last_us)
    last, after = _after_last(folder, survey, expected)
    if after and last >= expected:
        hole = _Hole(first=expected, last=last, before=before, after=after, from_us=last_us, to_us=last_us)
        for replacement in _replace_hole(survey, hole):
            yield replace(replacement, is_last=True)


def _after_last(folder: Path, survey: Survey, expected: int) -> tuple[int, Link | None]:
    """The number of the last segment that must have existed, and what follows it, as `end.json` or a log says."""
    end = _sound_end(folder, survey)
    if end and end["segments"] >= expected:
        return int(end["segments"]), (str(end["previous"]), int(end["facts"]))
    log = None if survey.complete else readable_log(folder)
    if log and log.number > expected:
        try:
            content = read_log(log, None)
        except ValueError:
            return 0, None
        if content.number is not None:
            return log.number - 1, (content.previous, content.first_seq)
    return 0, None


def _sound_end(folder: Path, survey: Survey) -> dict[str, Any] | None:
    """`end.json`, None if it is damaged or missing."""
    try:
        return manifest.load_document(folder / layout.END) if survey.complete else None
    except (OSError, ValueError):
        return None


def readable_log(folder: Path) -> LogFile | None:
    """The newest log, None if the disk does not give it."""
    try:
        return newest_log(folder)
    except OSError:
        return None


def _replace_hole(survey: Survey, hole: _Hole) -> Iterator[Replacement]:
    """Yields a segment for each that is missing in a hole. A hole at the start gets one segment for all."""
    repaired, last = hole.first > 1, hole.last
    first = hole.first if repaired else last
    lost = hole.after[1] - hole.before[1]
    to_us = max(hole.from_us, hole.to_us)
    if repaired and not last - first < lost <= manifest.MAX_FREE_SEQS:
        return  # the neighbours contradict each other, so nothing true can be written
    problems = {damage.segment: damage.problem for damage in survey.damages}
    previous = hole.before[0]
    for number in range(first, last + 1):
        name = layout.segment_name(number)
        cause = f"segment {number} is damaged" + ("" if hole.from_us < to_us else ", and its end is unknown")
        next_link = hole.after
        if number < last:
            next_link = (manifest.sha256_of(cause.encode()), hole.before[1] + number - first + 1)
        facts: list[Fact] = [Gap(at_us=hole.from_us, until_us=to_us, prefix=ALL_PATHS, cause=cause)]
        recording_end_us = max([to_us, *(segment.last_us for segment in survey.segments)])
        if number == last and recording_end_us > to_us:
            facts += until_listed(STATES, to_us, recording_end_us)
        if len(facts) > lost - (last - first):  # more gaps than free sequence numbers: one gap for all
            facts = [Gap(at_us=hole.from_us, until_us=recording_end_us, prefix=ALL_PATHS, cause=cause)]
        mend = Mend(
            file=name,
            problem=problems.get(number, "is missing"),
            lost=lost if first == last else None,
            quarantined=(name,),
        )
        yield Replacement(
            number=number,
            previous=previous,
            next_link=next_link,
            first_us=hole.from_us,
            last_us=to_us,
            repaired=repaired,
            salvage=Salvage(facts=facts),
            mend=mend,
        )
        previous = next_link[0]


def _replace_segment(segment: Segment, salvage: Salvage) -> Replacement:
    """What replaces a segment whose manifest is sound, while some of its files are not."""
    return Replacement(
        number=segment.number,
        previous=segment.previous,
        next_link=segment.next_link,
        first_us=segment.removed.first_us if segment.removed else segment.first_us,
        last_us=segment.removed.last_us if segment.removed else segment.last_us,
        repaired=segment.repaired or not segment.removed,
        salvage=salvage,
        mend=Mend(
            file=segment.folder,
            problem="has damaged files",
            kept=salvage.kept,
            lost=salvage.lost,
            quarantined=(segment.folder,),
        ),
    )


def _listed_again(folder: Path, sealed: Sequence[Segment], damaged: Segment) -> Micros:
    """When a recorder listed everything again after a damaged segment. The last instant if none did."""
    for segment in sealed:
        if segment.number <= damaged.number:
            continue
        try:
            gaps = segment_columns(folder, segment, "gaps", ["until_us", "prefix", "cause"])
        except DamagedFile:  # a later restart is a safe answer too
            continue
        for until_us, prefix, cause in zip(*gaps, strict=True):
            if prefix == ALL_PATHS and cause.startswith(RESTART):
                return Micros(until_us)
    return max(segment.last_us for segment in (*sealed, damaged))
