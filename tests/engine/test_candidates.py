"""The candidates of a reconcile of which only the status is known: each once, in order, and the band of them."""

from collections.abc import Iterator
from itertools import islice, product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hpaaudit.engine.rules.candidates import (
    DONE,
    EDGE,
    FAILED_READS,
    FIRST,
    INPUTS,
    MEMORY,
    MOST,
    NO_BAND,
    NOTHING_MISSING,
    SAMPLE,
    SHIFTED_MEMORY,
    UNKNOWN,
    UNSEEN_MEMORY,
    Band,
    Candidate,
    Options,
    answer_choices,
    chosen_answers,
    extreme_of,
    failed_reads,
    is_scale_unread,
    next_candidate,
    proven_band,
    proves,
    unanswered,
    widened,
)
from hpaaudit.engine.rules.unseen_memory import (
    event_counts,
    extreme_recommendation,
    is_near,
    recommendation_counts,
    shift_us,
)

steady = settings(max_examples=300, deadline=None, derandomize=True, database=None)

flag = st.booleans()
options = st.builds(
    Options,
    earlier_scale=flag,
    earlier_pods=flag,
    failed_reads=st.integers(0, 4),
    recommendations=flag,
    events=flag,
    shifts=flag,
)


def candidates_of(given_: Options, answers: tuple[int, int], *, is_proven: bool) -> Iterator[Candidate]:
    """Walks from the first candidate to the last."""
    candidate = FIRST
    while candidate.kind != DONE:
        yield candidate
        candidate = next_candidate(candidate, answers[candidate.earlier_scale], given_, is_proven)


def in_order(given_: Options, answers: tuple[int, int], *, is_proven: bool) -> Iterator[Candidate]:
    """The same as loops: scales, pods, choices of answers; failed reads; extremes; shifts."""
    for scale, pods in product(range(1 + given_.earlier_scale), range(1 + given_.earlier_pods)):
        for nth in range(answers[scale]):
            yield Candidate(INPUTS, bool(scale), bool(pods), nth)
    for nth in range(0 if is_proven else given_.failed_reads):
        yield Candidate(FAILED_READS, earlier_scale=False, earlier_pods=False, nth=nth)
    both = given_.recommendations and given_.events
    alone = [*range(6 * given_.recommendations), *([6, 7] if given_.events else [])]
    for nth in [*alone, *(range(8, 20) if both else [])]:
        yield Candidate(UNSEEN_MEMORY, earlier_scale=False, earlier_pods=False, nth=nth)
    for nth in range(2 * given_.shifts):
        yield Candidate(SHIFTED_MEMORY, earlier_scale=False, earlier_pods=False, nth=nth)


@steady
@given(options, st.tuples(st.integers(1, 4), st.integers(1, 4)), flag)
def test_everything_is_tried_once_and_in_order(given_: Options, answers: tuple[int, int], is_proven: bool) -> None:
    assert list(candidates_of(given_, answers, is_proven=is_proven)) == list(
        in_order(given_, answers, is_proven=is_proven)
    )


@steady
@given(st.lists(flag, max_size=8))
def test_the_last_request_changes_fastest(follows: list[bool]) -> None:
    following = sum(1 << rank for rank, does in enumerate(follows) if does)
    choices = [chosen_answers(following, len(follows), nth) for nth in range(answer_choices(sum(follows)))]
    wanted = islice(product(*([0, 1 << rank] if does else [0] for rank, does in enumerate(follows))), MOST)
    assert choices == [sum(chosen) for chosen in wanted]


@pytest.mark.parametrize("is_scale_read", [False, True])
@pytest.mark.parametrize(("requests", "gone"), [(0, []), (1, [1]), (2, [1, 2, 3]), (3, [1, 2, 4, 7])])
def test_each_read_may_have_failed_alone_and_all_together(requests: int, gone: list[int], is_scale_read: bool) -> None:
    ways = range(failed_reads(requests, is_scale_read))
    unread = [nth for nth in ways if is_scale_unread(nth, is_scale_read)]
    assert unread == [0] * is_scale_read
    assert [unanswered(requests, nth, is_scale_read) for nth in ways if nth not in unread] == gone


number = st.one_of(st.just(UNKNOWN), st.integers(0, 4))
memory_kinds = st.sampled_from([UNSEEN_MEMORY, SHIFTED_MEMORY])
story = st.tuples(
    st.lists(st.tuples(st.just(INPUTS), flag, number), min_size=1, max_size=4),
    st.lists(st.tuples(st.just(FAILED_READS), flag, number), max_size=3),
    st.lists(st.tuples(memory_kinds, flag, number), max_size=4),
)


@steady
@given(story, flag)
def test_the_range_is_that_of_all_that_fits_else_of_all_inputs(
    decisions_by_kind: tuple[list[tuple[int, bool, int]], list[tuple[int, bool, int]], list[tuple[int, bool, int]]],
    explained: bool,
) -> None:
    """As sets: the inputs that fit, else failed reads that do, else all inputs; then memories that fit.

    explained   what is remembered explains the published conditions, for the inputs that fit
    """
    inputs, failed, memories = decisions_by_kind
    if any(fits for _, fits, _ in inputs):
        failed = []  # they are tried only where no inputs fit
    memories = sorted(memories, key=lambda one: one[0])
    fitting = [one for one in inputs if one[1]] or [one for one in failed if one[1]]
    is_proven = bool(fitting)
    numbers = {desired for _, _, desired in fitting or inputs}
    missing = SAMPLE if len(numbers) > 1 else NOTHING_MISSING
    for kind, code in ((UNSEEN_MEMORY, MEMORY), (SHIFTED_MEMORY, EDGE)):
        more = {desired for own, fits, desired in memories if own == kind and fits}
        only_that_explains = more and kind == UNSEEN_MEMORY and is_proven and not explained
        if (more - numbers or only_that_explains) and missing == NOTHING_MISSING:
            missing = code
        numbers |= more
    band, proofs = NO_BAND, 0
    for kind, fits, desired in (*inputs, *failed, *memories):
        if proves(band, kind, fits):
            proofs, band = proofs + 1, proven_band(explained)
        band = widened(band, kind, fits, desired)
    numbers_known = numbers - {UNKNOWN}
    lowest, highest = (min(numbers_known), max(numbers_known)) if numbers_known else (UNKNOWN, UNKNOWN)
    is_explained = explained or not is_proven
    assert band == Band(is_proven, is_explained, False, UNKNOWN in numbers, lowest, highest, missing)  # noqa: FBT003
    assert proofs == is_proven


def test_an_unseen_memory_lies_between_its_extremes() -> None:
    assert [extreme_recommendation(nth, 9, 5) for nth in range(6)] == [10, 9, 0, 5, 4, 6]
    assert [recommendation_counts(100, now, 300) for now in (399, 400, 401)] == [True, True, False]
    assert [event_counts(100, now, 300) for now in (399, 400, 401)] == [True, False, False]


def test_the_extremes_are_each_alone_and_each_recommendation_with_each_event() -> None:
    alone = [*((nth, -1) for nth in range(6)), (-1, 1), (-1, 2)]
    assert [extreme_of(nth) for nth in range(20)] == [*alone, *((nth, event) for event in (1, 2) for nth in range(6))]


def test_a_memory_is_shifted_by_half_a_period_where_that_may_matter() -> None:
    assert [shift_us(nth, 15) for nth in range(2)] == [-7, 7]
    near = [at_us for at_us in range(680, 721) if is_near(at_us, 1000 - 300, 15)]
    assert near == list(range(693, 708))
