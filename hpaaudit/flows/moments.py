"""Moments as users give them, and which times they mean in a recording."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta, timezone, tzinfo
from typing import TypeAlias

from hpaaudit.api.times import duration, micros, precise
from hpaaudit.api.zone import in_zone, micros_of, zone_in_use
from hpaaudit.errors import BadOption
from hpaaudit.flows.written_times import epoch_unit_us, written_plainly
from hpaaudit.model.landmark import Landmark
from hpaaudit.model.span import Span
from hpaaudit.model.units import SECOND, Micros
from hpaaudit.report.text import stamp

When: TypeAlias = Micros | datetime | str
"""A time: microseconds since 1970, a datetime with its zone, or a text as `Moment` reads it."""

At: TypeAlias = When | Landmark
"""A time, or the name of a reconcile, also as text."""

_OFFSET = r" ?([Zz]|[+-]\d\d(?::?\d\d)?)"
"""`Z`, `+02:00`, or as `date` and databases print it: `+0200`, `+02`."""
_CLOCK = re.compile(rf"(\d{{1,2}}):(\d\d)(?::(\d\d)(?:\.(\d{{1,6}}))?)?(?:{_OFFSET})?")
_DATE = re.compile(r"\d{4}-\d\d-\d\d([T ]\d\d:\d\d(:\d\d(\.\d+)?)?)?")
_DATE_AND_OFFSET = re.compile(rf"(\d{{4}}-\d\d-\d\d)[Tt ](\d\d:\d\d)(:\d\d(?:\.\d+)?)?{_OFFSET}")
_DAY = re.compile(r"\d{4}-\d\d-\d\d")
_AGO = re.compile(r"-?(\d[\d.]*[a-zµ][\d.a-zµ]*)(?: ago)?")
_NOW = "now"
"""This word means the end of the recording; while the recorder runs that is the present."""
_ZONE_NAME = re.compile(r"[A-Z]{2,5}|[A-Z]\w+/[\w/+-]+")
_DAY_US = 24 * 3600 * SECOND
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Moment:
    """A moment as the user wrote it: RFC 3339, `14:05` of the recording's day, `5m` or `-5m` before its end.

    `5m ago` is the same, `now` is the end, and a date is the whole day. Times are also read as other tools
    write them: see `written_plainly`.
    """

    text: str

    def at(self, started_us: Micros, ended_us: Micros) -> Micros:
        """The time that it means in a recording of this span. Without an offset it is in the zone that is in use."""
        if self.text == _NOW:
            return ended_us
        if (ago := _AGO.fullmatch(self.text)) is not None:
            return Micros(ended_us + duration(f"-{ago[1]}"))
        times = self._times_within(started_us, ended_us)
        return times[-1] if times else self._readings(started_us, started_us)[0]

    def within(self, name: str, span: Span) -> Micros:
        """The time that it means for this option: `since` from its first instant on, the others up to its last one.

        Screens show whole seconds. So a time without a fraction stands for its whole second, and one that is pasted
        back means the reconcile beside which it stood; the second in which the recording ends lasts until then. Raises
        BadOption if the recording has nothing there.
        """
        started_us, ended_us = span
        times = () if self._is_relative else self._times_within(started_us, ended_us)
        if len(times) > 1:
            days = len({in_zone(at_us)[:10] for at_us in times})
            where, what = (f"on {days} days of", "date") if days > 1 else ("twice in", "offset")
            raise BadOption(
                f"--{name} {self.text} is {where} the recording: give the {what} too, as in {in_zone(times[-1])}."
            )
        first_us = self.at(started_us, ended_us)
        last_us = first_us + self.length_us - 1
        if _is_outside(name, first_us, last_us, started_us, ended_us):
            is_unclear = epoch_unit_us(self.text) or (self._is_local and zone_in_use() != UTC)
            meant = f" (read as {in_zone(first_us)})" if is_unclear else ""
            raise BadOption(f"--{name} {self.text}{meant} is not in {_covered(span)}.")
        if name == "since":
            return first_us
        return ended_us if first_us <= ended_us < last_us else Micros(last_us)

    def _times_within(self, started_us: Micros, ended_us: Micros) -> Sequence[Micros]:
        """What it can mean within this span: a time of day on each day, and twice where clocks are set back."""
        times = self._readings(started_us, ended_us)
        return [at_us for at_us in times if self._is_within(at_us, started_us, ended_us)]

    def _readings(self, started_us: Micros, ended_us: Micros) -> Sequence[Micros]:
        """All that it can mean on the days of this span."""
        clock = _CLOCK.fullmatch(self._plain)
        if clock is not None:
            return _times_on_days(clock, started_us, ended_us)
        if _DATE.fullmatch(self._plain):
            return _instants(datetime.fromisoformat(self._plain).replace(tzinfo=zone_in_use()))
        return [_rfc3339(self._plain)]

    @property
    def length_us(self) -> int:
        """How long the time lasts that the text names: a second, or an instant if it has a fraction or is relative.

        A date lasts until the next one. A number since 1970 stands for as long as its unit lasts.
        """
        if (unit_us := epoch_unit_us(self.text)) is not None:
            return unit_us
        if _DAY.fullmatch(self._plain):
            midnight = datetime.fromisoformat(self._plain).replace(tzinfo=zone_in_use())
            return micros_of(midnight + timedelta(days=1)) - micros_of(midnight)
        return 1 if self._is_relative or "." in self._plain else SECOND

    @property
    def _plain(self) -> str:
        return written_plainly(self.text)

    @property
    def _is_local(self) -> bool:
        """True if the zone that is in use says which time is meant."""
        clock = _CLOCK.fullmatch(self._plain)
        return _DATE.fullmatch(self._plain) is not None if clock is None else clock[5] is None

    @property
    def _is_relative(self) -> bool:
        return self.text == _NOW or _AGO.fullmatch(self.text) is not None

    def _is_within(self, first_us: int, started_us: Micros, ended_us: Micros) -> bool:
        return started_us < first_us + self.length_us and first_us <= ended_us


def _is_outside(name: str, first_us: int, last_us: int, started_us: Micros, ended_us: Micros) -> bool:
    """True if the recording has nothing from, until or at these instants, by the name of the option."""
    is_late, is_early = first_us > ended_us, last_us < started_us
    return {"since": is_late, "until": is_early}.get(name, is_late or is_early)


def _covered(span: Span) -> str:
    """What covers no other time, and which it covers."""
    started_us, ended_us = span
    return f"{span.covered_by} from {stamp(started_us)} to {stamp(ended_us)}"


def _times_on_days(clock: re.Match[str], started_us: Micros, ended_us: Micros) -> list[Micros]:
    """The instants with this time of day, on each day from the one of `started_us` to that of `ended_us`."""
    hour, minute, second, fraction, offset = clock.groups()
    if int(hour) >= 24 or int(minute) >= 60 or int(second or 0) >= 60:  # noqa: PLR2004 a day, an hour, a minute
        raise ValueError(f"{clock[0]!r} is not a time of day")
    zone = zone_in_use() if offset is None else _fixed(offset)
    time_of_day = time(int(hour), int(minute), int(second or 0), int((fraction or "0").ljust(6, "0")))
    first, last = ((_EPOCH + timedelta(seconds=us // SECOND)).astimezone(zone).date() for us in (started_us, ended_us))
    days = (first + timedelta(days=number) for number in range((last - first).days + 1))
    return [at_us for day in days for at_us in _instants(datetime.combine(day, time_of_day, zone))]


def _instants(local: datetime) -> Sequence[Micros]:
    """When clocks of its zone show this time: twice in the hour that is repeated as they are set back."""
    first, again = (micros_of(local.replace(fold=fold)) for fold in (0, 1))
    return [first, again] if again > first else [first]


def _fixed(offset: str) -> tzinfo:
    """The time zone of an offset from UTC, as `_OFFSET` matches it."""
    if offset in "Zz":
        return UTC
    ahead = timedelta(hours=int(offset[1:3]), minutes=int(offset[-2:]) if len(offset) > len("+02") else 0)
    return timezone(ahead if offset[0] == "+" else -ahead)


def _rfc3339(text: str) -> Micros:
    """A time with a date and an offset, also as databases print it. Raises ValueError."""
    match = _DATE_AND_OFFSET.fullmatch(text)
    if match is None:
        return micros(text)
    date, minute, second, offset = match.groups()
    hours, minutes = offset[:3], offset[3:].removeprefix(":") or "00"
    return micros(f"{date}T{minute}{second or ':00'}{'Z' if offset in 'Zz' else f'{hours}:{minutes}'}")


def moment(text: str) -> Moment:
    """Parses a moment. Which time it means depends on the recording. Raises BadOption."""
    if _is_moment(text):
        return Moment(text)
    without_zone, _, zone = text.rpartition(" ")
    if _ZONE_NAME.fullmatch(zone) and _is_moment(without_zone):
        raise BadOption(
            f"{text!r} is not a time: give the offset from UTC in place of {zone}, "
            f"as in {without_zone} +HH:MM, or --tz ZONE"
        )
    raise BadOption(
        f"{text!r} is not a time: give 2026-03-02T14:05:00Z, 14:05 (on the day of the recording) or 5m (before its end)"
    )


def _is_moment(text: str) -> bool:
    """True if a text means a time in some recording."""
    try:
        Moment(text).at(Micros(0), Micros(_DAY_US))
    except (ValueError, OverflowError):
        return False
    return True


def moment_or_landmark(text: str) -> Moment | Landmark:
    """Parses a moment, or the name of one. Raises BadOption."""
    return Landmark(text) if text in tuple(Landmark) else moment(text)


def moments(span: Span, **asked: Moment | None) -> Mapping[str, Micros | None]:
    """Resolves moments to times in a recording of this span, by the names of their options. Raises BadOption."""
    times = {name: None if written is None else written.within(name, span) for name, written in asked.items()}
    since, until = times.get("since"), times.get("until")
    if since is not None and until is not None and since > until:
        raise BadOption(f"--since {asked['since'].text} is later than --until {asked['until'].text}.")  # type: ignore[union-attr]
    return times


def times_of(span: Span, *, since: When | None, until: When | None) -> tuple[Micros | None, Micros | None]:
    """`since` and `until` of a caller in microseconds, None where not given. Raises as `time_of`.

    span   begin and end of the recording
    """
    since_us = None if since is None else time_of("since", since, span)
    until_us = None if until is None else time_of("until", until, span)
    require_in_order(since_us, until_us)
    return since_us, until_us


def require_in_order(since_us: Micros | None, until_us: Micros | None) -> None:
    """Raises BadOption for a time that ends before it begins."""
    if since_us is not None and until_us is not None and since_us > until_us:
        raise BadOption(f"--since is {precise(since_us)}, later than --until, which is {precise(until_us)}")


def time_of(name: str, when: When, span: Span) -> Micros:
    """The time that a caller means in a recording of this span; microseconds are taken as they are.

    name   the parameter: `since` means the begin of a second, the others its end

    Raises BadOption, also for a datetime without a zone.
    """
    if isinstance(when, str):
        return moment(when).within(name, span)
    if isinstance(when, datetime):
        if when.tzinfo is None:
            raise BadOption(f"{name}={when!r} has no zone: give one, for example tzinfo=datetime.UTC")
        return _in_span(
            name, when, Micros((when - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(microseconds=1)), span
        )
    if not is_when(when):
        raise BadOption(f"{name}={when!r} {NO_TIME}")
    return _in_span(name, when, when, span)


def _in_span(name: str, when: When, at_us: Micros, span: Span) -> Micros:
    """The same time. Raises BadOption if the recording has nothing there: seconds are no microseconds, for example."""
    started_us, ended_us = span
    if _is_outside(name, at_us, at_us, started_us, ended_us):
        unit = ", in microseconds," if isinstance(when, int) else ""
        raise BadOption(f"{name}={when!r}{unit} is not in {_covered(span)}")
    return at_us


NO_TIME = "is no time: give microseconds since 1970, a datetime with its zone, or a text such as '14:05'"
"""What is said of a value that cannot be a time."""


def is_when(value: object) -> bool:
    """True if a value has a type of `When`."""
    return isinstance(value, str | int | datetime) and not isinstance(value, bool)


def landmark_or_time(at: At, span: Span) -> Micros | Landmark:
    """What `at` means in a recording of this span; raises as `time_of`."""
    if isinstance(at, str) and at in tuple(Landmark):
        return Landmark(at)
    return time_of("at", at, span)
