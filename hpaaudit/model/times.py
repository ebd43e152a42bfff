"""Times as a datetime in UTC, beside the microseconds that a value holds.

A class names each with its field: `at = At("at_us")`. They are no fields: two values are equal by their microseconds,
and JSON has its own texts.
"""

from datetime import UTC, datetime, timedelta
from typing import Generic, Self, TypeVar, overload

Told = TypeVar("Told", datetime, datetime | None)

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class _Time(Generic[Told]):
    """The time that a field holds in microseconds, with the zone UTC; None where the field is None."""

    def __init__(self, field: str) -> None:
        self._field = field

    @overload
    def __get__(self, value: None, owner: type) -> Self: ...

    @overload
    def __get__(self, value: object, owner: type) -> Told: ...

    def __get__(self, value: object | None, owner: type) -> Self | datetime | None:
        if value is None:
            return self
        at_us: int | None = getattr(value, self._field)
        return None if at_us is None else _EPOCH + timedelta(microseconds=at_us)


class At(_Time[datetime]):
    """A time that is always known."""


class MaybeAt(_Time[datetime | None]):
    """A time that may be None."""
