"""The results of a replay and of one reconcile as values, which `report/` words."""

from dataclasses import dataclass

from hpaaudit.model.audit import Assumption
from hpaaudit.model.flips import Flip, PolicyBudget
from hpaaudit.model.inspection import Missing
from hpaaudit.model.shown import Explained
from hpaaudit.model.timeline import Timeline
from hpaaudit.model.times import At, MaybeAt
from hpaaudit.model.units import Micros, Milli


@dataclass(frozen=True, slots=True, kw_only=True)
class Metric:
    """One metric of a reconcile. `target` is in milli, or in percent if `target_type` is Utilization.

    label   what screens call it: its name, and what tells it from others of that name
    """

    name: str
    label: str
    type: str
    target_type: str
    target: int | None
    current_utilization: int | None
    current_milli: Milli | None
    ratio: float | None = None
    ratio_adjusted: float | None = None
    tolerance: float | None = None
    proposal: int | None = None
    valid: bool = True
    invalid_code: str = ""
    invalid_text: str = ""
    adjust_code: str = ""
    ready_pods: int | None = None
    unready_pods: int | None = None
    missing_pods: int | None = None
    ignored_pods: int | None = None
    is_winner: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """A change of `spec.replicas`, or one that was predicted and did not happen (`writer_class` is empty).

    raw_desired    what the metrics asked for;  stabilized  what memory made of it
    tied_metrics   metrics besides `metric` that asked for the same number
    evidence_level   how the writer is known, as in `scale_events`
    is_undecidable   what its reconcile depended on was not recorded
    after_us         it was written after this and not after `at_us`, if these are more than two seconds apart
    is_remade        the target was deleted and made again, with another number
    """

    at_us: Micros
    from_replicas: int
    to_replicas: int
    writer_class: str
    writer_name: str
    decided: int | None
    replay: int | None
    reason_code: str
    metric: Metric | None
    divergence_class: str
    severity: str
    confidence: str
    raw_desired: int | None = None
    stabilized: int | None = None
    tied_metrics: tuple[str, ...] = ()
    evidence_level: str = ""
    is_undecidable: bool = False
    after_us: Micros | None = None
    is_remade: bool = False

    at = At("at_us")
    after = MaybeAt("after_us")


@dataclass(frozen=True, slots=True, kw_only=True)
class ForeignWrite:
    """A write of `spec.replicas` by somebody else.

    restored_us, restored_to   the HPA's write that undid it, None if none did
    may_be_hpa   nobody saw who wrote, and what the HPA did then is not known either, or it wanted that number: it may
                 have written it itself
    after_us     it was written after this and not after `at_us`, if these are more than two seconds apart
    since_us     when the former number was seen last, if nobody looked until `at_us`; several may have written
    is_remade    the target was deleted and made again, with another number
    is_wanted    the HPA decided the same number just before
    unseen_us    when nobody looked any more, before it was undone; None if that was not so
    answered_us, answered_to   the HPA's next write, None if there was none
    undone_us, undone_to, undone_by   when somebody else undid it before, and who (empty: unknown); None if nobody did
    undone_may_be_hpa   of the write that undid it: as `may_be_hpa`
    undone_after_us   that was written after this, if it is more than two seconds before
    released_us  when the HPA scaled the target no more: it was deleted (`is_deleted`), or got another target, or the
                 target was gone (`is_gone`)
    missing_pod_s   replicas below the former number that the metrics asked for all the same, times the seconds until
                 they were restored, nobody looked, the HPA was released, or the recording ended; None if it is unknown
                 what was asked for
    is_least     at zero the HPA was off for a part of that time, of which nothing is counted
    """

    at_us: Micros
    writer_class: str
    writer_name: str
    from_replicas: int
    to_replicas: int
    restored_us: Micros | None
    restored_to: int | None
    may_be_hpa: bool = False
    after_us: Micros | None = None
    since_us: Micros | None = None
    unseen_us: Micros | None = None
    is_remade: bool = False
    is_wanted: bool = False
    undone_us: Micros | None = None
    undone_to: int | None = None
    undone_by: str = ""
    undone_may_be_hpa: bool = False
    undone_after_us: Micros | None = None
    answered_us: Micros | None = None
    answered_to: int | None = None
    released_us: Micros | None = None
    is_deleted: bool = False
    is_gone: bool = False
    missing_pod_s: float | None = 0.0
    is_least: bool = False

    at = At("at_us")
    restored = MaybeAt("restored_us")
    after = MaybeAt("after_us")
    since = MaybeAt("since_us")
    unseen = MaybeAt("unseen_us")
    undone = MaybeAt("undone_us")
    undone_after = MaybeAt("undone_after_us")
    released = MaybeAt("released_us")
    answered = MaybeAt("answered_us")


