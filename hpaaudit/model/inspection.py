"""What is in a recording, what is wrong with it, and which verdicts it cannot reach."""

from dataclasses import dataclass

from hpaaudit.model.audit import RecordingInfo
from hpaaudit.model.facts import Gap
from hpaaudit.model.units import Micros


@dataclass(frozen=True, slots=True, kw_only=True)
class Damage:
    """A file that differs from what was written.

    segment   that it belongs to; 0: `recording.json`
    file      path inside the recording's folder
    problem   a predicate: `has 4312 bytes, its manifest says 4320`
    refused   the disk did not give it: it may be sound
    """

    segment: int
    file: str
    problem: str
    refused: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Anchor:
    """What a hash that was kept outside of a recording says of it.

    found     it is the head of this recording, or was
    whole     it leads to every byte that is there now
    segment   number of the last segment that it leads to, 0 for none
    """

    expected: str
    found: bool
    whole: bool
    segment: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Verification:
    """What a check of every checksum found.

    files, bytes  of its tables, all checked
    facts         that were read again, None where only checksums were asked for
    sound_until   the last instant before the first damage, None without damage or with nothing before it
    unfinished    segments that were being written when the recorder died: not damage, not read
    logged        facts that stand in the log, which is no segment yet
    torn          bytes at the end of the log that were being written when the recorder died: not damage, not read
    removed       number of the last segment that was removed, 0 where none was;  removed_us   its last instant
    repaired      numbers of segments that stand for damaged ones
    head          hash that leads to every byte
    anchor        what the hash says that the user kept elsewhere, None where none was given
    foreign       names in the folder that are no part of the recording, at most a thousand;  foreign_count   of all
    """

    info: RecordingInfo
    complete: bool
    segments: int
    files: int
    bytes: int
    facts: int | None
    sound_until: Micros | None
    damages: tuple[Damage, ...]
    unfinished: int
    logged: int = 0
    torn: int = 0
    removed: int = 0
    removed_us: Micros | None = None
    repaired: tuple[int, ...] = ()
    head: str = ""
    anchor: Anchor | None = None
    foreign: tuple[str, ...] = ()
    foreign_count: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Mend:
    """One thing that a repair does.

    file      that is damaged, relative to the recording's folder;  problem  a predicate
    kept      facts of it that stay;  lost  that are not there any more, None where nobody knows how many
    aside     what is moved to the quarantine
    """

    file: str
    problem: str
    kept: int = 0
    lost: int | None = 0
    aside: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Repair:
    """What a repair did, or would do.

    path    of the recording
    mends   in the order of the segments; none where everything is sound
    done    False: it was only planned
    """

    path: str
    mends: tuple[Mend, ...]
    done: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class TableSize:
    """Files, rows and bytes of one table over all segments."""

    table: str
    files: int
    rows: int
    bytes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class StreamSize:
    """One polled request: how often it was read and what came.

    kind      `scale`, `resource` or `values`
    request   its path
    polled    items of all answers;  new   those that an answer brought first; 0 for scales
    """

    kind: str
    request: str
    by: str
    reads: int
    failures: int
    polled: int
    new: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Missing:
    """Something that was not recorded, and what cannot be said without it."""

    what: str
    limits: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Unread:
    """An object, or what else was not taken up, and why: `count` times.

    what   its path, as far as it told one
    """

    what: str
    reason: str
    count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Inspection:
    """What is in a recording.

    first_us, last_us   of its facts, None without any
    releases            that the controller or the API server reported, in order of appearance
    hpas                `namespace/name`, sorted;  pods, targets   distinct ones
    polled, new         items of all answers, and those that were new; a pod with its containers is one
    refused             what was not taken up, for it has another shape than Kubernetes gives it, most often first
    bytes               of all segments, manifests included, and of the log
    logged              facts that stand in the log, which is no segment yet;  torn   bytes at its end that are none
    recorders           who recorded, in order of appearance: version, server, trust and auth, as in `recorders`
    foreign             names in the folder that are no part of the recording, at most a thousand
    foreign_count       of all of these
    """

    info: RecordingInfo
    complete: bool
    segments: int
    facts: int
    bytes: int
    first_us: Micros | None
    last_us: Micros | None
    releases: tuple[str, ...]
    hpas: tuple[str, ...]
    pods: int
    targets: int
    reads: int
    failures: int
    polled: int
    new: int
    tables: tuple[TableSize, ...]
    streams: tuple[StreamSize, ...]
    gaps: tuple[Gap, ...]
    missing: tuple[Missing, ...]
    refused: tuple[Unread, ...] = ()
    logged: int = 0
    torn: int = 0
    recorders: tuple[tuple[str, str, str, str], ...] = ()
    foreign: tuple[str, ...] = ()
    foreign_count: int = 0
