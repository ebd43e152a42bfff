"""The results file without a row is kept for later processes, and used only if it can be trusted."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import duckdb
import pytest

import hpaaudit
from hpaaudit.flows.cache import cache_of
from hpaaudit.results import empty_file as module
from hpaaudit.results import sql
from hpaaudit.results.empty_file import NAME, empty_file
from tests.bench.same import differences

DEMO = Path(hpaaudit.__file__).parent / "demo" / "scaled-by-hand"


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """A line for each time that it was made by SQL; nothing is in memory yet."""
    times: list[str] = []
    create = module._create

    def counted(connection: duckdb.DuckDBPyConnection) -> None:
        times.append("made")
        create(connection)

    monkeypatch.setattr(module, "_create", counted)
    _forget()
    return times


def _forget() -> None:
    """What another process does not know."""
    module.empty_file.cache_clear()
    module._made.cache_clear()


def _catalog(path: Path) -> list[tuple[object, ...]]:
    """Every relation, column and macro of a file, as a client of DuckDB sees them."""
    with duckdb.connect() as connection:
        connection.execute(f"attach '{path}' as results (read_only)")
        return [
            row
            for query in (
                "select schema_name, view_name, sql, comment from duckdb_views() where database_name = 'results'",
                "select * exclude (database_oid) from duckdb_columns() where database_name = 'results'",
                "select function_name, macro_definition from duckdb_functions() where database_name = 'results'",
            )
            for row in sorted(connection.execute(query).fetchall(), key=repr)
        ]


def test_it_has_every_relation_macro_and_comment_and_no_row(tmp_path: Path) -> None:
    path = tmp_path / "empty.duckdb"
    path.write_bytes(empty_file())
    named = {row[1] for row in _catalog(path)}
    assert {*sql.folder("schema"), *sql.folder("views")} <= named
    with duckdb.connect(str(path), read_only=True) as connection:
        rows = [connection.table(name).fetchall() for name in sql.folder("schema")]
    assert rows == [[]] * len(rows)


def test_a_process_makes_it_once_and_a_later_one_not_at_all(tmp_path: Path, made: list[str]) -> None:
    first = empty_file(tmp_path)
    assert (empty_file(tmp_path), empty_file(None), made) == (first, first, ["made"])
    _forget()
    assert (empty_file(tmp_path), made) == (first, ["made"])
    assert [path.name for path in tmp_path.iterdir()] == [NAME]


def test_a_replay_from_the_kept_file_has_the_catalog_and_the_rows_of_one_from_sql(
    tmp_path: Path, made: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hpaaudit.flows.replay.cache_of", lambda _: tmp_path / "cache")
    files = [tmp_path / f"{name}.duckdb" for name in ("by-sql", "from-cache")]
    for file in files:
        hpaaudit.replay(DEMO, into=file).close()
        _forget()
    assert made == ["made"]
    assert _catalog(files[0]) == _catalog(files[1])
    assert list(differences(*files)) == []


def _cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-1])


def _flip(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)


def _of_another_sql(path: Path) -> None:
    path.write_bytes(bytes(32) + path.read_bytes()[32:])


def _writable(path: Path) -> None:
    path.chmod(0o666)


def _link(path: Path) -> None:
    path.rename(path.with_name("elsewhere"))
    path.symlink_to("elsewhere")


def _folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


def _empty(path: Path) -> None:
    path.write_bytes(b"")


@pytest.mark.parametrize("spoil", [_cut, _flip, _of_another_sql, _writable, _link, _folder, _empty])
def test_what_cannot_be_trusted_is_made_anew(spoil: Callable[[Path], None], tmp_path: Path, made: list[str]) -> None:
    empty_file(tmp_path)
    spoil(tmp_path / NAME)
    _forget()
    again = empty_file(tmp_path)
    assert len(made) == 2
    path = tmp_path / "again.duckdb"
    path.write_bytes(again)
    assert {row[1] for row in _catalog(path)} >= set(sql.folder("schema"))
    _forget()
    assert (empty_file(tmp_path) == again, len(made)) == (False, 3) if spoil is _folder else (True, 2)


def test_what_another_user_kept_is_made_anew(tmp_path: Path, made: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    empty_file(tmp_path)
    own = os.geteuid()
    _forget()
    monkeypatch.setattr("os.geteuid", lambda: own + 1)
    empty_file(tmp_path)
    assert len(made) == 2


@pytest.mark.parametrize("problem", ["a file is in the way", "nothing can be written"])
def test_without_a_folder_it_is_made_and_not_kept(
    problem: str, tmp_path: Path, made: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "cache"
    if problem == "a file is in the way":
        folder.write_bytes(b"")
    else:
        monkeypatch.setattr(module, "_keep", lambda *_: os.open(folder / "none" / "none", os.O_WRONLY))
    assert empty_file(folder)
    assert made == ["made"]


def test_it_is_made_anew_for_another_sql_hpaaudit_or_duckdb(
    tmp_path: Path, made: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    empty_file(tmp_path)
    for count, (name, value) in enumerate((("VERSION", "9"), ("STORAGE_VERSION", "v1.5.0")), 2):
        monkeypatch.setattr(module, name, value)
        _forget()
        empty_file(tmp_path)
        assert len(made) == count
    monkeypatch.setattr(module.duckdb, "__version__", "9")
    _forget()
    empty_file(tmp_path)
    assert len(made) == 4


def test_processes_that_make_it_at_once_leave_a_whole_one(tmp_path: Path, made: list[str]) -> None:
    code = "import sys, pathlib; from hpaaudit.results.empty_file import *; empty_file(pathlib.Path(sys.argv[1]))"
    processes = [subprocess.Popen([sys.executable, "-c", code, tmp_path]) for _ in range(3)]
    assert [process.wait() for process in processes] == [0, 0, 0]
    assert [path.name for path in tmp_path.iterdir()] == [NAME]
    assert empty_file(tmp_path)
    assert made == []


def test_a_user_without_a_home_has_no_cache(monkeypatch: pytest.MonkeyPatch) -> None:
    def homeless() -> Path:
        raise RuntimeError

    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setattr("os.access", lambda *_: False)
    monkeypatch.setattr(Path, "home", homeless)
    assert cache_of("results") is None