@dataclass(frozen=True, slots=True, kw_only=True)
class Divergence:
    """A run of reconciles in which what the replay decided differs from what happened.

    reconciles   how many belong to it;  certain   those that are known to differ: the others cannot be decided
    is_decided_alike   the controller decided what the replay does: the difference arose afterwards
    """

    opened_us: Micros
    closed_us: Micros | None
    divergence_class: str
    severity: str
    confidence: str
    reconciles: int
    explanation: str
    next_step: str
    certain: int = 0
    is_decided_alike: bool = False

    opened = At("opened_us")
    closed = MaybeAt("closed_us")


@dataclass(frozen=True, slots=True, kw_only=True)
class Outage:
    """A time in which the controller did not reconcile an HPA.

    divergence_class   why, as in `divergences`;  missed   how many reconciles of the time that is shown
    until_us   None: to the end of the recording;  is_cut   or of the time that is shown, and it may have gone on
    is_least   it may have lasted longer: that it ended was not seen
    """

    divergence_class: str
    missed: int
    began_us: Micros
    until_us: Micros | None
    is_cut: bool = False
    is_least: bool = False

    began = At("began_us")
    until = MaybeAt("until_us")


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """A known pattern that the recording shows, and what to do about it."""

    pattern: str
    first_us: Micros
    last_us: Micros
    severity: str
    verdict: str
    next_step: str

    first = At("first_us")
    last = At("last_us")


@dataclass(frozen=True, slots=True, kw_only=True)
class Hold:
    """For how long something kept an HPA from the number that its metrics asked for.

    cause   `memory`: a remembered recommendation; `up_window`: the window that delays a scale-up; `unready`,
            `unmeasured`: pods that counted as idle, or as busy; `up_forbidden`, `down_forbidden`: the window after the
            last change (to 1.11); `max_replicas`; `up_policy`, `up_disabled`, `down_policy`, `down_disabled`: policies
            of the behavior; `up_limit`: what a reconcile can add without one; `metric_failed`, `partial_metrics`: one
            metric failed, and the others could not scale; `metric_and_memory`: that, or memory alone, would have held
            it; `no_metric`, `target_unreadable`, `selector_ambiguous`, `selector_unusable`, `disabled_at_zero`: nothing
            was decided
    lasted_s   how long these reconciles stood, together
    is_least   perhaps it was longer: of a reconcile among them or beside them it is not known what was decided
    pod_s      what it cost: replicas that the metrics asked for and the HPA did not have, or had too many, times these
               seconds; 0 where it is unknown
    is_shared  some of these were missing after a write by somebody else, whose cost has them, too
    failed_metrics   how many metrics failed at once, where some had
    idle_pods, pods   of the reconcile with the most pods that counted as idle: these, and all that counted
    fell_us, fell_from, fell_to   when `up_window` first took replicas away, as it does up to 1.20; None if it did not
    """

    cause: str
    reconciles: int
    first_us: Micros
    last_us: Micros
    lasted_s: float = 0.0
    pod_s: float = 0.0
    idle_pods: int = 0
    pods: int = 0
    fell_us: Micros | None = None
    fell_from: int = 0
    fell_to: int = 0
    is_least: bool = False
    is_shared: bool = False
    failed_metrics: int = 1

    first = At("first_us")
    last = At("last_us")
    fell = MaybeAt("fell_us")


@dataclass(frozen=True, slots=True, kw_only=True)
class AtZero:
    """A time in which a target had no replicas because its HPA itself had written 0.

    after_us     that was written after this and not after `at_us`, if these are more than two seconds apart
    raised_us, raised_to   when the replicas were raised again, and to how many; None: not before the recording ended
    raised_after_us   as `after_us`, of that
    is_raised_by_hpa  the HPA did that;  metric  which asked for them (empty: a bound did)
    raised_by    who else did (empty: unknown)
    unseen_us    when nobody looked any more, before they were raised; None if that was not so
    released_us  when the HPA scaled the target no more: it was deleted (`is_deleted`), or got another target, or the
                 target was gone (`is_gone`)
    """

    at_us: Micros
    after_us: Micros | None = None
    raised_us: Micros | None = None
    raised_after_us: Micros | None = None
    raised_to: int | None = None
    is_raised_by_hpa: bool = False
    raised_by: str = ""
    metric: str = ""
    unseen_us: Micros | None = None
    released_us: Micros | None = None
    is_deleted: bool = False
    is_gone: bool = False

    at = At("at_us")
    after = MaybeAt("after_us")
    raised = MaybeAt("raised_us")
    raised_after = MaybeAt("raised_after_us")
    unseen = MaybeAt("unseen_us")
    released = MaybeAt("released_us")


