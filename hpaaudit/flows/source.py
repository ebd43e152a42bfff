"""Opens results: from a results file, or from a recording, which is replayed first if it has no results yet."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hpaaudit.errors import AuditError, NotARecording, NotResults, RecordingError
from hpaaudit.flows.chosen_hpas import chosen_by_labels, label_selector, unlabelled_warning
from hpaaudit.flows.destination import RESULTS
from hpaaudit.flows.options import ShowProgress, Warn, ignore_warning, show_nothing
from hpaaudit.flows.paths import Source, path_of
from hpaaudit.flows.provenance import is_ours, results_elsewhere
from hpaaudit.model.nearest import nearest

if TYPE_CHECKING:
    from hpaaudit.recording.reading.recording import Recording
    from hpaaudit.results.read import Results


def open_source(
    source: Source, warn: Warn = ignore_warning, progress: ShowProgress = show_nothing, selector: str = ""
) -> "Results":
    """Opens a results file, or the results in a recording.

    Results in a recording are made anew, unless this user made them of this very recording, whole and as it was
    recorded. A results file that is named is answered from, whoever made it.

    source     results or a recording: the path, or what was opened
    warn       is called if somebody else made the results, and with what `replay` warns of
    progress   is called while a recording is replayed
    selector   only HPAs whose last recorded labels match are shown; empty: all

    Raises NotResults, BadOption and UnknownHpa for the selector, and what `replay` raises.
    """
    label_selector(selector)  # what is none is refused before anything is replayed
    results = _opened(source, warn, progress)
    if not selector:
        return results
    try:
        chosen = chosen_by_labels(selector, results.labels, str(results.path))
    except AuditError:
        results.close()
        raise
    if chosen.unlabelled:
        warn(unlabelled_warning(chosen.unlabelled))
    results.narrow(chosen.names)
    return results


def _opened(source: Source, warn: Warn, progress: ShowProgress) -> "Results":
    path = path_of(source)
    if not path.is_dir():
        results = open_file(path)
        if not is_ours(path):
            warn(f"{path} was not made here by you: trust it only if you know who made it")
        return results
    from hpaaudit.recording.reading.recording import open_recording

    recording = open_recording(path)
    for file in (path / RESULTS, results_elsewhere(recording.info.manifest_sha256)):
        if file is not None and file.exists():
            own_results = _own_results(file, recording, warn)
            if own_results is not None:
                return own_results
    from hpaaudit.flows.replay import replay_whole

    return replay_whole(recording, warn, progress)


def open_file(path: Path, source: Path | None = None) -> "Results":
    """Opens a results file. Its views on the recording look for that at `source`, or beside the file.

    Raises NotResults.
    """
    from hpaaudit.results.read import open_results

    require_there(path)
    recording = _RecordingOnDemand(path if source is None else source)
    results = open_results(path, recording)
    recording.results, recording.recorded_at = results, results.recording
    return results


def require_there(path: Path) -> None:
    """Raises NotResults if there is nothing at a path, and suggests recordings and results that lie beside it."""
    with suppress(OSError):
        if path.exists():
            return
        from hpaaudit.recording.reading.survey import recordings_beside

        beside = [*recordings_beside(path), *map(str, path.parent.glob("*.duckdb"))]
        near = nearest(_stem(str(path)), dict.fromkeys(map(_stem, beside)), cutoff=0.7)
        meant = [known for stem in near for known in beside if _stem(known) == stem]
        advice = "a recording is the folder that `record` or `import` wrote into, a results file is what `replay` wrote"
        hint = f"did you mean {', '.join(meant)}?" if meant else advice
        raise NotResults(f"no recording and no results file {str(path)!r} here: {hint}")


def _stem(path: str) -> str:
    return path.removesuffix(".duckdb")


def recording_by_manifest(results: "Results", source: Path) -> "Recording | None":
    """The recording that was replayed, whole and as it was then; raises as `_recordings`."""
    for recording in _recordings(results.path, source, results.recording):
        if recording.info.manifest_sha256 == results.manifest_sha256:
            return recording
    return None


def _recordings(file: Path, source: Path, recorded_at: str) -> "Iterator[Recording]":
    """The recordings that may be behind a results file: the source, one beside the file, the path that the file names.

    Raises the damage of the first damaged one when there are no more.
    """
    from hpaaudit.recording.reading.recording import open_recording

    damage = None
    for folder in _folders(file, source, Path(recorded_at)):
        try:
            yield open_recording(folder)
        except NotARecording:
            continue
        except RecordingError as error:
            damage = damage or error
    if damage is not None:
        raise damage


def _folders(file: Path, source: Path, recorded_at: Path) -> Iterator[Path]:
    beside = file.parent
    yield from (folder for folder in (source, beside, beside / recorded_at.name) if folder.is_dir())
    if is_ours(file) and recorded_at.is_dir():  # a path that somebody else wrote may lead anywhere
        yield recorded_at


def _own_results(path: Path, recording: "Recording", warn: Warn) -> "Results | None":
    """The results at a path, if this user made them of this recording as a whole."""
    is_own = is_ours(path)
    try:
        results = open_file(path, recording.folder)
    except NotResults:
        return None
    if results.manifest_sha256 == recording.info.manifest_sha256 and results.is_whole:
        if is_own:
            return results
        warn(f"{path} was not made here by you: {recording.folder} is replayed again")
    results.close()
    return None


class _RecordingOnDemand:
    """The recording behind a results file, looked for when one of the views on it is asked.

    DuckDB asks it in the middle of a query, and takes no other query then. So what the search needs to know is read
    from the results before.
    """

    results: "Results"
    recorded_at: str

    def __init__(self, source: Path) -> None:
        self._source = source

    @staticmethod
    def schema(table: str, columns: Sequence[str]) -> Any:
        """The Arrow types of these columns."""
        from hpaaudit.recording.reading.recording import Recording

        return Recording.schema(table, columns)

    def arrow(self, table: str, columns: Sequence[str]) -> Iterator[Any]:
        """These columns of all rows."""
        return self._recording.arrow(table, columns)

    def arrow_of(self, hashes: Mapping[tuple[int, str], str], table: str, columns: Sequence[str]) -> Iterator[Any]:
        """These columns of these files alone."""
        return self._recording.arrow_of(hashes, table, columns)

    @cached_property
    def _recording(self) -> "Recording":
        for recording in _recordings(self.results.path, self._source, self.recorded_at):
            if recording.holding(self.results.hashes) is not None:  # it may have grown since it was replayed
                return recording
        raise NotARecording(
            f"the recording {self.recorded_at} does not exist: put it beside {self.results.path}, or replay"
        )
