"""Checks a value of the model against its own annotations: somebody else's JSON put it together."""

from functools import lru_cache
from typing import Any, TypeVar

import msgspec

Value = TypeVar("Value")

_encode = msgspec.msgpack.Encoder().encode


def typed(value: Value) -> Value:
    """The value, every field of which has the type that its class says; ValueError with the place where one has not.

    Numbers fit into 64 bits, truths are no numbers, and texts hold no half characters. 3 to 8 µs a fact.
    """
    kind: Any = type(value)
    try:
        _decoder(kind).decode(_encode(value))
    except (msgspec.MsgspecError, OverflowError, UnicodeEncodeError, TypeError) as problem:
        raise ValueError(f"{type(value).__name__}: {problem}") from None
    return value


@lru_cache(256)
def _decoder(kind: Any) -> "msgspec.msgpack.Decoder[Any]":
    return msgspec.msgpack.Decoder(kind)
