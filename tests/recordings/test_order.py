"""What is shown does not depend on the order of rows in a results file: every order is settled by what the rows say."""

from pathlib import Path

import duckdb
import pytest

import hpaaudit
from hpaaudit.flows.importing import import_capture
from hpaaudit.flows.query import account, named_questions
from hpaaudit.results.account_reconcile import reconcile_accounts
from hpaaudit.results.questions import Scope, ask
from hpaaudit.results.read import open_results
from tests.conformance.expected import capture_of
from tests.recordings.kept import RECORDINGS
from tests.sample import one_in


def turned_around(file: Path) -> None:
    """Rewrites every table of a results file, the last row first."""
    with duckdb.connect(file) as connection:
        tables = connection.execute("select schema_name, table_name from duckdb_tables()").fetchall()
        for schema, table in tables:
            connection.execute(f"create table reversed as from {schema}.{table} order by rowid desc")
            connection.execute(f"delete from {schema}.{table}")  # noqa: S608 (tables of our own file)
            connection.execute(f"insert into {schema}.{table} from reversed order by rowid")
            connection.execute("drop table reversed")


WORLDS = [("1.3", "everything-100-0006"), ("1.9", "everything-100-0001"), ("1.20", "common-100-0015"),
    ("1.36", "several-100-0014"), ("1.36", "people-100-0003"), ("1.36", "everything-100-0002")]  # fmt: skip
"""Worlds with many HPAs, metrics that fail, and people who write."""


@pytest.mark.parametrize("name", one_in(2, [*RECORDINGS]))
def test_a_file_with_its_rows_turned_around_shows_the_same(name: str, tmp_path: Path) -> None:
    assert differing(RECORDINGS[name], tmp_path / "results.duckdb") == set()


@pytest.mark.parametrize(("release", "name"), one_in(2, WORLDS))
def test_so_it_does_of_a_world_with_many_hpas(release: str, name: str, tmp_path: Path) -> None:
    capture = capture_of(release, name)
    import_capture([capture], into=tmp_path / "recording")
    assert differing(tmp_path / "recording", tmp_path / "results.duckdb") == set()


def differing(folder: Path, file: Path) -> set[str]:
    """What a file of results shows otherwise after its rows were turned around."""
    recording = hpaaudit.open(folder)
    hpaaudit.replay(folder, into=file).close()
    shown: list[dict[str, object]] = []
    for again in (False, True):
        if again:
            turned_around(file)
        with open_results(file, recording) as results:
            page = account(results)
            numbers = [row["reconcile_id"] for row in results.rows("select reconcile_id from reconciles order by all")]
            scope = Scope(hpa="%")
            shown.append({
                "page": (page.hpas, page.gaps, page.assumptions, page.timelines),
                "explained": list(reconcile_accounts(results, numbers)),
                **{question: ask(results, asked, scope).fetchall() for question, asked in named_questions().items()},
            })  # fmt: skip
    as_written, turned = shown
    assert as_written["explained"]
    return {key for key in as_written if as_written[key] != turned[key]}
