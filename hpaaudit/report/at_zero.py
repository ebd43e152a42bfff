"""Words the times in which a target had no replicas because its HPA itself had written 0."""

from collections.abc import Iterator, Sequence

from hpaaudit.model.account import AtZero
from hpaaudit.model.units import SECOND
from hpaaudit.report.text import Clock, duration, duration_between


def zeros_in_words(zeros: Sequence[AtZero], clock: Clock) -> Iterator[str]:
    """One time with what became of it; of several how often, and for how long."""
    if len(zeros) == 1:
        yield f"The HPA scaled to 0 {_at(zeros[0], clock)}{_aftermath(zeros[0], clock)}."
    elif zeros:
        known = sum(_known_us(zero, clock) for zero in zeros)
        least = "at least " if any(not _is_certain(zero) for zero in zeros) else ""
        first, last = _at(zeros[0], clock), _at(zeros[-1], clock)
        yield (
            f"The HPA scaled to 0 {len(zeros)} times, first {first}, last {last}: "
            f"there were no replicas for {least}{duration(known / SECOND)}."
        )


def _at(zero: AtZero, clock: Clock) -> str:
    seen = clock.seen(zero.at_us, zero.after_us)
    return seen if zero.after_us is not None else f"at {seen}"


def _aftermath(zero: AtZero, clock: Clock) -> str:
    """Who raised the replicas again, or why nobody is known to have."""
    if zero.unseen_us is not None:
        return f"; from {clock(zero.unseen_us)} on nobody looked"
    if zero.raised_us is None:
        end = f"until {clock(clock.last_us)}"
        if zero.released_us is not None:
            end = f"before the HPA {'was deleted' if zero.is_deleted else 'got another target'}"
            end = "before the target was gone" if zero.is_gone else end
        return f", and nothing raised that {end}"
    is_exact = zero.after_us is None and zero.raised_after_us is None
    begin_us = zero.at_us if zero.after_us is None else zero.after_us
    when = f"{'after' if is_exact else 'within'} {duration_between(begin_us, zero.raised_us)}"
    if not zero.is_raised_by_hpa:
        return f"; {zero.raised_by or 'somebody unknown'} raised that to {zero.raised_to} {when}"
    why = f", when {zero.metric} asked for pods again" if zero.metric else ""
    return f", and to {zero.raised_to} {when}{why}"


def _is_certain(zero: AtZero) -> bool:
    """Whether it is known just how long it lasted."""
    return zero.after_us is None and zero.raised_after_us is None and zero.unseen_us is None


def _known_us(zero: AtZero, clock: Clock) -> int:
    """For how long there certainly were none."""
    ends = (zero.unseen_us, zero.raised_after_us, zero.raised_us, zero.released_us, clock.last_us)
    return max(0, next(end for end in ends if end is not None) - zero.at_us)
