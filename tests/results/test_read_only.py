"""A results file from anywhere does no harm: nothing in it runs, nothing beside it is read, and a query only reads."""

import os
import random
import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import duckdb
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hpaaudit.errors import AuditError, BadQuery, NotResults
from hpaaudit.results.account import replay_account
from hpaaudit.results.account_reconcile import interesting, reconcile_account
from hpaaudit.results.answer import Answer
from hpaaudit.results.read import Results, open_results
from hpaaudit.results.read_only import is_results
from tests.results import story

SECRET = "swordfish"  # noqa: S105 (what nobody may read)


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A folder to be in, with a secret, the story's results and another database; the environment has a secret too."""
    folder = tmp_path_factory.mktemp("home")
    story.results(folder).close()
    (folder / "secret.csv").write_text(f"word\n{SECRET}\n")
    with duckdb.connect(str(folder / "other.duckdb")) as other:
        other.execute(f"create table secret as select '{SECRET}' as word")
        other.execute(f"copy secret to '{folder / 'secret.parquet'}'")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        patch.setenv("TOKEN", SECRET)
        yield folder


@pytest.fixture(scope="module")
def results(home: Path) -> Iterator[Results]:
    with open_results(home / "web.duckdb") as opened:
        yield opened


def contents(folder: Path) -> dict[str, tuple[int, bytes]]:
    """Every file with its mode and its bytes."""
    paths = (path for path in sorted(folder.rglob("*")) if path.is_file())
    return {str(path): (path.stat().st_mode, path.read_bytes()) for path in paths}


READS = [
    "from read_csv('{file}')", "from read_text('{file}')", "from read_blob('{file}')", "from read_json('{file}')",
    "from read_parquet('{file}')", "from parquet_scan('{file}')", "from '{file}'", "from glob('{folder}/*')",
    "from sniff_csv('{file}')", "from parquet_metadata('{file}')", "from parquet_schema('{file}')",
    "from read_text('/proc/self/environ')", "select getenv('TOKEN')", "from 'http://127.0.0.1:9/x.csv'",
    "from read_csv('s3://bucket/x')", "from duckdb_secrets()", "from read_duckdb('{folder}/other.duckdb')",
    "from sqlite_scan('{file}', 'x')", "from arrow_scan(1, 2, 3)", "from pandas_scan(1)", "from home",
    "from query('from read_text(''{file}'')')", "from query_table('{file}')",
    "select * from reconciles where name in (select content from read_text('{file}'))",
    "with x as (from read_csv('{file}')) from x", "describe from '{file}'", "summarize from '{file}'",
    "pivot read_csv('{file}') on word using count(*)", "explain analyze from read_csv('{file}')",
]  # fmt: skip
WRITES = [
    "copy reconciles to '{folder}/out.csv'", "copy (select 1) to '{folder}/out.parquet' (format parquet)",
    "copy reconciles from '{file}'", "export database '{folder}/out'", "import database '{folder}/out'",
    "attach '{folder}/other.duckdb' as o", "attach '{folder}/new.duckdb' as o", "detach results", "use results",
    "install httpfs", "load httpfs", "load '{file}'", "pragma enable_profiling", "pragma database_list",
    "pragma profiling_output='{folder}/out.json'", "set threads = 1", "set enable_external_access = true",
    "reset lock_configuration", "set variable x = 1", "create table t (a integer)", "create temp table t (a integer)",
    "create view v as select 1", "create macro m() as 1", "create secret s (type s3)", "create schema s",
    "create type t as enum ('a')", "create sequence s", "create index i on results.runs.reconciles (name)",
    "insert into results.runs.reconciles default values", "update results.runs.reconciles set name = 'x'",
    "delete from results.runs.reconciles", "truncate results.runs.reconciles", "drop table results.runs.reconciles",
    "drop view reconciles", "alter table results.runs.reconciles rename to x", "vacuum", "analyze", "checkpoint",
    "force checkpoint results", "begin", "commit", "rollback", "call pragma_version()", "call force_checkpoint()",
    "prepare p as select 1", "execute p", "deallocate p", "comment on view reconciles is 'x'",
    "explain copy reconciles to '{folder}/out.csv'", "explain analyze copy reconciles to '{folder}/out.csv'",
    "explain analyze insert into results.runs.reconciles default values",
    "merge into results.runs.reconciles using (select 1) on false when not matched then insert default values",
    "with x as (insert into results.runs.reconciles default values returning 1) from x",
    "select 1; copy reconciles to '{folder}/out.csv'", "copy reconciles to '{folder}/out.csv'; select 1", "",
    "copy results from database results", "from enable_logging('x', storage_path = '{folder}/log')",
]  # fmt: skip


