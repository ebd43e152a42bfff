"""Ways to damage the bytes of a file."""

import random
from collections.abc import Iterator
from itertools import product


def flips(data: bytes) -> Iterator[bytes]:
    """Flip a bit of every byte in turn."""
    for at in range(len(data)):
        yield data[:at] + bytes([data[at] ^ 1 << at % 8]) + data[at + 1 :]


def cuts(data: bytes) -> Iterator[bytes]:
    """Cuts at every byte."""
    for size in range(len(data)):
        yield data[:size]


def zeroed(data: bytes, *sizes: int) -> Iterator[bytes]:
    """Zero every range of some sizes."""
    for size, at in product(sizes, range(len(data))):
        yield data[:at] + bytes(len(data[at : at + size])) + data[at + size :]


def by_chance(data: bytes, chance: random.Random) -> bytes:
    """Damages them in one of many ways: flips, zeros, noise, cuts, ranges doubled, swapped, taken out or put in."""
    size, ways = len(data), ("flip", "zero", "noise", "cut", "double", "swap", "take", "put", "append", "behead")
    for _ in range(chance.choice((1, 1, 1, 2, 3))):
        first, second = sorted(chance.randrange(len(data) + 1) for _ in range(2))
        third = min(len(data), second + chance.randrange(1, 1 + size // 3))
        part = data[first:second]
        match chance.choice(ways):
            case "flip":
                at = min(first, len(data) - 1)
                data = data[:at] + bytes([data[at] ^ 1 << chance.randrange(8)]) + data[at + 1 :] if data else data
            case "zero":
                data = data[:first] + bytes(len(part)) + data[second:]
            case "noise":
                data = data[:first] + chance.randbytes(len(part)) + data[second:]
            case "cut":
                data = data[:second]
            case "double":
                data = data[:second] + part + data[second:]
            case "swap":
                data = data[:first] + data[second:third] + part + data[third:]
            case "take":
                data = data[:first] + data[second:]
            case "put":
                data = data[:first] + chance.randbytes(chance.randrange(1, 200)) + data[first:]
            case "append":
                data += chance.choice((part, chance.randbytes(chance.randrange(1, 3000)), bytes(4096)))
            case _:
                data = data[first:]
    return data
