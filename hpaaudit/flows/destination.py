"""Decides where the results of a replay are written."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from hpaaudit.errors import BadOption, NotWritable
from hpaaudit.flows.provenance import results_elsewhere

if TYPE_CHECKING:
    from hpaaudit.results.write import ResultsWriter

RESULTS = "results.duckdb"
"""The results in a recording: of the whole recording, as it was recorded."""

WHAT_IF = "what-if.duckdb"
"""The results in a recording of a replay that an option narrowed or changed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Destination:
    """A results file to write.

    overwrite          an existing results file is replaced
    has_default_name   the user did not name the file: the other replays of this recording that it holds are kept
    is_what_if         an option narrowed or changed the replay
    """

    path: Path
    overwrite: bool
    has_default_name: bool
    is_what_if: bool


def destination_of(recording: Path, into: Path | None, *, overwrite: bool, is_what_if: bool) -> Destination:
    """The file that the user named, else a default one in the recording.

    Raises BadOption if the user names the audit of the recording for a replay that an option narrowed or changed.
    """
    if into is not None:
        if is_what_if and _is_same(into, recording / RESULTS):
            raise BadOption(
                f"{into} holds the replay of the whole recording, as it was recorded. A replay that an option "
                "narrows or changes does not replace it: name another file with --into."
            )
        return Destination(path=into, overwrite=overwrite, has_default_name=False, is_what_if=is_what_if)
    path = recording / (WHAT_IF if is_what_if else RESULTS)
    return Destination(path=path, overwrite=True, has_default_name=True, is_what_if=is_what_if)


def _is_same(path: Path, other: Path) -> bool:
    """True if both paths name the same file, whether it exists or not."""
    return path.resolve() == other.resolve()


def open_writer(
    destination: Destination,
    manifest_sha256: str,
    open_at: Callable[[Path], "ResultsWriter"],
    warn: Callable[[str], None],
) -> "ResultsWriter":
    """A writer at the destination, or in the state folder if the recording's own folder cannot be written to."""
    try:
        return open_at(destination.path)
    except NotWritable:
        elsewhere = results_elsewhere(manifest_sha256) if destination.has_default_name else None
        if elsewhere is None:
            raise
        path = elsewhere.with_name(f"{elsewhere.stem}-{WHAT_IF}") if destination.is_what_if else elsewhere
        warn(f"{destination.path.parent} {_why_not(destination.path)}: the results are kept in {path}")
        return open_at(path)


def _why_not(path: Path) -> str:
    """Why no results are written beside a recording: DuckDB reads what follows a question mark as options."""
    misread = [mark for mark in "?\\" if mark in str(path)]
    return f"has a {misread[0]} in its name, which DuckDB misreads" if misread else "cannot be written to"
