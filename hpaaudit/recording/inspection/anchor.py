"""Says which state of a recording a hash stands for that was kept elsewhere."""

from collections.abc import Iterator

from hpaaudit.model.inspection import Anchor
from hpaaudit.recording.format import manifest
from hpaaudit.recording.reading.survey import Survey, whole


def find_anchor(seen: Survey, expected: str) -> Anchor:
    """Look for a hash among the heads that this recording has or had.

    A head is the hash of the last document. Those of earlier times are found again: the next document names that of a
    manifest, and an `end.json` that went when the recorder went on is made of what is still there.
    """
    sealed = sum(segment.held is None for segment in seen.segments)
    if expected == seen.last_hash:
        return Anchor(expected=expected, found=True, whole=True, segment=_last(seen))
    found = [(segment, stand_in) for sha256, segment, stand_in in _heads(seen) if sha256 == expected]
    if not found:
        return Anchor(expected=expected, found=False, whole=False, segment=0)
    segment, stand_in = found[-1]
    rest = len(seen.segments) > sealed or segment < _last(seen)
    return Anchor(expected=expected, found=True, whole=stand_in and not rest, segment=segment)


def _last(seen: Survey) -> int:
    """The number of the last segment, 0 without any."""
    return max((segment.number for segment in seen.segments if segment.held is None), default=0)


def _heads(seen: Survey) -> Iterator[tuple[str, int, bool]]:
    """Yield every head, the last segment that it leads to, and whether it leads to all before that.

    A segment that stands for others is in no chain: only the heads that are told of such a recording lead to it.
    """
    sealed = [segment for segment in seen.segments if segment.held is None]
    states = [(seen.head[manifest.HASH], 0, 0)]
    states += [(segment.before_next[0], segment.number, segment.before_next[1]) for segment in sealed]
    for count, (sha256, number, facts) in enumerate(states):
        end = manifest.render({"segments": number, "facts": facts, "previous": sha256})[1]
        led_to = sealed[:count]
        for head in (sha256, end):
            yield head, number, not any(segment.removed for segment in led_to)
            yield whole(led_to, head), number, True
