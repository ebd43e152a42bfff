"""The time that a recording or its results cover, and whether a time lies between two others."""

import shlex
from typing import Self

from hpaaudit.model.units import Micros

_TIMES = {"--since", "--until"}
_HPAS = {"--hpa", "--selector"}
"""The options of a replay that limit what it shows."""


class Span(tuple[Micros, Micros]):  # noqa: SLOT001 a tuple can have no slot besides its items
    """Begin and end of a recording, or of the part of it that a replay shows.

    covered_by   what covers no other time, for a sentence that goes on with `from … to …`
    """

    covered_by: str

    def __new__(cls, started_us: Micros, ended_us: Micros, covered_by: str = "the recording, which goes") -> Self:
        """Keeps both times, and the words for errors about a time outside of them."""
        span = super().__new__(cls, (started_us, ended_us))
        span.covered_by = covered_by
        return span


def is_part(options: str) -> bool:
    """True if these options of a replay, written as on its command line, limit the time that it shows."""
    return not _TIMES.isdisjoint(shlex.split(options))


def chosen_by(options: str) -> str:
    """Those of these options of a replay that limit the HPAs that it shows, written as on its command line."""
    words = shlex.split(options)
    return shlex.join(word for at, word in enumerate(words) if {word, *words[max(at - 1, 0) : at]} & _HPAS)


def is_within(at_us: int, since_us: Micros | None, until_us: Micros | None) -> bool:
    """Whether a time lies between two others, both included; None: no bound on that side."""
    return (since_us is None or at_us >= since_us) and (until_us is None or at_us <= until_us)
