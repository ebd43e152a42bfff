"""The command line: `hpaaudit COMMAND`. Each command has a file, which is imported when the command is called."""

import errno
import gc
import os
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from importlib import import_module
from io import TextIOWrapper
from pathlib import Path
from typing import NoReturn

import click
from click.exceptions import NoArgsIsHelpError

from hpaaudit.cli.narrow_help import FittedHelp
from hpaaudit.cli.screen import fit_terminal
from hpaaudit.errors import AuditError
from hpaaudit.model.nearest import did_you_mean

click.Context.formatter_class = FittedHelp

FAILED = 2
"""Exit code: the command could not do what was asked."""

INTERRUPTED = 130
"""Exit code: 128 + SIGINT."""

COMMANDS = {
    "record": ("hpaaudit.cli.record:record_command", "Record the HPAs of a cluster."),
    "import": ("hpaaudit.cli.importing:import_command", "Make a recording from saved answers of the Kubernetes API."),
    "replay": ("hpaaudit.cli.replay:replay_command", "Decide every reconcile again, and compare with what happened."),
    "explain": ("hpaaudit.cli.explain:explain_command", "Explain one reconcile line by line."),
    "timeline": ("hpaaudit.cli.timeline:timeline_command", "Draw one HPA over time."),
    "report": ("hpaaudit.cli.report:report_command", "Write a replay as one HTML page."),
    "query": ("hpaaudit.cli.query:query_command", "Ask a named question, or run any SQL."),
    "inspect": ("hpaaudit.cli.inspect:inspect_command", "Show what is in a recording, and what is missing."),
    "verify": ("hpaaudit.cli.verify:verify_command", "Check every checksum of a recording."),
    "repair": ("hpaaudit.cli.repair:repair_command", "Save what can be read of a damaged recording."),
    "convert": ("hpaaudit.cli.convert:convert_command", "Convert HPAs to another API version."),
    "releases": ("hpaaudit.cli.releases:releases_command", "Show what each Kubernetes release changed."),
    "demo": ("hpaaudit.cli.demo:demo_command", "Replay a bundled incident, without a cluster."),
    "version": ("hpaaudit.cli.version:version_command", "Show what is installed, and which releases it knows."),
    "help": ("hpaaudit.cli.help:help_command", "Show the help of a command."),
}
"""Module and function of each command, and its line in `hpaaudit --help`, in the order of use."""


KUBECTL_OPTIONS = {
    "-n": True,
    "--namespace": True,
    "-l": True,
    "--selector": True,
    "-o": True,
    "--output": True,
    "-A": False,
    "--all-namespaces": False,
    "-q": False,
    "--quiet": False,
    "-v": False,
    "--verbose": False,
    "--no-headers": False,
    "--tz": True,
    "--hpa": True,
    "--at": True,
    "--since": True,
    "--until": True,
}
"""Options that may stand before the command too, as in kubectl, and whether each takes a value."""


KUBECTL_VERBS = {
    "get": "`hpaaudit inspect RECORDING` lists its HPAs, `hpaaudit replay RECORDING` says what happened to each",
    "describe": "`hpaaudit explain RECORDING NS/NAME` tells of one reconcile, `hpaaudit timeline` of an HPA over time",
    "events": "`hpaaudit query RECORDING what_happened` lists Events and all else that happened",
    "logs": "`hpaaudit query RECORDING what_happened` lists all that happened to an HPA",
    "completion": (
        'in bash `eval "$(_HPAAUDIT_COMPLETE=bash_source hpaaudit)"` turns it on, in zsh the same with zsh_source, '
        "in fish `_HPAAUDIT_COMPLETE=fish_source hpaaudit | source`"
    ),
    "watch": "`hpaaudit explain RECORDING NS/NAME --watch` steps through the reconciles of an HPA",
}
"""Verbs of kubectl that are no commands of ours, and what does here what they do."""


def behind_command(words: Sequence[str]) -> list[str]:
    """The words of a command line, with such options moved from before the command to behind it."""
    at = 0
    while at < len(words):
        word = words[at]
        name = word.partition("=")[0] if word.startswith("--") else word[:2]
        if name not in KUBECTL_OPTIONS:
            break
        at += 2 if KUBECTL_OPTIONS[name] and name == word else 1
    behind = at + (2 if words[at : at + 1] == ["import"] else 1)  # the only command with commands of its own
    return [*words[at:behind], *words[:at], *words[behind:]]


