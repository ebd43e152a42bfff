"""Verifies a recording: every checksum, and on request every fact."""

from collections.abc import Callable
from pathlib import Path

from hpaaudit.model.inspection import Damage, Verification
from hpaaudit.recording.format.manifest import Segment
from hpaaudit.recording.inspection.anchor import find_anchor
from hpaaudit.recording.reading.damaged_file import DamagedFile
from hpaaudit.recording.reading.foreign_files import foreign_files
from hpaaudit.recording.reading.recording import Recording, damaged, recording_info, sound_until
from hpaaudit.recording.reading.segment import file_bytes, read_facts, require_numbered
from hpaaudit.recording.reading.survey import survey_recording


def verify(
    folder: Path,
    *,
    reread: bool = False,
    expect: str | None = None,
    progress: Callable[[int, int], None] = lambda _checked, _facts: None,
) -> Verification:
    """Checks a recording, and lists everything that is wrong with it.

    reread     also read every fact
    expect     a head hash that was kept elsewhere
    progress   is called after each segment with how many facts are checked, and how many there are

    Raises `NotARecording`, `NewerFormat`, and `DamagedRecording` if not even `recording.json` can be read.
    """
    survey = survey_recording(folder)
    damages = [*survey.damages]
    damaged = {damage.file for damage in damages}
    facts = checked = 0
    planned = sum(segment.facts for segment in survey.segments)
    for segment in survey.segments:
        new = [damage for damage in _damages(folder, segment) if damage.file not in damaged]
        if reread and not new and not any(damage.segment == segment.number for damage in survey.damages):
            try:
                require_numbered(folder, segment)
                facts += len(read_facts(folder, segment))
            except DamagedFile as error:
                new.append(error.damage)
        damages += new
        checked += segment.facts
        progress(checked, planned)
    sealed, log_segment = survey.sealed, survey.log_segment
    base = next((segment for segment in sealed if segment.removed and not segment.repaired), None)
    foreign = foreign_files(folder, survey.segments)
    damages.sort(key=lambda damage: (damage.segment, damage.file))
    return Verification(
        info=recording_info(folder, survey, survey.segments),
        complete=survey.complete,
        segments=len(sealed),
        files=sum(len(segment.files) for segment in sealed),
        bytes=sum(file.bytes for segment in sealed for file in segment.files),
        facts=facts if reread else None,
        sound_until=sound_until(survey.segments, damages[0]) if damages else None,
        damages=tuple(damages),
        unfinished=survey.unfinished,
        logged=log_segment.facts if log_segment else 0,
        torn=survey.torn,
        removed=base.number if base else 0,
        removed_us=base.removed.last_us if base and base.removed else None,
        repaired=tuple(segment.number for segment in sealed if segment.repaired),
        head=survey.last_hash,
        anchor=None if expect is None else find_anchor(survey, expect),
        foreign=foreign.names,
        foreign_count=foreign.count,
    )


def require_sound(recording: Recording) -> None:
    """Checks every checksum of an open recording, and that its facts are numbered without a hole.

    Raises `DamagedRecording` for the first damage.
    """
    for segment in recording.segments:
        for damage in _damages(recording.folder, segment):
            raise damaged(recording.folder, recording.segments, damage)
        try:
            require_numbered(recording.folder, segment)
        except DamagedFile as error:
            raise damaged(recording.folder, recording.segments, error.damage) from error


def _damages(folder: Path, segment: Segment) -> list[Damage]:
    """The files of a segment that differ from what was written. A log was checked when it was read."""
    damages: list[Damage] = []
    if segment.log_tables is not None:
        return damages
    for file in segment.files:
        try:
            file_bytes(folder, segment, file)
        except DamagedFile as error:
            damages.append(error.damage)
    return damages
