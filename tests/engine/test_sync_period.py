"""The sync period that the times between status writes show. None is inferred that they contradict."""

from itertools import pairwise
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hpaaudit.engine.replay.sync_period import contradicts, period_shown, sync_periods, times_between
from hpaaudit.model.units import SECOND

DEFAULT_US = 15 * SECOND
fast = settings(max_examples=300, deadline=None, derandomize=True, database=None)


def us(seconds: float) -> int:
    """Microseconds."""
    return round(seconds * SECOND)


def written(period_us: int, changed: list[bool], busy: list[float], late_us: list[int]) -> list[int]:
    """When a controller of this period wrote a status, as we saw it.

    changed   in which cycles the status changed;  busy   by how much each cycle took longer, in parts of a period
    late_us   how much later we saw each write
    """
    at_us, times = 0, []
    for is_written, extra, late in zip(changed, busy, late_us, strict=True):
        at_us += round(period_us * (1 + extra))
        if is_written:
            times.append(at_us + late)
    return times


@st.composite
def worlds(draw: st.DrawFn) -> tuple[int, int, list[int]]:
    """A true period, how many times between writes are one cycle long, and these times."""
    period = us(draw(st.sampled_from((0.5, 1, 2, 3, 5, 7, 7.5, 10, 12, 14.999, 15, 15.001, 20, 30, 45, 60, 120))))
    cycles = draw(st.integers(3, 120))
    seldom = draw(st.sampled_from((0.9, 0.6, 0.3)))
    load = draw(st.sampled_from((0.0, 0.01, 0.05)))
    random = draw(st.randoms(use_true_random=False))
    changed = [random.random() < seldom for _ in range(cycles)]
    busy = [random.random() * load for _ in range(cycles)]
    late = [random.randrange(min(period // 50, 200_000)) for _ in range(cycles)]
    times = times_between(written(period, changed, busy, late))
    return period, sum(one and other for one, other in pairwise(changed)), times


@fast
@given(worlds())
def test_the_sync_period_is_never_longer_than_what_was_seen(world: tuple[int, int, list[int]]) -> None:
    _, _, times = world
    periods = sync_periods({"shop/web": times})
    assert not contradicts(periods.of("shop/web"), times)
    assert periods.source == "inferred" or periods.common_us == DEFAULT_US


@fast
@given(worlds())
def test_the_sync_period_is_the_true_one_if_enough_was_seen(world: tuple[int, int, list[int]]) -> None:
    period, adjacent, times = world
    periods = sync_periods({"shop/web": times}).of("shop/web")
    if adjacent >= 8 and adjacent * 4 > len(times):
        assert abs(periods - period) <= 0.03 * period, (period, periods, sorted(times))


@fast
@given(worlds(), worlds())
def test_an_hpa_that_contradicts_the_others_has_its_own_period(
    one: tuple[int, int, list[int]], other: tuple[int, int, list[int]]
) -> None:
    times_by_hpa = {"shop/a": one[2] * 20, "shop/b": other[2]}
    periods = sync_periods(times_by_hpa)
    for key, times in times_by_hpa.items():
        assert not contradicts(periods.of(key), times)


@fast
@given(worlds(), st.integers(2, 12), st.randoms(use_true_random=False), st.booleans())
def test_a_status_that_changes_seldom_is_no_longer_period(
    usual: tuple[int, int, list[int]], cycles: int, random: Random, is_most: bool
) -> None:
    """A metric that is measured once a minute changes the status once a minute, in however many HPAs."""
    period, adjacent, times = usual
    if adjacent < 8 or adjacent * 4 <= len(times):
        return
    slow = [cycles * period + random.randrange(period // 50 + 1) for _ in range(30)]
    times_by_hpa = {"shop/usual": times, **{f"shop/slow-{number}": slow for number in range(4 if is_most else 1)}}
    periods = sync_periods(times_by_hpa)
    for key in times_by_hpa:
        assert abs(periods.of(key) - period) <= 0.05 * period


@pytest.mark.parametrize(
    ("times", "period", "source"),
    [
        pytest.param([], 15, "default", id="nothing was seen"),
        pytest.param([1 + n % 21 / 100 for n in range(459)], 1, "inferred", id="460 writes 1.0 to 1.2 s apart"),
        pytest.param([5.0], 5, "inferred", id="one time that is too short for the default bounds it"),
        pytest.param([31.0, 47.0], 15, "default", id="long times say nothing"),
        pytest.param([17.3, 21.0, 34.0, 26.0, 40.0], 15, "default", id="a slow controller"),
        pytest.param([15.01] * 60 + [30.02] * 38 + [3.0] * 2, 15, "inferred", id="a status that somebody else wrote"),
        pytest.param([30.0, 45.0, 60.0, 30.0, 45.0, 30.0, 75.0], 15, "inferred", id="never two cycles in a row"),
        pytest.param([30.01, 30.0, 60.0, 30.02, 90.0, 30.0, 30.0], 30, "inferred", id="longer than the default"),
        pytest.param([63.0, 121.0, 1.0, 47.0, 1.01, 2.03], 1, "inferred", id="a status that seldom changes"),
        pytest.param([15.3 + n % 4 / 10 for n in range(40)], 15, "inferred", id="each cycle takes longer"),
    ],
)  # fmt: skip
def test_the_period_that_times_show(times: list[float], period: float, source: str) -> None:
    periods = sync_periods({"shop/web": [us(time) for time in times]})
    assert (periods.common_us, periods.source) == (us(period), source)


def test_times_across_a_restart_or_a_gap_are_none() -> None:
    assert times_between([us(10), us(25), us(30), us(45)], [(us(28), us(28))]) == [us(15), us(15)]


def test_times_between_writes_that_were_seen_after_a_gap_are_none() -> None:
    """A watch that is resumed brings what was written meanwhile, in one go or not."""
    assert times_between([us(5), us(20), us(51), us(51.5), us(60), us(75)], [(us(50), us(52))]) == [us(15), us(15)]


def test_writes_that_were_seen_together_say_nothing_and_nor_do_the_times_beside_them() -> None:
    """The watch lagged: the last of them was written up to a period ago, so the next one seems too near."""
    late = [us(50), us(50), us(50) + 2, us(53)]
    assert times_between([us(5), us(20), *late, us(68)]) == [us(15), us(15)]


@fast
@given(
    st.lists(st.integers(0, 200 * SECOND) | st.integers(0, 20)),
    st.lists(st.tuples(st.integers(0, 200 * SECOND), st.integers(0, 5 * SECOND))),
)
def test_any_writes_and_gaps_show_a_period_that_a_controller_can_have(
    writes: list[int], gaps: list[tuple[int, int]]
) -> None:
    spans = [(at_us, at_us + lasts_us) for at_us, lasts_us in gaps]
    times = times_between(writes, spans)
    assert sync_periods({"shop/web": times}).of("shop/web") >= us(0.08)
    ordered = sorted(writes)
    assert times == [
        later - earlier
        for number, (earlier, later) in enumerate(pairwise(ordered))
        if all(end <= earlier or later < begun for begun, end in spans)
        and all(other - one >= us(0.1) for one, other in pairwise(ordered[max(0, number - 1) : number + 3]))
    ]


def test_a_given_period_is_kept_and_the_contradiction_is_named() -> None:
    times = [us(1.1)] * 30
    periods = sync_periods({"shop/web": times}, us(15))
    assert (periods.common_us, periods.source, periods.shown) == (us(15), "given", us(1))
    assert sync_periods({"shop/web": times}, us(1)).shown is None


@fast
@given(
    st.sampled_from((15, 30, 60)),
    st.sampled_from((10, 15, 20, 30, 40, 50, 60, 75, 90, 120, 300)),
    st.integers(8, 60),
    st.integers(0, 59),
    st.randoms(use_true_random=False),
)
def test_samples_that_come_seldom_are_no_long_period(
    period: int, sample_every: int, samples: int, phase: int, random: Random
) -> None:
    """A metric that is measured once a minute shows one period a minute, of a controller with 15 s or with a minute."""
    new = [phase + number * sample_every for number in range(samples)]
    # Each new sample is read by the first reconcile after it, and changes the status.
    read = sorted({-(-at // period) * period for at in new})
    writes = [us(at) + random.randrange(us(0.3)) for at in read]
    periods = sync_periods(
        {"shop/web": times_between(writes)}, renewals={"shop/web": [us(sample_every)] * (samples - 1)}
    )
    if period == DEFAULT_US // SECOND:
        assert periods.common_us <= us(period * 1.03), sorted(times_between(writes))
    if sample_every < 0.85 * period and len(writes) > 10:
        assert abs(periods.common_us - us(period)) <= us(0.03 * period)
    assert not contradicts(periods.common_us, times_between(writes))


def test_where_samples_explain_the_times_the_default_is_kept_and_said_to_be_assumed() -> None:
    times, renewals = {"shop/web": [us(60)] * 20}, {"shop/web": [us(60)] * 20}
    assert (sync_periods(times).common_us, sync_periods(times).source) == (us(60), "inferred")
    kept = sync_periods(times, renewals=renewals)
    assert (kept.common_us, kept.source, kept.own) == (us(15), "default", {})
    assert sync_periods(times, default_us=us(30), renewals=renewals).common_us == us(30)


def test_random_times_show_nothing() -> None:
    assert period_shown([us(t) for t in (18, 22, 27, 31, 24, 36, 29, 39, 20, 34)]) is None
