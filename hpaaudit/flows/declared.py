"""Keeps the settings that the user declared as those of the real controller: later replays are made with them too."""

from collections.abc import Collection, Iterable
from contextlib import suppress
from pathlib import Path

from hpaaudit.errors import NotResults, RecordingError
from hpaaudit.flows.destination import RESULTS
from hpaaudit.flows.options import AS_RECORDED, ControllerOptions
from hpaaudit.flows.provenance import is_ours, results_elsewhere
from hpaaudit.model.audit import DECLARED, Assumption

RELEASE = "release"


def as_declared(asked: ControllerOptions) -> ControllerOptions:
    """What the user asks for, marked as the settings of the real controller."""
    from hpaaudit.api.flags import user_flags
    from hpaaudit.engine.behaviours.release import behaviour, known_release

    release = None if asked.release is None else known_release(asked.release)
    flags = dict(user_flags(asked.flags))
    behaviours = {behaviour(name): on for name, on in asked.behaviours.items()}
    return ControllerOptions(
        release=release,
        flags=flags,
        behaviours=behaviours,
        declared=frozenset([*([RELEASE] if release else []), *flags, *behaviours]),
    )


def over_declared(declared: ControllerOptions, asked: ControllerOptions) -> ControllerOptions:
    """What the user asks for now, over what was declared. A flag that an asked release does not have is left out."""
    if declared == AS_RECORDED:
        return asked
    from hpaaudit.api.flags import of_its_time, user_flags
    from hpaaudit.engine.behaviours.release import behaviour, known_release

    kept = dict(declared.flags)
    if asked.release is not None:
        kept = of_its_time(kept, known_release(asked.release))
    asked_names = {*user_flags(asked.flags), *map(behaviour, asked.behaviours), *([RELEASE] if asked.release else [])}
    flags = {name: text for name, text in kept.items() if name not in asked_names}
    behaviours = {name: on for name, on in declared.behaviours.items() if name not in asked_names}
    return ControllerOptions(
        release=asked.release or declared.release,
        flags={**flags, **asked.flags},
        behaviours={**behaviours, **asked.behaviours},
        declared=declared.declared - asked_names,
    )


def settings_in(assumptions: Iterable[Assumption], sources: Collection[str]) -> ControllerOptions:
    """The settings that results say to have from these sources."""
    said = {one.key: one for one in assumptions if one.source in sources}
    behaviours = {key: one.value == "on" for key, one in said.items() if one.value in ("on", "off")}
    return ControllerOptions(
        release=said[RELEASE].value if RELEASE in said else None,
        flags={key: one.value for key, one in said.items() if key != RELEASE and key not in behaviours},
        behaviours=behaviours,
        declared=frozenset(key for key, one in said.items() if one.source == DECLARED),
    )


def declared_of(recording: Path) -> ControllerOptions:
    """What this user declared of a recording, as its results say; also if the recording has grown since."""
    from hpaaudit.results.read import open_results

    for file in _results_of(recording):
        if file.exists() and is_ours(file):
            with suppress(NotResults), open_results(file) as results:
                return settings_in(results.assumptions, (DECLARED,))
    return AS_RECORDED


def _results_of(recording: Path) -> Iterable[Path]:
    """Where the results of a whole recording may lie."""
    yield recording / RESULTS
    if not (recording / RESULTS).exists():
        from hpaaudit.recording.reading.recording import open_recording

        with suppress(RecordingError):
            elsewhere = results_elsewhere(open_recording(recording).info.manifest_sha256)
            if elsewhere is not None:
                yield elsewhere
