"""Times inside the texts of results, which are UTC, in the zone that is in use."""

import re
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from hpaaudit.api.zone import in_zone, micros_of, offset_us, zone_in_use
from hpaaudit.model.units import Micros

if TYPE_CHECKING:
    from hpaaudit.model.account import Divergence, Finding

_TIME = re.compile(r"(?<![\w:.+-])(?:(\d{4}-\d\d-\d\d)T)?(\d\d:\d\d)(:\d\d)?Z(?!\w)")
_TOLD = {"explanation": ("opened_at", "ts"), "verdict": ("first_at", "ts"), "what": ("ts",), "detail": ("ts",)}
"""Columns with such texts, and the columns beside them whose day is that of a time without a date."""
_OWN = ("divergence ", "gap until ", "replicas ")
"""How `what` begins where it and `detail` are texts of the results, not of Kubernetes."""


def explanation(divergence: "Divergence") -> str:
    """What is said of a divergence."""
    return _in_zone(divergence.explanation, divergence.opened_us, divergence.closed_us or divergence.opened_us)


def verdict_of(finding: "Finding") -> str:
    """What is said of a finding."""
    return _in_zone(finding.verdict, finding.first_us, finding.last_us)


def rows_in_zone(columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> list[tuple[Any, ...]]:
    """The rows of an answer, with the times in texts of the results in the zone; what Kubernetes said stays."""
    at = {name: number for number, name in enumerate(columns)}
    told = {}
    for name in at.keys() & _TOLD.keys():
        beside = next((at[other] for other in _TOLD[name] if other in at), None)
        if beside is not None and (name in ("explanation", "verdict") or "what" in at):
            told[at[name]] = beside
    if not told or zone_in_use() == UTC:
        return [tuple(row) for row in rows]
    needs_own = {at[name] for name in ("what", "detail") if name in at}
    name_of = {number: name for name, number in at.items()}
    shown = []
    for row in rows:
        cells = list(row)
        for number, beside in told.items():
            text, then = row[number], row[beside]
            is_own = number not in needs_own or str(row[at["what"]]).startswith(_OWN)
            if isinstance(text, str) and isinstance(then, datetime) and is_own:
                last = row[at["last_at"]] if "last_at" in at and name_of[number] == "verdict" else then
                until = last if isinstance(last, datetime) else then
                cells[number] = _in_zone(text, _micros(then), _micros(until), is_of_days=then.date() != until.date())
        shown.append(tuple(cells))
    return shown


def _micros(at: datetime) -> Micros:
    return micros_of(at.replace(tzinfo=UTC))


def _in_zone(text: str, beside_us: Micros, until_us: Micros, *, is_of_days: bool = False) -> str:
    """The text with its times in the zone; one without a date is of the same day of UTC as `beside_us`.

    A time of each day, which has no seconds, stays where the zone changes its offset until `until_us`.

    is_of_days   a time without a date may be of any of several days: it stays
    """
    if zone_in_use() == UTC:
        return text
    day = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(microseconds=beside_us)

    def local(found: re.Match[str]) -> str:
        date, minute, second = found.groups()
        if is_of_days and date is None:
            return found[0]
        try:
            at = datetime.fromisoformat(f"{date or day.date()}T{minute}{second or ':00'}+00:00")
        except ValueError:  # it only looks like a time
            return found[0]
        whole = in_zone(micros_of(at))
        if second is None:
            is_same = date is None and offset_us(beside_us) == offset_us(until_us)
            return f"{whole[11:16]}{whole[19:]}" if is_same else found[0]
        return whole[11:] if whole[:10] == in_zone(beside_us)[:10] else whole

    return _TIME.sub(local, text)
