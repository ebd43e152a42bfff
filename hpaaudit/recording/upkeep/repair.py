"""Repairs a damaged recording: what can be read stays, the rest goes to the quarantine and becomes a gap."""

import os
from dataclasses import dataclass
from pathlib import Path

from hpaaudit.errors import RecordingError
from hpaaudit.model.facts import Gap
from hpaaudit.model.inspection import Mend, Repair
from hpaaudit.recording.files import layout
from hpaaudit.recording.files.durable import FOLDER_MODE, is_regular_file, remove, sync_folder
from hpaaudit.recording.files.lock import Lock
from hpaaudit.recording.files.quarantine import copy_to_quarantine, move_to_quarantine
from hpaaudit.recording.format import manifest
from hpaaudit.recording.format.manifest import Removed
from hpaaudit.recording.format.schema import ALL_PATHS
from hpaaudit.recording.reading.log_tail import read_log
from hpaaudit.recording.reading.newest_log import LogFile
from hpaaudit.recording.reading.survey import Survey, survey_for_writing, survey_recording
from hpaaudit.recording.upkeep.replacements import Replacement, readable_log, replacements
from hpaaudit.recording.upkeep.retention import finish_removal
from hpaaudit.recording.upkeep.salvage import WRONG, Salvage, from_log
from hpaaudit.recording.upkeep.upload_marks import mark_uploaded
from hpaaudit.recording.writing.pending import PendingFacts
from hpaaudit.recording.writing.recording_folder import RecordingFolder, SegmentPlace, write_segment


@dataclass(frozen=True, slots=True, kw_only=True)
class Repaired:
    """What a repair did, or would do, and the recording after it."""

    mends: tuple[Mend, ...]
    survey: Survey


def repair(folder: Path, *, plan: bool = False) -> Repair:
    """Repairs a recording that no recorder writes to. With `plan`, only say what would be done.

    Raises `NotARecording`, `NewerFormat`, `DamagedRecording` if `recording.json` itself is damaged, and
    `RecordingError` if somebody records into it or the disk refuses.
    """
    if plan:
        return Repair(path=str(folder), mends=repair_folder(folder, plan=True).mends, done=False)
    survey_recording(folder)  # raises if it is no recording, before anything is locked
    lock = Lock(folder)
    try:
        mends = repair_folder(folder).mends
    except OSError as error:
        raise RecordingError(f"cannot repair {folder}: {error.strerror}.") from error
    finally:
        lock.release()
    return Repair(path=str(folder), mends=mends, done=True)


def repair_folder(folder: Path, *, plan: bool = False, deep: bool = True, survey: Survey | None = None) -> Repaired:
    """Makes a recording sound. The caller holds its lock.

    plan     change nothing
    deep     read every byte of every segment, and treat files that the disk does not give as damaged; otherwise look
             only for files that are missing or have another size, and raise `OSError` if the disk does not give one
    survey   the folder as it is now, if the caller knows it

    A repair that is interrupted is finished by the next one. Raises `OSError`, and what `survey_recording` raises.
    """
    look = survey_recording if deep else survey_for_writing
    changed = False
    if not plan:
        changed = finish_removal(folder) | _finish_replacements(folder)
    if survey is None or changed:
        survey = look(folder)
    mends = _replace_segments(folder, survey, plan=plan, deep=deep)
    changed = bool(mends)
    for step in (_quarantine_end, _quarantine_last_segments, _seal_log):
        if changed and not plan:
            survey = look(folder)
        step_mends = step(folder, survey, plan=plan)
        mends += [mend for mend in step_mends if mend.file not in {earlier.file for earlier in mends}]
        changed = bool(step_mends)
    return Repaired(mends=tuple(mends), survey=look(folder) if changed and not plan else survey)


# Segments


def _replace_segments(folder: Path, survey: Survey, *, plan: bool, deep: bool) -> list[Mend]:
    """Replaces damaged segments that something follows."""
    needed = list(replacements(folder, survey, deep=deep))
    mends = [replacement.mend for replacement in needed]
    for replacement in () if plan else needed:
        _replace(folder, replacement)
    if survey.complete and needed and needed[-1].is_last:
        # Nobody knows any more until when the last segment went, so the recording has no end.
        mends.append(_quarantine(folder, layout.END, "ends a segment that is damaged", plan=plan))
    return mends