def refused(results: Results, home: Path, sql: str) -> str:
    """What a query is refused with: one line, and nothing is read or written."""
    before = contents(home)
    with pytest.raises(BadQuery) as error:
        Answer(results, results.sql(sql.format(file=home / "secret.csv", folder=home))).rows()
    assert contents(home) == before
    assert "\n" not in str(error.value)
    assert SECRET not in str(error.value)
    return str(error.value)


@pytest.mark.parametrize("sql", READS)
def test_a_query_reads_nothing_but_the_results(sql: str, results: Results, home: Path) -> None:
    refused(results, home, sql)


@pytest.mark.parametrize("sql", WRITES)
def test_a_query_writes_and_sets_nothing(sql: str, results: Results, home: Path) -> None:
    refused(results, home, sql)


CASES = st.sampled_from(["", " ", "\n", "-- x\n", "/* from reconciles */ "])


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(sql=st.sampled_from(READS + WRITES[:-4]), before=CASES, upper=st.booleans(), explained=st.booleans())
def test_no_wrapping_makes_it_pass(
    sql: str, before: str, upper: bool, explained: bool, results: Results, home: Path
) -> None:
    """In whatever letters, behind a comment, explained, or after another statement."""
    text = sql.replace("{file}", "\0").replace("{folder}", "\1")
    text = (text.upper() if upper else text).replace("\0", "{file}").replace("\1", "{folder}")
    refused(results, home, f"{before}{'explain analyze ' if explained and text else ''}{text}")


GOOD = [
    "from reconciles limit 1", "select count(*) from runs.reconciles", "show tables", "describe reconciles",
    "summarize reconciles", "explain from reconciles", "explain analyze select 1", "values (1)", "table hpas",
    "-- a comment\nfrom hpas;", "select utc('2026-03-02T10:05:00-04:00')", "from query('from hpas')",
    "pivot reconciles on action using count(*)", "select 1 union all select 2", "from query_table('reconciles')",
    "select count(*) from duckdb_columns() where schema_name = 'main'", "show all tables",
]  # fmt: skip


@pytest.mark.parametrize("sql", GOOD)
def test_a_query_that_only_reads_is_answered(sql: str, results: Results) -> None:
    assert Answer(results, results.sql(sql)).rows()


HOSTILE = {
    "a view that reads a file": "create or replace view main.divergences as select * from read_text('{file}')",
    "a view of ours that reads it": "create or replace view main.current_replay as from read_csv('{file}')",
    "a macro that reads it": "create or replace macro main.utc(written) as (select word from read_csv('{file}'))",
    "a macro of a name of SQL": "create macro main.count(x) as (select max(word) from read_csv('{file}'))",
    "a view in our schema": "create view runs.more as from read_csv('{file}')",
    "a view on the recording": "create or replace view main.pod_states as from read_csv('{file}')",
    "a view on our tables": "create or replace view runs.reconciles as from read_csv('{file}')",
    "a default": "alter table runs.encoded_reconciles alter error set default 1",
    "a type": "create type main.varchar2 as enum ('{file}')",
}


@pytest.mark.parametrize("what", HOSTILE)
def test_nothing_that_a_file_brings_is_run(what: str, home: Path, results: Results, tmp_path: Path) -> None:
    path = tmp_path / "web.duckdb"
    shutil.copy(home / "web.duckdb", path)
    with duckdb.connect(str(path)) as hostile:
        hostile.execute(HOSTILE[what].format(file=home / "secret.csv"))
    with open_results(path) as opened:
        for name in ("reconciles", "divergences", "current_replay", "agreement"):
            assert opened.rows(f"from {name} order by all") == results.rows(f"from {name} order by all")
        assert opened.rows("select utc('2026-03-02T10:05:00-04:00')") == results.rows(
            "select utc('2026-03-02T10:05:00-04:00')"
        )
        assert replay_account(opened).hpas == replay_account(results).hpas
        for sql in ("from results.main.divergences", "from results.runs.more", "from results.main.pod_states"):
            try:
                rows = opened.rows(sql)
            except BadQuery as error:
                assert SECRET not in str(error)  # noqa: PT017 (either is right)
            else:
                assert SECRET not in str(rows)


