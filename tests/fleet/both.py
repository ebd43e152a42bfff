"""Replays a recording twice by the flow that users call, compiled and one by one, and finds what differs."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb

import hpaaudit
from hpaaudit.errors import AuditError
from hpaaudit.flows.replay import ONE_BY_ONE
from hpaaudit.results import sql
from hpaaudit.results.findings import findings

TEXTS = {"replay_id", "error", "invalid_text", "finding_id"}
"""What names the replay and numbers its findings, and what the compiled rules leave to `explain`."""

OF_PODS = {each.pattern for each in findings() if "reconcile_pods" in each.query}
"""Patterns that rest on pods of decisions, which `--detail numbers` does not keep."""

ONLY_MOVED = {
    "replays", "decision_steps", "reconcile_pods", "predicted_statuses", "predicted_events", "stabilization_inputs",
    "memories",
}  # fmt: skip
"""What `--detail numbers` says that it does not keep, and the one row that names the detail."""

SAID = {("findings", "evidence"): """json_merge_patch(evidence, '{"error": null}') as evidence"""}
"""Columns that hold such a text among others."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Both:
    """What came of a recording.

    reconciles   that both replays hold;  difference   the first one, empty where there is none
    beyond       why the compiled rules did not decide it, empty where they did
    refused      what both said where both refused the recording
    left_out     HPAs that are not replayed, each with the reason
    """

    reconciles: int = 0
    difference: str = ""
    beyond: str = ""
    refused: str = ""
    left_out: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class _Made:
    """One replay: its file or what was raised, and what was said."""

    path: Path
    problem: str
    messages: list[str]


def replayed_twice(recording: Path, folder: Path, **asked: Any) -> Both:
    """Replays a recording compiled, however small it is, and one by one, and compares every relation.

    folder   for the results;  asked   what else the replay is asked for

    Anything but an error of ours is raised on.
    """
    ours = _replay(recording, folder / "compiled.duckdb", "numbers", asked)
    theirs = _replay(recording, folder / "one-by-one.duckdb", "moved", asked)
    beyond = next((line.removeprefix(ONE_BY_ONE) for line in ours.messages if line.startswith(ONE_BY_ONE)), "")
    mine, others = (
        sorted({line for line in results.messages if "is not replayed" in line}) for results in (ours, theirs)
    )
    if (ours.problem, mine) != (theirs.problem, others):
        difference = f"said: {theirs.problem or others} one by one, {ours.problem or mine} compiled"
        return Both(difference=difference, beyond=beyond)
    if ours.problem:
        return Both(refused=ours.problem, beyond=beyond)
    count, difference = compared(ours.path, theirs.path)
    return Both(reconciles=count, difference=difference, beyond=beyond, left_out=tuple(mine))


def _replay(recording: Path, path: Path, detail: str, asked: dict[str, Any]) -> _Made:
    lines: list[str] = []
    problem = ""
    try:
        hpaaudit.replay(recording, into=path, overwrite=True, detail=detail, warn=lines.append, **asked).close()
    except AuditError as error:
        problem = f"{type(error).__name__}: {error}".replace(str(path), "RESULTS")
    return _Made(path=path, problem=problem, messages=lines)


def compared(ours: Path, theirs: Path, where: str = "true") -> tuple[int, str]:
    """How many reconciles there are, and the first difference of two results files; empty where none is.

    where   which rows count, of relations that have the columns that it names
    """
    with duckdb.connect() as connection:
        connection.execute(f"attach '{ours}' as ours (read_only)")
        connection.execute(f"attach '{theirs}' as theirs (read_only)")
        ask = connection.execute
        for table, names in _columns(connection):
            chosen = ", ".join(SAID.get((table, name), f'"{name}"') for name in names)
            named = where if {"namespace", "name"} <= set(names) else "true"
            if table == "findings":
                named += f" and pattern not in {tuple(sorted(OF_PODS))}"
            mine, others = (
                f"select {chosen} from {side}.runs.{table} where {named}"  # noqa: S608 (names of our own schema)
                for side in ("ours", "theirs")
            )
            for sign, one, other in (("-", others, mine), ("+", mine, others)):
                answer = ask(f"({one}) except all ({other}) order by all limit 1").fetchall()
                if answer:
                    pair = ask(f"({other}) except all ({one}) order by all limit 1").fetchall()
                    return 0, f"{table}: {_difference(names, answer[0], pair[0] if pair else None, sign)}"
        (count,) = ask("select count(*) from ours.runs.reconciles").fetchall()[0]
        return count, ""


def _columns(connection: duckdb.DuckDBPyConnection) -> Iterator[tuple[str, list[str]]]:
    """The relations that both have, and of each the columns that must agree."""
    rows = connection.execute(
        "select table_name, list(column_name order by column_index) from duckdb_columns() "
        "where database_name = 'theirs' and schema_name = 'runs' group by all order by all"
    ).fetchall()
    for table, names in rows:
        if table in sql.declared() and table not in ONLY_MOVED:
            yield table, [name for name in names if name not in TEXTS]


def _difference(names: list[str], row: tuple[Any, ...], other: tuple[Any, ...] | None, sign: str) -> str:
    one_by_one, compiled = (row, other) if sign == "-" else (other, row)
    if one_by_one is None or compiled is None:
        return f"only {'one by one' if compiled is None else 'compiled'}: {dict(zip(names, row, strict=True))}"
    same = [f"{name}={value}" for name, value, second in zip(names, row, other or (), strict=True) if value == second]
    differs = [
        f"{name}: {value!r} one by one, {second!r} compiled"
        for name, value, second in zip(names, one_by_one, compiled, strict=True)
        if value != second
    ]
    return f"{'; '.join(differs)} ({', '.join(same[:6])})"