@dataclass(frozen=True, slots=True, kw_only=True)
class Otherwise:
    """What the settings of a what-if would decide otherwise than the controller did, with its own.

    settings      those that were asked for, as `tolerance 0.3`
    reconciles    so many would decide another number;  statuses   and so many only publish another status
    first_us      the first of them, None if there is none;  first_desired, first_real   its two numbers, None: none
    """

    settings: tuple[str, ...]
    reconciles: int = 0
    statuses: int = 0
    first_us: Micros | None = None
    first_desired: int | None = None
    first_real: int | None = None

    first = MaybeAt("first_us")


@dataclass(frozen=True, slots=True, kw_only=True)
class HpaAccount:
    """What a replay says of one HPA, from its first reconcile to its last; it may have none in the time that is shown.

    comparable        decidable reconciles of which the controller's decision is known;  agree  it was the replay's
    undecidable_why   what was not recorded: a `missing_input`, or a text about a gap
    other_reasons     Events of changes that name another reason than the replay
    moment_us         the moment of the headline, which the next command explains; None: there is none
    told_scalings     how often its status told of another scaling
    seen_us, deleted_us   when it was first seen and deleted, if another HPA had its name too; None else
    former_targets    what it scaled before, each with the time until then
    zeros             the times at zero replicas that it wrote itself
    otherwise         of a what-if: what its settings change; None: the replay decides by the settings of the audit
    is_narrowed       the replay shows a part of the recording, and all of this is said of that part alone
    """

    namespace: str
    name: str
    target: str
    reconciles: int
    match: int
    skew: int
    divergent: int
    undecidable: int
    undecidable_s: float
    undecidable_why: tuple[str, ...]
    proven: int
    changes: tuple[Change, ...]
    foreign_writes: tuple[ForeignWrite, ...]
    divergences: tuple[Divergence, ...]
    findings: tuple[Finding, ...] = ()
    comparable: int = 0
    agree: int = 0
    seen: int = 0
    holds: tuple[Hold, ...] = ()
    other_reasons: int = 0
    moment_us: Micros | None = None
    told_scalings: int = 0
    seen_us: Micros | None = None
    deleted_us: Micros | None = None
    former_targets: tuple[tuple[str, Micros], ...] = ()
    otherwise: Otherwise | None = None
    outages: tuple[Outage, ...] = ()
    is_narrowed: bool = False
    zeros: tuple[AtZero, ...] = ()

    moment = MaybeAt("moment_us")
    seen_at = MaybeAt("seen_us")
    deleted = MaybeAt("deleted_us")


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplayAccount:
    """One replay.

    file        the results file;  recording   the recording that was replayed
    later_releases   those as which later controller processes were decided, with the time of each
    api_server  other versions that the API server said later, if nothing tells the release of the controller
    lease_holders    who else held the controller's Lease, from when until when it went on without it
    gaps        what was not observed, and for how many seconds
    missing     what was not recorded at all, as `inspect` says it
    complete    the recorder ended the recording;  is_empty  nothing at all was recorded
    timelines   the first HPAs over time, as many as a page draws; only those whose replicas changed, or that something
                held or sets apart from the replay. Several HPAs that had one name in turn are one timeline
    options     those that made it a what-if, as a command has them; empty: it is of what was recorded
    is_narrowed   it shows a part of the recording: `--since` or `--until` was given
    detail      how much was kept of each reconcile: `numbers`, `moved`, `steps`, `pods` or `all`
    other_what_ifs   the options of earlier what-ifs that the file keeps beside this one, the last one first
    """

    file: str
    recording: str
    started_us: Micros
    ended_us: Micros
    release: str
    assumptions: tuple[Assumption, ...]
    gaps: tuple[tuple[str, float], ...]
    hpas: tuple[HpaAccount, ...]
    missing: tuple[Missing, ...] = ()
    complete: bool = True
    is_empty: bool = False
    timelines: tuple[Timeline, ...] = ()
    later_releases: tuple[tuple[Micros, str], ...] = ()
    api_server: tuple[tuple[Micros, str], ...] = ()
    lease_holders: tuple[tuple[str, Micros, Micros | None], ...] = ()
    options: str = ""
    detail: str = ""
    other_what_ifs: tuple[str, ...] = ()
    is_narrowed: bool = False

    started = At("started_us")
    ended = At("ended_us")


