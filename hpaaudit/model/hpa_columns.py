"""Every reconcile of one HPA in columns: what a chart needs of a month, without an object for each reconcile."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from hpaaudit.model.timeline import Absence, Mark, Scale
from hpaaudit.model.units import Micros

Numbers = Sequence[int | None]
"""One number for each reconcile; None: unknown."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricColumns:
    """One metric of an HPA, in columns over its reconciles.

    values      measured values: percent if `target_type` is Utilization, else milli. None where nothing was measured
    targets     in the same unit
    tolerance   the largest that it ever had below and above its target, None where none is known
    """

    name: str
    target_type: str
    tolerance: tuple[float | None, float | None]
    values: Numbers
    targets: Numbers


@dataclass(frozen=True, slots=True, kw_only=True)
class HpaColumns:
    """One HPA over the time that its recording covers.

    times_us   the times of its reconciles, in order
    told       of several at one instant (up to 1.5) the one that is told of it, by its number in `reconcile_ids`
    numbers    columns of numbers by name: `replicas`, `replay`, `decided`, `actual`, `min`, `max`, `raw`, `stabilized`,
               and the pods of the deciding metric by bucket
    words      columns of texts by name: `verdict`, `reason`, `evidence`, and `state`: `decided`, or `no_number` (the
               controller published that it had none), `unknown` (the inputs were not recorded), `not_run` (it did not
               take place)
    absences   when there was no HPA of this name, or no target
    """

    namespace: str
    name: str
    started_us: Micros
    ended_us: Micros
    times_us: Sequence[Micros]
    reconcile_ids: Sequence[int]
    numbers: Mapping[str, Numbers]
    words: Mapping[str, Sequence[str]]
    metrics: tuple[MetricColumns, ...]
    scales: tuple[Scale, ...]
    marks: tuple[Mark, ...]
    absences: tuple[Absence, ...] = ()
    told: frozenset[int] = frozenset()
