"""Replays a recording through the engine and audits it: recording to engine to results."""

import difflib
import hashlib
import shlex
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from hpaaudit.errors import NotWritable, UnknownHpa
from hpaaudit.model.audit import Assumption, Pass, Replay
from hpaaudit.model.facts import ControllerSeen, Fact, HpaSeen
from hpaaudit.model.flags import Flags
from hpaaudit.model.units import Micros

if TYPE_CHECKING:
    from hpaaudit.engine.fleet.reconciles.inferred import InferredReconciles
    from hpaaudit.engine.replay.plan import Plan
    from hpaaudit.recording.read import Recording
    from hpaaudit.results.read import Results
    from hpaaudit.results.write import ResultsWriter

RESULTS = "results.duckdb"
"""The results in a recording: of the whole of it, as it was recorded."""

WHAT_IF = "what-if.duckdb"
"""Those of a replay that an option narrowed or changed."""

TELLING = ("controllers", "hpas", "targets", "events", "leases", "versions")
"""Tables that tell how the controller ran, where every reconcile has a line of its own."""

KEPT = ("controllers", "hpas", "leases", "versions", "gaps")
"""Tables of which the results keep facts; larger ones they read themselves."""

SECONDS_EACH = 0.001
"""What a reconcile costs one by one, from the recording to the results."""

SECONDS_EACH_GUESSED = 0.003
"""The same where what it saw must be found out."""

PATIENCE_SECONDS = 10

NAMED = 5
"""The most foreign files that a replay names; `verify` names them all."""


