"""The scales of all targets, put together from the tables `targets`, `reads` and `scale_writes`."""

from typing import Any

import numpy as np

from hpaaudit.api import selector as selectors
from hpaaudit.engine.behaviours.in_force import Behaviours
from hpaaudit.engine.fleet.columns.batch import Ranges, ScaleStates
from hpaaudit.engine.fleet.input.ids import Array, Ids, each_pair, of_words, paired
from hpaaudit.engine.fleet.input.rows import Rows, chosen, empty, in_order, joined, needed_after, numbers, present, runs
from hpaaudit.engine.fleet.input.tables import ReadRows, ScaleWriteRows, Tables, TargetRows
from hpaaudit.engine.fleet.input.unsupported import Unreadable
from hpaaudit.engine.replay.cluster_state import is_controller
from hpaaudit.model.facts import TargetRef
from hpaaudit.model.fleet_columns import Words

_COLUMNS = ("target", "seq", "at_us", "exists", "spec_replicas", "status_replicas", "selector", "by_controller")


class ScaleTable:
    """The scales of a fleet, slice after slice; a selector is a number in `selectors`.

    is_searched   HPAs that scale what no API server serves were left out already
    """

    def __init__(self, behaviours: Behaviours, *, is_searched: bool) -> None:
        self._is_searched = is_searched
        self._has_client = behaviours.scale_client
        self._refuses_selectors = behaviours.scale_client or behaviours.metrics_annotation
        self._read_selector = selectors.scale_selector if self._refuses_selectors else selectors.parse
        self.selectors: Ids[str] = Ids()
        self._targets: Ids[TargetRef] = Ids()
        self._texts: Ids[str] = Ids()
        self._valid: dict[str, bool] = {}
        self._by_name: dict[tuple[str, str, str], list[int]] = {}
        self._named = 0
        self._rows = empty(_COLUMNS)

    def add(self, tables: Tables) -> None:
        """Takes the rows of one more slice."""
        parts = [self._rows]
        if tables.targets is not None:
            # A deleted workload is a scale that is not there.
            parts.append(self._rows_of(tables.targets, tables.targets.selector))
        if tables.reads is not None:
            of_scale = tables.reads.kind.are("scale")
            if of_scale.any():
                rows = self._rows_of(tables.reads, tables.reads.scale_selector)
                rows["by_controller"] = by_controller(tables.reads.by)
                parts.append(chosen(rows, of_scale))
        if tables.scale_writes is not None:
            rows = self._rows_of(tables.scale_writes, tables.scale_writes.selector)
            parts.append(chosen(rows, present(tables.scale_writes.spec_replicas)))
        self._rows = in_order(joined(parts), "target", "seq")

    def _rows_of(self, table: TargetRows | ReadRows | ScaleWriteRows, selector: Words) -> Rows:
        """The rows of one table."""
        exists, selected = present(table.spec_replicas), of_words(self.selectors, selector)
        if not self._is_searched and beyond_int32(table).any():
            raise Unreadable("a scale has numbers that no API server serves")
        return {
            "target": self.targets_of(table),
            "seq": numbers(table.seq),
            "at_us": numbers(table.at_us),
            "exists": exists.astype(np.int64),
            "spec_replicas": numbers(table.spec_replicas),
            "status_replicas": numbers(table.status_replicas),
            "selector": np.where(exists, selected, -1),
            "by_controller": np.zeros(len(exists), np.int64),
        }

    def targets_of(self, table: TargetRows | ReadRows | ScaleWriteRows) -> Array:
        """The number of each row's target."""
        group, name = (table.api, table.object) if isinstance(table, ReadRows) else (table.api_group, table.name)
        columns = [group, table.resource, table.namespace, name]
        codes = np.stack([of_words(self._texts, column) for column in columns])
        distinct, places = np.unique(codes, axis=1, return_inverse=True)
        targets = []
        for row in distinct.T:
            group_, resource_, namespace, name_ = (self._texts.named[code] for code in row)
            ref = TargetRef(group=group_, resource=resource_, namespace=namespace, name=name_)
            targets.append(self._targets.of(ref))
        return np.array(targets, np.int64)[places.reshape(-1)] if targets else np.empty(0, np.int64)

    def drop_before(self, cut: int) -> None:
        """Drops what no reconcile after fact `cut` can read. The last answer to the controller itself stays."""
        own = needed_after(answers_to_controller(self._rows), "target", cut)
        rest = needed_after(self._rows, "target", cut)
        both = joined([rest, own])
        _, first = np.unique(both["seq"], return_index=True)
        self._rows = in_order({name: column[first] for name, column in both.items()}, "target", "seq")

    def target(self, ref: TargetRef) -> int:
        """The number of a target, under the plural that it is really served as; -1 if nothing was seen of it."""
        exact = self._targets.number_of(ref)
        if exact >= 0 or not self._has_client:
            return exact
        for target in self._targets.named[self._named :]:
            self._by_name.setdefault((target.group, target.namespace, target.name), []).append(self._targets.of(target))
        self._named = len(self._targets)
        same = self._by_name.get((ref.group, ref.namespace, ref.name), [])
        return same[0] if len(same) == 1 else -1

    def selectors_of(self) -> dict[int, list[int]]:
        """The selectors that each target had."""
        selectors_of: dict[int, list[int]] = {}
        has_selector = self._rows["selector"] >= 0
        pairs = np.unique(paired(self._rows["target"][has_selector], self._rows["selector"][has_selector]))
        for target, selector in each_pair(pairs):
            selectors_of.setdefault(target, []).append(selector)
        return selectors_of

    def is_valid(self, text: str) -> bool:
        """True if the controller can use a selector."""
        if text not in self._valid:
            self._valid[text] = self._parses(text)
        return self._valid[text]

    def _parses(self, text: str) -> bool:
        try:
            self._read_selector(text)
        except selectors.BadSelector:
            return False
        return True

    def columns(self) -> dict[str, Any]:
        """The fields of `InputBatch` that this table has."""
        rows = self._rows
        # In 1.1 and 1.6 to 1.8 there was no scale client that refuses a selector: the first metric did.
        refused = (self._refuses_selectors and not self.is_valid(text) for text in self.selectors.named)
        usable = np.array([*(not is_refused for is_refused in refused), False])
        scales = ScaleStates(
            seq=rows["seq"],
            at_us=rows["at_us"],
            exists=rows["exists"],
            readable=(rows["exists"] & usable[rows["selector"]]).astype(np.int64),
            spec_replicas=rows["spec_replicas"],
            status_replicas=rows["status_replicas"],
            selector=rows["selector"],
            by_controller=rows["by_controller"],
        )
        return {"scale_ranges": Ranges(*runs(rows["target"], len(self._targets))), "scales": scales}


def beyond_int32(table: TargetRows | ReadRows | ScaleWriteRows) -> Array:
    """Where a row has a number of replicas that does not fit the int32 of a scale."""
    spec, status = numbers(table.spec_replicas), numbers(table.status_replicas)
    too_large: Array = (spec != spec.astype(np.int32)) | (status != status.astype(np.int32))
    return too_large


def answers_to_controller(rows: Rows) -> Rows:
    """The answers to the controller itself."""
    return {name: column[rows["by_controller"] != 0] for name, column in rows.items()}


def by_controller(by: Words) -> Array:
    """Where a user is the HPA controller itself, 1 or 0."""
    return np.array([is_controller(word) for word in by.words] + [False], np.int64)[by.codes]
