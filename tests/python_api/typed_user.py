"""A script as a user writes it: mypy must know every type in it."""

from datetime import UTC, datetime
from pathlib import Path

import polars as pl  # noqa: TC002 a user does not care

import hpaaudit


def incident(folder: Path, file: Path) -> list[str]:
    """Replays a recording and says what was found."""
    recording: hpaaudit.Recording = hpaaudit.open(folder)
    found: list[str] = []
    with hpaaudit.replay(recording, into=file, until=datetime(2026, 11, 21, 15, 11, tzinfo=UTC)) as results:
        changes: pl.DataFrame = results.changes
        decision: hpaaudit.ReconcileAccount = hpaaudit.explain(results, "checkout", at="first-divergence")
        found.append(f"{len(changes)} changes, {decision.verdict}")
        found.append(decision.explain().splitlines()[0])
        found += [f"{kind}" for (kind,) in hpaaudit.query(results, "select distinct verdict from reconciles").rows()]
        found.append(hpaaudit.verify(results).head)
    try:
        hpaaudit.timeline(file, "nobody")
    except hpaaudit.AuditError as error:
        found.append(str(error))
    return found
