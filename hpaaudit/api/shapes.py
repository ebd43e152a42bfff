"""The fields of an HPA in each API version, and how JSON is read into them: as Kubernetes' own decoder does it."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from hpaaudit.api import quantity, times
from hpaaudit.api.type_check import INT32, INT64

Json = dict[str, Any]


class Keep(StrEnum):
    """When a field is written: always, unless it is null, or unless it is empty."""

    ALWAYS = "="
    UNLESS_NULL = "?="
    UNLESS_EMPTY = "~="


@dataclass(frozen=True, slots=True, kw_only=True)
class Field:
    """One field of a shape. `kind` is a type of JSON, another shape, or a shape in brackets for a list of them."""

    name: str
    keep: Keep
    kind: str


_COMMON = """
Reference     kind=str name=str apiVersion~=str
Requirement   key=str operator=str values~=strings
Selector      matchLabels~=labels matchExpressions~=[Requirement]
Condition     type=str status=str lastTransitionTime=time reason~=str message~=str
Metadata      name~=str namespace~=str generateName~=str labels~=labels
"""
_NEW = """
Target        type=str value?=quantity averageValue?=quantity averageUtilization?=int32
Identifier    name=str selector?=Selector
Object        describedObject=Reference target=Target metric=Identifier
Pods          metric=Identifier target=Target
Resource      name=str target=Target
ContainerResource  name=str target=Target container=str
External      metric=Identifier target=Target
Metric        type=str object?=Object pods?=Pods resource?=Resource containerResource?=ContainerResource
              external?=External
Current       value?=quantity averageValue?=quantity averageUtilization?=int32
ObjectStatus  metric=Identifier current=Current describedObject=Reference
PodsStatus    metric=Identifier current=Current
ResourceStatus  name=str current=Current
ContainerResourceStatus  name=str current=Current container=str
ExternalStatus  metric=Identifier current=Current
MetricStatus  type=str object?=ObjectStatus pods?=PodsStatus resource?=ResourceStatus
              containerResource?=ContainerResourceStatus external?=ExternalStatus
Policy        type=str value=int32 periodSeconds=int32
Rules         stabilizationWindowSeconds?=int32 selectPolicy?=str policies~=[Policy] tolerance?=quantity
Behavior      scaleUp?=Rules scaleDown?=Rules
Spec          scaleTargetRef=Reference minReplicas?=int32 maxReplicas=int32 metrics~=[Metric] behavior?=Behavior
Status        observedGeneration?=int64 lastScaleTime?=time currentReplicas~=int32 desiredReplicas=int32
              currentMetrics=[MetricStatus] conditions~=[Condition]
"""
_OLD = """
Object        target=Reference metricName=str targetValue=quantity selector?=Selector averageValue?=quantity
Pods          metricName=str targetAverageValue=quantity selector?=Selector
Resource      name=str targetAverageUtilization?=int32 targetAverageValue?=quantity
ContainerResource  name=str targetAverageUtilization?=int32 targetAverageValue?=quantity container=str
External      metricName=str metricSelector?=Selector targetValue?=quantity targetAverageValue?=quantity
Metric        type=str object?=Object pods?=Pods resource?=Resource containerResource?=ContainerResource
              external?=External
ObjectStatus  target=Reference metricName=str currentValue=quantity selector?=Selector averageValue?=quantity
PodsStatus    metricName=str currentAverageValue=quantity selector?=Selector
ResourceStatus  name=str currentAverageUtilization?=int32 currentAverageValue=quantity
ContainerResourceStatus  name=str currentAverageUtilization?=int32 currentAverageValue=quantity container=str
ExternalStatus  metricName=str metricSelector?=Selector currentValue=quantity currentAverageValue?=quantity
MetricStatus  type=str object?=ObjectStatus pods?=PodsStatus resource?=ResourceStatus
              containerResource?=ContainerResourceStatus external?=ExternalStatus
Spec          scaleTargetRef=Reference minReplicas?=int32 maxReplicas=int32 metrics~=[Metric]
Status        observedGeneration?=int64 lastScaleTime?=time currentReplicas=int32 desiredReplicas=int32
              currentMetrics=[MetricStatus] conditions=[Condition]
"""
_V1 = """
Spec          scaleTargetRef=Reference minReplicas?=int32 maxReplicas=int32 targetCPUUtilizationPercentage?=int32
Status        observedGeneration?=int64 lastScaleTime?=time currentReplicas=int32 desiredReplicas=int32
              currentCPUUtilizationPercentage?=int32
"""
_EXTENSIONS = """
SubresourceReference  kind=str name=str apiVersion~=str subresource~=str
Utilization   targetPercentage=int32
Spec          scaleRef=SubresourceReference minReplicas?=int32 maxReplicas=int32 cpuUtilization?=Utilization
"""
_ALPHA = """
Object        target=Reference metricName=str targetValue=quantity
Pods          metricName=str targetAverageValue=quantity
Metric        type=str object?=Object pods?=Pods resource?=Resource
ObjectStatus  target=Reference metricName=str currentValue=quantity
PodsStatus    metricName=str currentAverageValue=quantity
MetricStatus  type=str object?=ObjectStatus pods?=PodsStatus resource?=ResourceStatus
"""
_BETA2 = """
Rules         stabilizationWindowSeconds?=int32 selectPolicy?=str policies~=[Policy]
Status        observedGeneration?=int64 lastScaleTime?=time currentReplicas=int32 desiredReplicas=int32
              currentMetrics=[MetricStatus] conditions=[Condition]
