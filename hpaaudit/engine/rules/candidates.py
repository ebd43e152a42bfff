"""Orders what a reconcile may have seen and remembered, and keeps the range of what it may have decided.

Where only its status was published, nobody told which answers a reconcile read. So the nearest are tried first: those
that fit the published status prove themselves. Upstream has no such thing.
"""

from typing import NamedTuple

from hpaaudit.engine.rules.go_numbers import MIN_INT64

UNKNOWN = MIN_INT64
"""A number that is not there."""

MOST = 32
"""So many choices of answers are tried: five requests whose next answer came soon enough."""

# What is tried, one kind after the other. The last decides with what was found.
INPUTS = 0
FAILED_READS = 1
UNSEEN_MEMORY = 2
SHIFTED_MEMORY = 3
DONE = 4

# Why the range is wider than one number.
NOTHING_MISSING = 0
SAMPLE = 1
MEMORY = 2
EDGE = 3
MISSING = ("", "metric.sample", "memory.before_recording", "instant.window_edge")
"""The words of these, by number."""

RECOMMENDATIONS = 4
"""So many extremes of an unseen memory are recommendations; then comes one scale event of each direction."""

EXTREMES = RECOMMENDATIONS + 2
SHIFTS = 2


class Candidate(NamedTuple):
    """One try.

    kind            INPUTS and so on
    earlier_scale   the scale is taken as it was a little earlier;  earlier_pods   the pods are
    nth             which choice of answers, which failed read, which extreme or which shift
    """

    kind: int
    earlier_scale: bool
    earlier_pods: bool
    nth: int


FIRST = Candidate(INPUTS, earlier_scale=False, earlier_pods=False, nth=0)
"""The newest of everything."""


class Options(NamedTuple):
    """What there is to try.

    earlier_scale, earlier_pods   they changed so shortly before that the reconcile may not have seen it
    failed_reads      ways in which reads may have failed
    recommendations   an unseen recommendation may still count;  events   an unseen scale event may
    shifts            something that is remembered is near the edge of its window
    """

    earlier_scale: bool
    earlier_pods: bool
    failed_reads: int
    recommendations: bool
    events: bool
    shifts: bool


NO_OPTIONS = Options(
    earlier_scale=False, earlier_pods=False, failed_reads=0, recommendations=False, events=False, shifts=False
)


def next_candidate(tried: Candidate, answers: int, options: Options, is_proven: bool) -> Candidate:
    """What is tried after a candidate; failed reads only if no inputs fitted.

    answers   how many choices of answers there are with the scale of `tried`
    """
    kind, nth = tried.kind, tried.nth + 1
    if kind == INPUTS:
        if nth < answers:
            return Candidate(INPUTS, tried.earlier_scale, tried.earlier_pods, nth)
        if options.earlier_pods and not tried.earlier_pods:
            return Candidate(INPUTS, tried.earlier_scale, earlier_pods=True, nth=0)
        if options.earlier_scale and not tried.earlier_scale:
            return Candidate(INPUTS, earlier_scale=True, earlier_pods=False, nth=0)
        kind, nth = FAILED_READS, 0
    if kind == FAILED_READS and (is_proven or nth >= options.failed_reads):
        kind, nth = UNSEEN_MEMORY, 0
    if kind == UNSEEN_MEMORY and nth < RECOMMENDATIONS and not options.recommendations:
        nth = RECOMMENDATIONS
    if kind == UNSEEN_MEMORY and nth >= RECOMMENDATIONS and not options.events:
        nth = EXTREMES
    if kind == UNSEEN_MEMORY and nth >= EXTREMES:
        kind, nth = SHIFTED_MEMORY, 0
    if kind == SHIFTED_MEMORY and (nth >= SHIFTS or not options.shifts):
        kind, nth = DONE, 0
    return Candidate(kind, earlier_scale=False, earlier_pods=False, nth=nth)


def choices(following: int) -> int:
    """How many choices of answers there are where each of so many requests may have seen its next answer instead."""
    return min(1 << following, MOST) if following < MOST else MOST


def chosen_answers(following: int, requests: int, nth: int) -> int:
    """The requests, a bit each, that see their next answer in the n-th choice.

    following   those whose next answer came soon enough;  requests   how many there are

    The last request changes fastest. All metrics that make one request see one answer: samples of two scrapes are
    never mixed.
    """
    chosen = 0
    for rank in range(requests - 1, -1, -1):
        if following >> rank & 1:
            chosen |= (nth & 1) << rank
            nth >>= 1
    return chosen


def failed_reads(requests: int) -> int:
    """In how many ways reads may have failed that we made well: each request alone, and all together."""
    return requests + 1 if requests > 1 else requests


def unanswered(ways: int, nth: int) -> int:
    """The requests, a bit each, without an answer in the n-th of so many ways."""
    requests = max(ways - 1, 1)
    return 1 << nth if nth < requests else (1 << requests) - 1


class Band(NamedTuple):
    """What a reconcile may have decided, as far as was tried.

    is_proven         some inputs fit the published status; until then everything that was tried counts
    is_empty          nothing counts yet
    undecided         some candidate decides no number;  lowest, highest   of the others, UNKNOWN without one
    missing           why there is more than one: SAMPLE, MEMORY or EDGE
    """

    is_proven: bool
    is_empty: bool
    undecided: bool
    lowest: int
    highest: int
    missing: int


NO_BAND = Band(
    is_proven=False, is_empty=True, undecided=False, lowest=UNKNOWN, highest=UNKNOWN, missing=NOTHING_MISSING
)
PROVEN_BAND = Band(
    is_proven=True, is_empty=True, undecided=False, lowest=UNKNOWN, highest=UNKNOWN, missing=NOTHING_MISSING
)


def proves(band: Band, kind: int, fits: bool) -> bool:
    """Whether a candidate is the first whose inputs fit: it is taken for what the reconcile saw."""
    return fits and not band.is_proven and kind in (INPUTS, FAILED_READS)


def widened(band: Band, kind: int, fits: bool, desired: int) -> Band:
    """The range with what one more candidate decides, UNKNOWN where it decides no number.

    fits   its inputs fit the published status; of a memory, its conditions do

    The first inputs that fit replace all that were only tried. An unproven range keeps every choice of inputs, for one
    of them it must have been, but no failed read: that one is a guess unless it fits.
    """
    if proves(band, kind, fits):
        band = PROVEN_BAND
    counts = fits == band.is_proven if kind == INPUTS else fits
    if not counts:
        return band
    undecided, lowest, highest = band.undecided or desired == UNKNOWN, band.lowest, band.highest
    if desired != UNKNOWN:
        lowest = desired if lowest == UNKNOWN else min(lowest, desired)
        highest = max(highest, desired)
    missing = band.missing
    changes = undecided != band.undecided or lowest != band.lowest or highest != band.highest
    if missing == NOTHING_MISSING and changes and not band.is_empty:
        missing = missing_of(kind)
    return Band(band.is_proven, is_empty=False, undecided=undecided, lowest=lowest, highest=highest, missing=missing)


def missing_of(kind: int) -> int:
    """What is not known where candidates of this kind decide differently."""
    if kind == UNSEEN_MEMORY:
        return MEMORY
    return EDGE if kind == SHIFTED_MEMORY else SAMPLE
