"""Finds the newest log of a recording, which holds what no segment holds yet."""

import re
from dataclasses import dataclass
from pathlib import Path

from hpaaudit.recording.files import layout
from hpaaudit.recording.files.opening import read_at_most
from hpaaudit.recording.format.reader_limits import LOG_BYTES

_NUMBER = re.compile("[0-9]{6,9}")


@dataclass(frozen=True, slots=True, kw_only=True)
class LogFile:
    """The bytes of the newest log, and the number of its segment."""

    number: int
    data: bytes


def newest_log(folder: Path) -> LogFile | None:
    """The log with the highest number, None if there is none.

    Raises `OSError`, and `ValueError` if it is no regular file, or too large for a log.
    """
    logs = folder / layout.LOGS
    paths = logs.glob(f"*{layout.LOG_SUFFIX}") if logs.is_dir() else ()
    names = [path.name.removesuffix(layout.LOG_SUFFIX) for path in paths]
    number = max((int(name) for name in names if _NUMBER.fullmatch(name)), default=None)
    if number is None:
        return None
    try:
        return LogFile(number=number, data=read_at_most(folder, layout.log_name(number), LOG_BYTES))
    except FileNotFoundError:  # a running recorder has just sealed its segment
        return None
