"""Orders the candidates of a reconcile, and keeps the band of what they decide.

Where only its status is known, a reconcile may have read this answer or the next, and may remember what is unknown. A
candidate is one combination of inputs and memory. The newest inputs are tried first. The first inputs that give the
published status are taken for what the reconcile read: they are proven. Upstream has no such thing.
"""

from typing import NamedTuple

from hpaaudit.engine.rules.go_numbers import MIN_INT64

UNKNOWN = MIN_INT64
"""No number: the reconcile decides none."""

MOST = 32
"""At most so many choices of answers are tried: those of five requests whose next answer came in reach."""

# The kinds of candidates, in the order in which they are tried. DONE is none.
INPUTS = 0
FAILED_READS = 1
UNSEEN_MEMORY = 2
SHIFTED_MEMORY = 3
DONE = 4

# What is missing where the band is wider than one number.
NOTHING_MISSING = 0
SAMPLE = 1
MEMORY = 2
EDGE = 3
MISSING = ("", "metric.sample", "memory.before_recording", "instant.window_edge")
"""The codes of these, by number."""

RECOMMENDATIONS = 6
"""So many extremes of an unseen memory are recommendations. After them comes one scale event of each direction."""

ALONE = RECOMMENDATIONS + 2
EXTREMES = ALONE + 2 * RECOMMENDATIONS
"""After the extremes of one kind alone: each scale event (up, down) together with each recommendation."""

SHIFTS = 2


class Candidate(NamedTuple):
    """One combination of inputs and memory.

    kind            INPUTS, FAILED_READS, UNSEEN_MEMORY or SHIFTED_MEMORY
    earlier_scale   the scale is as a lagging cache has it;  earlier_pods   the pods are
    nth             number within its kind: of the choice of answers, the failed reads, the extreme or the shift
    """

    kind: int
    earlier_scale: bool
    earlier_pods: bool
    nth: int


FIRST = Candidate(INPUTS, earlier_scale=False, earlier_pods=False, nth=0)
"""The newest of all inputs."""

AFTER_INPUTS = Candidate(FAILED_READS, earlier_scale=False, earlier_pods=False, nth=0)
"""The first candidate that is no choice among inputs."""

LAST = Candidate(DONE, earlier_scale=False, earlier_pods=False, nth=0)
"""After it comes no other."""


