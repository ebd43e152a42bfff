"""Runs `hpaaudit …` in this process, as a person would in a terminal."""

import contextlib
import io
import shlex

from hpaaudit.cli import _run


def printed(line: str) -> str:
    """What the command prints to stdout. RuntimeError if it could not do what was asked."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = _run(shlex.split(line)[1:])
    if code > 1:
        raise RuntimeError(f"{line}: {err.getvalue()}")
    return out.getvalue()


def console(line: str) -> str:
    """A block of Markdown with the command and what it prints."""
    return f"```console\n$ {line}\n{printed(line)}```\n"
