"""A message that repeats is counted, and none is lost without being counted."""

from hypothesis import given
from hypothesis import strategies as st

from hpaaudit.model.note import Event, Level, Note
from hpaaudit.report.repeats import ALWAYS, KEPT, OF_AN_EVENT, PERIOD_SECONDS, Repeats

DISK = Note("the disk is full", Event.DISK_REFUSED, Level.ERROR, folder="x")


def test_the_same_message_is_said_once_a_minute_with_how_often_it_came() -> None:
    repeats = Repeats()
    assert repeats.take(DISK, 0) == [DISK]
    for second in range(1, 50):
        assert repeats.take(DISK, second) == []
    assert repeats.due(59) == []
    [counted] = repeats.due(61)
    assert counted == "the disk is full (49 more of the same in 61 s)"
    assert (counted.event, counted.level) == (DISK.event, DISK.level)
    assert counted.fields == {"folder": "x", "repeated": 49}
    assert repeats.take(DISK, 62) == [DISK]


def test_messages_of_one_event_that_differ_are_counted_too() -> None:
    repeats = Repeats()
    written = [line for number in range(100_000) for line in repeats.take(Note(f"port {number}", Event.LOG), 1)]
    assert len(written) == OF_AN_EVENT
    [counted] = repeats.due(1 + PERIOD_SECONDS)
    assert counted == f"port 99999 ({100_000 - OF_AN_EVENT} more of log in 60 s)"
    assert not repeats.written
    assert not repeats.events


def test_what_comes_once_or_in_its_time_is_always_said() -> None:
    repeats = Repeats()
    for event in ALWAYS:
        assert [repeats.take(Note("x", event), 0) for _ in range(3)] == [[Note("x", event)]] * 3


def test_a_plain_line_is_a_note() -> None:
    [line] = Repeats().take("something", 0)
    assert (line, line.event) == ("something", Event.NOTE)


EVENTS = st.sampled_from([event for event in Event if event not in ALWAYS])
TOLD = st.lists(st.tuples(EVENTS, st.integers(0, 5), st.floats(0, 30)), max_size=300)


@given(TOLD)
def test_what_was_told_is_what_was_said_and_counted(events: list[tuple[Event, int, float]]) -> None:
    repeats, now, written = Repeats(), 0.0, []
    for event, number, pause in events:
        now += pause
        written += repeats.take(Note(f"message {number}", event), now)
        assert len(repeats.written) <= KEPT
    written += repeats.due(now + 2 * PERIOD_SECONDS)
    counted = sum(int(str(line.fields.get("repeated", 0))) for line in written)
    assert counted + sum("repeated" not in line.fields for line in written) == len(events)
