"""Checks every checksum of a recording, and reads everything again where that is asked for."""

from pathlib import Path

from hpaaudit.model.inspection import Damage, Verification
from hpaaudit.recording.format.manifest import Segment
from hpaaudit.recording.inspection.anchor import find_anchor
from hpaaudit.recording.reading.foreign_files import foreign_files
from hpaaudit.recording.reading.recording import Recording, damaged, recording_info, sound_until
from hpaaudit.recording.reading.segment import DamagedFile, file_bytes, read_facts, require_numbered
from hpaaudit.recording.reading.survey import survey


def verify(folder: Path, *, reread: bool = False, expect: str | None = None) -> Verification:
    """Check a recording and tell everything that is wrong with it.

    reread   also make every fact again;  expect   a head hash that was kept elsewhere

    Raises `NotARecording`, `NewerFormat`, and `DamagedRecording` where not even `recording.json` can be read.
    """
    seen = survey(folder)
    found = [*seen.damages]
    known = {damage.file for damage in found}
    facts = 0
    for segment in seen.segments:
        fresh = [damage for damage in _damages(folder, segment) if damage.file not in known]
        if reread and not fresh and not any(damage.segment == segment.number for damage in seen.damages):
            try:
                require_numbered(folder, segment)
                facts += len(read_facts(folder, segment))
            except DamagedFile as error:
                fresh.append(error.damage)
        found += fresh
    sealed = [segment for segment in seen.segments if segment.held is None]
    first = next((segment for segment in sealed if segment.removed and not segment.repaired), None)
    strange = foreign_files(folder, seen.segments)
    found.sort(key=lambda damage: (damage.segment, damage.file))
    return Verification(
        info=recording_info(folder, seen, seen.segments),
        complete=seen.complete,
        segments=len(sealed),
        files=sum(len(segment.files) for segment in sealed),
        bytes=sum(file.bytes for segment in sealed for file in segment.files),
        facts=facts if reread else None,
        sound_until=sound_until(seen.segments, found[0]) if found else None,
        damages=tuple(found),
        unfinished=seen.unfinished,
        logged=sum(segment.facts for segment in seen.segments if segment.held is not None),
        torn=seen.torn,
        removed=first.number if first else 0,
        removed_us=first.removed.last_us if first and first.removed else None,
        repaired=tuple(segment.number for segment in sealed if segment.repaired),
        head=seen.last_hash,
        anchor=None if expect is None else find_anchor(seen, expect),
        foreign=strange.names,
        foreign_count=strange.count,
    )


def require_sound(recording: Recording) -> None:
    """Check every checksum of an opened recording, and that its facts are numbered without a hole.

    Raises `DamagedRecording` for the first that does not hold.
    """
    for segment in recording.segments:
        for damage in _damages(recording.folder, segment):
            raise damaged(recording.folder, recording.segments, damage)
        try:
            require_numbered(recording.folder, segment)
        except DamagedFile as error:
            raise damaged(recording.folder, recording.segments, error.damage) from error


def _damages(folder: Path, segment: Segment) -> list[Damage]:
    """Return the files of a segment whose bytes are not those that were written; a log was checked by reading it."""
    found: list[Damage] = []
    if segment.held is not None:
        return found
    for file in segment.files:
        try:
            file_bytes(folder, segment, file)
        except DamagedFile as error:
            found.append(error.damage)
    return found
