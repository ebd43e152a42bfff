"""Decodes answers of the custom and external metrics APIs."""

from collections.abc import Mapping
from typing import Any

import msgspec

from hpaaudit.api import quantity, times
from hpaaudit.api.canonical import canonical_json
from hpaaudit.model.metrics import MetricValue
from hpaaudit.model.units import SECOND, Micros


class _Described(msgspec.Struct, gc=False):
    name: str | None = ""


class _Value(msgspec.Struct, rename={"metric_labels": "metricLabels", "described": "describedObject"}, gc=False):
    described: _Described | None = None
    metric_labels: dict[str, str | None] | None = None
    timestamp: str | None = None
    value: str | int | float | None = None
    windowSeconds: int | None = None  # noqa: N815  # of custom metrics
    window: int | None = None


class MetricValueList(msgspec.Struct, gc=False):
    """The fields that are read of an answer. The parser skips all others."""

    items: list[_Value] | None = None


def metric_values(body: MetricValueList | Mapping[str, Any], *, external: bool) -> tuple[MetricValue, ...]:
    """The values of an answer. ValueError if Go's decoder would not accept it.

    body   decoded as MetricValueList, or any JSON object
    """
    if not isinstance(body, MetricValueList):
        try:
            body = msgspec.convert(body, MetricValueList)
        except msgspec.ValidationError as problem:
            raise ValueError(str(problem)) from None
    return tuple([_value(item, external=external) for item in body.items or ()])


def _value(item: _Value, *, external: bool) -> MetricValue:
    window = item.window if item.windowSeconds is None else item.windowSeconds
    return MetricValue(
        object=canonical_json(item.metric_labels or {}) if external else (item.described and item.described.name) or "",
        timestamp_us=times.maybe_micros(item.timestamp),
        window_us=None if window is None else times.bounded(Micros(window * SECOND)),
        value=quantity.parse_json(item.value).milli,
    )
