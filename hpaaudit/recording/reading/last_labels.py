"""Finds the labels that each HPA had last."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

from hpaaudit.recording.encoding.parquet import to_python
from hpaaudit.recording.format.manifest import Segment
from hpaaudit.recording.reading.segment import segment_table

_NAME = ("namespace", "name")
_COLUMNS = ("seq", *_NAME, "labels_json")


def last_labels(folder: Path, segments: Sequence[Segment]) -> Mapping[str, str | None]:
    """The labels of each HPA as JSON, by `namespace/name`; None if they were never recorded. Raises `DamagedFile`."""
    labels: dict[str, str | None] = {}
    for segment in segments:
        rows = segment_table(folder, segment, "hpas", _COLUMNS)
        if rows is not None:
            rows = rows.unify_dictionaries()
            for namespace, name in _distinct(rows):
                labels.setdefault(f"{namespace}/{name}", None)
            labels |= _of_segment(rows)
    return labels


def _distinct(rows: pa.Table) -> set[tuple[str, str]]:
    """Namespace and name of each HPA."""
    names = rows.select(_NAME).group_by(list(_NAME)).aggregate([])
    return set(zip(*(to_python(names.column(name)) for name in _NAME), strict=True))


def _of_segment(rows: pa.Table) -> Mapping[str, str]:
    """The last labels of each HPA that has some in these rows. Only distinct rows become Python values."""
    known = rows.filter(pc.is_valid(rows.column("labels_json")))
    last = known.group_by([*_NAME, "labels_json"]).aggregate([("seq", "max")])
    columns = (to_python(last.column(name)) for name in ("seq_max", *_NAME, "labels_json"))
    return {f"{namespace}/{name}": labels for _, namespace, name, labels in sorted(zip(*columns, strict=True))}
