"""Reads every reconcile of HPAs in columns from a results file."""

from collections import defaultdict
from collections.abc import Iterator, Sequence

from hpaaudit.model.hpa_columns import HpaColumns, MetricColumns
from hpaaudit.model.timeline import Absence, Mark, MarkKind, Scale
from hpaaudit.results import sql
from hpaaudit.results.read import Results

_TOGETHER = 25
"""So many HPAs are read by one query: a scan for each would take long, and all at once much memory."""

_WORDS = ("verdict", "reason", "evidence", "state")


def hpa_columns(results: Results, hpas: Sequence[str]) -> Iterator[HpaColumns]:
    """The reconciles of each `namespace/name` that the results hold, with what happened besides; in any order."""
    for first in range(0, len(hpas), _TOGETHER):
        yield from _together(results, hpas[first : first + _TOGETHER])


def _together(results: Results, hpas: Sequence[str]) -> Iterator[HpaColumns]:
    queries, timeline = sql.folder("hpa_columns"), sql.folder("timeline")
    metrics = defaultdict[tuple[str, str], list[MetricColumns]](list)
    for row in results.rows(queries["metrics"], hpas=hpas):
        hpa = row.pop("namespace"), row.pop("name")
        tolerance = row.pop("tolerance_down"), row.pop("tolerance_up")
        metrics[hpa].append(MetricColumns(name=row.pop("metric_label"), tolerance=tolerance, **row))
    told_of = {(row["namespace"], row["name"]): row["told"] for row in results.rows(queries["instants"], hpas=hpas)}
    started_us, ended_us = results.span
    for columns in results.rows(queries["reconciles"], hpas=hpas):
        namespace, name = columns.pop("namespace"), columns.pop("name")
        asked = {"namespace": namespace, "name": name}
        marks = results.rows(timeline["marks"], **asked)
        yield HpaColumns(
            namespace=namespace,
            name=name,
            started_us=started_us,
            ended_us=ended_us,
            times_us=columns.pop("times_us"),
            reconcile_ids=columns.pop("reconcile_ids"),
            told=frozenset(told_of.get((namespace, name), ())),
            words={word: columns.pop(word) for word in _WORDS},
            numbers=columns,
            metrics=tuple(metrics[namespace, name]),
            scales=tuple(Scale(**row) for row in results.rows(timeline["scales"], **asked)),
            absences=tuple(Absence(**row) for row in results.rows(timeline["absences"], **asked)),
            marks=tuple(Mark(**{**row, "kind": MarkKind(row["kind"])}) for row in marks),
        )
