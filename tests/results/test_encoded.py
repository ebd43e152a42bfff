"""Numbers for texts: a table shows the texts that were written, also those that an older hpaaudit stored as texts."""

import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hpaaudit.results.batches import Batches
from hpaaudit.results.empty_file import empty_file
from hpaaudit.results.encoded import ENCODED, TEXTS, codes, stored
from hpaaudit.results.keep_replays import keep_replays
from hpaaudit.results.read import open_results
from tests.results import story

COLUMNS = ("hpa_uid", "namespace", "name", "metric_type", "metric_name", "invalid_code")
"""Columns of texts of metric_proposals: three that go together, two of three that do, and one by itself."""
Row = tuple[str | None, ...]
texts = st.one_of(st.none(), st.sampled_from(["", "a", "b", "it's \N{SNOWMAN}"]))
rows = st.lists(st.tuples(*[texts] * len(COLUMNS)), min_size=1, max_size=6)


@contextmanager
def writable(path: Path, replay_id: str) -> Iterator[tuple[duckdb.DuckDBPyConnection, Batches]]:
    """A results file without rows, and what fills its tables."""
    path.write_bytes(empty_file())
    with duckdb.connect() as connection:
        connection.execute(f"attach '{path}' as results")
        connection.execute("use results")
        yield connection, Batches(connection, replay_id)
        connection.execute("use memory")
        connection.execute("detach results")


def as_dictionaries(written: Sequence[Row]) -> pa.Table:
    """The rows as the compiled rules give them: columns that go together have the same indices."""
    columns = {}
    for names in codes("metric_proposals").values():
        places = [COLUMNS.index(name) for name in names if name in COLUMNS]
        together = [tuple(row[place] for place in places) for row in written]
        distinct = list(dict.fromkeys(together))
        indices = pa.array([distinct.index(entry) for entry in together], pa.int32())
        for number, place in enumerate(places):
            words = pa.array([entry[number] for entry in distinct], pa.string())
            columns[COLUMNS[place]] = pa.DictionaryArray.from_arrays(indices, words)
    return pa.table(columns)


@settings(max_examples=30)
@given(batches=st.lists(st.tuples(st.booleans(), rows), min_size=1, max_size=4))
def test_a_table_shows_the_texts_of_every_batch(
    batches: list[tuple[bool, list[Row]]], tmp_path_factory: pytest.TempPathFactory
) -> None:
    with writable(tmp_path_factory.mktemp("encoded") / "web.duckdb", "r1") as (connection, writer):
        for is_compiled, written in batches:
            if is_compiled:
                writer.add_columns("runs.metric_proposals", as_dictionaries(written))
            else:
                writer.add("runs.metric_proposals", [dict(zip(COLUMNS, row, strict=True)) for row in written])
            writer.flush()
        shown = connection.table("runs.metric_proposals").select(*COLUMNS).fetchall()
        assert sorted(shown, key=repr) == sorted((row for _, written in batches for row in written), key=repr)
        replays = connection.execute("select distinct replay_id from runs.metric_proposals where replay_id is not null")
        assert replays.fetchall() == ([("r1",)] if any(is_compiled for is_compiled, _ in batches) else [])


def as_texts(path: Path) -> None:
    """Stores the tables of a results file as an older hpaaudit did."""
    with duckdb.connect(str(path)) as connection:
        for table in ENCODED:
            connection.execute(f"create table runs.older as from runs.{table}")
            connection.execute(f"drop view runs.{table}")
            connection.execute(f"drop table runs.{stored(table)}")
            connection.execute(f"alter table runs.older rename to {table}")
        connection.execute(f"drop table runs.{TEXTS}")


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("story")
    story.results(folder).close()
    return folder / "web.duckdb"


def everything(path: Path) -> dict[str, list[dict[str, Any]]]:
    with open_results(path) as results:
        return {table: results.rows(f"from runs.{table} where replay_id = 'r1' order by all") for table in ENCODED}


def test_results_of_an_older_hpaaudit_show_what_they_showed(finished: Path, tmp_path: Path) -> None:
    older = tmp_path / "web.duckdb"
    shutil.copy(finished, older)
    as_texts(older)
    assert all(everything(finished).values())
    assert everything(older) == everything(finished)


@pytest.mark.parametrize("is_older", [False, True])
def test_a_replay_that_is_kept_shows_its_texts_beside_those_of_the_new_one(
    finished: Path, tmp_path: Path, is_older: bool
) -> None:
    earlier, later = tmp_path / "earlier.duckdb", tmp_path / "later.duckdb"
    shutil.copy(finished, earlier)
    if is_older:
        as_texts(earlier)
    with writable(later, "r2") as (connection, writer):
        writer.add_columns("runs.metric_proposals", as_dictionaries([("u", "shop", "b", "Pods", "rps", "")]))
        writer.add("runs.replays", [{"replay_id": "r2", "manifest_sha256": story.INFO.manifest_sha256}])
        writer.flush()
        keep_replays(connection, earlier, writer)
        for table, expected in everything(finished).items():
            answer = connection.sql(f"from runs.{table} where replay_id = 'r1' order by all")
            assert [dict(zip(answer.columns, row, strict=True)) for row in answer.fetchall()] == expected
        assert connection.execute(
            "select name, metric_name from runs.metric_proposals where replay_id = 'r2'"
        ).fetchall() == [("b", "rps")]