class Options(NamedTuple):
    """Which candidates a reconcile has.

    earlier_scale, earlier_pods   they changed so shortly before it that its cache may not have had the change
    failed_reads      in how many ways reads may have failed
    recommendations   an unseen recommendation may still count;  events   an unseen scale event may
    shifts            something remembered is so near the age at which it stops counting that its side is not known
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


def next_candidate(candidate: Candidate, answers: int, options: Options, is_proven: bool) -> Candidate:
    """The next candidate.

    answers   how many choices of answers there are with the scale of `candidate`

    Failed reads are tried only while no inputs are proven: some failure explains almost every status.
    """
    if candidate.kind == INPUTS:
        following = _next_inputs(candidate, answers, options)
        if following.kind == INPUTS:
            return following
        kind, nth = following.kind, following.nth
    else:
        kind, nth = candidate.kind, candidate.nth + 1
    if kind == FAILED_READS and (is_proven or nth >= options.failed_reads):
        kind, nth = UNSEEN_MEMORY, 0
    if kind == UNSEEN_MEMORY and nth < RECOMMENDATIONS and not options.recommendations:
        nth = RECOMMENDATIONS
    if kind == UNSEEN_MEMORY and nth >= RECOMMENDATIONS and not options.events:
        nth = EXTREMES
    if kind == UNSEEN_MEMORY and nth >= ALONE and not options.recommendations:
        nth = EXTREMES
    if kind == UNSEEN_MEMORY and nth >= EXTREMES:
        kind, nth = SHIFTED_MEMORY, 0
    if kind == SHIFTED_MEMORY and (nth >= SHIFTS or not options.shifts):
        kind, nth = DONE, 0
    return Candidate(kind, earlier_scale=False, earlier_pods=False, nth=nth)


def _next_inputs(candidate: Candidate, answers: int, options: Options) -> Candidate:
    """The next inputs: all answers, then earlier pods, then an earlier scale; else the first failed read."""
    if candidate.nth + 1 < answers:
        return Candidate(INPUTS, candidate.earlier_scale, candidate.earlier_pods, candidate.nth + 1)
    if options.earlier_pods and not candidate.earlier_pods:
        return Candidate(INPUTS, candidate.earlier_scale, earlier_pods=True, nth=0)
    if options.earlier_scale and not candidate.earlier_scale:
        return Candidate(INPUTS, earlier_scale=True, earlier_pods=False, nth=0)
    return Candidate(FAILED_READS, earlier_scale=False, earlier_pods=False, nth=0)


def answer_choices(following: int) -> int:
    """How many choices of answers there are if each of so many requests may have read its next answer instead."""
    return min(1 << following, MOST) if following < MOST else MOST


def chosen_answers(following: int, requests: int, nth: int) -> int:
    """The requests, a bit each, that read their next answer in the n-th choice.

    following   the requests whose next answer came in reach, a bit each;  requests   how many there are

    The last request changes fastest. All metrics that make one request read one answer: samples of two scrapes are
    never mixed.
    """
    chosen = 0
    for rank in range(requests - 1, -1, -1):
        if following >> rank & 1:
            chosen |= (nth & 1) << rank
            nth >>= 1
    return chosen


def extreme_of(nth: int) -> tuple[int, int]:
    """What the n-th extreme adds to a memory: the number of its recommendation, and 1 for an event up, 2 for one down.

    -1 where it adds none.
    """
    if nth < RECOMMENDATIONS:
        return nth, -1
    if nth < ALONE:
        return -1, nth - RECOMMENDATIONS + 1
    return (nth - ALONE) % RECOMMENDATIONS, (nth - ALONE) // RECOMMENDATIONS + 1


def failed_reads(requests: int, is_scale_read: bool) -> int:
    """In how many ways reads of the controller may have failed while ours succeeded.

    requests       how many requests for metrics it makes;  is_scale_read   we have a scale that it can have read

    The scale alone, then each request alone, then all requests together.
    """
    return (1 if is_scale_read else 0) + (requests + 1 if requests > 1 else requests)


def is_scale_unread(nth: int, is_scale_read: bool) -> bool:
    """True if the n-th failed read is that of the scale: no metric is asked for then."""
    return is_scale_read and nth == 0


def unanswered(requests: int, nth: int, is_scale_read: bool) -> int:
    """The requests, a bit each, whose read failed in the n-th way."""
    alone = nth - 1 if is_scale_read else nth
    return 1 << alone if alone < requests else (1 << requests) - 1


class Band(NamedTuple):
    """What a reconcile may have decided, over the candidates that were tried so far.

    is_proven         some inputs give the published status; until then all inputs that were tried count
    is_explained      with what is remembered these also stabilize and limit as the published conditions say
    is_empty          no candidate counts yet
    undecided         some candidate decides no number;  lowest, highest   of the others, UNKNOWN without one
    missing           what is missing to know which: SAMPLE, MEMORY or EDGE
    """

    is_proven: bool
    is_explained: bool
    is_empty: bool
    undecided: bool
    lowest: int
    highest: int
    missing: int


NO_BAND = Band(
    is_proven=False,
    is_explained=True,
    is_empty=True,
    undecided=False,
    lowest=UNKNOWN,
    highest=UNKNOWN,
    missing=NOTHING_MISSING,
)


def proves(band: Band, kind: int, fits: bool) -> bool:
    """True if a candidate is the first whose inputs fit: it is taken for what the reconcile read."""
    return fits and not band.is_proven and kind in (INPUTS, FAILED_READS)


def proven_band(explained: bool) -> Band:
    """The band of the first inputs that fit, before what they decide; whether its memory explains the conditions."""
    return Band(
        is_proven=True,
        is_explained=explained,
        is_empty=True,
        undecided=False,
        lowest=UNKNOWN,
        highest=UNKNOWN,
        missing=NOTHING_MISSING,
    )


def widened(band: Band, kind: int, fits: bool, desired: int) -> Band:
    """The band with what one more candidate decides, UNKNOWN where it decides no number.

    fits   its inputs give the published status; of a candidate with another memory, its conditions do

    A band that is not proven keeps all inputs, because the reconcile read one of them. It keeps a failed read only if
    that fits: else it is a guess. Where another memory decides the same, and only that explains the conditions, it is
    missing: the number is certain, and not what made it.
    """
    counts = fits == band.is_proven if kind == INPUTS else fits
    if not counts:
        return band
    undecided, lowest, highest = band.undecided or desired == UNKNOWN, band.lowest, band.highest
    if desired != UNKNOWN:
        lowest = desired if lowest == UNKNOWN else min(lowest, desired)
        highest = max(highest, desired)
    missing = band.missing
    changes = undecided != band.undecided or lowest != band.lowest or highest != band.highest
    explains = kind == UNSEEN_MEMORY and not band.is_explained
    if missing == NOTHING_MISSING and (changes or explains) and not band.is_empty:
        missing = missing_of(kind)
    return Band(
        band.is_proven,
        band.is_explained,
        is_empty=False,
        undecided=undecided,
        lowest=lowest,
        highest=highest,
        missing=missing,
    )


def missing_of(kind: int) -> int:
    """The input that is missing if candidates of this kind decide differently."""
    if kind == UNSEEN_MEMORY:
        return MEMORY
    return EDGE if kind == SHIFTED_MEMORY else SAMPLE
