"""A stabilization window is read off what was decided: whatever its length, one is found that decides all of it."""

from types import SimpleNamespace
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from hpaaudit.flows.fitting_windows import fitting_windows
from hpaaudit.model.memory import Memory, Recommendation
from hpaaudit.model.units import SECOND, Micros


def _highest(recommendations: list[Recommendation], now_us: int, window_us: int) -> int:
    """As upstream: the highest one that is no older than the window."""
    return max(one.replicas for one in recommendations if now_us - window_us <= one.at_us <= now_us)


def _replayed(recommendations: list[Recommendation], place: int) -> Any:
    decision = SimpleNamespace(at_us=recommendations[place].at_us, min_replicas=1, max_replicas=1_000)
    memory = Memory(recommendations=tuple(recommendations[: place + 1]))
    return SimpleNamespace(decision=decision, memory=memory)


@given(
    numbers=st.lists(st.integers(1, 12), min_size=1, max_size=60),
    period_ms=st.integers(200, 30_000),
    window_ms=st.integers(0, 900_000),
)
def test_a_window_of_any_length_is_found(numbers: list[int], period_ms: int, window_ms: int) -> None:
    recommendations = [
        Recommendation(replicas=number, at_us=Micros(place * period_ms * 1000)) for place, number in enumerate(numbers)
    ]
    decided = [_highest(recommendations, one.at_us, window_ms * 1000) for one in recommendations]
    replayed = {place: _replayed(recommendations, place) for place in range(len(numbers))}
    found = fitting_windows(replayed, dict(enumerate(decided)))
    again = [[_highest(recommendations, one.at_us, length_us) for one in recommendations] for length_us in found]
    assert decided in again
    assert again[0] == decided


def test_a_round_window_is_named_where_it_fits() -> None:
    recommendations = [
        Recommendation(replicas=number, at_us=Micros(place * SECOND)) for place, number in enumerate([9] + [2] * 20)
    ]
    decided = {place: 9 if place <= 12 else 2 for place in range(21)}
    replayed = {place: _replayed(recommendations, place) for place in range(21)}
    # From 12 s on and below 13 s.
    assert fitting_windows(replayed, decided)[0] == 12 * SECOND


def test_numbers_that_no_recommendation_has_tell_nothing() -> None:
    recommendations = [Recommendation(replicas=3, at_us=Micros(place * SECOND)) for place in range(5)]
    replayed = {place: _replayed(recommendations, place) for place in range(5)}
    assert fitting_windows(replayed, dict.fromkeys(range(5), 7)) == []
