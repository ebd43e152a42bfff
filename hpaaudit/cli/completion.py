"""What a shell completes: recordings and results, questions by their names, HPAs of results that are there already."""

import os
import shlex
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

import click
from click.shell_completion import CompletionItem

from hpaaudit.errors import AuditError


def questions(context: click.Context, parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:  # noqa: ARG001 click's signature
    """The named questions that begin so, each with what it asks."""
    from hpaaudit.flows.query import named_questions

    return _described({name: question.asks for name, question in named_questions().items()}, incomplete)


def commands(context: click.Context, parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:  # noqa: ARG001 click's signature
    """The commands that begin so, each with what it does; behind one that has commands of its own, these."""
    called = context.find_root()
    for word in context.params.get("command") or ():
        command = called.command.get_command(called, word) if isinstance(called.command, click.Group) else None
        if command is None:
            return []
        called = click.Context(command, info_name=word, parent=called)
    return called.command.shell_complete(called, incomplete) if isinstance(called.command, click.Group) else []


def bundled(context: click.Context, parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:  # noqa: ARG001 click's signature
    """The recordings of the package that begin so, each with what happened."""
    from hpaaudit.flows.bundled import bundled_recordings

    return _described(bundled_recordings(), incomplete)


def releases(context: click.Context, parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:  # noqa: ARG001 click's signature
    """The releases that begin so, the newest first."""
    from hpaaudit.engine.behaviours.release import KNOWN

    return [CompletionItem(release) for release in reversed(KNOWN) if release.startswith(incomplete)]


def flags(context: click.Context, parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:  # noqa: ARG001 click's signature
    """The flags that change a decision and begin so; the value is left to the user."""
    from hpaaudit.api.flags import LEASE_DURATION, PREFIX, SHORT_NAMES

    names = (*SHORT_NAMES, *(f"{PREFIX}{name}" for name in SHORT_NAMES if name != LEASE_DURATION))
    return [CompletionItem(f"{name}=") for name in names if name.startswith(incomplete)]


def landmarks(context: click.Context, parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:  # noqa: ARG001 click's signature
    """The names of reconciles that begin so."""
    from hpaaudit.model.landmark import Landmark

    return [CompletionItem(landmark) for landmark in Landmark if landmark.startswith(incomplete)]


def zones(context: click.Context, parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:  # noqa: ARG001 click's signature
    """The time zones that begin so."""
    from zoneinfo import available_timezones

    names = ("local", *sorted(available_timezones()))
    return [CompletionItem(name) for name in names if name.startswith(incomplete)]


def _described(descriptions: Mapping[str, str], incomplete: str) -> list[CompletionItem]:
    """The names that begin so, each with its description."""
    return [CompletionItem(name, help=text) for name, text in descriptions.items() if name.startswith(incomplete)]


def hpas(context: click.Context, parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """The HPAs that begin so, of a results file or of a recording that was replayed. Nothing is replayed for this.

    None behind a name; behind a kind, as in `hpa NAME`, there may be one.
    """
    from hpaaudit.flows.query import replayed_hpas
    from hpaaudit.model.meant_hpas import is_kind

    if parameter.name == "words" and not all(map(is_kind, context.params.get("words") or ())):
        return []
    names: list[str] = []
    for file in _results_files(context):
        with suppress(AuditError):
            names += replayed_hpas(file)
    return [CompletionItem(name) for name in names if name.startswith(incomplete) or f"/{incomplete}" in name]


def _results_files(context: click.Context) -> list[Path]:
    """The results files that the line names, itself or by their recordings."""
    from hpaaudit.flows.destination import RESULTS

    given = [context.params.get("source"), *(context.params.get("recordings") or ())]
    paths = [path for path in given if isinstance(path, Path)] or _paths_in_line()
    return [path / RESULTS if path.is_dir() else path for path in paths]


def _paths_in_line() -> list[Path]:
    """The words of the line that are paths: click knows no argument while an option lacks its value."""
    try:
        words = shlex.split(os.environ.get("COMP_WORDS", ""))
    except ValueError:
        return []
    return [Path(word) for word in words[2:] if Path(word).exists()]


def namespaces(context: click.Context, parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """The namespaces of these HPAs that begin so."""
    found = dict.fromkeys(item.value.partition("/")[0] for item in hpas(context, parameter, ""))
    return [CompletionItem(name) for name in found if name.startswith(incomplete)]


def labels(context: click.Context, parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:  # noqa: ARG001 click's signature
    """The labels of these HPAs that continue a selector after its last comma, each as `key=value`."""
    from hpaaudit.flows.query import replayed_labels

    before, comma, begun = incomplete.rpartition(",")
    pairs: set[str] = set()
    for file in _results_files(context):
        with suppress(AuditError):
            pairs |= replayed_labels(file)
    return [CompletionItem(f"{before}{comma}{pair}") for pair in sorted(pairs) if pair.startswith(begun)]


def recordings(context: click.Context, parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:  # noqa: ARG001 click's signature
    """Recordings that begin so, and folders on the way to one."""
    return [CompletionItem(str(path) + ("" if _is_recording(path) else "/")) for path in _folders(incomplete)]


def recordings_and_results(context: click.Context, parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Recordings and results files that begin so."""
    head, tail = _split(incomplete)
    files = [CompletionItem(str(path)) for path in sorted(head.glob("*.duckdb")) if path.name.startswith(tail)]
    return recordings(context, parameter, incomplete) + files


def _folders(incomplete: str) -> list[Path]:
    head, tail = _split(incomplete)
    try:
        return [
            path
            for path in sorted(head.iterdir())
            if path.name.startswith(tail) and path.name.startswith(".") == tail.startswith(".") and path.is_dir()
        ]
    except OSError:
        return []


def _split(incomplete: str) -> tuple[Path, str]:
    """The folder in which to look, and how names in it must begin."""
    head, slash, tail = incomplete.rpartition("/")
    return Path(head or slash or "."), tail


def _is_recording(path: Path) -> bool:
    return (path / "recording.json").exists()
