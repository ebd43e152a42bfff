"""Writes the pages of the reference that no person writes: commands, questions and alerts, from the program itself."""

from pathlib import Path

import click
import yaml

from hpaaudit.cli import COMMANDS, hpaaudit_command
from hpaaudit.flows.query import named_questions

ALERTS = Path("deploy", "alerts.yaml")


def commands() -> str:
    """Every command with its help and its options."""
    parts = [
        "# Commands\n",
        "`hpaaudit COMMAND --help` prints the same. As a plugin, `kubectl hpaaudit COMMAND` is the same program.\n",
    ]
    for name in COMMANDS:
        command = hpaaudit_command.get_command(click.Context(hpaaudit_command), name)
        if isinstance(command, click.Group):
            for each in command.list_commands(click.Context(command)):
                parts += _command(f"{name} {each}", command.get_command(click.Context(command), each))
        else:
            parts += _command(name, command)
    return "\n".join(parts)


def _command(name: str, command: click.Command | None) -> list[str]:
    """One command: what it does, how it is called, its examples, and a table of its options."""
    if command is None:
        raise RuntimeError(f"there is no command {name}")
    # Click keeps the help option that a command is first asked for, so it is asked as the program itself asks.
    program = click.Context(hpaaudit_command, info_name="hpaaudit", **hpaaudit_command.context_settings)
    context = click.Context(command, info_name=name, parent=program)
    said = [_joined(part) for part in (command.help or "").split("\n\n") if part.strip()]
    examples = [part.removeprefix("Example: ") for part in said if part.startswith("Example:")]
    rows = [_row(option, context) for option in command.params if isinstance(option, click.Option)]
    usage = " ".join((context.command_path, *command.collect_usage_pieces(context)))
    parts = [f"## {name}\n", *(f"{_escaped(part)}\n" for part in said if not part.startswith("Example:"))]
    parts.append("```text\n" + "\n".join([usage, *examples]) + "\n```\n")
    if rows:
        parts.append("\n".join(["| option | does |", "| --- | --- |", *rows]) + "\n")
    return parts


def _row(option: click.Option, context: click.Context) -> str:
    names, words = option.get_help_record(context) or ("", "")
    return f"| `{names.replace('|', chr(92) + '|')}` | {_escaped(_joined(words)).replace('|', chr(92) + '|')} |"


def _joined(text: str) -> str:
    return " ".join(text.replace("\b", "").split())


def _escaped(text: str) -> str:
    """Text in which Markdown sees no markup, but backticks stay."""
    return text.replace("<", "&lt;").replace("*", "\\*").replace("[", "\\[").replace("$", "\\$")


def questions() -> str:
    """Every named question with its columns and its SQL."""
    parts = [
        "# Questions\n",
        (
            "`hpaaudit query RESULTS QUESTION` asks one; `hpaaudit query RESULTS` lists them. "
            "Their SQL is a start for your own: it reads [the relations of a results file](results.md).\n"
        ),
    ]
    for name, question in named_questions().items():
        rows = [f"| `{column}` | {_escaped(words)} |" for column, words in question.columns.items()]
        used = ", ".join(f"`--{option}`" for option in sorted(question.parameters)) or "none"
        body = "\n".join(line for line in question.text.splitlines() if not line.startswith("--"))
        parts += [
            f"## {name}\n",
            f"{_escaped(question.asks)} {_escaped(question.row)} Options: {used}.\n",
            "\n".join(["| column | is |", "| --- | --- |", *rows]) + "\n",
            f"```text\n{body.strip()}\n```\n",
        ]
    return "\n".join(parts)


def alerts() -> str:
    """Every alert with its expression; the runbook says what it means and what to do."""
    groups = yaml.safe_load(ALERTS.read_text("utf-8"))["groups"]
    parts = [
        "# Alerts\n",
        (
            "[deploy/alerts.yaml](../deploy/alerts.yaml) for Prometheus. "
            "[The runbook](runbook.md) says what each means, what to do, and lists the metrics.\n"
        ),
    ]
    for group in groups:
        parts.append(f"## Group {group['name']}\n")
        for rule in group["rules"]:
            name, waits = rule["alert"], f", for {rule['for']}" if "for" in rule else ""
            parts += [
                f"### {name}\n",
                f"{rule['labels']['severity']}{waits}. [What to do](runbook.md#{name.lower()})\n",
                f"```promql\n{rule['expr'].strip()}\n```\n",
            ]
    return "\n".join(parts)
