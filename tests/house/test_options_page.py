"""The page of shared options says which command has which, and why others lack one."""

import re
from collections.abc import Iterator
from itertools import product
from pathlib import Path

import click
import pytest

from hpaaudit.cli import COMMANDS, KUBECTL_OPTIONS, hpaaudit_command
from tests.cli.run import run

PAGE = Path(__file__).parents[2] / "docs" / "options.md"
GROUPS = ("--hpa", "-n -A", "-l", "--at", "--since --until", "-o", "--no-headers", "-q -v", "--tz")
"""The columns of the table. Options of one group are had together."""
OTHERS = {"import": "import capture"}
"""What is called is a command of this one."""
TABLE = re.compile(r"^\| command \|.*?(?=^\n)", re.MULTILINE | re.DOTALL)


def options_of(name: str) -> dict[str, click.Option]:
    """The options of a command, by each way to write them."""
    command: click.Command = hpaaudit_command
    for word in OTHERS.get(name, name).split():
        assert isinstance(command, click.Group)
        found = command.get_command(click.Context(command), word)
        assert found is not None
        command = found
    return {opt: option for option in command.params if isinstance(option, click.Option) for opt in option.opts}


def has(name: str, group: str) -> bool:
    """Whether a command has a group of options: all of it, or nothing of it."""
    found = {option in options_of(name) for option in group.split()}
    assert len(found) == 1, f"{name} has a part of {group}"
    return found.pop()


def cells(name: str) -> Iterator[str]:
    """The row of a command."""
    for group in GROUPS:
        choice = options_of(name)["-o"].type if group == "-o" and has(name, group) else None
        if isinstance(choice, click.Choice):
            yield " ".join(choice.choices)
        else:
            yield "yes" if has(name, group) else ""


def shown() -> list[str]:
    """The commands that show something: all but the one that helps."""
    return [name for name in COMMANDS if name != "help"]


def test_the_table_is_what_the_commands_take(rewrite: bool) -> None:
    columns = ["command", *(f"`{group}`" for group in GROUPS)]
    rows = [columns, ["---"] * len(columns), *([f"`{OTHERS.get(name, name)}`", *cells(name)] for name in shown())]
    table = "".join(f"| {' | '.join(row)} |\n".replace("  ", " ") for row in rows)
    page = PAGE.read_text("utf-8")
    if rewrite:
        page = TABLE.sub(table, page)
        PAGE.write_text(page, "utf-8")
    assert table in page


def test_where_an_option_is_not_the_page_says_why() -> None:
    why = re.findall(r"^\| `([^`]+)` \| ([^|]+) \| ([^|]+) \|$", PAGE.read_text("utf-8"), re.MULTILINE)
    said = {(command, group) for group, commands, _ in why for command in re.findall(r"`([^`]+)`", commands)}
    lacking = {(OTHERS.get(name, name), group) for name, group in product(shown(), GROUPS) if not has(name, group)}
    assert said == lacking


@pytest.mark.parametrize("name", [name for name in COMMANDS if name != "help"])
def test_every_shared_option_may_stand_before_the_command_too(name: str) -> None:
    mine = [option for group in GROUPS for option in group.split() if has(name, group)]
    assert {*mine} <= {*KUBECTL_OPTIONS}
    called = OTHERS.get(name, name)
    before = " ".join(f"{option} {'x' if KUBECTL_OPTIONS[option] else ''}" for option in mine)
    assert run(f"hpaaudit {before} {called} --help") == run(f"hpaaudit {called} --help")
