"""Replays a recording: every reconcile is decided again, and the results compare it with what happened."""

import hashlib
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from hpaaudit.errors import BadOption, DamagedRecording
from hpaaudit.flows import fleet
from hpaaudit.flows.cache import cache_of
from hpaaudit.flows.chosen_hpas import label_selector, unlabelled_warning
from hpaaudit.flows.decide_again import CompiledRules
from hpaaudit.flows.declared import as_declared, declared_of, over_declared
from hpaaudit.flows.destination import Destination, destination_of, open_writer
from hpaaudit.flows.moments import When, require_in_order, time_of
from hpaaudit.flows.options import (
    AS_RECORDED,
    EVERYTHING,
    ControllerOptions,
    Scope,
    ShowProgress,
    Warn,
    command_line,
    ignore_warning,
    show_nothing,
)
from hpaaudit.flows.paths import RecordingPath, recorded_span, recording_folder
from hpaaudit.flows.prepare import Prepared, prepare, prepare_compiled
from hpaaudit.flows.provenance import is_ours, remember
from hpaaudit.flows.python_arguments import require_types
from hpaaudit.flows.sensitivity import MOST_RECONCILES, sensitivity
from hpaaudit.flows.trials import Decide
from hpaaudit.flows.what_if import Audit, marked, may_be_what_if, what_if
from hpaaudit.model.audit import Replay, ReplayedReconcile
from hpaaudit.model.counted import counted
from hpaaudit.model.facts import Fact, HpaSeen
from hpaaudit.model.sensitivity import Compared, Sensitivity
from hpaaudit.version import VERSION

if TYPE_CHECKING:
    from hpaaudit.recording.reading.recording import Recording
    from hpaaudit.results.read import Results
    from hpaaudit.results.write import ResultsWriter

TABLES_OF_FACTS = ("controllers", "hpas", "leases", "versions", "gaps")
"""Tables whose facts are handed to the results one by one. The results read larger tables as columns."""

SECONDS_PER_RECONCILE = 0.001
"""What one reconcile costs without the compiled rules, from the recording to the results."""

SECONDS_PER_INFERRED_RECONCILE = 0.003
"""The same where its inputs must be inferred, because the recording has no `reconcile` lines."""

PATIENCE_SECONDS = 10
"""A replay that takes longer says so before it begins."""

ONE_BY_ONE = "decided one by one, because "
"""How a warning begins that says what the compiled rules did not decide."""

