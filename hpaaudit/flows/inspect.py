"""Shows what is in a recording."""

from collections.abc import Collection
from dataclasses import replace
from pathlib import Path

from hpaaudit.errors import DamagedRecording
from hpaaudit.flows.chosen_hpas import chosen_by_labels, chosen_by_names, label_selector, unlabelled_warning
from hpaaudit.flows.moments import When, times_of
from hpaaudit.flows.options import Warn, ignore_warning
from hpaaudit.flows.paths import RecordingPath, recording_folder
from hpaaudit.model.account import ReplayAccount
from hpaaudit.model.inspection import Inspection
from hpaaudit.model.span import Span
from hpaaudit.model.units import Micros


def inspect(
    recording: RecordingPath,
    *,
    hpas: Collection[str] = (),
    selector: str = "",
    since: When | None = None,
    until: When | None = None,
    warn: Warn = ignore_warning,
) -> Inspection:
    """Counts what is in a recording, and names what is missing.

    hpas       only these HPAs are listed: `namespace/name`, patterns with `*`, or names alone; empty: all
    selector   only HPAs whose last recorded labels match this label selector, as of kubectl; empty: all
    since, until   HPAs, pods, targets, reads, what was refused and gaps are those of this time: microseconds since
               1970, a datetime with its zone, or a text such as `14:05` or `-5m`
    warn       is called if HPAs are left out because their labels were not recorded

    What is counted is that of all HPAs, whichever are listed. Everything else is of the whole recording.

    Raises `NotARecording`, `NewerFormat` or `DamagedRecording`, UnknownHpa, and BadOption for the selector or a time.
    """
    from hpaaudit.recording.inspection.inspect import inspect as count
    from hpaaudit.recording.reading.recording import open_recording

    label_selector(selector)  # what is none is refused before anything is read
    opened = open_recording(recording_folder(recording))
    since_us, until_us = times_of(Span(opened.info.started_us, opened.info.ended_us), since=since, until=until)
    inspection = count(opened, since_us=since_us, until_us=until_us)
    chosen: Collection[str] = inspection.hpas
    if hpas:
        chosen = chosen_by_names(hpas, inspection.hpas)
    if selector:
        labels = opened.labels()
        recorded = {hpa: labels.get(hpa) for hpa in sorted(chosen)}
        labelled = chosen_by_labels(selector, recorded, "this recording", hpas)
        chosen = labelled.names
        if labelled.unlabelled:
            warn(unlabelled_warning(labelled.unlabelled))
    return replace(inspection, hpas=tuple(sorted(chosen)))


def with_coverage(account: ReplayAccount, recording: Path, until: Micros | None = None) -> ReplayAccount:
    """A replay with what its recording does not hold, as `inspect` tells it: inputs, an end, anything at all.

    until   of a damaged recording, only what comes before it is read

    Raises as `inspect`.
    """
    from hpaaudit.recording.inspection.missing import missing_of
    from hpaaudit.recording.reading.recording import Recording, open_recording

    def covered(opened: Recording) -> ReplayAccount:
        return replace(
            account, missing=tuple(missing_of(opened)), complete=opened.complete, is_empty=not opened.segments
        )

    try:
        return covered(open_recording(recording))
    except DamagedRecording:
        if until is None:
            raise
    return covered(open_recording(recording, until_us=until))
