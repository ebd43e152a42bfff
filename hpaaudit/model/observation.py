"""Everything that one reconcile could see, at one instant, and what became of its writes."""

from dataclasses import dataclass

from hpaaudit.model.facts import ResourceMetricsRead, ScaleRead, ValuesRead
from hpaaudit.model.hpa import Hpa
from hpaaudit.model.target import Pod
from hpaaudit.model.units import Micros


@dataclass(frozen=True, slots=True, kw_only=True)
class WriteOutcome:
    """What a write of the controller was answered with, and when; status 0: no answer at all."""

    at_us: Micros
    path: str
    status: int
    error: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Observation:
    """One reconcile's input.

    hpa             None when it was deleted: the memory is freed
    target_error    why the target cannot be resolved (an unknown kind, a bad apiVersion), empty if it can
    scale_reads     the first answer, then those after each failed write; empty if none is known
    scale_us        when the scale was answered: the first recommendation is stamped so
    pods            of the HPA's namespace, whatever their labels
    metrics         the answer that the n-th metric saw; None where none is known
    metric_us       when the n-th metric was answered: its pods are judged then
    rivals          the other HPAs of the namespace with the selector that the controller remembers of each
    decided_us      after the last read
    scale_writes    how the writes of the scale went; empty: the first one succeeds at `decided_us`
    status_write    how the write of the status went; None: it succeeds
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
