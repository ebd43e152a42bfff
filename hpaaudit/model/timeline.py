"""One HPA over time: its reconciles, the replicas of its target, and what happened besides."""

from dataclasses import dataclass
from enum import StrEnum

from hpaaudit.model.shown import Printed
from hpaaudit.model.times import At, MaybeAt
from hpaaudit.model.units import Micros


class MarkKind(StrEnum):
    """What a mark in a timeline stands for."""

    WRITE = "write"
    SPEC = "spec"
    ROLLOUT = "rollout"
    RESTART = "restart"
    LEASE = "lease"
    DIVERGENCE = "divergence"
    GAP = "gap"


@dataclass(frozen=True, slots=True, kw_only=True)
class Mark:
    """Something that happened besides a reconcile.

    until_us   its end, None for an instant
    after_us   nobody saw it being written: it was after this, and not after `at_us`; None: at `at_us`
    who        who did it, as far as that is known: a writer, a manager of fields, a holder of the Lease, a stream
               of the recorder
    what       what was done, such as `6 -> 2`, the class of a divergence, or the whole sentence of a restart
    """

    at_us: Micros
    until_us: Micros | None
    kind: MarkKind
    who: str
    what: str
    after_us: Micros | None = None

    at = At("at_us")
    until = MaybeAt("until_us")
    after = MaybeAt("after_us")


@dataclass(frozen=True, slots=True, kw_only=True)
class TimelinePoint:
    """One reconcile.

    replicas   `spec.replicas` that it read;  replay   what the replay wanted;  decided   what the controller wanted
    metric     the metric that decided, or the first one;  ratio   its value divided by its target, None if unmeasured
    ready, unready, missing, ignored   the pods of that metric by bucket; if it does not sort pods, those of another
               metric of the reconcile; None: no metric sorted them
    failed     the metrics that were unusable, in the order of the spec
    """

    at_us: Micros
    began_us: Micros
    replicas: int | None
    replay: int | None
    decided: int | None
    min_replicas: int | None
    max_replicas: int | None
    verdict: str
    reason_code: str
    metric: str
    ratio: float | None
    ready: int | None
    unready: int | None
    missing: int | None
    ignored: int | None
    failed: tuple[str, ...] = ()

    at = At("at_us")
    began = At("began_us")


@dataclass(frozen=True, slots=True, kw_only=True)
class Scale:
    """A change of the target's `spec.replicas`."""

    at_us: Micros
    from_replicas: int
    to_replicas: int

    at = At("at_us")


@dataclass(frozen=True, slots=True, kw_only=True)
class Absence:
    """A time in which there was no HPA of this name, or none of its targets: the replicas are unknown.

    until_us    when it was there again; None: not before the recording ended
    is_target   the target was gone, and the HPA was not
    """

    at_us: Micros
    until_us: Micros | None
    is_target: bool

    at = At("at_us")
    until = MaybeAt("until_us")


@dataclass(frozen=True, slots=True, kw_only=True)
class Timeline(Printed):
    """One HPA over the time that its recording covers.

    file        the results file;  recording   the recording that was replayed
    scales      actual changes of the target, in order
    absences    when there was no HPA, or no target
    moment_us   the moment that matters most
    later_releases   those as which later controller processes were decided, with the time of each
    what_if     the options that made the replay a what-if; empty: it is of what was recorded
    """

    file: str
    namespace: str
    name: str
    target: str
    release: str
    started_us: Micros
    ended_us: Micros
    points: tuple[TimelinePoint, ...]
    moment_us: Micros
    scales: tuple[Scale, ...]
    marks: tuple[Mark, ...]
    later_releases: tuple[tuple[Micros, str], ...] = ()
    absences: tuple[Absence, ...] = ()
    what_if: str = ""
    recording: str = ""

    started = At("started_us")
    ended = At("ended_us")
    moment = At("moment_us")
