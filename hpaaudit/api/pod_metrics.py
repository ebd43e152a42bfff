"""Decodes answers of `metrics.k8s.io`: the usage of each pod."""

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import msgspec

from hpaaudit.api import quantity, times
from hpaaudit.model.metrics import ContainerUsage, PodSample
from hpaaudit.model.units import SECOND, Micros


class _Named(msgspec.Struct, gc=False):
    name: str | None = ""


class _Usage(msgspec.Struct, gc=False):
    name: str | None = ""
    usage: dict[str, Any] | None = None


class _PodMetrics(msgspec.Struct, gc=False):
    metadata: _Named | None = None
    timestamp: str | None = None
    window: str | None = None
    containers: list[_Usage] | None = None


class PodMetricsList(msgspec.Struct, gc=False):
    """The fields that are read of an answer. The parser skips labels and all others.

    The items of a long answer are made one by one, and are samples already.
    """

    items: list[_PodMetrics] | None = None


def pod_samples(body: PodMetricsList | Mapping[str, Any], *, single: bool = False) -> tuple[PodSample, ...]:
    """The samples of an answer; ValueError if it has another shape.

    body     decoded as its shape, or any JSON object
    single   whether it is one PodMetrics and not a list of them
    """
    if not isinstance(body, PodMetricsList):
        try:
            body = msgspec.convert({"items": [body]} if single else body, PodMetricsList)
        except msgspec.ValidationError as problem:
            raise ValueError(str(problem)) from None
    return tuple([item if isinstance(item, PodSample) else _sample(item) for item in body.items or ()])


_ITEM = msgspec.json.Decoder(_PodMetrics)


def pod_sample(data: bytes) -> PodSample:
    """The sample of one item's JSON; ValueError if it is not one."""
    try:
        return _sample(_ITEM.decode(data))
    except msgspec.DecodeError as problem:
        raise ValueError(str(problem)) from None


def _sample(item: _PodMetrics) -> PodSample:
    timestamp_us = times.maybe_micros(item.timestamp)
    return PodSample(
        pod=(item.metadata and item.metadata.name) or "",
        timestamp_us=timestamp_us,
        window_us=_window_us(times.bounded(times.duration(item.window or "0")), timestamp_us),
        containers=tuple(
            [ContainerUsage(name=_word(c.name or ""), usage=quantity.amounts(c.usage)) for c in containers]
        )
        if (containers := item.containers)
        else (),
    )


@lru_cache(maxsize=4096)
def _word(text: str) -> str:
    """The same text, as one string object for all pods whose container has this name: it saves memory."""
    return text


def _window_us(window_us: Micros, timestamp_us: Micros | None) -> Micros:
    """A window in whole seconds, rounded up, which gives the same decisions as the exact one.

    The controller asks of it only whether the timestamp is before the pod's transition plus the window. Both are
    `metav1.Time`, whole seconds, so that only the next whole second of the window matters. metrics-server's windows
    have milliseconds that are noise, and cost a quarter of a recording's samples. Next to a timestamp that is no whole
    second, as another server may give it, the window stays exact.
    """
    if timestamp_us is not None and timestamp_us % SECOND:
        return window_us
    return Micros(-(-window_us // SECOND) * SECOND)
