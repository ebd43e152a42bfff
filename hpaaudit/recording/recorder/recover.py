"""Recovers a recording whose recorder stopped or died: its log becomes a segment, what is damaged is quarantined."""

import errno
import os
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from hpaaudit.errors import RecordingError
from hpaaudit.model.counted import counted
from hpaaudit.model.facts import Fact, Gap
from hpaaudit.model.inspection import Mend
from hpaaudit.model.units import SECOND, Micros
from hpaaudit.recording.files import layout
from hpaaudit.recording.files.durable import free_name, is_regular_file, make_folder, remove, sync_folder
from hpaaudit.recording.files.quarantine import move_to_quarantine
from hpaaudit.recording.format.manifest import Segment
from hpaaudit.recording.format.schema import ALL_PATHS
from hpaaudit.recording.reading.damaged_file import DamagedFile
from hpaaudit.recording.reading.last_states import last_states
from hpaaudit.recording.reading.segment import segment_rows
from hpaaudit.recording.reading.survey import Survey, survey_for_writing
from hpaaudit.recording.upkeep.repair import folder_after, repair_folder
from hpaaudit.recording.upkeep.retention import finish_removal
from hpaaudit.recording.writing.recording_folder import RecordingFolder

WATCHED = ("hpas", "pods", "targets", "rollouts", "scaled_objects", "api_services", "surroundings")
EVENTS = "events"
MAX_SLICE_US = 90 * SECOND
"""A gap that lasts is recorded in slices of one minute. A busy recorder may be late."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RecoveredRecording:
    """A recording that can continue.

    recording     where new segments go
    last_us       nothing is known after this time
    cause         why not, in words
    last_states   the last state of each watched object
    open_gaps     slices of gaps that may have lasted up to the last fact
    quarantined   names of files that were moved to the quarantine
    """

    recording: RecordingFolder
    last_us: Micros
    cause: str
    last_states: tuple[Fact, ...]
    open_gaps: tuple[Gap, ...]
    quarantined: tuple[str, ...]


def recover(folder: Path, *, source: str, cluster: str) -> RecoveredRecording:
    """Makes a recording ready to continue. The caller holds its lock.

    Raises `RecordingError` if it is a recording of something else, or the disk refuses.
    """
    try:
        _free_our_names(folder)
        finish_removal(folder)
        survey = survey_for_writing(folder)
    except OSError as error:
        raise _refused(folder, error) from error
    if survey.head["source"] != source:
        raise RecordingError(f"{folder} was made by {survey.head['source']}: nothing can be recorded into it.")
    if survey.head["cluster"] != cluster:
        recorded_cluster = survey.head["cluster"] or "an unknown cluster"
        raise RecordingError(f"{folder} is a recording of {recorded_cluster}, not of {cluster}: name another folder.")
    try:
        repaired = repair_folder(folder, deep=False, survey=survey)
        return _continue(folder, repaired.survey, repaired.mends, was_complete=survey.complete)
    except OSError as error:
        raise _refused(folder, error) from error


def _free_our_names(folder: Path) -> None:
    """Moves away pipes and the like with the name of a file that is read at the start: opening one would block."""
    if os.path.lexists(folder / layout.LOGS):
        make_folder(folder / layout.LOGS)
        for path in (folder / layout.LOGS).iterdir():
            if not is_regular_file(path):
                free_name(path)
    if not is_regular_file(folder / layout.END):
        free_name(folder / layout.END)


def _refused(folder: Path, error: OSError) -> RecordingError:
    hint = f"; if it stays so, `hpaaudit repair {folder}` keeps the rest" if error.errno == errno.EIO else ""
    return RecordingError(f"cannot continue in {folder}: {error.strerror}{hint}.")


def _continue(folder: Path, survey: Survey, mends: Sequence[Mend], *, was_complete: bool) -> RecoveredRecording:
    """Makes the log a segment, and quarantines what is left over."""
    recording = folder_after(folder, survey)
    free_name(folder / layout.END)
    sync_folder(folder)
    quarantined = [name for name in _beyond(folder, recording.segments) if move_to_quarantine(folder, name)]
    if survey.log_segment:
        with suppress(OSError):
            remove(folder / f"{layout.segment_name(survey.log_segment.number)}{layout.UNFINISHED_SUFFIX}")
        recording.append_segment(dict(survey.log_segment.log_tables or {}))
    quarantined += [name for name in _unfinished(folder) if move_to_quarantine(folder, name)]
    log = layout.log_name(recording.segments)
    if survey.torn and move_to_quarantine(folder, log):
        quarantined.append(log)
    _remove_logs(folder)
    segments, recent = survey.segments, survey.segments[-2:]
    states = [
        *last_states(folder, segments, WATCHED, skip_damaged=True),
        *last_states(folder, recent, (EVENTS,), skip_damaged=True),
    ]
    last_us = max((segment.last_us for segment in segments), default=survey.head["started_us"])
    quarantined = [*(name for mend in mends for name in mend.quarantined), *quarantined]
    return RecoveredRecording(
        recording=recording,
        last_us=last_us,
        cause=_cause(mends, survey.torn, quarantined, was_complete=was_complete),
        last_states=tuple(states),
        open_gaps=() if was_complete else tuple(_open_gaps(folder, recent, last_us)),
        quarantined=tuple(quarantined),
    )


def _open_gaps(folder: Path, segments: Sequence[Segment], last_us: Micros) -> Iterator[Gap]:
    """Yields the missing last slice of each gap that may have been open when the recorder died."""
    last: dict[str, Gap] = {}
    for segment in segments:
        try:
            for _, at_us, until_us, prefix, cause in segment_rows(folder, segment, "gaps"):
                last[prefix] = Gap(at_us=at_us, until_us=until_us, prefix=prefix, cause=cause)
        except DamagedFile as error:  # the damage itself is reported by repair
            error.require_damage()
    last.pop(ALL_PATHS, None)
    for gap in last.values():
        if last_us - MAX_SLICE_US <= gap.until_us < last_us:
            yield replace(gap, at_us=gap.until_us, until_us=last_us)


def _beyond(folder: Path, last: int) -> list[str]:
    """Names of what does not continue segment `last`: segments without a manifest, and logs of later segments."""
    names = [path.name for path in (folder / layout.SEGMENTS).iterdir()]
    segments = [f"{layout.SEGMENTS}/{name}" for name in names if name.isdecimal() and int(name) > last]
    logs = sorted(path for path in (folder / layout.LOGS).glob("*") if _number(path) > last + 1)
    return [*sorted(segments), *(f"{layout.LOGS}/{path.name}" for path in logs)]


def _number(path: Path) -> int:
    stem = path.name.split(".")[0]
    return int(stem) if stem.isdecimal() else 0


def _unfinished(folder: Path) -> Iterator[str]:
    """Yields the folders of segments that were never finished."""
    for path in sorted((folder / layout.SEGMENTS).glob(f"*{layout.UNFINISHED_SUFFIX}")):
        yield f"{layout.SEGMENTS}/{path.name}"


def _remove_logs(folder: Path) -> None:
    """Removes all logs: their facts are in segments now.

    The names of these segments are synced first, because an earlier sync of them may have failed.
    """
    sync_folder(folder / layout.SEGMENTS)
    if not (folder / layout.LOGS).is_symlink() and (folder / layout.LOGS).is_dir():
        for path in (folder / layout.LOGS).iterdir():
            free_name(path)
        sync_folder(folder / layout.LOGS)


def _cause(mends: Sequence[Mend], torn: int, quarantined: Sequence[str], *, was_complete: bool) -> str:
    """Why nothing is known between the last fact and the new start of the recorder."""
    if was_complete and not mends:
        return "the recorder was stopped, and started again"
    cause = "the recorder was stopped" if was_complete else "the recorder died"
    cause += ", and was started again"
    for mend in mends:
        cause += f"; {mend.file} {mend.problem}"
    if torn:
        cause += f"; its log ended with {counted(torn, 'incomplete byte')}"
    return f"{cause}; set aside: {', '.join(quarantined)}" if quarantined else cause