FOREIGN_FILES_NAMED = 5
"""The most foreign files that a replay names. `verify` names them all."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplayRequest:
    """What to replay, how, and where its results go; `detail` and `progress` as in `replay`.

    real    the settings of the real controller, as far as they were declared; `controller` has those to decide by
    """

    controller: ControllerOptions
    real: ControllerOptions
    scope: Scope
    destination: Destination
    detail: str | None
    progress: ShowProgress = show_nothing


def replay(  # noqa: PLR0913 the public API: an argument for each option of the command
    recording: RecordingPath,
    *,
    into: Path | str | None = None,
    release: str | None = None,
    flags: Mapping[str, str | float] | None = None,
    hpas: Collection[str] = (),
    selector: str = "",
    since: When | None = None,
    until: When | None = None,
    detail: str | None = None,
    overwrite: bool = False,
    behaviours: Mapping[str, bool] | None = None,
    declare: bool = False,
    warn: Warn = ignore_warning,
    progress: ShowProgress = show_nothing,
) -> "Results":
    """Decides every reconcile of a recording again and compares it with what happened.

    recording   its folder, or the recording that was opened there
    into        the results file; None: `results.duckdb` in the recording, which is replaced. If another option narrows
                or changes the replay it is `what-if.duckdb`. If the recording cannot be written to, the file lies in
                the state folder
    release     a Kubernetes release; None: the recorded one
    flags       flags of kube-controller-manager, by name; they win over the recorded ones
    behaviours  single rules or feature gates switched on or off, by name; they win over release and recording
    hpas        `namespace/name`, patterns with `*`, or names alone that only one HPA has; empty: all
    selector    only HPAs whose last recorded labels match this label selector, as of kubectl; empty: all
    since       show no earlier reconcile; it is evidence all the same. Microseconds since 1970, a datetime with its
                zone, or a text such as `14:05` or `-5m`
    until       show no later one; of a damaged recording nothing later is read
    detail      `numbers` keeps what was decided and proposed; `moved` also the steps and pods of reconciles that scaled
                or did not match; `steps` and `pods` keep these of all reconciles; `all` keeps the memory as well.
                None: `numbers` for a fleet that the compiled rules decide, else `moved`
    overwrite   replace the file that `into` names
    declare     release, flags and behaviours are those of the real controller: `results.duckdb` in the recording is
                made with them, and so are later replays. With none of them: what was declared before no longer holds
    warn        is called with each HPA that cannot be replayed, and before a replay that takes long
    progress    is called again and again while reconciles are decided

    Raises RecordingError, UnknownRelease, UnknownHpa, BadOption, FileExists, NotWritable.
    """
    from hpaaudit.recording.reading.recording import open_recording

    require_types(
        {
            "into": into, "release": release, "flags": flags, "behaviours": behaviours, "hpas": hpas,
            "selector": selector, "since": since, "until": until, "detail": detail, "overwrite": overwrite,
            "declare": declare,
        }
    )  # fmt: skip
    if declare and (into is not None or hpas or selector or since is not None or until is not None):
        raise BadOption(
            "--declare is said of the whole recording: leave out --into, --hpa, --selector, --since and --until"
        )
    texts = {name: str(value) for name, value in (flags or {}).items()}
    asked = ControllerOptions(release=release, flags=texts, behaviours=behaviours or {})
    folder = recording_folder(recording)
    real = as_declared(asked) if declare else declared_of(folder)
    controller = real if declare else over_declared(real, asked)
    since_us, until_us = (
        time if time is None or isinstance(time, int) else time_of(name, time, recorded_span(folder))
        for name, time in (("since", since), ("until", until))
    )
    require_in_order(since_us, until_us)
    scope = Scope(hpas=hpas, selector=label_selector(selector), since_us=since_us, until_us=until_us)
    destination = destination_of(
        folder,
        None if into is None else Path(into),
        overwrite=overwrite,
        is_what_if=command_line(controller, scope) != "",
    )
    request = ReplayRequest(
        controller=controller, real=real, scope=scope, destination=destination, detail=detail, progress=progress
    )
    try:
        return _remembered(_replay(open_recording(folder), request, warn), warn)
    except DamagedRecording:
        if until is None:
            raise
    return _remembered(_replay(open_recording(folder, until_us=until_us), request, warn), warn)


def replay_whole(
    recording: "Recording", warn: Warn = ignore_warning, progress: ShowProgress = show_nothing
) -> "Results":
    """Replays an opened recording as a whole, as it was recorded and declared, into its default file."""
    destination = destination_of(recording.folder, None, overwrite=True, is_what_if=False)
    declared = declared_of(recording.folder)
    request = ReplayRequest(
        controller=declared,
        real=declared,
        scope=EVERYTHING,
        destination=destination,
        detail=None,
        progress=progress,
    )
    return _remembered(_replay(recording, request, warn), warn)


def replayed_reconciles(
    recording: Path, controller: ControllerOptions = AS_RECORDED, hpas: Collection[str] = ()
) -> Iterator[ReplayedReconcile]:
    """The reconciles of a recording, decided again in full detail and in order; no results are written."""
    from hpaaudit.recording.reading.recording import open_recording

    return decide_one_by_one(prepare(open_recording(recording), controller, Scope(hpas=hpas)))


def decide_one_by_one(prepared: Prepared) -> Iterator[ReplayedReconcile]:
    """The reconciles of a prepared recording, decided one at a time in full detail."""
    from hpaaudit.engine.replay import process as engine

    process = engine.Process(prepared.plan, prepared.flags, prepared.flags_of, keep_pods=True)
    return engine.replay(prepared.recording.facts(), prepared.plan, process, prepared.hpas)


def _replay(recording: "Recording", request: ReplayRequest, warn: Warn) -> "Results":
    """The results, by the compiled rules if they can decide this recording and are worth their start."""
    warn = _once(warn)
    audit = partial(_audit, recording, request, warn) if may_be_what_if(request.controller) else None
    return _replay_beside(recording, request, audit, warn)


@contextmanager
def _audit(
    recording: "Recording", request: ReplayRequest, warn: Warn, controller: ControllerOptions
) -> "Iterator[Results]":
    """The same HPAs replayed with other settings, to compare a what-if with them."""
    with TemporaryDirectory(prefix="hpaaudit-") as folder:
        file = Path(folder) / "audit.duckdb"
        destination = Destination(path=file, overwrite=True, has_default_name=False, is_what_if=False)
        whole = Scope(hpas=request.scope.hpas, selector=request.scope.selector)
        asked = replace(request, controller=controller, scope=whole, destination=destination, progress=show_nothing)
        with _replay_beside(recording, asked, None, warn) as results:
            yield results


def _replay_beside(recording: "Recording", request: ReplayRequest, audit: Audit | None, warn: Warn) -> "Results":
    """The results of a what-if beside the audit; without an audit those of an audit."""
    results = _replay_compiled(recording, request, audit, warn)
    if results is not None:
        return results
    prepared = prepare(recording, request.controller, request.scope)
    _warn_of_omissions(prepared, request, warn)
    seconds = len(prepared.plan.reconciles) * (
        SECONDS_PER_RECONCILE if prepared.plan.exact else SECONDS_PER_INFERRED_RECONCILE
    )
    if seconds > PATIENCE_SECONDS:
        warn(_slow(seconds))
    with _writer(prepared, request, request.detail or "moved", audit, warn) as writer:
        writer.add_facts(_readable(recording.watched(TABLES_OF_FACTS), prepared.plan.unsupported))
        writer.add(_counted(decide_one_by_one(prepared), len(prepared.plan.reconciles), request.progress))
        return _finish(writer, lambda: prepared)


def _replay_compiled(
    recording: "Recording", request: ReplayRequest, audit: Audit | None, warn: Warn
) -> "Results | None":
    """The results by the compiled rules; None if they cannot decide this recording or are not worth their start."""
    if not fleet.may_decide(recording, request.detail):
        return None
    from hpaaudit.engine.fleet.input.unsupported import Unreadable, Unsupported

    try:
        prepared = prepare_compiled(recording, request.controller, request.scope)
        if request.detail is None and not fleet.is_worth_it(prepared):
            return None
        _warn_of_omissions(prepared, request, warn)
        try:
            return _write_compiled(prepared, request, audit, warn)
        except Unreadable:  # the rules met what no API server serves: find out which HPAs show such a thing
            prepared = prepare_compiled(recording, request.controller, request.scope, searched=True)
            _warn_of_omissions(prepared, request, warn)
            return _write_compiled(prepared, request, audit, warn)
    except Unsupported as reason:
        warn(f"{ONE_BY_ONE}{reason}")
        return None


def _counted(
    reconciles: Iterable[ReplayedReconcile], planned: int, progress: ShowProgress
) -> Iterator[ReplayedReconcile]:
    """The same reconciles, each of them counted."""
    for decided, reconcile in enumerate(reconciles, start=1):
        yield reconcile
        progress(decided, planned)


def _write_compiled(prepared: Prepared, request: ReplayRequest, audit: Audit | None, warn: Warn) -> "Results":
    with _writer(prepared, request, "numbers", audit, warn) as writer:
        if prepared.derived is None:
            writer.add_facts(_readable(prepared.recording.watched(TABLES_OF_FACTS), prepared.plan.unsupported))
        else:
            facts = _readable(prepared.derived.facts, prepared.plan.unsupported)
            writer.add_facts(facts, repeated=prepared.derived.repeated)
        decided, planned = 0, fleet.reconciles(prepared)
        for columns in fleet.decide(prepared, warn):
            writer.add_columns(columns)
            decided += columns.count
            request.progress(decided, planned)
        if fleet.reconciles(prepared) <= MOST_RECONCILES:
            return _finish(writer, _with_reconciles(prepared, request))
        return _finish(writer, lambda: prepared, CompiledRules())


def _writer(
    prepared: Prepared, request: ReplayRequest, detail: str, audit: Audit | None, warn: Warn
) -> "ResultsWriter":
    """A writer at the request's destination."""
    from hpaaudit.results.write import ResultsWriter

    info, destination = prepared.recording.info, request.destination
    options = command_line(request.controller, request.scope)
    asked = None if audit is None else what_if(prepared, request.controller, request.real, audit)
    run = Replay(
        replay_id=_replay_id(prepared, detail, options),
        mode="what_if" if options else "audit",
        release=prepared.flags.release,
        engine_version=VERSION,
        detail=detail,
        assumptions=prepared.assumptions if asked is None else marked(prepared.assumptions, asked.settings),
        options=options,
        releases=prepared.releases,
        lease_duration_us=prepared.lease_duration_us,
        hpas=prepared.hpas,
        since_us=request.scope.since_us,
        until_us=request.scope.until_us,
        what_if=asked,
    )

    def open_at(path: Path) -> ResultsWriter:
        return ResultsWriter(
            path,
            info,
            run,
            overwrite=destination.overwrite,
            keeps_replays=destination.has_default_name and path.exists() and is_ours(path),
            recorded=prepared.recording,
            cache=cache_of("results"),
        )

    return open_writer(destination, info.manifest_sha256, open_at, warn)


