"""Decides a whole recording by the compiled rules, where that is worth it and can be done."""

import hashlib
import os
from collections.abc import Callable, Collection, Iterator
from concurrent.futures import ThreadPoolExecutor
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from hpaaudit.model.columns import Decided
from hpaaudit.model.units import Micros

if TYPE_CHECKING:
    from hpaaudit.engine.fleet.input.pods import PodTexts
    from hpaaudit.engine.fleet.input.search import Unreplayable
    from hpaaudit.flows.replay import Prepared
    from hpaaudit.recording.read import Recording

Item = TypeVar("Item")

WORTH_IT = 20_000
"""From so many reconciles on the compiled kernel is faster, its start included."""

WORTH_IT_DERIVED = 7_000
"""The same where what they saw must be found out."""

FACTS_WORTH_READING = 5_000
"""So few facts are of so few reconciles."""

THREADS = 2


def lines(recording: "Recording") -> int:
    """How many reconciles have a line of their own."""
    found = (segment.file("reconciles") for segment in recording.segments)
    return sum(file.rows for file in found if file is not None)


def installed() -> bool:
    """Whether the extra `[fast]` is there."""
    return find_spec("numba") is not None


def search(recording: "Recording") -> "Unreplayable":
    """Every HPA of a recording that cannot be replayed; raises `DamagedRecording`."""
    from hpaaudit.engine.fleet.input.search import TABLES, search
    from hpaaudit.engine.fleet.input.tables import COLUMNS

    return search(recording.slices(TABLES, columns=COLUMNS))


def decide(
    prepared: "Prepared",
    *,
    hpas: Collection[str],
    since: Micros | None,
    until: Micros | None,
    tell: Callable[[str], None],
) -> Iterator[Decided]:
    """Everything that the compiled rules make of a recording, segment by segment.

    tell   is told when the rules must be compiled first

    Raises `Unsupported` where the recording holds what the kernel does not decide, `Unreadable` where it holds what no
    API server serves and that was not searched for, `DamagedRecording`.
    """
    from hpaaudit.engine.behaviours.release import behaviours_of
    from hpaaudit.engine.fleet.batch.allocate import settings_of
    from hpaaudit.engine.fleet.batch.builder import BatchBuilder, FleetOptions, quantities_of
    from hpaaudit.engine.fleet.compile import walk
    from hpaaudit.engine.fleet.input.tables import COLUMNS
    from hpaaudit.engine.fleet.input.unsupported import flags_for_all
    from hpaaudit.engine.fleet.results import ReconcileFilter
    from hpaaudit.engine.fleet.run import Kernel, prepared_slices, run

    flags = flags_for_all(prepared.plan, prepared.flags, prepared.flags_of)
    folder = cache_folder()
    if not folder.exists():
        tell("compiling the rules for this machine, once: one to two minutes")
    quantities = quantities_of(prepared.plan.metrics)
    options = FleetOptions(
        flags=flags,
        behaviours=behaviours_of(flags),
        quantities=quantities,
        skipped=prepared.plan.unsupported,
        inferred=prepared.derived,
        is_searched=prepared.searched,
    )
    builder = BatchBuilder(options, texts())
    with ThreadPoolExecutor(THREADS, "kernel") as threads:

        def spread(call: Callable[[int, int], None], ranges: list[tuple[int, int]]) -> None:
            for _ in threads.map(lambda span: call(*span), ranges):
                pass

        slices = prepared_slices(prepared.recording.slices(COLUMNS, columns=COLUMNS), builder)
        wanted = ReconcileFilter(keys=hpas, since_us=since, until_us=until)
        kernel = Kernel(walk=walk(str(folder)), spread=spread)
        yield from run(_ahead(slices), builder, settings_of(flags, options.behaviours), kernel, wanted)


def _ahead(found: Iterator[Item]) -> Iterator[Item]:
    """The same, the next one made in the background while the caller works with this one."""
    with ThreadPoolExecutor(1, "lay") as thread:
        nothing = object()
        coming = thread.submit(next, found, nothing)
        while (item := coming.result()) is not nothing:
            coming = thread.submit(next, found, nothing)
            yield item  # type: ignore[misc]


def texts() -> "PodTexts":
    """How a recording writes the JSON of pods."""
    from hpaaudit.engine.fleet.input.pods import PodTexts
    from hpaaudit.recording.json_text import containers_from_json, labels_from_json, requests_from_json

    return PodTexts(labels=labels_from_json, containers=containers_from_json, requests=requests_from_json)


def cache_folder() -> Path:
    """Where compiled rules are kept: beside the installation, else in the user's cache folder.

    It is named after the sources, for compiled code does not notice that a rule in another file changed.
    """
    from hpaaudit.engine.fleet.compile import sources

    engine = Path(__file__).parents[1] / "engine"
    digest = hashlib.sha256(b"".join(Path(path).read_bytes() for path in sources())).hexdigest()[:12]
    beside = engine / "__pycache__" / "compiled"
    writable = os.access(engine, os.W_OK)
    base = beside if writable else Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "hpaaudit"
    return base / digest
