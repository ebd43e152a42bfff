"""Decides a fleet slice by slice: prepare a batch, run the kernel, turn what it wrote into columns of results.

An HPA depends only on its own namespace. So a slice can be decided in parts of some namespaces each, in less memory.
"""

from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import numpy as np

from hpaaudit.engine.fleet.batch.allocate import empty_decisions, empty_proposals, first_cursors
from hpaaudit.engine.fleet.batch.builder import BatchBuilder, PreparedSlice
from hpaaudit.engine.fleet.batch.memory_store import MemoryStore
from hpaaudit.engine.fleet.batch.records import unpacked
from hpaaudit.engine.fleet.columns.batch import Settings
from hpaaudit.engine.fleet.columns.kernel_state import Decisions, MemorySlots, Proposals, Run
from hpaaudit.engine.fleet.input.namespaces import narrowed
from hpaaudit.engine.fleet.input.unsupported import Unsupported
from hpaaudit.engine.fleet.results import ReconcileFilter, results_of
from hpaaudit.model.fleet_columns import Decided as DecidedColumns
from hpaaudit.model.fleet_columns import Slice

Walk = Callable[[Run, int, int], None]
"""The kernel, compiled or not: decides the reconciles of a range of HPAs."""

Spread = Callable[[Callable[[int, int], None], list[tuple[int, int]]], None]
"""Calls a function for each of some ranges, one after the other or in threads."""

RANGES = 16
"""Into how many ranges of HPAs a slice is divided: enough that no thread waits long for another."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Kernel:
    """The kernel and how it is spread over threads."""

    walk: Walk
    spread: Spread


@dataclass(frozen=True, slots=True, kw_only=True)
class Decided:
    """What the kernel wrote for one slice, and the memory after it."""

    decisions: Decisions
    proposals: Proposals
    memory: MemorySlots


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """The HPAs of some namespaces: what prepares their batches, and what is remembered of them."""

    namespaces: Container[str]
    builder: BatchBuilder
    store: MemoryStore = field(default_factory=MemoryStore)


def run(
    prepared_slices: Iterable[tuple[Part, PreparedSlice]],
    settings: Settings,
    kernel: Kernel,
    wanted: ReconcileFilter,
) -> Iterator[DecidedColumns]:
    """The results of each part of each slice, in their order."""
    for part, prepared in prepared_slices:
        decided = run_kernel(prepared, settings, part.store, kernel)
        yield results_of(prepared, decided.decisions, decided.proposals, part.builder, wanted)


def prepared_slices(slices: Iterable[Slice], count: int, parts: Sequence[Part]) -> Iterator[tuple[Part, PreparedSlice]]:
    """Each part of each slice as a batch. Raises `Unsupported` for one that holds what the kernel does not decide.

    count   how many slices there are: the last one is not followed by what its reconciles may have read
    """
    for number, slice_ in enumerate(slices, 1):
        for part in parts:
            some = narrowed(slice_, part.namespaces) if len(parts) > 1 else slice_
            yield part, part.builder.prepare(some, is_last=number == count)


def run_kernel(prepared: PreparedSlice, settings: Settings, store: MemoryStore, kernel: Kernel) -> Decided:
    """Decides one slice, with the memory that the slices before it left."""
    batch, ranges = prepared.batch, prepared.batch.reconcile_ranges
    row_to = np.ascontiguousarray(ranges.row_to)
    run_ = Run(
        batch,
        settings,
        store.opened(row_to - np.asarray(ranges.row_from), prepared.unseen_us),
        first_cursors(batch),
        empty_decisions(len(prepared.reconciles["hpa"])),
        empty_proposals(prepared.proposals),
    )
    kernel.spread(lambda first, end: kernel.walk(run_, first, end), _ranges(row_to))
    if np.asarray(run_.decisions.is_other_answer).any():
        raise Unsupported("Heapster was asked for something else than this release asks")
    store.save(run_.memory)
    return Decided(
        decisions=Decisions(**unpacked(run_.decisions)),
        proposals=Proposals(**unpacked(run_.proposals)),
        memory=run_.memory,
    )


def _ranges(row_to: Any) -> list[tuple[int, int]]:
    """Ranges of HPAs with about as many reconciles each."""
    total = int(row_to[-1]) if len(row_to) else 0
    targets = [total * number // RANGES for number in range(1, RANGES)]
    cuts = [0, *(int(cut) for cut in np.searchsorted(row_to, targets, "left") + 1), len(row_to)]
    cuts = [min(cut, len(row_to)) for cut in cuts]
    return [(first, end) for first, end in pairwise(cuts) if end > first]


def one_by_one(call: Callable[[int, int], None], ranges: list[tuple[int, int]]) -> None:
    """One range after the other, without threads."""
    for first, end in ranges:
        call(first, end)
