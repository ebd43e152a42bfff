"""Makes a damaged recording sound: what can be read stays, what cannot is set aside and becomes a gap."""

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from hpaaudit.errors import RecordingError
from hpaaudit.model.facts import Fact, Gap
from hpaaudit.model.inspection import Mend, Repair
from hpaaudit.model.units import Micros
from hpaaudit.recording.files import layout
from hpaaudit.recording.files.durable import FOLDER_MODE, is_regular_file, remove, sync_folder
from hpaaudit.recording.files.lock import Lock
from hpaaudit.recording.files.quarantine import copy_to_quarantine, move_to_quarantine
from hpaaudit.recording.format import manifest
from hpaaudit.recording.format.manifest import Removed, Segment
from hpaaudit.recording.format.schema import ALL_PATHS
from hpaaudit.recording.reading.log_tail import LogFile, newest_log, read_log
from hpaaudit.recording.reading.segment import DamagedFile, segment_columns
from hpaaudit.recording.reading.survey import Survey, survey, survey_for_writing
from hpaaudit.recording.upkeep.retention import finish_removal
from hpaaudit.recording.upkeep.salvage import (
    STATES,
    WRONG,
    Salvage,
    damaged_tables,
    from_log,
    from_segment,
    until_listed,
)
from hpaaudit.recording.upkeep.upload_marks import mark_uploaded
from hpaaudit.recording.writing.pending import PendingFacts
from hpaaudit.recording.writing.recording_folder import RecordingFolder, write_segment