def unheard(_: str) -> None:
    """Nobody listens."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """Where results are to be written.

    options      that narrowed or changed the replay, as they are written
    is_default   nobody named the file: its name is ours, whatever it holds now
    """

    path: Path
    options: str
    overwrite: bool
    is_default: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Prepared:
    """A recording that was read once: its reconciles, the controller's settings and where they come from.

    derived   the reconciles for the compiled rules, where no line tells of them
    searched  every fact was looked at for what cannot be replayed
    """

    recording: "Recording"
    plan: "Plan"
    flags: Flags
    overrides: Mapping[str, str]
    release_given: bool
    assumptions: tuple[Assumption, ...]
    derived: "InferredReconciles | None" = None
    searched: bool = False

    def flags_of(self, controller: ControllerSeen) -> Flags:
        """The flags of one controller process; what the user said wins."""
        from hpaaudit.api.flags import with_flags

        release = self.flags.release if self.release_given or not controller.release else controller.release
        flags = with_flags(replace(self.flags, release=release), dict(controller.flags))
        return replace(with_flags(flags, self.overrides), gates=controller.gates or self.flags.gates)


def replay(
    recording: Path | str,
    *,
    into: Path | str | None = None,
    release: str | None = None,
    flags: Mapping[str, str] | None = None,
    hpas: Collection[str] = (),
    since: Micros | None = None,
    until: Micros | None = None,
    detail: str | None = None,
    overwrite: bool = False,
    behaviours: Mapping[str, bool] | None = None,
    warn: Callable[[str], None] = unheard,
) -> "Results":
    """Re-decide every reconcile of a recording and join it with what happened.

    into      the results file; None: `results.duckdb` in the recording, which is replaced, or `what-if.duckdb` where
              another option narrows or changes the replay; in the state folder where the recording cannot be written to
    release   of Kubernetes; None: the recording's own
    flags     of the controller, by name; they win over what was recorded
    hpas      `namespace/name`; none: all
    behaviours  single rules or feature gates switched on or off, by name; they win over release and recording
    detail    `numbers` keeps what was decided and proposed, `moved` also steps and pods where something moved or
              differs, `steps` and `pods` these everywhere, `all` the memory as well; None: `numbers` for a fleet that
              the compiled rules decide, else `moved`
    warn      is told of HPAs that cannot be replayed, and of what takes long

    Raises RecordingError, UnknownRelease, UnknownHpa, BadOption, FileExists, NotWritable.
    """
    folder = Path(recording)
    options = _options(release, flags or {}, behaviours or {}, hpas, since, until)
    if into is None:
        target = Target(
            path=folder / (WHAT_IF if options else RESULTS), options=options, is_default=True, overwrite=True
        )
    else:
        target = Target(path=Path(into), options=options, overwrite=overwrite)
    span = (since, until)
    ready = partial(prepare, folder, release=release, flags=flags or {}, hpas=hpas, until=until, behaviours=behaviours)
    prepared = _for_kernel(folder, until, detail, lambda: ready(compiled=True), warn)
    if prepared is not None:
        from hpaaudit.engine.fleet.input.unsupported import Unreadable, Unsupported

        try:
            try:
                return _write(prepared, target, "numbers", hpas, span, warn, compiled=True)
            except Unreadable:
                told = prepared.plan.unsupported
                prepared = ready(compiled=True, searched=True)
                _tell_unsupported(prepared, warn, told)
                return _write(prepared, target, "numbers", hpas, span, warn, compiled=True)
        except Unsupported as reason:
            warn(f"decided one by one, for {reason}")
    told = {} if prepared is None else prepared.plan.unsupported
    prepared = ready()
    _tell_left_out(prepared, warn, told)
    seconds = len(prepared.plan.reconciles) * (SECONDS_EACH if prepared.plan.exact else SECONDS_EACH_GUESSED)
    if seconds > PATIENCE_SECONDS:
        warn(_slow(seconds))
    return _write(prepared, target, detail or "moved", hpas, span, warn)


def _tell_left_out(prepared: Prepared, warn: Callable[[str], None], known: Collection[str] = ()) -> None:
    from hpaaudit.api.times import whole_seconds

    if prepared.recording.removed_us is not None:
        warn(f"what was seen up to {whole_seconds(prepared.recording.removed_us)} was removed: that time is a gap")
    if prepared.recording.torn:
        warn(f"the last {prepared.recording.torn} bytes of the log were being written and are not read")
    strange = prepared.recording.foreign()
    if strange.count:
        more = f" and {strange.count - NAMED} more" if strange.count > NAMED else ""
        warn(f"foreign files are not read: {', '.join(strange.names[:NAMED])}{more}")
    _tell_unsupported(prepared, warn, known)


def _tell_unsupported(prepared: Prepared, warn: Callable[[str], None], known: Collection[str]) -> None:
    for key, reason in sorted(prepared.plan.unsupported.items()):
        if key not in known:
            warn(f"{key} is not replayed: {reason}")


def _for_kernel(
    folder: Path,
    until: Micros | None,
    detail: str | None,
    ready: Callable[[], Prepared],
    warn: Callable[[str], None],
) -> Prepared | None:
    """A recording prepared for the compiled rules, None where they cannot decide it or are not worth their start."""
    from hpaaudit.flows import fleet
    from hpaaudit.recording.read import open_recording

    if detail not in (None, "numbers") or not fleet.installed():
        return None
    from hpaaudit.engine.fleet.input.unsupported import Unsupported

    opened = open_recording(folder, until_us=until)
    lines, facts = fleet.lines(opened), sum(segment.facts for segment in opened.segments)
    if detail is None and (lines or facts) < (fleet.WORTH_IT if lines else fleet.FACTS_WORTH_READING):
        return None
    try:
        prepared = ready()
    except Unsupported as reason:
        warn(f"decided one by one, for {reason}")
        return None
    if detail is None and prepared.derived is not None and prepared.derived.count() < fleet.WORTH_IT_DERIVED:
        return None
    _tell_left_out(prepared, warn)
    return prepared


def _write(
    prepared: Prepared,
    target: Target,
    detail: str,
    hpas: Collection[str],
    span: tuple[Micros | None, Micros | None],
    warn: Callable[[str], None],
    *,
    compiled: bool = False,
) -> "Results":
    """The results of a replay, remembered as ours."""
    from hpaaudit.flows import fleet
    from hpaaudit.flows.made import remember

    since, until = span
    with _writer(prepared, target, detail, warn) as writer:
        if prepared.derived is None:
            writer.add_facts(_readable(prepared.recording.watched(KEPT), prepared.plan.unsupported))
        else:
            facts = _readable(prepared.derived.facts, prepared.plan.unsupported)
            writer.add_facts(facts, repeated=prepared.derived.repeated)
        if compiled:
            for decided in fleet.decide(prepared, hpas=hpas, since=since, until=until, tell=warn):
                writer.add_columns(decided)
        else:
            writer.add(_within(run_passes(prepared, hpas=hpas), since, until))
        results = writer.finish()
    if not remember(results.path):
        warn(f"no folder of yours can be written to: that {results.path} is ours is not remembered")
    return results


def _writer(prepared: Prepared, target: Target, detail: str, warn: Callable[[str], None]) -> "ResultsWriter":
    """The writer of a results file, in the state folder where the recording's own cannot be written to."""
    from hpaaudit.flows.made import kept_elsewhere
    from hpaaudit.results.write import ResultsWriter

    info = prepared.recording.info
    run = Replay(
        replay_id=_replay_id(prepared, detail),
        mode="audit",
        release=prepared.flags.release,
        engine_version=info.recorder_version,
        detail=detail,
        assumptions=prepared.assumptions,
        options=target.options,
    )

    def writer(path: Path) -> ResultsWriter:
        return ResultsWriter(
            path,
            info,
            run,
            overwrite=target.overwrite,
            owned=target.is_default,
            recorded=prepared.recording,
            held=prepared.recording.held,
        )

    try:
        return writer(target.path)
    except NotWritable:
        elsewhere = kept_elsewhere(info.manifest_sha256) if target.is_default else None
        if elsewhere is None:
            raise
        path = elsewhere.with_name(f"{elsewhere.stem}-{WHAT_IF}") if target.options else elsewhere
        warn(f"{target.path.parent} cannot be written to: its results are kept in {path}")
        return writer(path)


