"""The input of one reconcile: everything that it reads, and how its writes are answered."""

from dataclasses import dataclass

from hpaaudit.model.facts import HeapsterRead, PodsListed, ResourceMetricsRead, ScaleRead, ValuesRead
from hpaaudit.model.hpa import Hpa
from hpaaudit.model.target import Pod
from hpaaudit.model.units import Micros


@dataclass(frozen=True, slots=True, kw_only=True)
class WriteOutcome:
    """The answer to a write of the controller, and when it came. Status 0 means that there was no answer."""

    at_us: Micros
    path: str
    status: int
    error: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PodListRead:
    """A list of pods that the controller asked for, with the pods of the namespace as they were then."""

    read: PodsListed
    pods: tuple[Pod, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Observation:
    """The input of one reconcile.

    hpa             None if it was deleted: its memory is dropped
    target_error    why the target cannot be resolved (an unknown kind, a bad apiVersion), empty if it can
    scale_reads     the first answer, then those after each failed write; empty if none was recorded
    scale_us        when the scale was answered, which is the time of the first recommendation
    pods            all of the HPA's namespace, whatever their labels
    metrics         the answer for each metric; None if none was recorded
    metric_us       when each metric was answered, which is the time at which its pods are grouped
    rivals          the other HPAs of the namespace, with the selector that the controller remembers of each
    decided_us      when the last read was answered
    scale_writes    the answers to writes of the scale; if empty, the first write succeeds at `decided_us`
    status_write    the answer to the write of the status; if None, it succeeds
    own_reads      lists of pods and answers of Heapster in the order in which the controller asked for them (to 1.11)
    heapster        what others got of Heapster in this namespace, the newest first (to 1.11)
    written_version the resource version that the controller's own last status write gave the HPA, 0 if unknown
    """

    at_us: Micros
    began_us: Micros
    namespace: str
    name: str
    hpa: Hpa | None
    target_error: str
    scale_reads: tuple[ScaleRead, ...]
    scale_us: Micros
    pods: tuple[Pod, ...]
    metrics: tuple[ResourceMetricsRead | ValuesRead | None, ...]
    metric_us: tuple[Micros, ...]
    rivals: tuple[tuple[str, str], ...]
    decided_us: Micros
    scale_writes: tuple[WriteOutcome, ...]
    status_write: WriteOutcome | None
    written_version: int = 0
    own_reads: tuple[PodListRead | HeapsterRead, ...] = ()
    heapster: tuple[HeapsterRead, ...] = ()
