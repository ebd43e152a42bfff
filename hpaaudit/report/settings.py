"""Words for where a setting of the controller comes from, and the options that declare it again."""

import shlex
from collections.abc import Iterable

from hpaaudit.model.audit import DECLARED, Assumption
from hpaaudit.report.text import printable


def source_words(source: str) -> str:
    """The source of a setting, for the one who declared it."""
    return "declared by you" if source == DECLARED else source


def setting_words(setting: Assumption) -> str:
    """`tolerance 0.1`, and who said so if somebody did."""
    words = f"{setting.key} {setting.value}"
    return f"{words} ({source_words(setting.source)})" if setting.source == DECLARED else words


def what_if_words(options: str) -> str:
    """A sentence with the options that made a replay a what-if."""
    return f"A what-if, replayed with {options}."


def declaring_options(assumptions: Iterable[Assumption]) -> str:
    """The options of `replay` that declare the same settings, with a blank before; empty if none was declared."""
    words = [word for one in assumptions if one.source == DECLARED for word in _option(one)]
    return f" {printable(shlex.join([*words, '--declare']))}" if words else ""


def _option(setting: Assumption) -> tuple[str, str]:
    if setting.key == "release":
        return "--release", setting.value
    if setting.value in ("on", "off"):
        return "--with" if setting.value == "on" else "--without", setting.key
    return "--flag", f"{setting.key}={setting.value}"
