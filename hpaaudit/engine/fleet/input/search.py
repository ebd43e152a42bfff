"""Finds every HPA that cannot be replayed, before a fleet is decided that has such an HPA."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from hpaaudit.engine.fleet.input.rows import numbers, present
from hpaaudit.engine.fleet.input.tables import HpaRows, ReadRows, ScaleWriteRows, TargetRows, tables_of
from hpaaudit.engine.replay.hpa_history import HpaHistories, unreadable
from hpaaudit.model.facts import HpaSeen, TargetRef
from hpaaudit.model.fleet_columns import Slice, Words
from hpaaudit.model.target import Scale
from hpaaudit.model.units import Micros

TABLES = ("hpas", "targets", "reads", "scale_writes")
"""The tables that `search` reads."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Unreplayable:
    """What cannot be replayed.

    unsupported   HPAs, as `namespace/name`, each with the reason
    unreadable    numbers of facts that show an HPA that no API server serves
    """

    unsupported: dict[str, str]
    unreadable: list[int]


def search(parts: Iterable[Slice]) -> Unreplayable:
    """Everything that cannot be replayed, with the same reasons as `replay.plan`."""
    histories, seqs = HpaHistories(), list[int]()
    for part in parts:
        tables = tables_of(part)
        if tables.hpas is not None:
            for seq, fact in _hpa_states(tables.hpas):
                histories.history_of(seq, fact)
                if unreadable(fact):
                    seqs.append(seq)
        for table in (tables.targets, tables.reads, tables.scale_writes):
            if table is not None:
                for target, scale in _scales(table):
                    histories.scale(target, scale)
    histories.leave_out()
    return Unreplayable(unsupported=histories.unsupported, unreadable=seqs)


def _hpa_states(table: HpaRows) -> Iterator[tuple[int, HpaSeen]]:
    """The states of HPAs, in the order in which they were seen."""
    seqs, is_gone = numbers(table.seq), numbers(table.gone)
    for row in np.argsort(seqs, kind="stable").tolist():
        if not is_gone[row]:
            yield (
                int(seqs[row]),
                HpaSeen(
                    at_us=Micros(0),
                    namespace=_text(table.namespace, row),
                    name=_text(table.name, row),
                    uid="",
                    api_version=_text(table.api_version, row),
                    resource_version="",
                    generation=0,
                    created_us=None,
                    spec_json=_text(table.spec_json, row),
                    status_json=_text(table.status_json, row),
                    annotations_json=_text(table.annotations_json, row),
                ),
            )


def _scales(table: TargetRows | ReadRows | ScaleWriteRows) -> Iterator[tuple[TargetRef, Scale | None]]:
    """Each distinct scale of each target; None for a target without one."""
    group, name = (table.api, table.object) if isinstance(table, ReadRows) else (table.api_group, table.name)
    of_scale = table.kind.are("scale") if isinstance(table, ReadRows) else np.ones(len(name.codes), bool)
    has_scale = present(table.spec_replicas)
    columns = [group.codes, table.resource.codes, table.namespace.codes, name.codes, has_scale]
    counts = [numbers(table.spec_replicas), numbers(table.status_replicas)]
    rows = np.unique(np.stack([column[of_scale].astype(np.int64) for column in (*columns, *counts)]), axis=1)
    for api_group, resource, namespace, named, there, spec, status in rows.T.tolist():
        target = TargetRef(
            group=group.words[api_group],
            resource=table.resource.words[resource],
            namespace=table.namespace.words[namespace],
            name=name.words[named],
        )
        yield target, Scale(spec_replicas=spec, status_replicas=status, selector="") if there else None


def _text(column: Words, row: int) -> str:
    code = int(column.codes[row])
    return column.words[code] if code >= 0 else ""