def _with_reconciles(prepared: Prepared, request: ReplayRequest) -> Callable[[], Prepared]:
    return lambda: prepare(prepared.recording, request.controller, request.scope)


def _finish(writer: "ResultsWriter", planned: Callable[[], Prepared], decide: Decide | None = None) -> "Results":
    """The finished results.

    planned   the recording, to decide it again with other settings where questions are open
    decide    how a large recording is decided again; None: one reconcile after the other
    """

    def explain(compared: Mapping[str, Sequence[Compared]]) -> Iterable[Sensitivity]:
        return sensitivity(planned(), compared, decide)

    return writer.finish(explain)


def _remembered(results: "Results", warn: Warn) -> "Results":
    """The same results, remembered as made by this user."""
    if not remember(results.path):
        warn(f"no state folder can be written to: a later command cannot know that you made {results.path}")
    return results


def _once(warn: Warn) -> Warn:
    """The same function, but it drops a line that it got before."""
    warned = set[str]()

    def warn_once(line: str) -> None:
        if line not in warned:
            warned.add(line)
            warn(line)

    return warn_once


def _warn_of_omissions(prepared: Prepared, request: ReplayRequest, warn: Warn) -> None:
    """Warns of HPAs that are not replayed, of files in the folder that are not read, and of switches without effect."""
    from hpaaudit.api.flags import duration_text
    from hpaaudit.api.times import whole_seconds

    recording = prepared.recording
    if recording.removed_us is not None:
        warn(f"what was recorded up to {whole_seconds(recording.removed_us)} was removed: that time is a gap")
    if recording.torn:
        warn(f"a write of the log was cut off: its last {counted(recording.torn, 'byte')} cannot be read")
    foreign = recording.foreign()
    if foreign.count:
        more = f" and {foreign.count - FOREIGN_FILES_NAMED} more" if foreign.count > FOREIGN_FILES_NAMED else ""
        warn(f"foreign files are not read: {', '.join(foreign.names[:FOREIGN_FILES_NAMED])}{more}")
    periods = prepared.plan.periods
    if periods.shown is not None:
        warn(
            f"the sync period is {duration_text(periods.common_us)}, as told, but the times between status writes show "
            f"{duration_text(periods.shown)}"
        )
    if prepared.unlabelled:
        warn(unlabelled_warning(prepared.unlabelled))
    for key, reason in sorted(prepared.plan.unsupported.items()):
        warn(f"{key} is not replayed: {reason}")
    for name, on in request.controller.behaviours.items():
        if _is_so_already(prepared, name, on=on):
            releases = " and ".join(dict.fromkeys(prepared.releases.values())) or prepared.flags.release
            option, state = ("--with", "on") if on else ("--without", "off")
            warn(f"{option} {name} changes nothing: as release {releases} this rule is {state} anyway")


