"""Words a write of the replicas by somebody else: who, what became of it, and how many pods were missing."""

from collections.abc import Iterator, Sequence

from hpaaudit.model.account import ForeignWrite
from hpaaudit.model.counted import counted
from hpaaudit.model.units import Micros
from hpaaudit.report.hold import cost_in_words
from hpaaudit.report.text import Clock, duration_between

TOLD = 2
"""So many writes have a sentence of their own. The rest is counted."""


def foreign_writes_in_words(writes: Sequence[ForeignWrite], clock: Clock, told: int = TOLD) -> Iterator[str]:
    """The first writes, so many told in a sentence each, and how often who wrote after them."""
    yield from (foreign_write_in_words(write, clock) for write in writes[:told])
    for is_remade, deed in ((False, "wrote"), (True, "made the target again")):
        more = [write for write in writes[told:] if not write.may_be_hpa and write.is_remade == is_remade]
        if more:
            yield _counted(more, deed, clock)


def _counted(more: Sequence[ForeignWrite], deed: str, clock: Clock) -> str:
    """How often who did what, and when last."""
    names = {write.writer_name if write.since_us is None else "" for write in more}
    (who,) = names if len(names) == 1 else ("",)
    sums = [write.missing_pod_s for write in more]
    is_least = any(write.is_least or write.after_us is not None for write in more)
    cost = cost_in_words(sum(filter(None, sums)), "missing at least" if is_least else "missing")
    if None in sums:
        cost = "; how many pods were missing is unknown"
    last = clock.seen(more[-1].at_us, more[-1].after_us)
    if more[-1].after_us is None:
        last = f"at {last}"
    return f"{who or 'Others'} {deed} {counted(len(more), 'more time')}, the last {last}{cost}."


def foreign_write_in_words(write: ForeignWrite, clock: Clock) -> str:
    """Who wrote what, what became of it, and how many pods were missing until then."""
    if write.since_us is not None:
        span = f"Between {clock(write.since_us)} and {clock(write.at_us)}"
        return f"{span} nobody looked, and {write.from_replicas} became {write.to_replicas}: who wrote is unknown."
    who = write.writer_name or "somebody unknown"
    deed = "made the target again: " if write.is_remade else "wrote "
    at = f"At {clock(write.at_us)}"
    if write.after_us is not None:
        at = f"Between {clock(write.after_us)} and {clock(write.at_us)}"
    wrote = f"{at} {who} {deed}{write.from_replicas} -> {write.to_replicas}"
    if write.may_be_hpa:
        return f"{wrote}: perhaps the HPA itself: nobody saw who wrote."
    if write.missing_pod_s is None or (write.is_least and round(write.missing_pod_s / 60) == 0):
        cost = "; how many pods were missing is unknown"
    else:
        kind = "missing at least" if write.is_least or write.after_us is not None else "missing"
        cost = cost_in_words(write.missing_pod_s, kind)
        if cost and write.unseen_us is not None:
            cost += " until then"
    return f"{wrote}; {_aftermath(write, clock)}{cost}."


def _aftermath(write: ForeignWrite, clock: Clock) -> str:
    """Who undid a write, or why nobody is known to have."""
    if write.is_wanted:
        return "the HPA wanted that number, too"
    if write.unseen_us is not None:
        return f"from {clock(write.unseen_us)} on nobody looked"
    if write.undone_us is not None:
        undoer = write.undone_by or "somebody unknown"
        if write.undone_may_be_hpa:
            undoer = "somebody unknown or the HPA itself"
        undone = _until(write, write.undone_us, write.undone_after_us)
        if write.answered_us is not None and write.answered_us < write.undone_us:
            # What was undone then is the HPA's number.
            answered = f"the HPA wrote {write.answered_to} {_until(write, write.answered_us)}"
            return f"{answered}, and {undoer} {write.undone_to} {undone}"
        undid = "undid that" if write.undone_to == write.from_replicas else f"wrote {write.undone_to}"
        return f"{undoer} {undid} {undone}"
    return _answer(write)


def _answer(write: ForeignWrite) -> str:
    """What the HPA wrote next, and when it undid the write."""
    wrote = ""
    if write.answered_us is not None:
        wrote = f"the HPA wrote {write.answered_to} {_until(write, write.answered_us)}"
    if write.restored_us is None:
        end = "the recording ended"
        if write.released_us is not None:
            end = "it was deleted" if write.is_deleted else "it got another target"
            end = "the target was gone" if write.is_gone else end
        no = f"the HPA did not undo that before {end}"
        return f"{wrote}, and not {write.from_replicas} again" if wrote else no
    had = f"had {write.restored_to} again" if write.restored_to == write.from_replicas else f"wrote {write.restored_to}"
    undid = f"{had} {_until(write, write.restored_us)}"
    if wrote and write.answered_us != write.restored_us:
        return f"{wrote}, and {undid}"
    return f"the HPA {undid}"


def _until(write: ForeignWrite, at_us: Micros, after_us: Micros | None = None) -> str:
    """How long after a write something happened: at most so long, if nobody saw when either was written.

    after_us   it happened after this and not after `at_us`, if these are more than two seconds apart
    """
    how = "after" if write.after_us is None and after_us is None else "within"
    return f"{how} {duration_between(write.at_us if write.after_us is None else write.after_us, at_us)}"
