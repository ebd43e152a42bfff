"""Where hpaaudit keeps what it can make again: compiled rules, and the results file without a row."""

import os
from contextlib import suppress
from pathlib import Path


def cache_of(package: str) -> Path | None:
    """The folder of what a package keeps: beside its code, else in the user's cache folder; None without a home.

    package   its name below `hpaaudit`
    """
    code = Path(__file__).parents[1] / package
    if os.access(code, os.W_OK):
        return code / "__pycache__"
    cache = os.environ.get("XDG_CACHE_HOME")
    with suppress(RuntimeError):  # a user without a home
        return (Path(cache) if cache else Path.home() / ".cache") / "hpaaudit"
    return None
