"""Decides a recording twice, reconcile by reconcile and by the kernel over columns, and finds what differs."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from operator import itemgetter
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np

from hpaaudit.engine.behaviours.release import behaviours_of
from hpaaudit.engine.fleet.batch.allocate import settings_of
from hpaaudit.engine.fleet.batch.builder import BatchBuilder, FleetOptions, quantities_of
from hpaaudit.engine.fleet.batch.memory_store import MemoryStore
from hpaaudit.engine.fleet.columns.kernel_state import MemorySlots, Run
from hpaaudit.engine.fleet.input.tables import COLUMNS
from hpaaudit.engine.fleet.input.unsupported import flags_for_all
from hpaaudit.engine.fleet.kernel import walk as python_kernel
from hpaaudit.engine.fleet.reconciles.inferred import InferredReconciles
from hpaaudit.engine.fleet.results import ReconcileFilter, results_of
from hpaaudit.engine.fleet.run import Kernel, run_kernel
from hpaaudit.engine.fleet.run import one_by_one as one_by_one_range
from hpaaudit.engine.replay.hpa_history import COMPONENT
from hpaaudit.engine.replay.plan import plan
from hpaaudit.engine.replay.process import Process, replay
from hpaaudit.flows.fleet import texts
from hpaaudit.model.audit import ReplayedReconcile
from hpaaudit.model.flags import Flags
from hpaaudit.model.fleet_columns import Columns, Words
from hpaaudit.model.memory import Memory
from hpaaudit.recording.reading.recording import open_recording
from hpaaudit.results import reconcile_rows

Row = dict[str, Any]
Walk = Callable[..., None]
FlagsOf = Callable[[Any], Flags]

TEXTS = {"error", "invalid_text", "replay_id"}
"""Columns that the kernel leaves to `explain`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tables:
    """The rows of a replay, texts of errors left out, and what each HPA is remembered to have done."""

    reconciles: list[Row]
    proposals: list[Row]
    writes: list[Row]
    memories: dict[str, Any]


def one_by_one(folder: Path, flags_of: FlagsOf) -> Tables:
    """As the object engine decides."""
    facts = list(open_recording(folder).facts())
    laid_out = plan(facts, None)
    first = laid_out.controllers[0] if laid_out.controllers else None
    process = Process(laid_out, flags_of(first), flags_of, keep_pods=False)
    reconciles = list(replay(facts, laid_out, process, ()))
    memories = {
        f"{reconcile.decision.namespace}/{reconcile.decision.name}": _slots(reconcile.memory)
        for reconcile in reconciles
    }
    return Tables(
        reconciles=[
            _without_texts(reconcile_rows.reconcile(reconcile, _same(reconcile))) for reconcile in _existing(reconciles)
        ],
        proposals=[
            _without_texts(row)
            for reconcile in _existing(reconciles)
            for row in reconcile_rows.metric_proposals(reconcile, _same(reconcile))
        ],
        writes=[
            _without_texts(row)
            for reconcile in _existing(reconciles)
            for row in reconcile_rows.predicted_writes(reconcile, _same(reconcile))
        ],
        memories=memories,
    )


def by_kernel(folder: Path, flags_of: FlagsOf, walk: Walk) -> Tables:
    """As the kernel decides, compiled or by CPython; raises `Unsupported`."""
    opened = open_recording(folder)
    inferred = None
    if any(segment.file("reconciles") for segment in opened.segments):
        planned = plan(opened.facts(), None)
    else:
        inferred = InferredReconciles(opened.reconcile_evidence(COMPONENT), None, opened.facts())
        planned = inferred.plan()
    flags = flags_for_all(planned, flags_of(planned.controllers[0] if planned.controllers else None), flags_of)
    options = FleetOptions(
        flags=flags,
        behaviours=behaviours_of(flags),
        quantities=quantities_of(planned.metrics),
        skipped=planned.unsupported,
        inferred=inferred,
        passing_leases=planned.passing_leases,
    )
    builder = BatchBuilder(options, texts())
    tables, store = Tables(reconciles=[], proposals=[], writes=[], memories={}), MemoryStore()
    kernel = Kernel(walk=over_lists if walk is python_kernel.walk else walk, spread=one_by_one_range)
    for slice_ in opened.slices(COLUMNS, columns=COLUMNS):
        prepared = builder.prepare(slice_, is_last=slice_.number == len(opened.segments))
        decided = run_kernel(prepared, settings_of(flags, options.behaviours), store, kernel)
        results = results_of(prepared, decided.decisions, decided.proposals, builder, ReconcileFilter())
        tables.reconciles.extend(_rows(results.reconciles))
        tables.proposals.extend(_rows(results.proposals))
        tables.writes.extend(_rows(results.writes))
        for hpa in np.unique(prepared.reconciles["hpa"]).tolist():
            tables.memories["/".join(builder.hpas.keys.named[hpa])] = _slots_of(decided.memory, hpa)
    # The last reconcile of an HPA waits for the next slice, and then comes after later ones of other HPAs.
    for rows in (tables.reconciles, tables.proposals, tables.writes):
        rows.sort(key=itemgetter("reconcile_id"))
    return tables