def _is_so_already(prepared: Prepared, name: str, *, on: bool) -> bool:
    """True if a rule is on, or off, in every controller of the recording, whether the user says so or not."""
    from hpaaudit.engine.behaviours.release import behaviour, behaviours_of, field_of

    rule = behaviour(name)
    told = [prepared.flags_of(seen) for seen in prepared.plan.controllers] or [prepared.flags]
    unasked = [
        replace(
            flags,
            with_behaviours=tuple(one for one in flags.with_behaviours if one != rule),
            without_behaviours=tuple(one for one in flags.without_behaviours if one != rule),
        )
        for flags in told
    ]
    return all(bool(getattr(behaviours_of(flags), field_of(rule))) == on for flags in unasked)


def _readable(facts: Iterable[Fact], unsupported: Collection[str]) -> Iterator[Fact]:
    """The facts without those that show an HPA that cannot be decoded."""
    from hpaaudit.engine.replay.hpa_history import unreadable

    for fact in facts:
        if isinstance(fact, HpaSeen) and f"{fact.namespace}/{fact.name}" in unsupported and unreadable(fact):
            continue
        yield fact


def _slow(seconds: float) -> str:
    """Why a replay takes long, and what helps."""
    hint = "" if fleet.installed() else "; pip install '.[fast]' in a checkout of hpaaudit compiles the rules"
    return f"this takes about {seconds:,.0f} s, because every reconcile is decided by itself{hint}"


def _replay_id(prepared: Prepared, detail: str, options: str) -> str:
    """An identifier that the same replay of the same recording has again."""
    manifest = prepared.recording.info.manifest_sha256
    parts = (manifest, repr(prepared.flags), repr(prepared.assumptions), detail, options)
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:12]
