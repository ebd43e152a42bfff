"""Decodes answers of Heapster: the model API, a series for each pod, and its form of the resource metrics API."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from hpaaudit.api import times
from hpaaudit.api.pod_metrics import pod_samples
from hpaaudit.model.metrics import PodSample
from hpaaudit.model.units import Micros


@dataclass(frozen=True, slots=True)
class Point:
    """A point of a series: a whole number, and the exact one where the metric has fractions."""

    at_us: Micros
    value: int
    exact: float | None


class NotJson(ValueError):
    """An answer that Go's decoder refuses, in Go's words."""


@lru_cache(maxsize=1024)
def series(body: str) -> tuple[tuple[Point, ...], ...]:
    """The series of an answer of the model API, in the order in which the pods were named."""
    decoded = _decoded(body)
    if not isinstance(decoded, Mapping):
        raise NotJson(f"json: cannot unmarshal {_kind(decoded)} into Go value of type v1.MetricResultList")
    return tuple(tuple(_point(raw) for raw in item.get("metrics") or ()) for item in decoded.get("items") or ())


@lru_cache(maxsize=1024)
def resource_samples(body: str, *, bare: bool) -> tuple[PodSample, ...]:
    """The usage of each pod. `bare`: the answer is a JSON array (1.3), else a list object."""
    decoded = _decoded(body)
    if bare:
        if not isinstance(decoded, list):
            raise NotJson(f"json: cannot unmarshal {_kind(decoded)} into Go value of type []v1alpha1.PodMetrics")
        return pod_samples({"items": decoded})
    if not isinstance(decoded, Mapping):
        raise NotJson(f"json: cannot unmarshal {_kind(decoded)} into Go value of type v1alpha1.PodMetricsList")
    return pod_samples(decoded)


def _decoded(body: str) -> Any:
    try:
        return json.loads(body)
    except ValueError:
        if not body:
            raise NotJson("unexpected end of JSON input") from None
        raise NotJson(_refusal(body)) from None


def _refusal(body: str) -> str:
    """Go's error for a text that is not JSON. Go names the first letter that does not fit, as in `tru!` for `true`."""
    text = body.lstrip()
    for literal in ("true", "false", "null"):
        if text[:1] == literal[0]:
            position = next((n for n, letter in enumerate(literal) if text[n : n + 1] != letter), len(literal))
            shown = text[position : position + 1].replace("\n", "\\n")
            return f"invalid character '{shown}' in literal {literal} (expecting '{literal[position]}')"
    return f"invalid character '{text[:1]}' looking for beginning of value"


def _kind(value: Any) -> str:
    if isinstance(value, Mapping):
        return "object"
    if isinstance(value, list):
        return "array"
    return "string" if isinstance(value, str) else "number"


def _point(raw: Mapping[str, Any]) -> Point:
    exact = raw.get("floatValue")
    return Point(times.micros(raw["timestamp"]), int(raw.get("value") or 0), None if exact is None else float(exact))