def _options(
    release: str | None,
    flags: Mapping[str, str],
    behaviours: Mapping[str, bool],
    hpas: Collection[str],
    since: Micros | None,
    until: Micros | None,
) -> str:
    """The options that narrow or change a replay, as a command has them; empty where there is none."""
    from hpaaudit.api.times import precise

    given = [("release", release), ("since", since and precise(since)), ("until", until and precise(until))]
    given += [("flag", f"{name}={value}") for name, value in sorted(flags.items())]
    given += [("with" if on else "without", name) for name, on in sorted(behaviours.items())]
    given += [("hpa", key) for key in hpas]
    return shlex.join(word for name, value in given if value is not None for word in (f"--{name}", str(value)))


def _readable(facts: Iterable[Fact], unsupported: Collection[str]) -> Iterator[Fact]:
    """The facts without those that show an HPA that nobody can read."""
    from hpaaudit.engine.replay.hpa_history import unreadable

    for fact in facts:
        if isinstance(fact, HpaSeen) and f"{fact.namespace}/{fact.name}" in unsupported and unreadable(fact):
            continue
        yield fact


def _slow(seconds: float) -> str:
    """Why a replay takes long, and what helps."""
    from hpaaudit.flows import fleet

    helps = "" if fleet.installed() else "; pip install 'hpaaudit[fast]' compiles the rules"
    return f"about {seconds:,.0f} s: every reconcile is decided by itself{helps}"


def passes(
    recording: Path,
    *,
    release: str | None = None,
    flags: Mapping[str, str] | None = None,
    hpas: Collection[str] = (),
    until: Micros | None = None,
    behaviours: Mapping[str, bool] | None = None,
) -> Iterator[Pass]:
    """Re-decide reconciles in full detail, in order, without keeping anything."""
    prepared = prepare(recording, release=release, flags=flags or {}, hpas=hpas, until=until, behaviours=behaviours)
    return _within(run_passes(prepared, hpas=hpas), None, until)


def prepare(
    recording: Path,
    *,
    release: str | None,
    flags: Mapping[str, str],
    hpas: Collection[str],
    until: Micros | None,
    behaviours: Mapping[str, bool] | None = None,
    compiled: bool = False,
    searched: bool = False,
) -> Prepared:
    """Open a recording, check it, and lay out its reconciles; for the compiled rules only what they need of it.

    searched   look at every fact for what cannot be replayed: the compiled rules may meet it later

    Raises `Unsupported` where those cannot decide it.
    """
    from hpaaudit.api.flags import user_flags, with_flags
    from hpaaudit.engine.replay.plan import plan
    from hpaaudit.recording.read import open_recording
    from hpaaudit.recording.verify import require_sound

    given = user_flags(flags)
    opened = open_recording(recording, until_us=until)
    if compiled:  # which reads a part of it, and the results the rest: nothing may be decided from a half
        require_sound(opened)
    period_us = with_flags(Flags(), given).sync_period_us if "sync-period" in given else None
    derived = None
    if not compiled:
        laid_out = plan(opened.facts(), period_us)
    elif any(segment.file("reconciles") for segment in opened.segments):
        laid_out = plan(opened.watched(TELLING), period_us, exact=True)
    else:
        from hpaaudit.engine.fleet.reconciles.inferred import InferredReconciles
        from hpaaudit.engine.replay.hpa_history import COMPONENT

        derived = InferredReconciles(opened.telling(COMPONENT), period_us)
        laid_out = derived.plan()
    if compiled and (searched or laid_out.unsupported):
        laid_out, searched = _searched(opened, laid_out, derived), True
    _require(hpas, laid_out.keys)
    prepared = settled(opened, laid_out, release, flags, behaviours or {})
    return replace(prepared, derived=derived, searched=searched)


