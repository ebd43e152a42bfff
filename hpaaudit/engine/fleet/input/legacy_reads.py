"""Tells what the controllers up to 1.11 read in each reconcile: the scale first, then lists of pods and Heapster."""

from bisect import bisect_left
from collections.abc import Callable

import numpy as np

from hpaaudit.api import selector as selectors
from hpaaudit.engine.behaviours.in_force import Behaviours
from hpaaudit.engine.eras.polling import as_map
from hpaaudit.engine.fleet.columns.batch import NONE, PodLists
from hpaaudit.engine.fleet.input.ids import Array
from hpaaudit.engine.fleet.input.rows import numbers
from hpaaudit.engine.fleet.input.scales import by_controller
from hpaaudit.engine.fleet.input.tables import PodListRows, ReadRows, Tables
from hpaaudit.engine.fleet.input.unsupported import Unsupported

_OK = (200, 300)


class OwnReads:
    """The controller's own reads of scales and its lists of pods, slice after slice.

    Every reconcile reads its scale first. What the controller reads after that belongs to this reconcile, until it
    reads another scale.
    """

    def __init__(self, behaviours: Behaviours) -> None:
        self._is_asked = behaviours.forbidden_windows
        self._read_selector = selectors.scale_selector if behaviours.scale_client else selectors.parse
        self._as_map = behaviours.polls
        self._scales: list[tuple[int, str, str]] = []
        self._lists: list[tuple[int, bool]] = []

    @property
    def has_lists(self) -> bool:
        """True if the controller was seen to list pods."""
        return bool(self._lists)

    def add(self, tables: Tables) -> None:
        """Takes the rows of one more slice.

        Raises `Unsupported` for a list of other pods than those of the scale that was read before it.
        """
        if not self._is_asked:
            return
        if tables.reads is not None:
            self._scales += _scales_of(tables.reads)
        if tables.pod_lists is not None:
            self._add_lists(tables.pod_lists)

    def _add_lists(self, table: PodListRows) -> None:
        own = np.flatnonzero(by_controller(table.by))
        seqs, statuses = numbers(table.seq), numbers(table.status)
        for row in own[np.argsort(seqs[own], kind="stable")].tolist():
            namespace, selector = (column.words[column.codes[row]] for column in (table.namespace, table.selector))
            self._require_own_pods(int(seqs[row]), namespace, selector, _meaning)
            self._lists.append((int(seqs[row]), not _OK[0] <= statuses[row] < _OK[1]))

    def require_own_pods(self, seq: int, namespace: str, selector: str) -> None:
        """Raises `Unsupported` if a read asked for other pods than those of the scale that was read before it.

        The selector must be that of the scale, for answers are kept by it.
        """
        self._require_own_pods(seq, namespace, selector, _same)

    def _require_own_pods(self, seq: int, namespace: str, selector: str, what: Callable[[str], object]) -> None:
        """The same where `what` of both selectors must be equal."""
        scale = bisect_left(self._scales, (seq, "", "")) - 1
        asked = namespace, what(_text(selector))
        if scale >= 0 and asked != (self._scales[scale][1], what(self._selected(scale))):
            raise Unsupported("the controller asked for other pods than those of the scale that it had read")

    def _selected(self, scale: int) -> str:
        """The selector of a scale that was read, as the controller asks for pods."""
        text = self._scales[scale][2]
        try:
            return str(self._read_selector(as_map(text) if self._as_map else text))
        except selectors.BadSelector:
            return ""

    def pod_lists(self) -> PodLists:
        """The lists as the kernel reads them."""
        return PodLists(*np.array(self._lists, np.int64).reshape(-1, 2).T)

    def since(self, facts: Array) -> Array:
        """The fact with which the controller read the last scale before each reconcile, NONE without one."""
        scales = np.array([NONE, *(seq for seq, _, _ in self._scales)], np.int64)
        return scales[np.searchsorted(scales, facts, "left") - 1]

    def lists_before(self, facts: Array) -> Array:
        """How many lists of pods come before so many facts."""
        return np.searchsorted(np.array([seq for seq, _ in self._lists], np.int64), facts, "left")


def _scales_of(table: ReadRows) -> list[tuple[int, str, str]]:
    """The facts with which the controller read a scale, each with namespace and selector, in order."""
    own = np.flatnonzero(table.kind.are("scale") & (by_controller(table.by) != 0))
    seqs = numbers(table.seq)
    scales = []
    for row in own[np.argsort(seqs[own], kind="stable")].tolist():
        code = int(table.scale_selector.codes[row])
        text = "" if code < 0 else table.scale_selector.words[code]
        scales.append((int(seqs[row]), table.namespace.words[table.namespace.codes[row]], text))
    return scales


def _same(selector: str) -> str:
    return selector


def _meaning(selector: str) -> object:
    """The pairs of a selector of equalities, which may be written with one = or two; the text of any other one."""
    try:
        pairs = selectors.equalities(selectors.parse(selector))
    except selectors.BadSelector:
        return selector
    return selector if pairs is None else sorted(pairs)


def _text(selector: str) -> str:
    """A selector as it is printed."""
    try:
        return str(selectors.parse(selector))
    except selectors.BadSelector:
        return selector
