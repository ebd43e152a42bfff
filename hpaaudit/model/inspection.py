"""What is in a recording, what is damaged, and what it cannot show."""

from dataclasses import dataclass

from hpaaudit.model.audit import RecordingInfo
from hpaaudit.model.facts import Gap
from hpaaudit.model.shown import Printed
from hpaaudit.model.times import MaybeAt
from hpaaudit.model.units import Micros


@dataclass(frozen=True, slots=True, kw_only=True)
class Damage:
    """A file that differs from what was written.

    segment   number of its segment; 0 for `recording.json`
    file      path inside the recording's folder
    problem   the rest of a sentence: `has 4312 bytes, its manifest says 4320`
    refused   the disk failed to read it, so it may be undamaged
    """

    segment: int
    file: str
    problem: str
    refused: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Anchor:
    """What a hash proves if it was stored outside of the recording.

    found     it is the head of this recording, or was
    whole     it covers every byte that is there now
    segment   number of the last segment that it covers, 0 for none
    """

    expected: str
    found: bool
    whole: bool
    segment: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Verification:
    """The result of a check of every checksum.

    files, bytes  of its tables, all checked
    facts         how many were read as well, None if only checksums were checked
    sound_until   the last time before the first damage, None without damage or with nothing before it
    unfinished    segments that were being written when the recorder died: not damage, not read
    logged        facts in the write-ahead log, which are in no segment yet
    torn          bytes at the end of the log that were being written when the recorder died: not damage, not read
    removed       number of the last segment that was removed, 0 if none was;  removed_us   the time of its last fact
    repaired      numbers of segments that replace damaged ones
    head          the hash that covers every byte
    anchor        what the hash proves that the user stored elsewhere, None if none was given
    foreign       names in the folder that are not part of the recording, at most 1,000;  foreign_count   of all
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

    removed_at = MaybeAt("removed_us")


@dataclass(frozen=True, slots=True, kw_only=True)
class Mend:
    """The repair of one file.

    file          the damaged file, relative to the recording's folder
    problem       the rest of a sentence, as in `Damage`
    kept          facts of it that are saved;  lost  facts that are not, None if their number is unknown
    quarantined   what is moved to the quarantine
    """

    file: str
    problem: str
    kept: int = 0
    lost: int | None = 0
    quarantined: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Repair:
    """What a repair did, or would do.

    path    the recording's folder
    mends   in the order of the segments; empty if nothing is damaged
    done    False if it was only planned
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
    """One polled request: how often it was read, and how many items it brought.

    kind      `scale`, `resource` or `values`
    request   its path
    polled    items of all answers;  new   items that differed from the answer before; 0 for scales
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
    """Something that was not recorded, and what is unknown without it."""

    what: str
    limits: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Unread:
    """An object, an answer or a value that was refused `count` times, and why.

    what   its path, as far as it is known
    """

    what: str
    reason: str
    count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Inspection(Printed):
    """What is in a recording.

    first_us, last_us   times of the first and the last fact, None without facts
    releases            as the controller or the API server reported them, in order of appearance
    hpas                `namespace/name`, sorted: those that were asked for;  hpa_count   of all
    pods, targets       distinct ones
    polled, new         items of all answers, and those that were new; a pod with its containers is one
    refused             what does not have the shape that the API defines, the most frequent first
    bytes               of all segments, manifests included, and of the log
    logged              facts in the write-ahead log, which are in no segment yet;  torn   incomplete bytes at its end
    recorders           in order of appearance: version, server, trust and auth, as in `recorders`
    foreign             names in the folder that are not part of the recording, at most 1,000
    foreign_count       how many there are
    since_us, until_us  HPAs, pods, targets, reads, what was refused and gaps are of this time; None: from the begin,
                        to the end. Everything else is of the whole recording
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
    hpa_count: int
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
    since_us: Micros | None = None
    until_us: Micros | None = None

    first = MaybeAt("first_us")
    last = MaybeAt("last_us")
    since = MaybeAt("since_us")
    until = MaybeAt("until_us")
