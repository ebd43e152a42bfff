"""Splits a status of `autoscaling/v2` into parts with their own JSON, so that a part that repeats is decoded once.

The compiled engine reads statuses this way: of 1.7 million statuses most differ in one number. Each part becomes a
value of the model by the functions of `v2`, so both readings have one definition. SQL reads the same JSON a third time,
in bulk (`sql/statuses`): it fills tables with what was published, and decides nothing.
"""

from typing import Annotated, TypeAlias

import msgspec

from hpaaudit.api import v2
from hpaaudit.api.quantity import parse_json
from hpaaudit.model.hpa import Condition, MetricStatus

_NOTHING = msgspec.Raw(b"null")
Int32: TypeAlias = Annotated[int, msgspec.Meta(ge=-(2**31), le=2**31 - 1)]
Int64: TypeAlias = Annotated[int, msgspec.Meta(ge=-(2**63), le=2**63 - 1)]
"""The integers of the API. A status with larger ones is not split."""

_EXACT_DIGITS = 15
"""A number with at most so many digits is exact in thousandths."""


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
    def identity(self) -> tuple[str | None, str | None, bytes, bytes]:
        """What distinguishes its metric from others."""
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
        """The part that is named after its type, an empty one if it is missing."""
        source = {
            "Resource": self.resource,
            "ContainerResource": self.container_resource,
            "Pods": self.pods,
            "Object": self.object,
            "External": self.external,
        }.get(self.type)
        return source or Source()


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
    """The parts of a status. None if it does not have this shape; `v2.decode_status` reads it then."""
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
    """A quantity in thousandths, None if it is not a whole number of them."""
    if isinstance(quantity, str) and len(quantity) <= _EXACT_DIGITS:
        if quantity.isdecimal():
            return int(quantity) * 1000
        if quantity[-1:] == "m" and quantity[:-1].isdecimal():
            return int(quantity[:-1])
    milli, rest = divmod(parse_json(quantity).nano, 1_000_000)
    return None if rest else milli