RESUMED = "the recorder "
"""How the cause of a gap begins after which everything was listed again."""
Link = tuple[str, int]
"""Hash that the next document names, and number of the first fact after it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Stand:
    """A segment that stands for damaged ones.

    number       of the last of them;  place  what is damaged, a folder of the recording
    previous     hash that it names;  after  what the next one continues
    first_us, last_us   between which the damaged facts lie
    repaired     it follows a segment that is there; False: it is the first one
    last         no segment follows
    """

    number: int
    previous: str
    after: Link
    first_us: Micros
    last_us: Micros
    repaired: bool
    salvage: Salvage
    mend: Mend
    last: bool = False


def repair(folder: Path, *, plan: bool = False) -> Repair:
    """Repair a recording that nobody writes into; with `plan` only tell what would be done.

    Raises `NotARecording`, `NewerFormat`, `DamagedRecording` where `recording.json` itself is damaged, and
    `RecordingError` where somebody records into it, or the disk refuses.
    """
    if plan:
        return Repair(path=str(folder), mends=tuple(repair_folder(folder, plan=True)), done=False)
    survey(folder)  # whether it is one
    lock = Lock(folder)
    try:
        mends = repair_folder(folder)
    except OSError as error:
        raise RecordingError(f"cannot repair {folder}: {error.strerror}.") from error
    finally:
        lock.release()
    return Repair(path=str(folder), mends=tuple(mends), done=True)


def repair_folder(folder: Path, *, plan: bool = False, deep: bool = True) -> list[Mend]:
    """Do what makes a recording sound, or only return it; nobody else may write into it meanwhile.

    deep   every byte of every segment is read, and what the disk does not give is damaged; else only what is missing
           or has another size is found, and `OSError` is raised where the disk does not give a file

    May be cut short at any instant: the next time does the rest. Raises `OSError`, and as `survey`.
    """
    if not plan:
        finish_removal(folder)
        _finish(folder)
    look = survey if deep else survey_for_writing
    seen = look(folder)
    stands = list(_stands(folder, seen, deep=deep))
    found = [stand.mend for stand in stands]
    if seen.complete and stands and stands[-1].last:
        # Until when the last segment went is not known any more: so the recording has no end.
        found.append(Mend(file=layout.END, problem="ends a segment that is damaged", aside=(layout.END,)))
    for stand in () if plan else stands:
        _put(folder, stand)
    if not plan and found[len(stands) :]:
        move_to_quarantine(folder, layout.END)
    for step in (_end, _trailing, _log):
        seen = look(folder)
        found += [made for made in step(folder, seen, plan=plan) if made.file not in {one.file for one in found}]
    return found


# Segments


def _stands(folder: Path, seen: Survey, *, deep: bool) -> Iterator[_Stand]:
    """Yield what must stand for each damaged segment that something follows."""
    chain = [segment for segment in seen.segments if segment.held is None]
    left: Link = (seen.head[manifest.HASH], 0)
    last_us, expected = Micros(seen.head["started_us"]), 1
    for segment in chain:
        base = expected == 1 and segment.removed is not None and not segment.repaired
        if segment.number > expected and not base:
            right = (segment.previous, segment.first_seq)
            yield from _missing(seen, (expected, segment.number - 1), left, right, (last_us, segment.first_us))
        if deep or any(damage.segment == segment.number for damage in seen.damages):
            damaged = damaged_tables(folder, segment, deep=deep)
            if damaged:
                yield _in_place(segment, from_segment(folder, segment, damaged, _listed_again(folder, chain, segment)))
        left, expected, last_us = segment.before_next, segment.number + 1, max(last_us, segment.last_us)
    last, behind = _behind(folder, seen, expected)
    if behind and last >= expected:
        for stand in _missing(seen, (expected, last), left, behind, (last_us, last_us)):
            yield replace(stand, last=True)


def _behind(folder: Path, seen: Survey, expected: int) -> tuple[int, Link | None]:
    """Return the number of the last segment that must have been there, and what followed it."""
    if (end := _sound_end(folder, seen)) and end["segments"] >= expected:
        return int(end["segments"]), (str(end["previous"]), int(end["facts"]))
    log = None if seen.complete else _readable_log(folder)
    if log and log.number > expected:
        try:
            found = read_log(log, None)
        except ValueError:
            return 0, None
        if found.number is not None:
            return log.number - 1, (found.previous, found.first_seq)
    return 0, None


def _missing(
    seen: Survey, numbers: tuple[int, int], left: Link, right: Link, times: tuple[Micros, Micros]
) -> Iterator[_Stand]:
    """Yield what stands for segments whose manifests cannot be read; their neighbours tell how many facts they had."""
    (first, last), (from_us, until_us), lost = numbers, times, right[1] - left[1]
    if first == 1:  # one for all, as after retention
        first = last
    until_us = max(from_us, until_us)
    if not last - first < lost <= manifest.LEFT_OUT and numbers[0] > 1:
        return  # they contradict each other: nothing true can stand there
    problems = {damage.segment: damage.problem for damage in seen.damages}
    previous = left[0]
    for number in range(first, last + 1):
        name = layout.segment_name(number)
        cause = f"segment {number} is damaged" + ("" if from_us < until_us else ", nobody knows until when it went")
        end = right if number == last else (manifest.sha256_of(cause.encode()), left[1] + number - first + 1)
        facts: list[Fact] = [Gap(at_us=from_us, until_us=until_us, prefix=ALL_PATHS, cause=cause)]
        over_us = max([until_us, *(segment.last_us for segment in seen.segments)])
        if number == last and over_us > until_us:
            facts += until_listed(STATES, until_us, over_us)
        if len(facts) > lost - (last - first):  # there are not so many numbers
            facts = [Gap(at_us=from_us, until_us=over_us, prefix=ALL_PATHS, cause=cause)]
        yield _Stand(
            number=number,
            previous=previous,
            after=end,
            first_us=from_us,
            last_us=until_us,
            repaired=numbers[0] > 1,
            salvage=Salvage(facts=facts),
            mend=Mend(
                file=name,
                problem=problems.get(number, "is missing"),
                lost=lost if first == last else None,
                aside=(name,),
            ),
        )
        previous = end[0]


def _in_place(segment: Segment, salvage: Salvage) -> _Stand:
    """Return what stands for a segment whose manifest is sound and of whose files some are not."""
    return _Stand(
        number=segment.number,
        previous=segment.previous,
        after=segment.before_next,
        first_us=segment.removed.first_us if segment.removed else segment.first_us,
        last_us=segment.removed.last_us if segment.removed else segment.last_us,
        repaired=segment.repaired or not segment.removed,
        salvage=salvage,
        mend=Mend(
            file=segment.folder,
            problem="has damaged files",
            kept=salvage.kept,
            lost=salvage.lost,
            aside=(segment.folder,),
        ),
    )


def _listed_again(folder: Path, chain: Sequence[Segment], after: Segment) -> Micros:
    """Return when everything was listed again after a segment: when a recorder began anew, else the last instant."""
    for segment in chain:
        if segment.number <= after.number:
            continue
        try:
            told = segment_columns(folder, segment, "gaps", ["until_us", "prefix", "cause"])
        except DamagedFile:  # later than it was is safe
            continue
        for until_us, prefix, cause in zip(*told, strict=True):
            if prefix == ALL_PATHS and cause.startswith(RESUMED):
                return Micros(until_us)
    return max(segment.last_us for segment in (*chain, after))


def _put(folder: Path, stand: _Stand) -> None:
    """Write a segment that stands for a damaged one, set that one aside, and give it its place."""
    name = layout.segment_name(stand.number)
    ready = folder / f"{name}{layout.REPAIRED_SUFFIX}"
    unfinished = ready.with_name(ready.name + layout.UNFINISHED_SUFFIX)
    remove(unfinished)
    unfinished.mkdir(FOLDER_MODE)
    pending = PendingFacts(stand.after[1] - len(stand.salvage.facts))
    for fact in stand.salvage.facts:
        pending.add(fact)
    removed = Removed(facts=stand.after[1], first_us=stand.first_us, last_us=stand.last_us, sha256=stand.after[0])
    place = (stand.number, pending.first_seq, stand.previous)
    write_segment(unfinished, pending.tables(), *place, removed, repaired=stand.repaired)
    if os.path.lexists(folder / name / layout.UPLOADED):
        mark_uploaded(unfinished)  # the store has the sound one
    unfinished.rename(ready)
    sync_folder(ready.parent)
    _finish(folder)


def _finish(folder: Path) -> None:
    """Give segments that stand for others their places; also where this was begun and not ended."""
    parts = folder / layout.SEGMENTS
    for path in sorted(parts.glob(f"*{layout.REPAIRED_SUFFIX}{layout.UNFINISHED_SUFFIX}")):
        remove(path)
    for path in sorted(parts.glob(f"*{layout.REPAIRED_SUFFIX}")):
        if not is_regular_file(path / layout.MANIFEST):
            continue
        name = path.name.removesuffix(layout.REPAIRED_SUFFIX)
        move_to_quarantine(folder, f"{layout.SEGMENTS}/{name}")
        path.rename(parts / name)
        sync_folder(parts)


# The end


def _sound_end(folder: Path, seen: Survey) -> dict[str, Any] | None:
    """Return `end.json` where it can be believed."""
    try:
        return manifest.load_document(folder / layout.END) if seen.complete else None
    except (OSError, ValueError):
        return None


def _end(folder: Path, seen: Survey, *, plan: bool) -> list[Mend]:
    """Set a damaged end aside: then the recording is one that was not ended."""
    made = []
    for damage in seen.damages:
        if damage.file == layout.END:
            made.append(Mend(file=layout.END, problem=damage.problem, aside=(layout.END,)))
            if not plan:
                move_to_quarantine(folder, layout.END)
    return made


def _trailing(folder: Path, seen: Survey, *, plan: bool) -> list[Mend]:
    """Move unreadable segments at the end of a recording to its quarantine."""
    last = max((segment.number for segment in seen.segments if segment.held is None), default=0)
    made: list[Mend] = []
    for damage in seen.damages:
        name = layout.segment_name(damage.segment)
        if damage.segment > last and damage.file.startswith(name) and os.path.lexists(folder / name):
            made.append(Mend(file=name, problem=damage.problem, lost=None, aside=(name,)))
            if not plan:
                move_to_quarantine(folder, name)
    return made


# The log


def _readable_log(folder: Path) -> LogFile | None:
    try:
        return newest_log(folder)
    except OSError:
        return None


def _log(folder: Path, seen: Survey, *, plan: bool) -> list[Mend]:
    """Make a segment of what is sound in a damaged log, with a gap for what is not."""
    log = None if seen.complete else _readable_log(folder)
    damage = next((found for found in seen.damages if log and found.file == layout.log_name(log.number)), None)
    if not log or not damage:
        return []
    chain = [segment for segment in seen.segments if segment.held is None]
    files = folder_after(folder, seen, chain)
    last_us = max([seen.head["started_us"], *(segment.last_us for segment in chain)])
    name = layout.log_name(log.number)
    salvage = Salvage()
    try:
        before = (files.previous, files.facts) if log.number == files.segments + 1 else None
        found = read_log(log, before)
        salvage = from_log(found, last_us)
    except WRONG:
        pass
    if salvage.facts and before is None:
        first_us = max(last_us, min(fact.at_us for fact in salvage.facts))
        salvage.facts.insert(0, Gap(at_us=last_us, until_us=first_us, prefix=ALL_PATHS, cause="segments are missing"))
    made = Mend(file=name, problem=damage.problem, kept=salvage.kept, lost=salvage.lost, aside=(name,))
    if plan:
        return [made]
    copy_to_quarantine(folder, name)
    if salvage.facts:
        pending = PendingFacts(files.facts)
        for fact in salvage.facts:
            pending.add(fact)
        files.add(pending.tables())
    (folder / name).unlink(missing_ok=True)
    sync_folder((folder / name).parent)
    return [made]


def folder_after(folder: Path, seen: Survey, chain: Sequence[Segment]) -> RecordingFolder:
    """Go on after the last segment."""
    if not chain:
        return RecordingFolder.again(folder, 0, 0, seen.head[manifest.HASH])
    previous, facts = chain[-1].before_next
    return RecordingFolder.again(folder, chain[-1].number, facts, previous)
