"""The columns of a recording that a fleet reads, table by table.

A column that is not declared here is not read, and mypy refuses its use.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple, TypeVar, get_type_hints

from hpaaudit.model.fleet_columns import Columns, Numbers, Slice, Words

Table = TypeVar("Table")


class HpaRows(NamedTuple):
    """The columns of `hpas`."""

    seq: Numbers
    at_us: Numbers
    namespace: Words
    name: Words
    uid: Words
    gone: Numbers
    api_version: Words
    resource_version: Words
    spec_json: Words
    status_json: Words
    annotations_json: Words


class PodRows(NamedTuple):
    """The columns of `pods`."""

    seq: Numbers
    namespace: Words
    name: Words
    gone: Numbers
    labels_json: Words
    phase: Words
    deleting_us: Numbers
    start_us: Numbers
    ready: Words
    ready_transition_us: Numbers
    containers_json: Words
    init_containers_json: Words
    pod_requests_json: Words
    overhead_json: Words


class TargetRows(NamedTuple):
    """The columns of `targets`."""

    seq: Numbers
    at_us: Numbers
    api_group: Words
    resource: Words
    namespace: Words
    name: Words
    spec_replicas: Numbers
    status_replicas: Numbers
    selector: Words


class ReadRows(NamedTuple):
    """The columns of `reads`."""

    seq: Numbers
    at_us: Numbers
    kind: Words
    api: Words
    namespace: Words
    resource: Words
    object: Words
    metric: Words
    selector: Words
    metric_selector: Words
    path: Words
    by: Words
    status: Numbers
    items: Numbers
    spec_replicas: Numbers
    status_replicas: Numbers
    scale_selector: Words


class SampleRows(NamedTuple):
    """The columns of `samples`."""

    seq: Numbers
    pod: Words
    occurrence: Numbers
    place: Numbers
    gone: Numbers
    timestamp_us: Numbers
    window_us: Numbers
    container_idx: Numbers
    container: Words
    cpu_milli: Numbers
    memory_bytes: Numbers
    usage_json: Words


class ValueRows(NamedTuple):
    """The columns of `metric_values`."""

    seq: Numbers
    object: Words
    occurrence: Numbers
    place: Numbers
    gone: Numbers
    timestamp_us: Numbers
    window_us: Numbers
    value_milli: Numbers


class PodListRows(NamedTuple):
    """The columns of `pod_lists`."""

    seq: Numbers
    namespace: Words
    selector: Words
    status: Numbers
    by: Words


class HeapsterRows(NamedTuple):
    """The columns of `heapster_reads`."""

    seq: Numbers
    at_us: Numbers
    namespace: Words
    path: Words
    status: Numbers
    by: Words
    body: Words


class ScaleWriteRows(NamedTuple):
    """The columns of `scale_writes`."""

    seq: Numbers
    at_us: Numbers
    api_group: Words
    resource: Words
    namespace: Words
    name: Words
    status: Numbers
    by: Words
    spec_replicas: Numbers
    status_replicas: Numbers
    selector: Words


class StatusWriteRows(NamedTuple):
    """The columns of `status_writes`."""

    seq: Numbers
    namespace: Words
    name: Words
    by: Words
    resource_version: Words


class ControllerRows(NamedTuple):
    """The columns of `controllers`."""

    seq: Numbers
    state: Words


class LeaseRows(NamedTuple):
    """The columns of `leases`."""

    seq: Numbers
    at_us: Numbers
    holder: Words


class LineRows(NamedTuple):
    """The columns of `reconciles`."""

    seq: Numbers
    at_us: Numbers
    namespace: Words
    name: Words
    began_us: Numbers


class Tables(NamedTuple):
    """The tables of one slice; None for one without rows."""

    hpas: HpaRows | None
    pods: PodRows | None
    targets: TargetRows | None
    reads: ReadRows | None
    samples: SampleRows | None
    metric_values: ValueRows | None
    pod_lists: PodListRows | None
    heapster_reads: HeapsterRows | None
    scale_writes: ScaleWriteRows | None
    status_writes: StatusWriteRows | None
    controllers: ControllerRows | None
    leases: LeaseRows | None
    reconciles: LineRows | None


def tables_of(part: Slice) -> Tables:
    """The tables of a slice. Raises KeyError if one lacks a column."""
    columns = part.tables
    return Tables(
        hpas=_rows(HpaRows, columns.get("hpas")),
        pods=_rows(PodRows, columns.get("pods")),
        targets=_rows(TargetRows, columns.get("targets")),
        reads=_rows(ReadRows, columns.get("reads")),
        samples=_rows(SampleRows, columns.get("samples")),
        metric_values=_rows(ValueRows, columns.get("metric_values")),
        pod_lists=_rows(PodListRows, columns.get("pod_lists")),
        heapster_reads=_rows(HeapsterRows, columns.get("heapster_reads")),
        scale_writes=_rows(ScaleWriteRows, columns.get("scale_writes")),
        status_writes=_rows(StatusWriteRows, columns.get("status_writes")),
        controllers=_rows(ControllerRows, columns.get("controllers")),
        leases=_rows(LeaseRows, columns.get("leases")),
        reconciles=_rows(LineRows, columns.get("reconciles")),
    )


def _rows(kind: Callable[..., Table], columns: Columns | None) -> Table | None:
    if columns is None:
        return None
    chunks = []
    for name, wanted in get_type_hints(kind).items():
        if not isinstance(columns[name], wanted):
            raise TypeError(f"{name} is no column of {wanted.__name__.lower()}")
        chunks.append(columns[name])
    return kind(*chunks)


def _declared() -> Iterator[tuple[str, tuple[str, ...]]]:
    for table, kind in get_type_hints(Tables).items():
        (rows,) = (member for member in kind.__args__ if member is not type(None))
        yield table, rows._fields


COLUMNS: Mapping[str, tuple[str, ...]] = dict(_declared())
"""The columns to read, by table."""
