"""Opens the results of what a user names: a results file, or a recording, which is replayed first where it must be."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hpaaudit.errors import NotARecording, NotResults, RecordingError
from hpaaudit.flows.made import is_ours, kept_elsewhere
from hpaaudit.flows.replay import RESULTS, replay, unheard

if TYPE_CHECKING:
    from hpaaudit.recording.reading.recording import Recording
    from hpaaudit.results.read import Results


def open_source(source: Path, warn: Callable[[str], None] = unheard) -> "Results":
    """Opens a results file, or the results in a recording.

    Those in a recording are made anew unless this user made them of this very recording, whole and as it was recorded.
    A file that is named is answered from, whoever made it.

    warn   is told of results that somebody else made, and what `replay` tells

    Raises NotResults and what `replay` raises.
    """
    if not source.is_dir():
        results = open_file(source)
        if not is_ours(source):
            warn(f"{source} was not made here by you: it says what whoever made it wants")
        return results
    from hpaaudit.recording.reading.recording import open_recording

    manifest = open_recording(source).info.manifest_sha256
    for place in (source / RESULTS, kept_elsewhere(manifest)):
        if place is not None and place.exists():
            found = _own(place, source, manifest, warn)
            if found is not None:
                return found
    return replay(source, warn=warn)


def open_file(path: Path, source: Path | None = None) -> "Results":
    """Opens a results file; what it shows of its recording is looked for at `source`, or beside it.

    Raises NotResults.
    """
    from hpaaudit.results.read import open_results

    behind = _Behind(path if source is None else source)
    results = open_results(path, behind)
    behind.results, behind.named = results, results.recording
    return results


def recording_of(
    results: "Results", source: Path, named: str, is_it: Callable[["Recording"], bool]
) -> "Recording | None":
    """The recording behind results: the source, beside them, or where it was when this user replayed it.

    named   the path of the recording, as the results tell it
    is_it   whether it is the one, by its hashes

    Raises DamagedRecording where none is the one, but one of them is damaged.
    """
    from hpaaudit.recording.reading.recording import open_recording

    damage = None
    for place in _places(results.path, source, Path(named)):
        try:
            opened = open_recording(place)
        except NotARecording:
            continue
        except RecordingError as error:
            damage = damage or error
            continue
        if is_it(opened):
            return opened
    if damage is not None:
        raise damage
    return None


def _places(path: Path, source: Path, named: Path) -> Iterator[Path]:
    beside = path.parent
    yield from (place for place in (source, beside, beside / named.name) if place.is_dir())
    if is_ours(path) and named.is_dir():  # a path of somebody else may lead anywhere
        yield named


def _own(place: Path, source: Path, manifest: str, warn: Callable[[str], None]) -> "Results | None":
    """The results at a place if they are to be believed; tells why they are not."""
    ours = is_ours(place)
    try:
        results = open_file(place, source)
    except NotResults:
        return None
    if results.manifest_sha256 == manifest and results.is_whole:
        if ours:
            return results
        warn(f"{place} was not made here by you: {source} is replayed anew")
    results.close()
    return None


class _Behind:
    """The recording behind a results file, looked for when something is asked of it.

    results, named   which recording it is, and where it was
    """

    results: "Results"
    named: str

    def __init__(self, source: Path) -> None:
        self._source = source

    @staticmethod
    def schema(table: str, columns: Sequence[str]) -> Any:
        """The types of these columns."""
        from hpaaudit.recording.reading.recording import Recording

        return Recording.schema(table, columns)

    def arrow(self, table: str, columns: Sequence[str]) -> Iterator[Any]:
        """These columns of all rows."""
        return self._recording.arrow(table, columns)

    def arrow_of(self, hashes: Mapping[tuple[int, str], str], table: str, columns: Sequence[str]) -> Iterator[Any]:
        """These columns of these files."""
        return self._recording.arrow_of(hashes, table, columns)

    @cached_property
    def _recording(self) -> "Recording":
        hashes = self.results.hashes
        found = recording_of(self.results, self._source, self.named, lambda opened: opened.holding(hashes) is not None)
        if found is None:
            raise NotARecording(
                f"the recording {self.named} is not there: put it beside {self.results.path}, or replay"
            )
        return found