def _searched(opened: "Recording", laid_out: "Plan", derived: "InferredReconciles | None") -> "Plan":
    """A plan for the compiled rules without anything that cannot be replayed."""
    from hpaaudit.flows import fleet

    found = fleet.search(opened)
    if derived is None:
        return replace(laid_out, unsupported=found.unsupported)
    derived.leave_out(found.unsupported)
    derived.repeated += found.unreadable
    return derived.plan()


def settled(
    opened: "Recording",
    laid_out: "Plan",
    release: str | None,
    flags: Mapping[str, str],
    behaviours: Mapping[str, bool],
) -> Prepared:
    """How the controller was started: what the user says, else what was recorded, else the defaults."""
    from hpaaudit.api.flags import assumptions, user_flags, with_flags
    from hpaaudit.engine.behaviours.release import KNOWN, behaviour, known_release

    given = user_flags(flags)
    asked = None if release is None else known_release(release)
    controller = laid_out.controllers[0] if laid_out.controllers else None
    recorded = (controller.version or controller.release) if controller is not None else laid_out.version
    chosen = asked or (known_release(recorded) if recorded else KNOWN[-1])
    source = "user" if asked else ("observed" if recorded else "default")
    switched = {behaviour(name): on for name, on in behaviours.items()}
    base = Flags(
        release=chosen,
        with_behaviours=tuple(sorted(name for name, on in switched.items() if on)),
        without_behaviours=tuple(sorted(name for name, on in switched.items() if not on)),
    )
    if laid_out.api_server:
        base = replace(base, api_server=laid_out.api_server)
    observed = dict(controller.flags) if controller is not None else {}
    settled = with_flags(with_flags(base, observed), given)
    if laid_out.period_source == "inferred":
        settled = replace(settled, sync_period_us=laid_out.period_us)
    if controller is not None:
        settled = replace(settled, gates=controller.gates)
    found = (
        Assumption(key="release", value=chosen, source=source),
        *(
            replace(item, source="inferred")
            if item.key == "sync-period" and laid_out.period_source == "inferred"
            else item
            for item in assumptions(settled, observed, given)
        ),
        *(Assumption(key=name, value="on" if on else "off", source="user") for name, on in sorted(switched.items())),
        Assumption(key="api-server", value=settled.api_server, source="inferred" if laid_out.api_server else "default"),
    )
    return Prepared(
        recording=opened,
        plan=laid_out,
        flags=settled,
        overrides=given,
        release_given=asked is not None,
        assumptions=found,
    )


def run_passes(prepared: Prepared, *, hpas: Collection[str]) -> Iterator[Pass]:
    """The passes of a prepared recording."""
    from hpaaudit.engine.replay import process as engine

    process = engine.Process(prepared.plan, prepared.flags, prepared.flags_of, keep_pods=True)
    return engine.replay(prepared.recording.facts(), prepared.plan, process, hpas)


def _within(made: Iterator[Pass], since: Micros | None, until: Micros | None) -> Iterator[Pass]:
    for done in made:
        if until is not None and done.instant.at_us > until:
            return
        if since is None or done.instant.at_us >= since:
            yield done


def _require(hpas: Collection[str], known: Collection[str]) -> None:
    for key in hpas:
        if key not in known:
            near = difflib.get_close_matches(key, known, n=3, cutoff=0.3) or sorted(known)[:3]
            hint = f"did you mean {', '.join(near)}?" if near else "it holds no HPA at all"
            raise UnknownHpa(f"no HPA {key} in this recording: {hint}")


def _replay_id(prepared: Prepared, detail: str) -> str:
    """The same replay of the same recording has the same id."""
    what = (prepared.recording.info.manifest_sha256, repr(prepared.flags), repr(prepared.assumptions), detail)
    return hashlib.sha256("\n".join(what).encode()).hexdigest()[:12]
