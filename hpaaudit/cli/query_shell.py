"""The interactive shell of `query`: it reads questions and SQL from the terminal, with history and completion."""

import shlex
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

import click

PROMPT, CONTINUED = "hpaaudit> ", "     ...> "
LEAVE = ("exit", "quit", "\\q")
_HELP, _TABLES = "help", "tables"
HISTORY_LINES = 1000

WELCOME = """\
A question by its name, with its options; or SQL, which ends with ;
help lists the questions, tables the relations, help NAME tells of one of them, exit leaves."""


def ask_in_turn(
    names: Sequence[str], columns_of: Callable[[str], str], history: Path | None, ask: Callable[[list[str]], object]
) -> None:
    """Reads questions and SQL from the terminal and asks each, until the end of input or `exit`.

    names     of the questions, for completion and to tell them from SQL
    columns_of   the SQL that tells of the columns of a relation
    history   where the lines are kept; None: nowhere
    ask       takes the words that would stand behind `hpaaudit query RESULTS`; prints its answer, or what is wrong
    """
    click.echo(WELCOME, err=True)
    with _line_editing(names, history), suppress(EOFError):
        line = ""
        while True:
            try:
                line = line or input(PROMPT).strip()
                if line in LEAVE:
                    return
                words, line = _words(line, names, columns_of)
            except KeyboardInterrupt:  # drops the line, as other shells do
                click.echo()
                line = ""
                continue
            if words:
                ask(words)
    click.echo()


def _words(line: str, names: Sequence[str], columns_of: Callable[[str], str]) -> tuple[list[str], str]:
    """The arguments of `query` that this line stands for, and the next line if that was read already.

    SQL may go on in further lines: EOFError.
    """
    first, _, rest = line.partition(" ")
    if first in (_HELP, "?", ".help"):
        return _help(rest.strip(" ;"), names, columns_of), ""
    if line == _TABLES:
        return ["show tables", "--no-headers", "--quiet"], ""
    if first in names:
        try:
            return shlex.split(line), ""
        except ValueError as unclosed:
            click.echo(f"Error: {unclosed}", err=True)
            return [], ""
    if not rest:  # one word is a name, which may be mistyped
        return ([first] if first.strip(";") else []), ""
    return _whole(line, names)


def _help(name: str, names: Sequence[str], columns_of: Callable[[str], str]) -> list[str]:
    """What tells of a question or of a relation; without a name, which questions there are."""
    if not name:
        return ["--list"]
    is_relation = name not in names and name.isidentifier()
    return ["--quiet", "--", columns_of(name)] if is_relation else [name, "--columns"]


def _whole(line: str, names: Sequence[str]) -> tuple[list[str], str]:
    """Reads SQL that begins with this line, until it ends with a semicolon.

    A question or a command on a line of its own drops the SQL, and is returned as the next line.
    """
    lines = [line]
    while not lines[-1].rstrip().endswith(";"):
        lines.append(input(CONTINUED))
        following = lines[-1].strip()
        if following in (_HELP, _TABLES, *LEAVE) or following.partition(" ")[0] in names:
            click.echo("The SQL above was dropped: it did not end with ;", err=True)
            return [], following
    return ["--", "\n".join(lines).rstrip().rstrip(";")], ""


@contextmanager
def _line_editing(names: Sequence[str], history: Path | None) -> Iterator[None]:
    """Arrow keys, completion with Tab, and a history for what the user types, where Python has readline."""
    try:
        import readline
    except ImportError:
        yield
        return
    if history is not None:
        with suppress(OSError):
            readline.read_history_file(history)
    readline.set_history_length(HISTORY_LINES)
    known = sorted({*names, _HELP, _TABLES, LEAVE[0]})

    def completed(text: str, number: int) -> str | None:
        """The names that begin with the text, one a call, as readline asks for them."""
        return next((name for at, name in enumerate(n for n in known if n.startswith(text)) if at == number), None)

    readline.set_completer(completed)
    readline.set_completer_delims(" \t\n")
    readline.parse_and_bind("tab: complete")
    try:
        yield
    finally:
        readline.set_completer(None)
        if history is not None:
            with suppress(OSError):
                readline.write_history_file(history)
