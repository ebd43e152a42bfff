"""Decides a whole recording by the compiled rules, if they can decide it and are worth their start."""

import hashlib
from collections.abc import Callable, Collection, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from tempfile import mkdtemp
from typing import TYPE_CHECKING, TypeVar

from hpaaudit.flows.cache import cache_of
from hpaaudit.flows.options import Warn
from hpaaudit.model.fleet_columns import Decided, Slice

if TYPE_CHECKING:
    from hpaaudit.engine.fleet.input.pod_states import PodTexts
    from hpaaudit.flows.prepare import Prepared
    from hpaaudit.recording.reading.recording import Recording

Item = TypeVar("Item")

RECONCILES_WORTH_IT = 20_000
"""From so many `reconcile` lines on the compiled rules are faster, their start included."""

INFERRED_RECONCILES_WORTH_IT = 7_000
"""The same for reconciles that must be inferred, because the recording has no `reconcile` lines."""

FACTS_WORTH_IT = 5_000
"""With fewer facts there cannot be that many reconciles to infer: they are not even counted."""

THREADS = 2

PARTS = 2
"""A segment is decided in so many parts of some namespaces each, if it has at least `FACTS_OF_PARTS`."""

FACTS_OF_PARTS = 50_000
"""A segment with fewer facts is decided at once: that takes little memory."""


def installed() -> bool:
    """True if the extra `[fast]` is installed."""
    return find_spec("numba") is not None


def may_decide(recording: "Recording", detail: str | None) -> bool:
    """True if the compiled rules are installed, keep this detail, and the recording may be large enough for them."""
    if detail not in (None, "numbers") or not installed():
        return False
    if detail == "numbers":
        return True
    lines = _reconcile_lines(recording)
    if lines:
        return lines >= RECONCILES_WORTH_IT
    return sum(segment.facts for segment in recording.segments) >= FACTS_WORTH_IT


def is_worth_it(prepared: "Prepared") -> bool:
    """True if enough reconciles were inferred; those that have a line were counted by `may_decide`."""
    return prepared.derived is None or prepared.derived.count() >= INFERRED_RECONCILES_WORTH_IT


def reconciles(prepared: "Prepared") -> int:
    """About how many reconciles the compiled rules decide."""
    return _reconcile_lines(prepared.recording) if prepared.derived is None else prepared.derived.count()


def _reconcile_lines(recording: "Recording") -> int:
    files = (segment.file("reconciles") for segment in recording.segments)
    return sum(file.rows for file in files if file is not None)


def parts_of(prepared: "Prepared") -> int:
    """In how many parts each segment is decided, so that memory stays small."""
    largest = max((segment.facts for segment in prepared.recording.segments), default=0)
    return PARTS if largest >= FACTS_OF_PARTS else 1


def slices_of(prepared: "Prepared", namespaces: Collection[str] = ()) -> Iterator[Slice]:
    """The segments of a recording as columns: all of them, or what these namespaces hold."""
    from hpaaudit.engine.fleet.input.namespaces import narrowed
    from hpaaudit.engine.fleet.input.tables import COLUMNS

    return (narrowed(part, namespaces) for part in prepared.recording.slices(COLUMNS, columns=COLUMNS))


def decide(
    prepared: "Prepared", warn: Warn, namespaces: Collection[str] = (), slices: Iterable[Slice] | None = None
) -> Iterator[Decided]:
    """The decisions of the compiled rules for a recording, segment by segment.

    warn     is called if the rules must be compiled first, which takes a while
    namespaces   only HPAs of these are decided, and nothing else is read: what cannot be decided in another one is not
                 met. Without any: all
    slices   what `slices_of` gave for the same namespaces; None: they are read

    Raises `Unsupported` if the recording holds what the compiled rules do not decide, `Unreadable` if it holds what no
    API server serves and the recording was not searched for that, and `DamagedRecording`.
    """
    from hpaaudit.engine.behaviours.release import behaviours_of
    from hpaaudit.engine.fleet.batch.allocate import settings_of
    from hpaaudit.engine.fleet.batch.builder import BatchBuilder, FleetOptions, quantities_of
    from hpaaudit.engine.fleet.compile import walk
    from hpaaudit.engine.fleet.input.namespaces import shares
    from hpaaudit.engine.fleet.input.unsupported import flags_for_all
    from hpaaudit.engine.fleet.results import ReconcileFilter
    from hpaaudit.engine.fleet.run import Kernel, Part, prepared_slices, run

    flags = flags_for_all(prepared.plan, prepared.flags, prepared.flags_of)
    folder = cache_folder()
    if not folder.exists():
        warn("compiling the rules for this machine, once: about half a minute")
    quantities = quantities_of(prepared.plan.metrics)
    options = FleetOptions(
        flags=flags,
        behaviours=behaviours_of(flags),
        quantities=quantities,
        skipped=prepared.plan.unsupported,
        inferred=prepared.derived,
        is_searched=prepared.searched,
        passing_leases=prepared.plan.passing_leases,
    )
    wholes = [namespaces] if namespaces else shares(parts_of(prepared))
    parts = [Part(namespaces=some, builder=BatchBuilder(replace(options, namespaces=some), texts())) for some in wholes]
    with ThreadPoolExecutor(THREADS, "kernel") as threads:

        def in_parallel(decide_range: Callable[[int, int], None], ranges: list[tuple[int, int]]) -> None:
            for _ in threads.map(lambda bounds: decide_range(*bounds), ranges):
                pass

        read = slices_of(prepared, namespaces) if slices is None else slices
        batches = prepared_slices(read, len(prepared.recording.segments), parts)
        wanted = ReconcileFilter(keys=prepared.hpas)
        kernel = Kernel(walk=walk(str(folder)), spread=in_parallel)
        yield from _prefetched(run(_prefetched(batches), settings_of(flags, options.behaviours), kernel, wanted))


def _prefetched(items: Iterator[Item]) -> Iterator[Item]:
    """The same items. The next one is computed in a thread while the caller uses the current one."""
    with ThreadPoolExecutor(1, "prefetch") as thread:
        end = object()
        coming = thread.submit(next, items, end)
        while (item := coming.result()) is not end:
            coming = thread.submit(next, items, end)
            yield item  # type: ignore[misc]


def texts() -> "PodTexts":
    """The functions that read a recording's JSON of pods."""
    from hpaaudit.engine.fleet.input.pod_states import PodTexts
    from hpaaudit.recording.encoding.json_text import containers_from_json, labels_from_json, requests_from_json

    return PodTexts(labels=labels_from_json, containers=containers_from_json, requests=requests_from_json)


def cache_folder() -> Path:
    """The folder of the compiled rules, a temporary one if they can be kept nowhere.

    Its name is a hash of the sources, because numba's cache does not notice that a function in another file changed.
    """
    return (cache_of("engine") or Path(mkdtemp(prefix="hpaaudit-"))) / "compiled" / _digest()


@lru_cache(maxsize=1)
def _digest() -> str:
    """A name for the sources of the compiled rules. A process has imported them, so that they are read once."""
    from hpaaudit.engine.fleet.compile import sources

    return hashlib.sha256(b"".join(Path(path).read_bytes() for path in sources())).hexdigest()[:12]
