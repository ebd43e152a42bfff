"""Prepares a replay: reads when HPAs were reconciled, and settles how the controller was started."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import takewhile
from typing import TYPE_CHECKING

from hpaaudit.flows.chosen_hpas import chosen_by_labels, chosen_by_names
from hpaaudit.flows.options import AS_RECORDED, EVERYTHING, ControllerOptions, Scope
from hpaaudit.model.audit import DECLARED, Assumption
from hpaaudit.model.facts import ControllerSeen
from hpaaudit.model.flags import LEASE_DURATION_US, OLD_SYNC_PERIOD_US, Flags
from hpaaudit.model.units import Micros

if TYPE_CHECKING:
    from hpaaudit.engine.fleet.reconciles.inferred import InferredReconciles
    from hpaaudit.engine.replay.plan import Plan
    from hpaaudit.engine.replay.process import MemoryLoss
    from hpaaudit.recording.reading.recording import Recording

OWN_PERIOD = "sync-period of "
"""How the assumption of one HPA's own sync period begins."""

TABLES_THAT_TELL_OF_THE_CONTROLLER = ("controllers", "hpas", "targets", "events", "leases", "versions")
"""All that a plan needs of a recording with a `reconcile` line for every reconcile."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Prepared:
    """A recording with its reconciles, the controller's settings and where they come from.

    derived   the inferred reconciles in the form of the compiled rules; None if the recording has `reconcile` lines,
              or if the rules are not compiled
    searched  every fact was searched for what cannot be replayed
    loss      when the controller's memory is lost, if another time than the recorded ones is tried
    recorded_release   what the recording says, empty if nothing
    flags     those of the first process whose settings are known
    hpas      `namespace/name` of each HPA to be replayed; empty: all
    unlabelled   HPAs that a selector leaves out because their labels were not recorded
    declared  the settings that the user declared as the controller's own
    lease_duration_us   how long the Lease lasts, as the user says; None: as it was recorded, or the default
    """

    recording: "Recording"
    plan: "Plan"
    flags: Flags
    overrides: Mapping[str, str]
    release_given: bool
    assumptions: tuple[Assumption, ...]
    recorded_release: str
    derived: "InferredReconciles | None" = None
    searched: bool = False
    loss: "MemoryLoss | None" = None
    hpas: frozenset[str] = frozenset()
    unlabelled: tuple[str, ...] = ()
    declared: frozenset[str] = frozenset()
    lease_duration_us: Micros | None = None

    @property
    def releases(self) -> dict[str, str]:
        """The release as which a process is decided, by the version or release that the recording gives it."""
        return {seen.version or seen.release: self.flags_of(seen).release for seen in self.plan.controllers}

    def flags_of(self, controller: ControllerSeen) -> Flags:
        """The flags of one controller process. What the user said wins.

        A line that tells anything of them tells all: what it does not list has its default. A line that tells nothing
        is of a process like the one before.
        """
        from hpaaudit.api.flags import with_flags
        from hpaaudit.engine.behaviours.release import known_release

        so_far = takewhile(lambda seen: seen is not controller, self.plan.controllers)
        told = controller if _tells(controller) else next(filter(_tells, reversed([*so_far])), None)
        if told is None:
            return self.flags
        recorded = told.version or told.release
        release = self.flags.release if self.release_given or not recorded else known_release(recorded)
        flags = with_flags(self._without_flags(release), dict(told.flags))
        return replace(with_flags(flags, self.overrides), gates=told.gates)

    def _without_flags(self, release: str) -> Flags:
        """What a process of this release has that was started with no flag, in this replay."""
        return Flags(
            release=release,
            sync_period_us=self.flags.sync_period_us,
            api_server=self.flags.api_server,
            with_behaviours=self.flags.with_behaviours,
            without_behaviours=self.flags.without_behaviours,
        )


def first_told(planned: "Plan") -> ControllerSeen | None:
    """The first controller process of which the recording tells release, flags or gates; None if it tells none."""
    return next(filter(_tells, planned.controllers), None)


def _tells(controller: ControllerSeen) -> bool:
    return bool(controller.version or controller.release or controller.flags or controller.gates)


def prepare(recording: "Recording", controller: ControllerOptions = AS_RECORDED, scope: Scope = EVERYTHING) -> Prepared:
    """Plan the reconciles of a recording, to be decided one at a time."""
    from hpaaudit.engine.replay.plan import plan

    planned = plan(recording.facts(), _given_sync_period(controller))
    return _narrowed(with_settings(recording, planned, controller), scope)


def prepare_compiled(
    recording: "Recording",
    controller: ControllerOptions = AS_RECORDED,
    scope: Scope = EVERYTHING,
    *,
    searched: bool = False,
) -> Prepared:
    """Plan the reconciles of a recording, to be decided by the compiled rules.

    searched   search every fact for what cannot be replayed. The compiled rules ask for that when they meet such a fact

    Raises `Unsupported` if the compiled rules cannot decide this recording.
    """
    from hpaaudit.engine.fleet.reconciles.inferred import InferredReconciles
    from hpaaudit.engine.replay.hpa_history import COMPONENT
    from hpaaudit.engine.replay.plan import plan
    from hpaaudit.recording.inspection.verify import require_sound

    # The rules read some columns and the results others: check every file first, and decide nothing from a part.
    require_sound(recording)
    period_us = _given_sync_period(controller)
    derived = None
    if any(segment.file("reconciles") for segment in recording.segments):
        planned = plan(recording.watched(TABLES_THAT_TELL_OF_THE_CONTROLLER), period_us, exact=True)
    else:
        derived = InferredReconciles(recording.reconcile_evidence(COMPONENT), period_us, recording.facts())
        planned = derived.plan()
    if searched or planned.unsupported:
        planned, searched = _without_unsupported(recording, planned, derived), True
    prepared = _narrowed(with_settings(recording, planned, controller), scope)
    return replace(prepared, derived=derived, searched=searched)


def _given_sync_period(controller: ControllerOptions) -> Micros | None:
    """The sync period that the user named, None if it is to be inferred."""
    from hpaaudit.api.flags import user_flags, with_flags

    options = user_flags(controller.flags)
    return with_flags(Flags(), options).sync_period_us if "sync-period" in options else None


def _without_unsupported(recording: "Recording", planned: "Plan", derived: "InferredReconciles | None") -> "Plan":
    """A plan for the compiled rules without the HPAs that cannot be replayed."""
    from hpaaudit.engine.fleet.input.search import TABLES, search
    from hpaaudit.engine.fleet.input.tables import COLUMNS

    left_out = search(recording.slices(TABLES, columns=COLUMNS))
    if derived is None:
        return replace(planned, unsupported=left_out.unsupported)
    derived.leave_out(left_out.unsupported)
    derived.repeated += left_out.unreadable
    return derived.plan()


def with_settings(recording: "Recording", planned: "Plan", controller: ControllerOptions) -> Prepared:
    """A plan with the controller's settings: what the user says, else what was recorded, else the defaults."""
    from hpaaudit.api.flags import (
        LEASE_DURATION,
        assumptions,
        duration_text,
        given_lease_duration_us,
        is_before_1_12,
        require_of_its_time,
        user_flags,
        with_flags,
    )
    from hpaaudit.engine.behaviours.release import (
        KNOWN,
        behaviour,
        behaviours_of,
        gates_missed,
        known_release,
        newest_serving,
    )

    options = user_flags(controller.flags)
    given_lease_us = given_lease_duration_us(options)
    given_release = None if controller.release is None else known_release(controller.release)
    process = first_told(planned)
    recorded_release = (process.version or process.release) if process is not None else planned.version
    # An API server that serves an old version of the HPA is as old, and no controller is newer than its API server.
    release = given_release or (
        known_release(recorded_release) if recorded_release else newest_serving(planned.api_versions)
    )
    unsaid = "default" if release == KNOWN[-1] else "inferred"
    release_source = "user" if given_release else ("observed" if recorded_release else unsaid)
    switched = {behaviour(name): on for name, on in controller.behaviours.items()}
    observed = dict(process.flags) if process is not None else {}
    flags = Flags(
        release=release,
        with_behaviours=tuple(sorted(name for name, on in switched.items() if on)),
        without_behaviours=tuple(sorted(name for name, on in switched.items() if not on)),
    )
    require_of_its_time(options, release)
    if is_before_1_12(release):
        flags = replace(flags, sync_period_us=OLD_SYNC_PERIOD_US)
    if planned.api_server:
        flags = replace(flags, api_server=planned.api_server)
    if behaviours_of(flags).metrics_annotation:
        # These controllers reconcile an HPA again as soon as they wrote its status: the times between say nothing.
        planned = replace(planned, periods=replace(planned.periods, shown=None))
    periods = planned.periods
    flags = with_flags(with_flags(flags, observed), options)
    if periods.source == "inferred":
        flags = replace(flags, sync_period_us=periods.common_us)
    inferred_gates: tuple[str, ...] = ()
    if process is not None:
        flags = replace(flags, gates=process.gates)
    else:
        inferred_gates = gates_missed(flags, planned.gates)
        flags = replace(flags, gates=tuple((name, True) for name in inferred_gates))
    prepared = Prepared(
        recording=recording,
        plan=planned,
        flags=flags,
        # How long a Lease lasts changes no decision.
        overrides={name: text for name, text in options.items() if name != LEASE_DURATION},
        release_given=given_release is not None,
        recorded_release=recorded_release or "",
        declared=controller.declared,
        lease_duration_us=given_lease_us,
        assumptions=(
            Assumption(key="release", value=release, source=release_source),
            *(
                replace(setting, source="inferred")
                if setting.key == "sync-period" and periods.source == "inferred"
                else setting
                for setting in assumptions(flags, observed, options)
            ),
            *(
                Assumption(key=f"{OWN_PERIOD}{key}", value=duration_text(period_us), source="inferred")
                for key, period_us in sorted(periods.own.items())
            ),
            *(
                Assumption(key=name, value="on" if on else "off", source="user")
                for name, on in sorted(switched.items())
            ),
            *(Assumption(key=name, value="on", source="inferred") for name in inferred_gates),
            *_of_the_lease(planned, observed, given_lease_us),
            Assumption(
                key="api-server", value=flags.api_server, source="inferred" if planned.api_server else "default"
            ),
        ),
    )
    settings = (
        replace(one, source=DECLARED) if one.source == "user" and one.key in controller.declared else one
        for one in (*prepared.assumptions, *_of_later_processes(prepared))
    )
    return replace(prepared, assumptions=tuple(settings))