"""

_QUANTITY = "^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$"

Shapes = Mapping[str, tuple[Field, ...]]
_CONTINUED = re.compile(r"\n\s+")
_FIELD = re.compile(r"(\w+)([?~]?=)(\S+)")


def _parsed(*texts: str) -> Shapes:
    """The shapes of these texts; a later text replaces a shape of an earlier one."""
    lines = [line.split(maxsplit=1) for text in texts for line in _CONTINUED.sub(" ", text).strip().splitlines()]
    return {
        name: tuple(Field(name=each[1], keep=Keep(each[2]), kind=each[3]) for each in _FIELD.finditer(fields))
        for name, fields in lines
    }


V2 = _parsed(_COMMON, _NEW)
OLD = _parsed(_COMMON, _OLD)
"""The metrics of v2beta1, which the annotations of v1 hold too."""

SHAPES: Mapping[str, Shapes] = {
    "extensions/v1beta1": _parsed(_COMMON, _V1, _EXTENSIONS),
    "autoscaling/v1": _parsed(_COMMON, _V1),
    "autoscaling/v2alpha1": _parsed(_COMMON, _OLD, _ALPHA),
    "autoscaling/v2beta1": OLD,
    "autoscaling/v2beta2": _parsed(_COMMON, _NEW, _BETA2),
    "autoscaling/v2": V2,
}
"""Every API version that an HPA was ever served in, oldest first."""

VERSIONS = tuple(SHAPES)


@dataclass(frozen=True, slots=True)
class Notes:
    """What was noticed while JSON was read: fields that the version does not have."""

    unknown: list[str] = field(default_factory=list)


class WrongType(ValueError):
    """A field holds another type than its version says; the text is its path and what is wrong."""


def read(shapes: Shapes, shape: str, raw: Any, path: str = "", notes: Notes | None = None) -> Json:
    """JSON as this shape: its fields in order, zero where a field must be, quantities in canonical form.

    Fields that the shape does not have are left out and noted. Raises WrongType.
    """
    if raw is None:
        raw = {}
    if not isinstance(raw, dict):
        raise WrongType(f"{path}: must be an object, not {_called(raw)}")
    fields = shapes[shape]
    if notes is not None:
        known = {each.name for each in fields}
        notes.unknown.extend(f"{path}.{name}" for name in raw if name not in known)
    shown = {}
    for each in fields:
        value = raw.get(each.name)
        if value is None and each.keep != Keep.ALWAYS:
            continue
        shown[each.name] = _value(shapes, each.kind, value, f"{path}.{each.name}", notes)
    return shown


def _value(shapes: Shapes, kind: str, value: Any, path: str, notes: Notes | None) -> Any:
    if kind.startswith("["):
        if value is None:
            return None
        items = _typed(value, list, "a list", path)
        return [read(shapes, kind[1:-1], item, f"{path}[{at}]", notes) for at, item in enumerate(items)]
    if kind in shapes:
        return read(shapes, kind, value, path, notes)
    return _PLAIN[kind](value, path)


def _typed(value: Any, type_: type, name: str, path: str) -> Any:
    if not isinstance(value, type_) or isinstance(value, bool):
        raise WrongType(f"{path}: must be {name}, not {_called(value)}")
    return value


def _called(value: Any) -> str:
    names = {bool: "true or false", str: "text", int: "a number", float: "a number", list: "a list", dict: "an object"}
    return names.get(type(value), "null")


def _text(value: Any, path: str) -> str:
    return "" if value is None else str(_typed(value, str, "text", path))


def _integer(bounds: tuple[int, int]) -> Callable[[Any, str], int]:
    def integer(value: Any, path: str) -> int:
        if value is None:
            return 0
        if isinstance(value, float) and value.is_integer():
            value = int(value)
        number = int(_typed(value, int, "a whole number", path))
        if not bounds[0] <= number <= bounds[1]:
            raise WrongType(f"{path}: {number} is too large")
        return number

    return integer


def _quantity(value: Any, path: str) -> str:
    if value is None:
        return "0"
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise WrongType(f"{path}: must be a quantity, not {_called(value)}")
    try:
        return quantity.printed(value.strip() if isinstance(value, str) else repr(value))
    except ValueError:
        raise WrongType(f"{path}: quantities must match the regular expression '{_QUANTITY}', not {value!r}") from None


def _time(value: Any, path: str) -> str | None:
    if value is None:
        return None
    text = _text(value, path)
    try:
        return times.whole_seconds(times.micros(text))
    except ValueError:
        raise WrongType(f"{path}: {text!r} is not a time: give RFC 3339, as 2026-03-02T14:05:00Z") from None


def _labels(value: Any, path: str) -> dict[str, str]:
    labels = _typed(value, dict, "an object", path)
    return {key: _text(labels[key], f"{path}.{key}") for key in sorted(labels)}


def _strings(value: Any, path: str) -> list[str]:
    return [_text(item, path) for item in _typed(value, list, "a list", path)]


_PLAIN: Mapping[str, Callable[[Any, str], Any]] = {
    "str": _text,
    "int32": _integer(INT32),
    "int64": _integer(INT64),
    "quantity": _quantity,
    "time": _time,
    "labels": _labels,
    "strings": _strings,
}


def written(shapes: Shapes, shape: str, value: Json) -> Json:
    """The JSON that the API server shows of a value with these fields: those left out that are empty."""
    shown = {}
    for each in shapes[shape]:
        inner = value.get(each.name)
        is_left_out = inner is None if each.keep == Keep.UNLESS_NULL else (each.keep == Keep.UNLESS_EMPTY and not inner)
        if not is_left_out:
            shown[each.name] = _written(shapes, each.kind, inner)
    return shown


def _written(shapes: Shapes, kind: str, value: Any) -> Any:
    if kind.startswith("["):
        return None if value is None else [written(shapes, kind[1:-1], item) for item in value]
    return written(shapes, kind, value) if kind in shapes else value
