"""When the samples of metrics were renewed: between two renewals a reconcile computes the same numbers again."""

from collections.abc import Sequence
from itertools import pairwise

from hpaaudit.api.decode import decode_hpa
from hpaaudit.model.facts import HpaSeen, ResourceMetricsRead, ValuesRead
from hpaaudit.model.hpa import MetricType
from hpaaudit.model.units import SECOND

_TOGETHER_US = SECOND
"""Samples renewed so near to each other change a status once."""
_RESOURCE = (MetricType.RESOURCE, MetricType.CONTAINER_RESOURCE)


class Renewals:
    """The times of new samples, by namespace and metric; resource metrics come together, and have no name here."""

    def __init__(self) -> None:
        self._at_us: dict[tuple[str, str], list[int]] = {}

    def read(self, fact: ResourceMetricsRead | ValuesRead) -> None:
        """Adds an answer: its newest sample, if no answer before had one so new."""
        samples = fact.samples if isinstance(fact, ResourceMetricsRead) else fact.values
        newest_us = max((sample.timestamp_us or 0 for sample in samples or ()), default=0)
        times = self._at_us.setdefault((fact.request.namespace, fact.request.metric), [])
        if newest_us and (not times or newest_us > times[-1]):
            times.append(newest_us)

    def times(self, hpa: HpaSeen) -> Sequence[int]:
        """The times between new samples of anything that an HPA reads."""
        metrics = decode_hpa(hpa).spec.metrics
        wanted = {(hpa.namespace, "" if metric.type in _RESOURCE else metric.name) for metric in metrics}
        renewed = sorted(at_us for key in wanted for at_us in self._at_us.get(key, ()))
        distinct = [
            later for earlier, later in pairwise([-2 * _TOGETHER_US, *renewed]) if later - earlier > _TOGETHER_US
        ]
        return [later - earlier for earlier, later in pairwise(distinct)]