def _of_later_processes(prepared: Prepared) -> Iterator[Assumption]:
    """An assumption for each flag that a later controller process has with another value than the one before."""
    from hpaaudit.api.flags import assumptions
    from hpaaudit.api.times import whole_seconds

    before = {setting.key: setting.value for setting in prepared.assumptions}
    for seen in filter(_tells, prepared.plan.controllers):
        for setting in assumptions(prepared.flags_of(seen), dict(seen.flags), prepared.overrides):
            if setting.key != "sync-period" and before.get(setting.key, setting.value) != setting.value:
                yield replace(setting, key=f"{setting.key} from {whole_seconds(seen.at_us)} on")
            before[setting.key] = setting.value


def _of_the_lease(planned: "Plan", observed: Mapping[str, str], given_us: Micros | None) -> Iterator[Assumption]:
    """How long a Lease lasts that is not renewed, if one was seen: whether the controller ran depends on it."""
    from hpaaudit.api.flags import LEASE_DURATION, duration_text, lease_duration_us

    if given_us is not None:
        yield Assumption(key=LEASE_DURATION, value=duration_text(given_us), source="user")
    elif planned.lease is not None:
        recorded_us = planned.lease.lasts_us or lease_duration_us(observed)
        yield Assumption(
            key=LEASE_DURATION,
            value=duration_text(recorded_us or LEASE_DURATION_US),
            source="observed" if recorded_us else "default",
        )


def _narrowed(prepared: Prepared, scope: Scope) -> Prepared:
    """Chooses the HPAs to be replayed. Raises UnknownHpa, and BadOption for a selector without recorded labels."""
    meant = chosen_by_names(scope.hpas, prepared.plan.keys)
    if not scope.selector:
        return replace(prepared, hpas=meant)
    recorded = prepared.recording.labels()
    labels = {key: recorded.get(key) for key in sorted(meant or prepared.plan.keys)}
    chosen = chosen_by_labels(scope.selector, labels, "this recording", scope.hpas)
    return replace(prepared, hpas=chosen.names, unlabelled=chosen.unlabelled)
