"""Puts a time as other tools write it into the form that `moments` reads: RFC 3339, or a time of day."""

import re

from hpaaudit.api.times import precise
from hpaaudit.model.units import SECOND, Micros

_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_MONTH, _TIME = "|".join(_MONTHS), r"\d\d:\d\d:\d\d(?:\.\d+)?"
_WEEKDAY = r"(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)"
_RFC_1123 = re.compile(
    rf"(?:{_WEEKDAY}, )?(?P<day>\d\d?)[ -](?P<month>{_MONTH})[ -](?P<year>\d{{4}}) (?P<time>{_TIME}) ?(?P<zone>.*)"
)
"""`kubectl describe`, `date -R`, HTTP: `Mon, 02 Mar 2026 14:05:00 +0000`."""
_DATE = re.compile(
    rf"{_WEEKDAY} (?P<month>{_MONTH}) {{1,2}}(?P<day>\d\d?) (?P<time>{_TIME}) "
    r"(?P<zone>(?!\d{4}\b)\S+ )?(?P<year>\d{4})"
)
"""`date` and C's `ctime`: `Mon Mar  2 14:05:00 UTC 2026`."""
_GO = re.compile(r"(.* [+-]\d{4}) [A-Z]{3,5}(?: m=\S+)?")
"""Go's `Time.String`: `2026-03-02 14:05:00.5 +0000 UTC m=+0.1`."""
_UTC = re.compile(r"(.*\d) ?(?:UTC|GMT)")
_COMMA = re.compile(r"(:\d\d),(\d)")
"""A fraction of a second as ISO 8601, Python's and Java's loggers write it."""
_EPOCH = re.compile(r"@?(\d+)(?:\.(\d{1,9}))?")
_SHORTEST_EPOCH = 9
"""A number of fewer digits, without `@`, is a year or a day rather than a time since 1970."""
_LONGEST_EPOCH = 19


def written_plainly(text: str) -> str:
    """The same time as RFC 3339 or as a time of day; a text that no other tool writes stays as it is.

    A number is what passed since 1970-01-01T00:00:00Z: seconds, or with 12, 15 or 18 digits and more milliseconds,
    microseconds or nanoseconds.
    """
    if epoch := _since_1970(text):
        return _of_epoch(epoch) or text
    text = _COMMA.sub(r"\1.\2", text.strip())
    if dated := _RFC_1123.fullmatch(text) or _DATE.fullmatch(text):
        month = _MONTHS.index(dated["month"]) + 1
        day = f"{dated['year']}-{month:02d}-{dated['day'].zfill(2)}"
        text = f"{day}T{dated['time']}{(dated['zone'] or '').strip()}"
    if go := _GO.fullmatch(text):
        return go[1]
    utc = _UTC.fullmatch(text)
    return text if utc is None else f"{utc[1]}Z"


def epoch_unit_us(text: str) -> int | None:
    """How long the unit of a number since 1970 lasts, in microseconds: 1 for one with a fraction; None for others."""
    epoch = _since_1970(text)
    if epoch is None:
        return None
    return 1 if epoch[2] else max(SECOND // 1000 ** _thousandths(epoch[1]), 1)


def _since_1970(text: str) -> re.Match[str] | None:
    """The whole digits and those of the fraction of a number since 1970; None for another text."""
    epoch = _EPOCH.fullmatch(text)
    if epoch is None or len(epoch[1]) > _LONGEST_EPOCH:
        return None
    return epoch if text.startswith("@") or len(epoch[1]) >= _SHORTEST_EPOCH else None


def _thousandths(digits: str) -> int:
    """The unit of a number since 1970: 0 seconds, 1 milliseconds, 2 microseconds, 3 nanoseconds."""
    return max((len(digits) - _SHORTEST_EPOCH) // 3, 0)


def _of_epoch(epoch: re.Match[str]) -> str | None:
    """The time of such a number, cut to microseconds; None beyond the years that there are."""
    nanos = int(epoch[1] + (epoch[2] or "").ljust(9, "0")) // 1000 ** _thousandths(epoch[1])
    try:
        return precise(Micros(nanos // 1000))
    except (ValueError, OverflowError, OSError):
        return None
