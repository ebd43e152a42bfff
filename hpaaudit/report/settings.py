"""Words for where a setting of the controller comes from, and the commands that replay with it again."""

import shlex

from hpaaudit.model.account import ReplayAccount
from hpaaudit.model.audit import DECLARED, Assumption
from hpaaudit.model.span import Span, chosen_by, is_part
from hpaaudit.report.text import Clock, pasteable, printable, stamp

_ASKED_DETAIL = ("steps", "pods", "all")
"""Of the details that a replay may keep those that it keeps only when it is asked to."""


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


def part_in_words(file: str, options: str, span: Span) -> str:
    """Says which part of the recording a results file covers; empty if that is the whole.

    options   those of the replay, written as on its command line;  span   the time that it covers
    """
    started_us, ended_us = span
    times = [f"{stamp(started_us)} to {Clock(started_us, ended_us)(ended_us)}"] if is_part(options) else []
    hpas = [f"the HPAs of {chosen}"] if (chosen := chosen_by(options)) else []
    return f"{file} covers only {' and '.join([*times, *hpas])}" if times or hpas else ""


def replaying_commands(account: ReplayAccount) -> list[str]:
    """The commands that give these very results on another machine: what was declared first, then a what-if."""
    replay = f"hpaaudit replay   {pasteable(account.recording)}"
    declared = [word for one in account.assumptions if one.source == DECLARED for word in _option(one)]
    kept = ["--detail", account.detail] if account.detail in _ASKED_DETAIL else []
    if not account.options:
        return [_with(replay, shlex.join([*declared, *(["--declare"] if declared else []), *kept]))]
    first = [_with(replay, shlex.join([*declared, "--declare"]))] if declared else []
    return [*first, _with(replay, account.options, shlex.join(kept))]


def _with(command: str, *options: str) -> str:
    return " ".join([command, *(printable(option) for option in options if option)])


def _option(setting: Assumption) -> tuple[str, str]:
    if setting.key == "release":
        return "--release", setting.value
    if setting.value in ("on", "off"):
        return "--with" if setting.value == "on" else "--without", setting.key
    return "--flag", f"{setting.key}={setting.value}"