def test_tables_of_ours_that_are_views_are_not_believed(home: Path, tmp_path: Path) -> None:
    path = tmp_path / "web.duckdb"
    with duckdb.connect(str(path)) as hostile:
        hostile.execute(f"create schema runs; create view runs.reconciles as from read_csv('{home / 'secret.csv'}')")
        hostile.execute("create table runs.replays as select 'r' as replay_id")
    with pytest.raises(NotResults, match="holds no results"):
        open_results(path)


def test_changes_that_lie_beside_a_file_are_refused(home: Path, tmp_path: Path) -> None:
    """DuckDB would take them for its latest state; whoever replays anew is rid of them."""
    path = tmp_path / "web.duckdb"
    shutil.copy(home / "web.duckdb", path)
    changed = duckdb.connect(str(path))
    changed.execute("set checkpoint_threshold = '1TB'; pragma disable_checkpoint_on_shutdown")
    changed.execute("delete from runs.encoded_reconciles")
    shutil.copytree(tmp_path, tmp_path / "copy")
    changed.close()
    copied = tmp_path / "copy" / "web.duckdb"
    assert copied.with_name("web.duckdb.wal").stat().st_size
    (tmp_path / "link.duckdb").symlink_to(copied)
    for name in (copied, tmp_path / "link.duckdb"):
        with pytest.raises(NotResults, match=r"web\.duckdb\.wal holds changes .* that no replay made"):
            open_results(name)


@pytest.mark.parametrize("named", ["b\\ck", "inc?"])
def test_a_path_that_means_another_file_to_duckdb_is_refused(named: str, home: Path, tmp_path: Path) -> None:
    (tmp_path / named).mkdir()
    shutil.copy(home / "web.duckdb", tmp_path / named / "web.duckdb")
    with pytest.raises(NotResults, match="DuckDB does not take"):
        open_results(tmp_path / named / "web.duckdb")


@pytest.mark.parametrize("kind", ["fifo", "folder", "loop", "device"])
def test_what_is_no_regular_file_is_refused_at_once(kind: str, tmp_path: Path) -> None:
    path = tmp_path / "web.duckdb"
    if kind == "fifo":
        os.mkfifo(path)
    elif kind == "folder":
        path.mkdir()
    else:
        path.symlink_to(path if kind == "loop" else "/dev/zero")
    with pytest.raises(NotResults, match=r"web\.duckdb"):
        open_results(path)


def test_a_query_is_bounded_in_memory(results: Results) -> None:
    """It spills into a folder of its own, which goes with it."""
    assert results.rows("select current_setting('memory_limit') as m, current_setting('threads') as t") == [
        {"m": "953.6 MiB", "t": 4}
    ]
    folder = Path(results.rows("select current_setting('temp_directory') as t")[0]["t"]).parent
    assert folder.stat().st_mode & 0o777 == 0o700
    assert results.rows("select count(*) from (from range(40000000) as t(i) order by hash(i))") == [
        {"count_star()": 40_000_000}
    ]


def rows_of(path: Path) -> list[Any]:
    """What every command would tell of a results file, but for where it lies."""
    with open_results(path) as opened:
        account = replay_account(opened)
        return [account.hpas, replace(reconcile_account(opened, *interesting(opened, None)), file="")]


@pytest.mark.parametrize("seed", range(6))
def test_a_damaged_file_is_told_as_before_or_refused_in_one_line(seed: int, home: Path, tmp_path: Path) -> None:
    chance, whole = random.Random(seed), rows_of(home / "web.duckdb")  # noqa: S311 (chance that can be repeated)
    data, path, refusals = (home / "web.duckdb").read_bytes(), tmp_path / "web.duckdb", 0
    for _ in range(int(os.environ.get("HPAAUDIT_FUZZ", "12"))):
        harmed = bytearray(data)
        kind = chance.randrange(4)
        if kind == 0:
            harmed[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
        elif kind == 1:
            harmed[chance.randrange(64 << 10)] ^= 1 << chance.randrange(8)  # where the headers and the catalog lie
        elif kind == 2:
            del harmed[chance.randrange(len(data)) :]
        else:
            begin = chance.randrange(len(data))
            harmed[begin : begin + 4096] = chance.randbytes(4096)
        path.write_bytes(harmed)
        try:
            assert rows_of(path) == whole
        except AuditError as error:
            assert "\n" not in str(error)  # noqa: PT017 (either is right)
            refusals += 1
    assert refusals


def test_only_a_file_with_results_is_one(home: Path) -> None:
    assert is_results(home / "web.duckdb")
    assert not any(is_results(home / name) for name in ("other.duckdb", "secret.csv", "none"))
