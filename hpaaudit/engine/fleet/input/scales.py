"""Everything that tells the scale of a target, from three tables, in one order."""

import numpy as np

from hpaaudit.api import selector as selectors
from hpaaudit.engine.fleet.columns.tables import Scales
from hpaaudit.engine.fleet.input.ids import Array, Ids, of_words
from hpaaudit.engine.fleet.input.rows import Rows, chosen, empty, in_order, joined, kept, numbers, present, runs
from hpaaudit.engine.fleet.input.tables import ReadRows, ScaleWriteRows, Tables, TargetRows
from hpaaudit.engine.fleet.input.unsupported import Unreadable
from hpaaudit.engine.replay.cluster_state import is_controller
from hpaaudit.model.columns import Words
from hpaaudit.model.facts import TargetRef

_COLUMNS = ("target", "seq", "at_us", "known", "spec_replicas", "status_replicas", "selector", "own")


class ScaleTracks:
    """The scales of a fleet, slice after slice; a selector is a number in `selectors`.

    searched   whoever scales what no API server serves was left out already
    """

    def __init__(self, *, searched: bool) -> None:
        self._searched = searched
        self.selectors: Ids[str] = Ids()
        self._targets: Ids[TargetRef] = Ids()
        self._texts: Ids[str] = Ids()
        self._valid: dict[str, bool] = {}
        self._alike: dict[tuple[str, str, str], list[int]] = {}
        self._named = 0
        self._rows = empty(_COLUMNS)

    def add(self, tables: Tables) -> None:
        """Take the rows of one more slice."""
        parts = [self._rows]
        if tables.targets is not None:
            # A deleted workload is a scale that is not there.
            parts.append(self._rows_of(tables.targets, tables.targets.selector))
        if tables.reads is not None:
            of_scale = tables.reads.kind.are("scale")
            if of_scale.any():
                found = self._rows_of(tables.reads, tables.reads.scale_selector)
                found["own"] = by_controller(tables.reads.by)
                parts.append(chosen(found, of_scale))
        if tables.scale_writes is not None:
            found = self._rows_of(tables.scale_writes, tables.scale_writes.selector)
            parts.append(chosen(found, present(tables.scale_writes.spec_replicas)))
        self._rows = in_order(joined(parts), "target", "seq")

    def _rows_of(self, table: TargetRows | ReadRows | ScaleWriteRows, selector: Words) -> Rows:
        known, selected = present(table.spec_replicas), of_words(self.selectors, selector)
        if not self._searched and beyond_int32(table).any():
            raise Unreadable("a scale has numbers that no API server serves")
        return {
            "target": self.targets_of(table),
            "seq": numbers(table.seq),
            "at_us": numbers(table.at_us),
            "known": known.astype(np.int64),
            "spec_replicas": numbers(table.spec_replicas),
            "status_replicas": numbers(table.status_replicas),
            "selector": np.where(known, selected, -1),
            "own": np.zeros(len(known), np.int64),
        }

    def targets_of(self, table: TargetRows | ReadRows | ScaleWriteRows) -> Array:
        """The number of each row's target."""
        group, name = (table.api, table.object) if isinstance(table, ReadRows) else (table.api_group, table.name)
        columns = [group, table.resource, table.namespace, name]
        codes = np.stack([of_words(self._texts, column) for column in columns])
        distinct, places = np.unique(codes, axis=1, return_inverse=True)
        found = []
        for own in distinct.T:
            group_, resource_, namespace, name_ = (self._texts.named[code] for code in own)
            ref = TargetRef(group=group_, resource=resource_, namespace=namespace, name=name_)
            found.append(self._targets.of(ref))
        return np.array(found, np.int64)[places.reshape(-1)] if found else np.empty(0, np.int64)

    def keep(self, cut: int) -> None:
        """Let go of what no pass from the fact number `cut` on can see; the controller's last own answer stays."""
        own = kept(chosen_own(self._rows), "target", cut)
        rest = kept(self._rows, "target", cut)
        both = joined([rest, own])
        _, first = np.unique(both["seq"], return_index=True)
        self._rows = in_order({name: column[first] for name, column in both.items()}, "target", "seq")

    def target(self, ref: TargetRef) -> int:
        """The number of a target, under the plural that it is really served as, -1 where nothing was seen of it."""
        exact = self._targets.known(ref)
        if exact >= 0:
            return exact
        for seen in self._targets.named[self._named :]:
            self._alike.setdefault((seen.group, seen.namespace, seen.name), []).append(self._targets.of(seen))
        self._named = len(self._targets)
        same = self._alike.get((ref.group, ref.namespace, ref.name), [])
        return same[0] if len(same) == 1 else -1

    def selectors_of(self) -> dict[int, list[int]]:
        """The selectors that each target had."""
        found: dict[int, list[int]] = {}
        pairs = np.unique(np.stack([self._rows["target"], self._rows["selector"]]), axis=1)
        for target, selector in pairs.T.tolist():
            if selector >= 0:
                found.setdefault(target, []).append(selector)
        return found

    def is_valid(self, text: str) -> bool:
        """Whether the scale client accepts a selector."""
        if text not in self._valid:
            self._valid[text] = _parses(text)
        return self._valid[text]

    def tape(self) -> Scales:
        """The scales as the kernel reads them."""
        rows = self._rows
        begin, end = runs(rows["target"], len(self._targets))
        usable = np.array([*map(self.is_valid, self.selectors.named), False])
        return Scales(
            row_from=begin,
            row_to=end,
            seq=rows["seq"],
            at_us=rows["at_us"],
            known=rows["known"],
            readable=(rows["known"] & usable[rows["selector"]]).astype(np.int64),
            spec_replicas=rows["spec_replicas"],
            status_replicas=rows["status_replicas"],
            selector=rows["selector"],
            own=rows["own"],
        )


def beyond_int32(table: TargetRows | ReadRows | ScaleWriteRows) -> Array:
    """Which rows have a number of replicas that no scale has bits for."""
    spec, status = numbers(table.spec_replicas), numbers(table.status_replicas)
    found: Array = (spec != spec.astype(np.int32)) | (status != status.astype(np.int32))
    return found


def chosen_own(rows: Rows) -> Rows:
    """The answers to the controller itself."""
    return {name: column[rows["own"] != 0] for name, column in rows.items()}


def by_controller(by: Words) -> Array:
    """Which of these the HPA controller itself is, 1 or 0."""
    return np.array([is_controller(word) for word in by.words] + [False], np.int64)[by.codes]


def _parses(text: str) -> bool:
    try:
        selectors.scale_selector(text)
    except selectors.BadSelector:
        return False
    return True
