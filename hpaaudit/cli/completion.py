"""What a shell completes: questions by their names, and HPAs of results that are there already."""

from pathlib import Path

import click
from click.shell_completion import CompletionItem

from hpaaudit.errors import AuditError


def questions(context: click.Context, parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:  # noqa: ARG001 click's signature
    """The named questions that begin so, each with what it asks."""
    from hpaaudit.flows.query import named_questions

    return [
        CompletionItem(name, help=question.asks)
        for name, question in named_questions().items()
        if name.startswith(incomplete)
    ]


def hpas(context: click.Context, parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:  # noqa: ARG001 click's signature
    """The HPAs that begin so, of a results file or of a recording that was replayed. Nothing is replayed for this."""
    from hpaaudit.flows.destination import RESULTS
    from hpaaudit.flows.query import replayed_hpas

    source = context.params.get("source")
    if not isinstance(source, Path):
        return []
    try:
        names = replayed_hpas(source / RESULTS if source.is_dir() else source)
    except AuditError:
        return []
    return [CompletionItem(name) for name in names if name.startswith(incomplete) or f"/{incomplete}" in name]
