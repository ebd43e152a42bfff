"""Bugs that are planted on purpose: the simulation must find each of them."""

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from hpaaudit.cluster.stores.hpas import HpaStore
from hpaaudit.cluster.stores.pods import PodStore
from hpaaudit.cluster.watch.gaps import Gaps
from hpaaudit.cluster.watch.reflector import Reflector
from hpaaudit.model.facts import Fact, Gap
from hpaaudit.recording.files.lock import Lock
from hpaaudit.recording.recorder.load_shedding import LoadShedder
from hpaaudit.recording.recorder.recorder_writer import RecorderWriter
from hpaaudit.recording.recorder.storage import Storage
from hpaaudit.recording.recorder.writer_states import Logging, Sealing
from hpaaudit.recording.writing.unlogged import UnloggedRows
from hpaaudit.recording.writing.write_ahead_log import WriteAheadLog
from tests.simulation.disk import Disk

MOST_SEEDS = 25
"""Within so many worlds each must be found."""


@dataclass(frozen=True)
class Mutant:
    """A bug: what takes the place of what, and the faults without which nobody would notice."""

    name: str
    owner: type
    attribute: str
    make_faulty: Callable[[Any], Any]
    faults: tuple[str, ...]


@contextmanager
def planted(mutant: Mutant) -> Iterator[None]:
    """The bug, for a while."""
    sound = getattr(mutant.owner, mutant.attribute)
    setattr(mutant.owner, mutant.attribute, mutant.make_faulty(sound))
    try:
        yield
    finally:
        setattr(mutant.owner, mutant.attribute, sound)


def _forgets_files(sound: Any) -> Any:
    def fsync(disk: Disk, descriptor: int) -> None:
        node = disk.open.get(descriptor)
        if node is None or node.entries is not None:
            sound(disk, descriptor)

    return fsync


def _forgets_folders(sound: Any) -> Any:
    def fsync(disk: Disk, descriptor: int) -> None:
        node = disk.open.get(descriptor)
        if node is None or node.entries is None:
            sound(disk, descriptor)

    return fsync


def _acknowledges_first(sound: Any) -> Any:
    def append_rows(storage: Storage, rows: UnloggedRows) -> None:
        log, before = storage._log, storage.acknowledged
        if log is None:
            sound(storage, rows)
            return
        storage.acknowledged = before + rows.facts
        log.append(before, rows.facts, rows.rows, rows.unchanged)

    return append_rows


def _every(number: int) -> Callable[[], bool]:
    """True each so-manieth time."""
    count = 0

    def due() -> bool:
        nonlocal count
        count += 1
        return count % number == 0

    return due


def _skips_events(sound: Any) -> Any:
    due = _every(20)

    def take(watch: Reflector, kind: str, raw: dict[str, Any]) -> None:
        if kind == "BOOKMARK" or not due():
            sound(watch, kind, raw)

    return take


def _forgets_restarts(sound: Any) -> Any:
    def add(writer: RecorderWriter, fact: Fact) -> None:
        if not (isinstance(fact, Gap) and fact.cause.startswith("the recorder")):
            sound(writer, fact)

    return add


def _loses_what_flew(sound: Any) -> Any:
    def roll_back(writer: RecorderWriter, state: Logging | Sealing) -> None:
        if isinstance(state, Sealing):
            sound(writer, state)
        else:
            writer._storage.acknowledged += state.rows.facts

    return roll_back


def _says_too_much(sound: Any) -> Any:
    def append(log: WriteAheadLog, first_seq: int, facts: int, rows: Mapping[str, Any], unchanged: Any) -> None:
        if facts > 1 and first_seq % 3 == 0:
            rows = {
                table: rows_of_table[1:] if len(rows_of_table) > 1 else rows_of_table
                for table, rows_of_table in rows.items()
            }
        sound(log, first_seq, facts, rows, unchanged)

    return append


def _nothing(_: Any) -> Any:
    return lambda *_args, **_kwargs: None


def _without_states(sound: Any) -> Any:
    return lambda shedder, *args: [fact for fact in sound(shedder, *args) if isinstance(fact, Gap)]


def _no_gap(_: Any) -> Any:
    return lambda *_args: True


def _open_to_all(_: Any) -> Any:
    def init(lock: Lock, folder: Any) -> None:
        lock._files = [os.open(folder / "recording.json", os.O_RDONLY)]

    return init


DEATH = ("kill", "kill_at", "power")
MUTANTS = (
    Mutant("a file is not synced", Disk, "_fsync_one", _forgets_files, DEATH),
    Mutant("a folder is not synced", Disk, "_fsync_one", _forgets_folders, DEATH),
    Mutant(
        "facts are acknowledged before they are synced",
        Storage,
        "append_rows",
        _acknowledges_first,
        ("kill_at", "power"),
    ),
    Mutant("a frame of the log lacks a row", WriteAheadLog, "append", _says_too_much, DEATH),
    Mutant(
        "what could not be logged is forgotten",
        RecorderWriter,
        "_roll_back",
        _loses_what_flew,
        ("write_error", "sync_error", "kill"),
    ),
    Mutant("no gap is written down", Gaps, "_write", _no_gap, ("down", "cut")),
    Mutant("a restart leaves no gap", RecorderWriter, "add", _forgets_restarts, ("kill", "term")),
    Mutant("one event of a watch in twenty is passed over", Reflector, "_take", _skips_events, ()),
    Mutant("the end of a pod is not told", PodStore, "delete", _nothing, ()),
    Mutant("an HPA that a list lacks is still there", HpaStore, "retain", _nothing, ("down", "compact", "term")),
    Mutant("a disk that recovers tells no states", LoadShedder, "reopen", _without_states, ("full", "read_only")),
    Mutant("a second recorder is let in", Lock, "__init__", _open_to_all, ("second",)),
)
