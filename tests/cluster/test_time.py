"""The recorder's clock, the server's clock, gaps between reads, and the phase of a metrics source."""

import asyncio
import time
from email.utils import formatdate
from typing import TYPE_CHECKING

import pytest

from hpaaudit.cluster.client.clock import Clock, Offset
from hpaaudit.cluster.observe.poll_phase import PollPhase
from hpaaudit.cluster.watch import gaps as module
from hpaaudit.cluster.watch.gaps import WATCH_PENDING, Gaps
from hpaaudit.model.units import SECOND, Micros

if TYPE_CHECKING:
    from hpaaudit.model.facts import Gap


def test_a_clock_that_is_set_back_goes_on_at_its_own_pace() -> None:
    future = Micros(10**17)
    clock = Clock(last_us=future)
    first = clock.now()
    time.sleep(0.05)
    assert future <= first
    assert 50_000 <= clock.now() - first < 5_000_000


@pytest.mark.parametrize("offset_us", [0, 2_400_000, -3_700_000])
def test_dates_cut_to_seconds_tell_the_offset_to_a_tenth_when_there_are_many(offset_us: int) -> None:
    offset, offset_read = Offset(), None
    for n in range(20):
        sent = 1_800_000_000 * SECOND + n * 1_050_000
        date = formatdate((sent + offset_us + 1_000) // SECOND, usegmt=True)
        offset_read = offset.read(date, Micros(sent), Micros(sent + 2_000))
    assert offset_read is not None
    assert abs(offset_read - offset_us) < 100_000


def test_an_answer_without_a_date_tells_nothing() -> None:
    assert Offset().read("", Micros(0), Micros(1)) is None


def test_a_clock_that_was_set_is_believed_from_then_on() -> None:
    offset = Offset()
    offset.read(formatdate(1000), Micros(1000 * SECOND), Micros(1000 * SECOND))
    offset_read = offset.read(formatdate(5000), Micros(1001 * SECOND), Micros(1001 * SECOND))
    assert offset_read == 3999 * SECOND + SECOND // 2


def test_a_gap_is_written_in_slices_and_counted_once() -> None:
    written: list[Gap] = []
    gaps = Gaps(written.append)
    gaps.begin("/pods", Micros(10 * SECOND), "connection refused")
    gaps.begin("/pods", Micros(12 * SECOND), "another cause")
    gaps.write_open(Micros(70 * SECOND))
    gaps.end("/pods", Micros(80 * SECOND))
    assert [(gap.at_us // SECOND, gap.until_us // SECOND) for gap in written] == [(10, 70), (70, 80)]
    assert {gap.cause for gap in written} == {"connection refused"}
    assert gaps.count == 1


def test_a_watch_that_was_waited_for_is_a_gap_and_what_went_wrong_names_it() -> None:
    """That a watch begins within a second is no gap; why it did not begin says more than that it was waited for."""
    written: list[Gap] = []
    gaps = Gaps(written.append)
    gaps.begin("/pods", Micros(10 * SECOND), WATCH_PENDING)
    gaps.end("/pods", Micros(10 * SECOND + 900_000))
    gaps.begin("/pods", Micros(20 * SECOND), WATCH_PENDING)
    gaps.end("/pods", Micros(48 * SECOND))
    gaps.begin("/pods", Micros(60 * SECOND), WATCH_PENDING)
    gaps.begin("/pods", Micros(70 * SECOND), "Connection refused")
    gaps.end("/pods", Micros(80 * SECOND))
    gaps_written = [(gap.at_us // SECOND, gap.until_us // SECOND, gap.cause) for gap in written]
    assert gaps_written == [(20, 48, WATCH_PENDING), (60, 80, "Connection refused")]


def test_a_gap_of_what_is_read_in_another_way_says_what_is_not() -> None:
    written: list[Gap] = []
    gaps = Gaps(written.append)
    gaps.begin("/pods", Micros(10 * SECOND), "forbidden")
    for part, seconds in (("writers", 15), ("writers", 16), ("", 30), ("writers", 40)):
        gaps.narrow("/pods", part, Micros(seconds * SECOND))
    gaps.end("/pods", Micros(50 * SECOND))
    gaps.begin("/pods", Micros(60 * SECOND), "forbidden again")
    gaps.end("/pods", Micros(70 * SECOND))
    assert [(gap.prefix, gap.at_us // SECOND, gap.until_us // SECOND) for gap in written] == [
        ("/pods", 10, 15),
        ("/pods#writers", 15, 30),
        ("/pods", 30, 40),
        ("/pods#writers", 40, 50),
        ("/pods#writers", 60, 70),
    ]
    assert gaps.count == 2


def test_a_machine_that_slept_is_a_gap_of_everything(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "TICK_SECONDS", 0.001)
    instants = [100, 101, 106, 3706, 3707]
    written: list[Gap] = []

    async def play() -> None:
        times = iter(instants)
        with pytest.raises(RuntimeError):
            await Gaps(written.append).detect_time_jumps(lambda: Micros(next(times) * SECOND))

    asyncio.run(play())
    [gap] = written
    assert (gap.prefix, gap.at_us, gap.until_us) == ("*", 106 * SECOND, 3706 * SECOND)
    assert gap.cause.startswith("the clock jumped by 3600 s: the machine slept, ")


def test_a_blink_is_no_gap() -> None:
    written: list[Gap] = []
    gaps = Gaps(written.append)
    gaps.begin("/pods", Micros(0), "closed")
    gaps.end("/pods", Micros(SECOND - 1))
    assert (written, gaps.count) == ([], 0)


def read_a_source(period: float, reads: int) -> list[tuple[float, float]]:
    """Reads a source that publishes every `period` seconds: when it was read, and how old the news was then."""
    phase, at, before, delays = PollPhase(15), 107.3, -1, []
    for _ in range(reads):
        published = int(at // period)
        delays.append((at, at % period))
        at += phase.next(is_fresh=published != before)
        before = published
    return delays


def test_a_source_is_soon_read_just_after_it_published() -> None:
    late = read_a_source(15, 60)[20:]
    assert sum(age < 1.5 for _, age in late) > 0.8 * len(late)


@pytest.mark.parametrize("period", [60, 30, 7])
def test_a_source_with_a_period_of_its_own_is_not_chased(period: float) -> None:
    delays = read_a_source(period, 200)[100:]
    assert delays[-1][0] - delays[0][0] > 0.95 * 15 * 99
