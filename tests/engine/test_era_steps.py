"""The steps of a decision before 1.12: what the metrics proposed, what a bound limited, what a window held."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hpaaudit.engine.behaviours.release import behaviours_of
from hpaaudit.engine.controller.steps import Chain
from hpaaudit.engine.eras.era_steps import chain_of, held_step, proposed
from hpaaudit.engine.eras.windows import Opened, forbidden_windows
from hpaaudit.engine.rules.bounds import Bounds, bounded
from hpaaudit.engine.rules.forbidden_windows import may_scale
from hpaaudit.engine.rules.go_numbers import MAX_INT32
from hpaaudit.model.flags import Flags
from hpaaudit.model.units import SECOND, Micros

OLD = ("1.1", "1.2", "1.4", "1.5", "1.6", "1.7.1", "1.8.1", "1.11")
SCALED_US = Micros(1_000 * SECOND)


def opened_after(release: str, seconds: int | None) -> Opened:
    """The windows of a release, so many seconds after the last change of the scale."""
    flags = Flags(release=release)
    metric_us = Micros(SCALED_US + (seconds or 0) * SECOND)
    return forbidden_windows(None if seconds is None else SCALED_US, metric_us, flags, behaviours_of(flags))


def chain(raw: int, current: int, bounds: Bounds, release: str, seconds: int | None) -> tuple[Chain, int, bool]:
    """The chain of a recommendation, the limited number, and whether the scale is written."""
    opened = opened_after(release, seconds)
    limits = bounded(raw, current, bounds, behaviours_of(Flags(release=release)))
    metric_us = Micros(SCALED_US + (seconds or 0) * SECOND)
    rescales = may_scale(current, limits.replicas, opened.last_scale_us, metric_us, opened.windows)
    return chain_of(proposed(raw, current), limits, current, opened, rescales=rescales), limits.replicas, rescales


@pytest.mark.parametrize(
    ("raw", "current", "code", "binding"),
    [
        (4, 4, "metric.on_target", False),
        (5, 4, "metric.above_target", True),
        (3, 4, "metric.below_target", True),
        (0, 0, "metric.on_target", False),
    ],
)
def test_what_the_metrics_propose_is_a_step_from_the_current_replicas(
    raw: int, current: int, code: str, binding: bool
) -> None:
    step = proposed(raw, current)
    assert (step.stage, step.code, step.before, step.after, step.binding) == ("propose", code, current, raw, binding)


def test_a_proposal_of_64_bits_is_shown_as_the_nearest_of_32() -> None:
    assert proposed(2**40, 4).after == MAX_INT32


@pytest.mark.parametrize(
    ("wanted", "code", "window_seconds"), [(5, "window.up_forbidden", 180), (3, "window.down_forbidden", 300)]
)
@pytest.mark.parametrize("release", OLD)
def test_a_held_step_names_the_window_of_its_own_direction(
    release: str, wanted: int, code: str, window_seconds: int
) -> None:
    step = held_step(wanted, 4, opened_after(release, 60))
    assert (step.stage, step.code, step.before, step.after, step.binding) == ("stabilize", code, wanted, 4, True)
    assert dict(step.detail) == {"scaled_us": SCALED_US, "window_us": window_seconds * SECOND}


@pytest.mark.parametrize(
    ("raw", "seconds", "steps", "reason"),
    [
        (4, 60, ["metric.on_target"], "metric.on_target"),  # nothing wants to move: no window holds it
        (6, None, ["metric.above_target"], "metric.above_target"),
        (6, 60, ["metric.above_target", "window.up_forbidden"], "window.up_forbidden"),
        (6, 181, ["metric.above_target"], "metric.above_target"),
        (3, 181, ["metric.below_target", "window.down_forbidden"], "window.down_forbidden"),
        (3, 301, ["metric.below_target"], "metric.below_target"),
        (9, 181, ["metric.above_target", "bound.max"], "bound.max"),
        (9, 60, ["metric.above_target", "bound.max", "window.up_forbidden"], "window.up_forbidden"),
        (1, 301, ["metric.below_target", "bound.min"], "bound.min"),
    ],
)
def test_the_steps_are_the_metric_then_its_limit_then_the_window_that_holds_it(
    raw: int, seconds: int | None, steps: list[str], reason: str
) -> None:
    made, _, _ = chain(raw, 4, Bounds(2, has_minimum=True, maximum=7), "1.11", seconds)
    assert [step.code for step in made.steps] == steps
    assert made.reason_code == reason


@settings(derandomize=True, max_examples=300, deadline=None)
@given(
    raw=st.integers(0, 30),
    current=st.integers(1, 15),
    bounds=st.builds(Bounds, st.integers(1, 5), st.booleans(), st.integers(5, 15)),
    release=st.sampled_from(OLD),
    seconds=st.sampled_from([None, 0, 60, 180, 181, 300, 301]),
)
def test_each_step_goes_on_where_the_one_before_it_ended(
    raw: int, current: int, bounds: Bounds, release: str, seconds: int | None
) -> None:
    """The first begins at the current replicas, the last ends at what is written, and the last binding one is why."""
    made, limited, rescales = chain(raw, current, bounds, release, seconds)
    ends = [current, *(step.after for step in made.steps)]
    assert [step.before for step in made.steps] == ends[:-1]
    assert ends[-1] == (limited if rescales else current)
    assert all(step.before != step.after for step in made.steps[1:])
    binding = [step.code for step in made.steps if step.binding]
    assert made.reason_code == (binding[-1] if binding else made.steps[0].code)
