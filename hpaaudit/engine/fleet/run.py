"""Decides a fleet slice by slice: laid out, walked, told as columns."""

from collections.abc import Callable, Iterable, Iterator
from itertools import pairwise
from typing import Any

import numpy as np

from hpaaudit.engine.behaviours.table import Rules
from hpaaudit.engine.fleet.batch.allocate import cursors_of, made_of, proposed_of, release_of
from hpaaudit.engine.fleet.batch.builder import Fleet, Laid
from hpaaudit.engine.fleet.batch.memory_store import Memories
from hpaaudit.engine.fleet.columns.tables import Made, Proposed, Release, Remembered
from hpaaudit.engine.fleet.results import Wanted, decided
from hpaaudit.model.columns import Decided, Slice
from hpaaudit.model.flags import Flags

Walk = Callable[..., None]

Spread = Callable[[Callable[[int, int], None], list[tuple[int, int]]], None]
"""Calls a function for each of some ranges, side by side or one after the other."""

RANGES = 16
"""Into how many ranges of HPAs a slice is cut: enough that no thread waits long for another."""


def run(
    laid_out: Iterable[Laid], fleet: Fleet, flags: Flags, rules: Rules, walk: Walk, spread: Spread, wanted: Wanted
) -> Iterator[Decided]:
    """What is decided in each slice that was laid out, in their order."""
    release, memories = release_of(flags, rules), Memories()
    for laid in laid_out:
        made, proposed, _ = walked(laid, release, memories, walk, spread)
        yield decided(laid, made, proposed, fleet.hpas, rules, wanted)


def laid_out(parts: Iterable[Slice], fleet: Fleet) -> Iterator[Laid]:
    """Each slice laid out; raises `Beyond` where one holds what the kernel does not decide."""
    for part, last in _with_last(parts):
        yield fleet.lay(part, last=last)


def walked(
    laid: Laid, release: Release, memories: Memories, walk: Walk, spread: Spread
) -> tuple[Made, Proposed, Remembered]:
    """The kernel's numbers of one slice, and the memory after it, which is kept for the next."""
    tape = laid.tape
    made, proposed = made_of(len(laid.passes["hpa"])), proposed_of(laid.metrics)
    memory = memories.opened(np.asarray(tape.passes.row_to) - np.asarray(tape.passes.row_from), laid.unseen)
    cursors = cursors_of(tape)
    spread(
        lambda first, end: walk(tape, release, memory, cursors, made, proposed, first, end),
        _ranges(np.asarray(tape.passes.row_to)),
    )
    memories.close(memory)
    return made, proposed, memory


def _ranges(row_to: Any) -> list[tuple[int, int]]:
    """Ranges of HPAs with about as many passes each."""
    total = int(row_to[-1]) if len(row_to) else 0
    wanted = [total * number // RANGES for number in range(1, RANGES)]
    cuts = [0, *(int(cut) for cut in np.searchsorted(row_to, wanted, "left") + 1), len(row_to)]
    cuts = [min(cut, len(row_to)) for cut in cuts]
    return [(first, end) for first, end in pairwise(cuts) if end > first]


def _with_last(parts: Iterable[Slice]) -> Iterator[tuple[Slice, bool]]:
    """Each slice, and whether it is the last."""
    waiting = None
    for part in parts:
        if waiting is not None:
            yield waiting, False
        waiting = part
    if waiting is not None:
        yield waiting, True


def one_by_one(call: Callable[[int, int], None], ranges: list[tuple[int, int]]) -> None:
    """One range after the other."""
    for first, end in ranges:
        call(first, end)
