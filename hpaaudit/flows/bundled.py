"""The recordings that are part of the package: their names, and what happened in each."""

import re
from importlib.resources import files
from pathlib import Path

from hpaaudit.errors import BadOption
from hpaaudit.model.nearest import did_you_mean

DEMO = "scaled-by-hand"
"""The recording that `hpaaudit demo` plays if no name is given."""

_ROW = re.compile(r"^\| \[(?P<name>[\w.-]+)\]\([^)]*\) \| (?P<happened>.*) \|$", re.MULTILINE)


def bundled_recordings() -> dict[str, str]:
    """What happened in each recording, by name, in the order of their list."""
    listed = (_folder() / "README.md").read_text("utf-8")
    return {row["name"]: row["happened"] for row in _ROW.finditer(listed)}


def bundled_recording(name: str = DEMO) -> Path:
    """The folder of a recording. Raises BadOption for a name that is not listed."""
    names = bundled_recordings()
    if name not in names:
        hint = did_you_mean(name, names, "`hpaaudit demo --list` lists them")
        raise BadOption(f"no recording {name!r} comes with hpaaudit: {hint}")
    return _folder() / name


def _folder() -> Path:
    return Path(str(files("hpaaudit") / "demo"))
