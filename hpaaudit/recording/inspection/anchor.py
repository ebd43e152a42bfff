"""Finds the state of a recording that a hash proves, which was stored elsewhere."""

from collections.abc import Iterator

from hpaaudit.model.inspection import Anchor
from hpaaudit.recording.format import manifest
from hpaaudit.recording.reading.survey import Survey, recording_hash


def find_anchor(survey: Survey, expected: str) -> Anchor:
    """Look for a hash among the heads that the recording has or had.

    A head is the hash of the last document. Earlier heads can be found too: the next document names the hash of a
    manifest, and an `end.json` that was removed when the recorder continued can be made again from what is there.
    """
    if expected == survey.last_hash:
        return Anchor(expected=expected, found=True, whole=True, segment=_last(survey))
    heads = [(segment, covers_all) for sha256, segment, covers_all in _heads(survey) if sha256 == expected]
    if not heads:
        return Anchor(expected=expected, found=False, whole=False, segment=0)
    segment, covers_all = heads[-1]
    has_grown = survey.log_segment is not None or segment < _last(survey)
    return Anchor(expected=expected, found=True, whole=covers_all and not has_grown, segment=segment)


def _last(survey: Survey) -> int:
    """The number of the last sealed segment, 0 if there is none."""
    return max((segment.number for segment in survey.sealed), default=0)


def _heads(survey: Survey) -> Iterator[tuple[str, int, bool]]:
    """Yield every head, the last segment that it covers, and whether it covers all segments before that.

    A segment that replaces others is in no chain: only `recording_hash` covers it.
    """
    states = [(survey.head[manifest.HASH], 0, 0)]
    states += [(segment.next_link[0], segment.number, segment.next_link[1]) for segment in survey.sealed]
    for count, (sha256, number, facts) in enumerate(states):
        end = manifest.render({"segments": number, "facts": facts, "previous": sha256})[1]
        covered = survey.sealed[:count]
        for head in (sha256, end):
            yield head, number, not any(segment.removed for segment in covered)
            yield recording_hash(covered, head), number, True
