"""A status of `autoscaling/v2` in its parts, each as its own JSON: what repeats needs to be decoded once only."""

from typing import Annotated, TypeAlias

import msgspec

from hpaaudit.api import v2
from hpaaudit.api.quantity import parse_json
from hpaaudit.model.hpa import Condition, MetricStatus

_NOTHING = msgspec.Raw(b"null")
Int32: TypeAlias = Annotated[int, msgspec.Meta(ge=-(2**31), le=2**31 - 1)]
Int64: TypeAlias = Annotated[int, msgspec.Meta(ge=-(2**63), le=2**63 - 1)]
"""What the API has bits for; a status with more is not of this shape."""

_DIGITS = 15
"""So many of them are an exact number of thousandths for certain."""


class Current(msgspec.Struct, rename="camel", frozen=True):
    """The numbers of an entry of `currentMetrics`."""

    value: str | float | None = None
    average_value: str | float | None = None
    average_utilization: Int32 | None = None


class Source(msgspec.Struct, rename="camel", frozen=True):
    """The part of an entry of `currentMetrics` that is named after its type."""

    name: str | None = None
    container: str | None = None
    metric: msgspec.Raw = _NOTHING
    described_object: msgspec.Raw = _NOTHING
    current: Current = Current()

    @property
    def known_by(self) -> tuple[str | None, str | None, bytes, bytes]:
        """What tells its metric from others."""
        return self.name, self.container, bytes(self.metric), bytes(self.described_object)


class Entry(msgspec.Struct, rename="camel", frozen=True):
    """An entry of `currentMetrics`."""

    type: str = ""
    resource: Source | None = None
    container_resource: Source | None = None
    pods: Source | None = None
    object: Source | None = None
    external: Source | None = None

    @property
    def source(self) -> Source:
        """The part that is named after its type; an empty one where that is missing."""
        found = {
            "Resource": self.resource,
            "ContainerResource": self.container_resource,
            "Pods": self.pods,
            "Object": self.object,
            "External": self.external,
        }.get(self.type)
        return found or Source()


class Status(msgspec.Struct, rename="camel", frozen=True):
    """A status; `conditions` as `conditions_of` reads them."""

    observed_generation: Int64 | None = None
    last_scale_time: str | None = None
    current_replicas: Int32 | None = None
    desired_replicas: Int32 | None = None
    current_metrics: list[Entry] | None = None
    conditions: msgspec.Raw = _NOTHING


_STATUS = msgspec.json.Decoder(Status)


def read(text: str) -> Status | None:
    """The parts of a status, None where it is not of this shape; then `v2.decode_status` says what is."""
    try:
        return _STATUS.decode(text)
    except msgspec.MsgspecError:
        return None


def conditions_of(raw: bytes) -> tuple[Condition, ...]:
    """Conditions, in their order."""
    return v2.conditions(msgspec.json.decode(raw) or ())


def metric_of(entry: Entry) -> MetricStatus:
    """Which metric an entry is of, without its numbers."""
    source = entry.source
    parts = {
        "name": source.name,
        "container": source.container,
        "metric": msgspec.json.decode(source.metric),
        "describedObject": msgspec.json.decode(source.described_object),
    }
    return v2.metric_status({"type": entry.type, v2.SOURCE_FIELD.get(entry.type, ""): parts})


def thousandths(quantity: str | float | None) -> int | None:
    """A quantity in exact thousandths, None where it is no whole number of them."""
    if isinstance(quantity, str) and len(quantity) <= _DIGITS:
        if quantity.isdecimal():
            return int(quantity) * 1000
        if quantity[-1:] == "m" and quantity[:-1].isdecimal():
            return int(quantity[:-1])
    milli, rest = divmod(parse_json(quantity).nano, 1_000_000)
    return None if rest else milli
