"""Classifies a pod: ready, unready, missing or ignored (`groupPods`).

An unready pod counts as idle on the way up and not at all on the way down; a missing one as idle on the way up and as
fully used on the way down; an ignored one never. So nothing moves further than the measured pods alone justify.
"""

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
    """The bucket as far as it needs no readiness; READY then means: judge a CPU pod further.

    ignored              the pod is being deleted or has failed
    pending_is_unready   since 1.16 a pending pod is unready; before, it was missing like any pod without a sample
    """
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

    judged             it has a Ready condition and a start time; without them it is unready
    start_us           when it started;  transition_us   when its Ready condition last changed
    sample_us, window_us   when its usage was measured, and over how long before that
    initialization_us  of `--horizontal-pod-autoscaler-cpu-initialization-period`: until then CPU may be that of a start
    delay_us           of `--horizontal-pod-autoscaler-initial-readiness-delay`: a pod that turned unready within
                       it after its start never was ready

    All comparisons are strict: a period that ends exactly now is over. Other metrics than CPU do not ask for readiness.
    """
    if not judged:
        return UNREADY_NO_CONDITION
    if start_us + initialization_us > now_us:
        if ready_false:
            return UNREADY_INITIALIZING
        # Ready by now, but the sample may still measure the time before.
        if sample_us < transition_us + window_us:
            return UNREADY_OLD_SAMPLE
        return READY
    if ready_false and start_us + delay_us > transition_us:
        return UNREADY_NEVER_READY
    return READY
