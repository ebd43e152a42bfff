"""Which of many worlds a run takes: one in so many, or with HPAAUDIT_EVERY_WORLD=1 each of them."""

import os
from collections.abc import Sequence
from typing import TypeVar

World = TypeVar("World")

EVERY_WORLD = os.environ.get("HPAAUDIT_EVERY_WORLD", "0") not in ("", "0")


def one_in(number: int, worlds: Sequence[World], turn: int = 0) -> Sequence[World]:
    """One of so many worlds. Another turn takes others: in so many turns each world is taken."""
    return worlds if EVERY_WORLD else worlds[turn % number :: number]
