"""A pseudo-terminal of a fixed size in which a command runs as if a person sat before it."""

import fcntl
import os
import pty
import re
import select
import struct
import subprocess
import sys
import termios
from collections.abc import Mapping, Sequence

COLUMNS, LINES = 100, 40
PATIENCE_SECONDS = 60
"""A command that shows nothing for so long is killed."""

CTRL_C = "\x03"
INTERRUPT_AGAIN_SECONDS = 3
"""A signal that comes just before the command reads is noticed with the next key: as people do, it is pressed again."""

_CONTROL = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|\x1b[=>]")


def typed(
    arguments: Sequence[str],
    keys: Sequence[str],
    prompt: str,
    environment: Mapping[str, str] | None = None,
    columns: int = COLUMNS,
) -> tuple[int, str]:
    """The exit code of a command, and all that the terminal showed, without what controls it; as `typed_raw`."""
    code, shown = typed_raw(arguments, keys, prompt, environment, columns)
    return code, _plain(shown)


def typed_raw(
    arguments: Sequence[str],
    keys: Sequence[str],
    prompt: str,
    environment: Mapping[str, str] | None = None,
    columns: int = COLUMNS,
    program: Sequence[str] = ("-m", "hpaaudit"),
) -> tuple[int, str]:
    """The exit code of a command, and all that it sent to the terminal.

    keys     what is pressed, one after the other, each when the terminal shows a prompt at its end
    prompt   a regular expression
    program  what Python runs
    """
    ours, its = pty.openpty()
    fcntl.ioctl(its, termios.TIOCSWINSZ, struct.pack("HHHH", LINES, columns, 0, 0))
    process = subprocess.Popen(
        [sys.executable, *program, *arguments],
        stdin=its,
        stdout=its,
        stderr=its,
        start_new_session=True,
        preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),  # noqa: PLW1509 Ctrl-C reaches who has the terminal
        env={**_neutral(os.environ), "TERM": "xterm", **(environment or {})},
    )
    os.close(its)
    shown, left, answered, silent_s = "", list(keys), 0, 0
    while silent_s < PATIENCE_SECONDS:
        if not select.select([ours], [], [], INTERRUPT_AGAIN_SECONDS)[0]:
            silent_s += INTERRUPT_AGAIN_SECONDS
            if CTRL_C in keys[: len(keys) - len(left)][-1:]:
                os.write(ours, CTRL_C.encode())
            continue
        silent_s = 0
        try:
            shown += os.read(ours, 1 << 16).decode(errors="replace")
        except OSError:  # the command ended
            break
        plain = _plain(shown)
        if left and re.search(f"(?:{prompt})$", plain[answered:]):
            answered = len(plain)
            os.write(ours, left.pop(0).encode())
    else:
        process.kill()
    os.close(ours)
    return process.wait(), _with_plain_ends(shown)


def _neutral(environment: Mapping[str, str]) -> dict[str, str]:
    """The same without the variables that would win over what the terminal is."""
    return {name: value for name, value in environment.items() if name not in ("COLUMNS", "LINES", "NO_COLOR")}


def _plain(text: str) -> str:
    return _CONTROL.sub("", _with_plain_ends(text))


def _with_plain_ends(text: str) -> str:
    """The text as the command wrote it: a terminal makes two characters of each line's end."""
    return text.replace("\r\n", "\n")
