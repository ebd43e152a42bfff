"""Classifies a pod: ready, unready, missing or ignored (`groupPods`)."""

READY = 0
UNREADY = 1
MISSING = 2
IGNORED = 3

UNREADY_PENDING = 10
UNREADY_NO_CONDITION = 11
UNREADY_INITIALIZING = 12
UNREADY_OLD_SAMPLE = 13
UNREADY_NEVER_READY = 14


def classify(ignored: bool, pending: bool, has_sample: bool, pending_is_unready: bool) -> int:
    """The bucket as far as it needs no readiness; READY then means: judge a CPU pod further."""
    if ignored:
        return IGNORED
    if pending and pending_is_unready:
        return UNREADY
    if not has_sample:
        return MISSING
    return READY


def classify_cpu(
    judged: bool,
    ready_false: bool,
    start_us: int,
    transition_us: int,
    sample_us: int,
    window_us: int,
    now_us: int,
    initialization_us: int,
    delay_us: int,
) -> int:
    """READY, or why a pod with a CPU sample counts as unready.

    judged   it has a Ready condition and a start time
    All comparisons are strict: a period that ends exactly now is over.
    """
    if not judged:
        return UNREADY_NO_CONDITION
    if start_us + initialization_us > now_us:
        if ready_false:
            return UNREADY_INITIALIZING
        # The sample may still measure the time before the pod was ready.
        if sample_us < transition_us + window_us:
            return UNREADY_OLD_SAMPLE
        return READY
    if ready_false and start_us + delay_us > transition_us:
        return UNREADY_NEVER_READY
    return READY