@dataclass(frozen=True, slots=True, kw_only=True)
class StepLine:
    """A step of a decision, with its detail as it was stored."""

    stage: str
    code: str
    before: int | None
    after: int | None
    binding: bool
    detail: tuple[tuple[str, str | int | float | None], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class PodLine:
    """How many pods one metric put into one bucket for one cause."""

    metric_idx: int
    bucket: str
    why_code: str
    pods: int


@dataclass(frozen=True, slots=True, kw_only=True)
class PodMember:
    """One pod of a metric: its bucket and why, and the usage that counted, measured or filled in."""

    metric_idx: int
    bucket: str
    why_code: str
    pod: str
    value: Milli | None
    request: Milli | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ConditionText:
    """A condition of a status with its message."""

    type: str
    status: str
    reason: str
    message: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Hidden:
    """When nobody looked at an HPA, or at its target: what they were then is known only as of `since_us`.

    hides_hpa, hides_target   which of them
    """

    since_us: Micros
    until_us: Micros
    hides_hpa: bool
    hides_target: bool

    since = At("since_us")
    until = At("until_us")


@dataclass(frozen=True, slots=True, kw_only=True)
class ReconcileAccount(Explained):
    """One reconcile: what it read, how it came to its number, and what the controller published and the cluster did.

    started_us, ended_us   the span of the recording
    conditions   as published after it: type, status, reason
    events       that the controller posted in it: reason, message
    before       the last change of `spec.replicas` before it
    steps        empty if they were not stored and cannot be decided again
    flips        the nearest changes of inputs that change its decision. Each is proven by deciding with and without it
    without_tolerance   what is decided of the same inputs without a tolerance; None if that was not asked
    members      the pods of each metric by name; empty if they were not stored and cannot be decided again
    budget       of each policy of the direction in which the HPA wanted to go; empty without a behavior
    published, computed   the texts of the conditions, as the controller published them and as the replay computes them
    file         the results file
    release      the one as which its controller process is decided
    api_server   the last other version than the first that it had said, if nothing tells the controller's release
    assumed      settings that were not recorded and that this decision used, with their values
    hidden       the gap in which the HPA or its target was not looked at; None if they were, or if that is no matter.
                 What was not looked at is as it was seen last, and no evidence
    asked_us     the time that was asked for, if no reconcile was in that second; None else. This is the last one before
                 it, or the HPA's first one, if that was later
    before_asked_s   how many seconds it was before `asked_us`; None if it is that very reconcile, or was later
    seen_us      when the HPA was first seen, if that was after `asked_us`; else None
    deleted_us   when it was deleted, if that was before `asked_us`; else None
    what_if      the options that made the replay a what-if; empty: it is of what was recorded
    """

    recording: str
    started_us: Micros
    ended_us: Micros
    reconcile_id: int
    namespace: str
    name: str
    at_us: Micros
    at_source: str
    uncertainty_s: float
    release: str
    spec_replicas: int | None
    status_replicas: int | None
    min_replicas: int | None
    max_replicas: int | None
    raw_desired: int | None
    stabilized: int | None
    rate_limited: int | None
    desired: int | None
    status_desired: int | None
    decided: int | None
    decided_source: str
    actual: int | None
    band: tuple[int, int] | None
    verdict: str
    reason_code: str
    evidence: str
    missing_input: str
    error: str
    metrics: tuple[Metric, ...]
    steps: tuple[StepLine, ...]
    pods: tuple[PodLine, ...]
    conditions: tuple[tuple[str, str, str], ...]
    events: tuple[tuple[str, str], ...]
    before: Change | None
    divergence: Divergence | None
    flips: tuple[Flip, ...] = ()
    without_tolerance: int | None = None
    members: tuple[PodMember, ...] = ()
    budget: tuple[PolicyBudget, ...] = ()
    published: tuple[ConditionText, ...] = ()
    computed: tuple[ConditionText, ...] = ()
    assumed: tuple[Assumption, ...] = ()
    file: str = ""
    api_server: str = ""
    hidden: Hidden | None = None
    asked_us: Micros | None = None
    before_asked_s: float | None = None
    seen_us: Micros | None = None
    deleted_us: Micros | None = None
    what_if: str = ""

    started = At("started_us")
    ended = At("ended_us")
    at = At("at_us")
    asked = MaybeAt("asked_us")
    seen = MaybeAt("seen_us")
    deleted = MaybeAt("deleted_us")