class LazyGroup(click.Group):
    """Knows every command by name, and imports only the one that is called."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """The words that are left after our own options."""
        return super().parse_args(ctx, behind_command(args))

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 click's signature
        """The commands, in the order of use."""
        return list(COMMANDS)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The named command. The error for an unknown name suggests the nearest ones."""
        if args[0] not in COMMANDS and not args[0].startswith("-"):
            hint = KUBECTL_VERBS.get(args[0]) or did_you_mean(args[0], COMMANDS, f"there are {', '.join(COMMANDS)}")
            ctx.fail(f"no command {args[0]!r}: {hint}")
        return super().resolve_command(ctx, args)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002 click's signature
        """The command of this name, None if there is none."""
        if cmd_name not in COMMANDS:
            return None
        module, _, attribute = COMMANDS[cmd_name][0].partition(":")
        command: click.Command = getattr(import_module(module), attribute)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002 likewise
        """Writes the list of commands without importing them."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, line) for name, (_, line) in COMMANDS.items()])


def _version(ctx: click.Context, _: click.Parameter, asked: bool) -> None:
    """Prints the version and exits."""
    if not asked:
        return
    from hpaaudit.version import VERSION

    click.echo(f"hpaaudit {VERSION}")
    ctx.exit()


@click.command(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--version", is_flag=True, expose_value=False, is_eager=True, callback=_version, help="Show the version.")
def hpaaudit_command() -> None:
    """A flight recorder and a replay for the Kubernetes HorizontalPodAutoscaler.

    Why did this HPA scale, or not; was it the controller or someone else?

    Exit codes: 0 done, 1 only with --fail-on, 2 failed, 130 interrupted.

    Example: hpaaudit demo
    """


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """Runs a command and exits with its code. An error is one line on stderr."""
    code = 0
    _open_closed_outputs()
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):  # a name may have characters that the terminal does not know
            stream.reconfigure(errors="backslashreplace")
    try:
        code = _run(arguments)
        sys.stdout.flush()
        sys.stderr.flush()
    except BrokenPipeError:
        _drop_output()
    except OSError as full:
        if full.errno not in _NO_ROOM:
            raise
        with suppress(OSError):
            sys.stderr.write(f"Error: the output cannot be written: {full.strerror}\n")
        _drop_output()
        code = FAILED
    sys.exit(code)


def _open_closed_outputs() -> None:
    """Writes to nowhere where a shell closed stdout or stderr (`2>&-`).

    Python has None there, and the next file that is opened would get that number, and what is written to it.
    """
    for name, number in (("stdout", 1), ("stderr", 2)):
        if getattr(sys, name) is None:
            nowhere = os.open(os.devnull, os.O_WRONLY)
            if nowhere != number:
                os.dup2(nowhere, number)
                os.close(nowhere)
            setattr(sys, name, os.fdopen(number, "w", encoding="utf-8"))


_NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
"""What the system says where nothing more can be written."""


def _drop_output() -> None:
    """Discards what Python still buffers: the reader of our output is gone, as with `head`."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):
            os.dup2(nowhere, stream.fileno())


def _run(arguments: Sequence[str] | None) -> int:
    _tune()
    name = "kubectl hpaaudit" if Path(sys.argv[0]).stem == "kubectl-hpaaudit" else "hpaaudit"
    _use_zone_of_environment()
    fit_terminal()
    command = _command_named(sys.argv[1:] if arguments is None else arguments, name)
    return code_of(lambda: hpaaudit_command.main(arguments, prog_name=name, standalone_mode=False), command)


def _command_named(words: Sequence[str], name: str) -> str:
    """The called command, such as `hpaaudit import capture`: for errors in which click does not name the command."""
    command, *others = [*behind_command(words), ""]
    if command not in COMMANDS:
        return name
    return f"{name} {command} {others[0]}" if (command, *others[:1]) == ("import", "capture") else f"{name} {command}"


def code_of(command: Callable[[], object], name: str) -> int:
    """Runs a command and returns its exit code. An error is one line; one of usage says where the help is."""
    try:
        code = command()
    except click.ClickException as problem:
        with suppress(BrokenPipeError):
            _show(problem, name)
        return FAILED
    except AuditError as problem:
        return _failed(str(problem))
    except OSError as problem:
        # A file or a folder that the system does not let us read or write; what has no name is our own output.
        if problem.filename is None or problem.errno in _NO_ROOM:
            raise
        return _failed(f"{problem.filename} cannot be used: {problem.strerror}")
    except (click.Abort, KeyboardInterrupt):
        with suppress(BrokenPipeError):
            click.echo("interrupted", err=True)
        return INTERRUPTED
    except SystemExit as broken_pipe:  # what click makes of it
        raise BrokenPipeError from broken_pipe
    return code if isinstance(code, int) else 0


def _failed(problem: str) -> int:
    """Says in one line why a command failed, and gives its exit code."""
    from hpaaudit.report.text import printable

    with suppress(BrokenPipeError):
        click.echo(f"Error: {printable(problem)}", err=True)
    return FAILED


def _tune() -> None:
    """Saves a tenth of the time of a short command: libraries that come later read this."""
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # numpy's threads would spin, and we multiply no matrices
    gc.set_threshold(20_000, 20, 50)  # modules and facts are many objects in hardly any cycles


def _use_zone_of_environment() -> None:
    """Uses the zone that `TZ` asks for, UTC without one that is known."""
    from datetime import UTC

    from hpaaudit.api.zone import use_zone

    use_zone(UTC)
    if os.environ.get("TZ"):
        from hpaaudit.cli.zone_names import zone_of_environment

        with suppress(ValueError):  # `--tz` wins; a command without it that shows times says that TZ is unknown
            use_zone(zone_of_environment())


def _show(problem: click.ClickException, name: str) -> None:
    """Prints a mistake in the command line, in one line that says where to look."""
    if isinstance(problem, NoArgsIsHelpError) or not isinstance(problem, click.UsageError):
        problem.show()
        return
    command = name if problem.ctx is None else problem.ctx.command_path
    click.echo(f"Error: {problem.format_message().rstrip('.')} (see {command} --help)", err=True)
