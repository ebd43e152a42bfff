"""The command `replay`."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click

from hpaaudit.cli.completion import flags as completed_flags
from hpaaudit.cli.completion import recordings, releases
from hpaaudit.cli.options import (
    headings_option,
    hpa_name,
    hpas_given,
    message_options,
    named_hpas,
    narrowing_options,
    output_option_of_many,
    setting,
    zone_option,
)
from hpaaudit.cli.screen import screen
from hpaaudit.flows.moments import Moment, moments

VERDICTS = ("divergent", "skew", "undecidable")
FAIL_ON_MATCHED = 1
"""Exit code: a reconcile has a verdict that --fail-on names."""


@click.command("replay", short_help="Decide every reconcile again, and compare with what happened.")
@click.argument(
    "words", metavar="DIR... [NS/NAME]...", nargs=-1, required=True, type=click.Path(), shell_complete=recordings
)
@click.option(
    "--into",
    metavar="RESULTS",
    type=click.Path(path_type=Path),
    help="Write the results to this file.  [default: a file in DIR]",
)
@click.option("--overwrite", is_flag=True, help="Replace the file that --into names.")
@click.option(
    "--release",
    metavar="1.36",
    shell_complete=releases,
    help="Replay as this Kubernetes release.  [default: as recorded]",
)
@click.option(
    "--flag",
    "flags",
    metavar="NAME=VALUE",
    type=setting,
    shell_complete=completed_flags,
    multiple=True,
    help="Set a flag of kube-controller-manager; repeatable.",
)
@click.option(
    "--with", "switched_on", metavar="RULE", multiple=True, help="Switch on this rule or feature gate; repeatable."
)
@click.option(
    "--without", "switched_off", metavar="RULE", multiple=True, help="Switch off this rule or feature gate; repeatable."
)
@click.option(
    "--declare",
    is_flag=True,
    help="This release, these flags and rules are those of the real controller: make the results in DIR with them, now "
    "and later. Without any of them: as recorded again.",
)
@narrowing_options()
@click.option(
    "--detail",
    type=click.Choice(["numbers", "moved", "steps", "pods", "all"]),
    help="How much to keep of each reconcile. numbers: no steps and pods; moved: those of what scaled or did not "
    "match; steps: all steps; pods: also all pods; all: also the memory.  [default: moved; for a fleet numbers]",
)
@output_option_of_many()
@headings_option()
@message_options()
@click.option(
    "--fail-on",
    type=click.Choice(VERDICTS),
    multiple=True,
    help="Exit with 1 if a reconcile has this verdict; repeatable.",
)
@zone_option()
def replay_command(  # noqa: PLR0913 click hands over every option
    words: tuple[str, ...],
    into: Path | None,
    overwrite: bool,
    release: str | None,
    flags: tuple[tuple[str, str], ...],
    switched_on: tuple[str, ...],
    switched_off: tuple[str, ...],
    declare: bool,
    hpas: tuple[str, ...],
    namespace: str | None,
    selector: str,
    since: Moment | None,
    until: Moment | None,
    detail: str | None,
    output: str,
    quiet: bool,
    verbose: bool,
    fail_on: tuple[str, ...],
) -> None:
    """Decide every reconcile again, and compare with what happened.

    NS/NAME is the same as --hpa; a folder of that name comes first.

    TIME is as in explain: RFC 3339, 14:05 (on the day of the recording), 5m (before its end), seconds since 1970.

    With --release, a recording that was replayed before as it was recorded also shows what differs from that.

    Of several recordings -o json is a list, -o yaml a document each.

    An option that changes or narrows the replay makes a what-if, in a file of its own; with --declare it does not.

    Example: hpaaudit replay friday --fail-on divergent

    Example: hpaaudit replay friday --flag tolerance=0.05 --declare
    """
    from hpaaudit.cli.progress import ProgressLine
    from hpaaudit.flows.difference import difference
    from hpaaudit.flows.inspect import with_coverage
    from hpaaudit.flows.options import ControllerOptions
    from hpaaudit.flows.paths import recorded_span
    from hpaaudit.flows.query import account
    from hpaaudit.flows.replay import replay
    from hpaaudit.report.difference import difference_text, replay_fields
    from hpaaudit.report.fleet import WORST
    from hpaaudit.report.replay import next_text, outcome_text
    from hpaaudit.report.text import pasteable, printable

    recordings, named = _told_apart(words)
    hpas = hpas_given(hpas, named)
    if into is not None and len(recordings) > 1:
        raise click.UsageError("--into names one file, so give one recording")
    failed, answers = False, list[Mapping[str, Any]]()
    # At the end, so that several are one document. Where one recording fails, those before it have theirs all the same.
    click.get_current_context().call_on_close(lambda: _print_fields(answers, output, is_list=len(recordings) > 1))
    controller = ControllerOptions(
        release=release,
        flags=dict(flags),
        behaviours={**dict.fromkeys(switched_on, True), **dict.fromkeys(switched_off, False)},
    )
    for recording in recordings:
        bounds = moments(recorded_span(recording), since=since, until=until) if since or until else {}
        progress = ProgressLine(quiet=quiet, verbose=verbose)
        with (
            _nor_a_folder(named),
            progress,
            replay(
                recording,
                into=into,
                release=controller.release,
                flags=controller.flags,
                behaviours=controller.behaviours,
                declare=declare,
                hpas=named_hpas(hpas, namespace),
                selector=selector,
                detail=detail,
                overwrite=overwrite,
                warn=progress.warn,
                progress=progress,
                **bounds,
            ) as results,
        ):
            replayed = with_coverage(account(results, drawn_of_many=1), recording, bounds.get("until"))
            differing = difference(recording, results, controller) if release and not declare else None
        if output == "name":
            click.echo("".join(f"{printable(f'{hpa.namespace}/{hpa.name}')}\n" for hpa in replayed.hpas), nl=False)
        elif output in ("json", "yaml"):
            answers.append(replay_fields(replayed, differing))
        else:
            text = outcome_text(replayed, screen(), most=WORST if output == "text" else None)
            if differing is not None:
                text += "\n" + difference_text(differing, known=text)
            elif release and not declare:
                first = f"hpaaudit replay {pasteable(str(recording))}"
                text += f"\n  To see what differs from the recorded release: {first}, then this again.\n"
            click.echo(f"{text}\n{next_text(replayed)}", nl=False, color=True)
        failed = failed or any(getattr(hpa, verdict) for hpa in replayed.hpas for verdict in fail_on)
    if failed:
        click.get_current_context().exit(FAIL_ON_MATCHED)


def _told_apart(words: Sequence[str]) -> tuple[list[Path], list[str]]:
    """The recordings, and the HPAs after them: the last words that may be a name and that no file or folder has."""
    first = len(words)
    while first > 1 and not Path(words[first - 1]).exists() and _may_be_hpa(words[first - 1]):
        first -= 1
    return [Path(word) for word in words[:first]], [*words[first:]]


@contextmanager
def _nor_a_folder(named: Sequence[str]) -> Iterator[None]:
    """Adds to the error about an unknown HPA that no folder has that name either: a recording may have been meant."""
    from hpaaudit.errors import UnknownHpa

    try:
        yield
    except UnknownHpa as unknown:
        asked = next((asked for word in named if (asked := f"no HPA {word!r} in this recording") in str(unknown)), None)
        if asked is None:
            raise
        raise UnknownHpa(str(unknown).replace(asked, f"{asked}, nor a folder of that name", 1)) from unknown


def _may_be_hpa(word: str) -> bool:
    try:
        return hpa_name(word) == word and not word.startswith(".")
    except click.BadParameter:
        return False


def _print_fields(answers: Sequence[Mapping[str, Any]], output: str, *, is_list: bool) -> None:
    """Prints what was replayed as JSON or YAML; in a list where several recordings were asked for."""
    from hpaaudit.report.structured import structured, structured_list

    if answers:
        click.echo(structured_list(answers, output) if is_list else structured(answers[0], output), nl=False)
