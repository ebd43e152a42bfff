"""Digests: 16 bytes that stand for a value of the model where the value would take too much memory."""

from hashlib import blake2b

import msgspec

_packed = msgspec.msgpack.Encoder().encode


def digest(value: object) -> bytes:
    """The digest of a value; different values have different digests.

    Python's own hash is the same for -1 and -2, and for 0 and 2^61 - 1.
    """
    return blake2b(_packed(value), digest_size=16).digest()