def _replace(folder: Path, replacement: Replacement) -> None:
    """Writes a segment, quarantines the damaged one, and gives the new one its name."""
    name = layout.segment_name(replacement.number)
    ready = folder / f"{name}{layout.REPAIRED_SUFFIX}"
    unfinished = ready.with_name(ready.name + layout.UNFINISHED_SUFFIX)
    remove(unfinished)
    unfinished.mkdir(FOLDER_MODE)
    sha256, next_seq = replacement.next_link
    pending = PendingFacts(next_seq - len(replacement.salvage.facts))
    for fact in replacement.salvage.facts:
        pending.add(fact)
    removed = Removed(facts=next_seq, first_us=replacement.first_us, last_us=replacement.last_us, sha256=sha256)
    segment_place = SegmentPlace(
        number=replacement.number,
        first_seq=pending.first_seq,
        previous=replacement.previous,
        removed=removed,
        repaired=replacement.repaired,
    )
    write_segment(unfinished, pending.tables(), segment_place)
    if os.path.lexists(folder / name / layout.UPLOADED):
        mark_uploaded(unfinished)  # the store has the sound segment
    unfinished.rename(ready)
    sync_folder(ready.parent)
    _finish_replacements(folder)


def _finish_replacements(folder: Path) -> bool:
    """Gives segments that replace others their names, also after an interruption. True if there were any."""
    segments, changed = folder / layout.SEGMENTS, False
    for path in sorted(segments.glob(f"*{layout.REPAIRED_SUFFIX}{layout.UNFINISHED_SUFFIX}")):
        remove(path)
        changed = True
    for path in sorted(segments.glob(f"*{layout.REPAIRED_SUFFIX}")):
        if not is_regular_file(path / layout.MANIFEST):
            continue
        name = path.name.removesuffix(layout.REPAIRED_SUFFIX)
        move_to_quarantine(folder, f"{layout.SEGMENTS}/{name}")
        path.rename(segments / name)
        sync_folder(segments)
        changed = True
    return changed


# The end


def _quarantine(folder: Path, name: str, problem: str, *, plan: bool) -> Mend:
    if not plan:
        move_to_quarantine(folder, name)
    return Mend(file=name, problem=problem, quarantined=(name,))


def _quarantine_end(folder: Path, survey: Survey, *, plan: bool) -> list[Mend]:
    """Quarantines a damaged `end.json`: the recording is one that was not ended then."""
    ends = [damage for damage in survey.damages if damage.file == layout.END]
    return [_quarantine(folder, layout.END, damage.problem, plan=plan) for damage in ends]


def _quarantine_last_segments(folder: Path, survey: Survey, *, plan: bool) -> list[Mend]:
    """Quarantines unreadable segments at the end of a recording."""
    last = max((segment.number for segment in survey.sealed), default=0)
    mends: list[Mend] = []
    for damage in survey.damages:
        name = layout.segment_name(damage.segment)
        if damage.segment > last and damage.file.startswith(name) and os.path.lexists(folder / name):
            mends.append(_quarantine(folder, name, damage.problem, plan=plan))
    return mends


# The log


def _seal_log(folder: Path, survey: Survey, *, plan: bool) -> list[Mend]:
    """Makes a segment of what can be read of a damaged log, with a gap for the rest."""
    log = None if survey.complete else readable_log(folder)
    name = layout.log_name(log.number) if log else ""
    damage = next((damage for damage in survey.damages if log and damage.file == name), None)
    if not log or not damage:
        return []
    recording = folder_after(folder, survey)
    salvage = _salvage_log(log, survey, recording)
    mend = Mend(file=name, problem=damage.problem, kept=salvage.kept, lost=salvage.lost, quarantined=(name,))
    if plan:
        return [mend]
    copy_to_quarantine(folder, name)
    if salvage.facts:
        pending = PendingFacts(recording.facts)
        for fact in salvage.facts:
            pending.add(fact)
        recording.append_segment(pending.tables())
    (folder / name).unlink(missing_ok=True)
    sync_folder((folder / name).parent)
    return [mend]


def _salvage_log(log: LogFile, survey: Survey, recording: RecordingFolder) -> Salvage:
    """The facts of a damaged log, and gaps for those that are lost."""
    last_us = max([survey.head["started_us"], *(segment.last_us for segment in survey.sealed)])
    follows = log.number == recording.segments + 1
    try:
        salvage = from_log(read_log(log, (recording.previous, recording.facts) if follows else None), last_us)
    except WRONG:
        return Salvage()
    if salvage.facts and not follows:
        first_us = max(last_us, min(fact.at_us for fact in salvage.facts))
        salvage.facts.insert(0, Gap(at_us=last_us, until_us=first_us, prefix=ALL_PATHS, cause="segments are missing"))
    return salvage


def folder_after(folder: Path, survey: Survey) -> RecordingFolder:
    """The folder, ready for the segment after the last sealed one."""
    if not survey.sealed:
        return RecordingFolder.reopened(folder, segments=0, facts=0, previous=survey.head[manifest.HASH])
    last = survey.sealed[-1]
    previous, facts = last.next_link
    return RecordingFolder.reopened(folder, segments=last.number, facts=facts, previous=previous)
