"""Tells whether an answer of a metrics API has other values than the one before."""

from collections import Counter

from hpaaudit.model.facts import ResourceMetricsRead, ScaleRead, ValuesRead

Averages = tuple[tuple[str, int], ...]
"""By resource (empty for other metrics), in thousandths; cut as the controller cuts what it publishes."""


def averages(read: ScaleRead | ResourceMetricsRead | ValuesRead) -> Averages | None:
    """The average of an answer over its pods or values. None if it has none."""
    if isinstance(read, ResourceMetricsRead) and read.samples:
        totals: Counter[str] = Counter()
        for sample in read.samples:
            for container in sample.containers:
                for resource, milli in container.usage:
                    totals[resource] += milli
        return tuple((resource, total // len(read.samples)) for resource, total in sorted(totals.items()))
    if isinstance(read, ValuesRead) and read.values:
        return (("", sum(value.value for value in read.values) // len(read.values)),)
    return None
