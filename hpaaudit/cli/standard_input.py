"""What was redirected or piped to a command that nobody told to read it. It never waits for that."""

import os
import select
import stat
import sys

from hpaaudit.errors import BadOption


def read_stdin() -> str:
    """All of stdin; waits for its end. Raises BadOption if it is not text."""
    try:
        return sys.stdin.read() if sys.stdin else ""
    except UnicodeDecodeError as error:
        raise BadOption(f"stdin cannot be read as text: {error}") from error


def text_that_is_there() -> str | None:
    """What a file or a pipe holds; empty for a terminal, /dev/null or none; None for a pipe that has nothing yet.

    A service or a job often has a pipe that nobody ever writes to or closes: to wait for it would be for ever.
    """
    try:
        number = sys.stdin.fileno()
        mode = os.fstat(number).st_mode
        if stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode):
            if not select.select([number], [], [], 0)[0]:
                return None
        elif not stat.S_ISREG(mode):
            return ""
    except (AttributeError, OSError, ValueError):  # closed, or no pipe that can be asked
        return ""
    return read_stdin()
