"""Runs a command of ours inside this process."""

import contextlib
import io
import shlex

from hpaaudit.cli import _run


def run(line: str) -> tuple[int, str, str]:
    """Exit code, stdout and stderr of `hpaaudit …`."""
    out, err = io.StringIO(), io.StringIO()
    program, *arguments = shlex.split(line)
    assert program == "hpaaudit"
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = _run(arguments)
    return code, out.getvalue(), err.getvalue()


def printed(line: str) -> str:
    """What a command prints that works."""
    code, out, err = run(line)
    assert code == 0, err
    return out


def shown(line: str) -> str:
    """What a terminal would show, then the exit code if it is not 0."""
    code, out, err = run(line)
    return err + out + (f"[exit {code}]\n" if code else "")