def over_lists(run: Run, first: int, last: int) -> None:
    """Walks as CPython does, over lists, and puts what it wrote back into the arrays."""
    over = listed(run)
    python_kernel.walk(over, first, last)
    for table, after in zip(run[2:], over[2:], strict=True):
        for name in getattr(table, "_fields", None) or table.dtype.names:
            getattr(table, name)[:] = getattr(after, name)


def listed(table: Any) -> Any:
    """Tables of arrays, or arrays of records, as tables of lists."""
    if isinstance(table, np.recarray):
        return SimpleNamespace(**{name: table[name].tolist() for name in table.dtype.names})
    if isinstance(table, tuple):
        return type(table)(*map(listed, table))
    return table.tolist() if isinstance(table, np.ndarray) else table


def _existing(reconciles: list[ReplayedReconcile]) -> Iterator[ReplayedReconcile]:
    return (reconcile for reconcile in reconciles if not reconcile.decision.gone)


def _same(reconcile: ReplayedReconcile) -> Row:
    return {**reconcile_rows.identity("", reconcile), "ts": reconcile.instant.at_us}


def _without_texts(row: Row) -> Row:
    """A row without its texts, NULLs left out, floats as they print, for not a number differs from itself."""
    return {
        name: repr(value) if isinstance(value, float) else value
        for name, value in row.items()
        if name not in TEXTS and value is not None
    }


def _rows(columns: Columns) -> Iterator[Row]:
    values = {name: list(_values(column)) for name, column in columns.items()}
    for row in zip(*values.values(), strict=True):
        yield _without_texts(dict(zip(values, row, strict=True)))


def _values(column: Any) -> Iterator[Any]:
    if isinstance(column, Words):
        return (None if code < 0 else column.words[code] for code in column.codes.tolist())
    missing = [False] * len(column.values) if column.missing is None else column.missing.tolist()
    return (None if gone else value for value, gone in zip(column.values.tolist(), missing, strict=True))


def _slots(memory: Memory) -> Any:
    return (
        None if memory.recommendations is None else [(old.replicas, old.at_us) for old in memory.recommendations],
        [(event.change, event.at_us, event.outdated) for event in memory.up or ()],
        [(event.change, event.at_us, event.outdated) for event in memory.down or ()],
    )


def _slots_of(memory: MemorySlots, hpa: int) -> Any:
    begin, count = memory.recommendation_from[hpa], memory.recommendations[hpa]
    columns = (memory.recommended[begin : begin + count], memory.recommended_us[begin : begin + count])
    recommendations = list(zip(*columns, strict=True))
    events = []
    for first, taken, slots in (
        (memory.up_from[hpa], memory.ups[hpa], (memory.up_change, memory.up_us, memory.up_outdated)),
        (memory.down_from[hpa], memory.downs[hpa], (memory.down_change, memory.down_us, memory.down_outdated)),
    ):
        change, at_us, marked = (column[first : first + taken].tolist() for column in slots)
        events.append(list(zip(change, at_us, map(bool, marked), strict=True)))
    return (recommendations if memory.has_recommendations[hpa] else None, *events)


def difference(ours: Tables, theirs: Tables) -> str:
    """The first thing that differs, empty where nothing does."""
    for name in ("reconciles", "proposals", "writes"):
        mine, others = getattr(ours, name), getattr(theirs, name)
        for own, other in zip(mine, others, strict=False):
            if own != other:
                fields = sorted(key for key in own.keys() | other.keys() if own.get(key) != other.get(key))
                what = ", ".join(
                    f"{key}: {other.get(key)!r} one by one, {own.get(key)!r} by the kernel" for key in fields
                )
                return f"{name} of reconcile {other.get('reconcile_id')}: {what}"
        if len(mine) != len(others):
            return f"{name}: {len(others)} rows one by one, {len(mine)} by the kernel"
    for key, slots in theirs.memories.items():
        if ours.memories.get(key) != slots:
            return f"memory of {key}: {slots} one by one, {ours.memories.get(key)} by the kernel"
    return ""
