"""SQL that is redirected or piped to `query`, and what else a job may have as stdin."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.run import run

SQL = "select count(*) as n from reconciles"
NEVER_SECONDS = 120
"""A command that waits for stdin is ended by the test; it needs a second."""


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The results of a recording."""
    file = tmp_path_factory.mktemp("stdin") / "hand.duckdb"
    recording = Path(__file__).parents[2] / "recordings" / "scaled-by-hand"
    assert run(f"hpaaudit replay {recording} --into {file}")[0] == 0
    return str(file)


def query(*arguments: str, stdin: int) -> tuple[int, str, str]:
    """Exit code, stdout and stderr of `hpaaudit query …` in a process of its own."""
    command = [sys.executable, "-m", "hpaaudit", "query", *arguments]
    done = subprocess.run(command, stdin=stdin, capture_output=True, text=True, timeout=NEVER_SECONDS, check=False)
    return done.returncode, done.stdout, done.stderr


def pipe(text: bytes) -> tuple[int, int]:
    """A pipe that holds this: where it is read, and where it is written."""
    ours, theirs = os.pipe()
    os.write(theirs, text)
    return ours, theirs


def test_sql_in_a_file_or_a_pipe_is_asked_without_a_dash(results: str, tmp_path: Path) -> None:
    asked = run(f'hpaaudit query {results} "{SQL}" -o csv')[1]
    (tmp_path / "count.sql").write_text(SQL)
    with (tmp_path / "count.sql").open() as file:
        assert query(results, "-o", "csv", stdin=file.fileno()) == (0, asked, "")
    reading, writing = pipe(SQL.encode())
    os.close(writing)
    assert query(results, "-o", "csv", stdin=reading) == (0, asked, "")
    os.close(reading)


def test_without_sql_the_questions_are_listed_and_nothing_is_waited_for(results: str, tmp_path: Path) -> None:
    questions = run(f"hpaaudit query {results} --list")[1]
    (tmp_path / "empty.sql").write_text("\n")
    with (tmp_path / "empty.sql").open() as file:
        assert query(results, stdin=file.fileno()) == (0, questions, "")
    assert query(results, stdin=subprocess.DEVNULL) == (0, questions, "")
    reading, writing = pipe(b"")
    code, out, err = query(results, stdin=reading)
    assert (code, out, err.count("\n")) == (0, questions, 1)
    assert "hpaaudit query RESULTS|DIR -" in err
    os.close(writing)
    assert query(results, stdin=reading) == (0, questions, "")
    os.close(reading)
    script = 'exec "$0" -m hpaaudit query "$1" <&-'
    command = ["/bin/sh", "-c", script, sys.executable, results]
    closed = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (closed.returncode, closed.stdout, closed.stderr) == (0, questions, "")


def test_with_a_question_stdin_is_left_alone(results: str, tmp_path: Path) -> None:
    (tmp_path / "loop.txt").write_text("another\nand another\n")
    with (tmp_path / "loop.txt").open() as file:
        assert query(results, SQL, "-q", stdin=file.fileno())[0] == 0
        assert query(results, "--list", stdin=file.fileno())[0] == 0
        assert file.read() == "another\nand another\n"


def test_what_is_no_text_is_refused_in_a_line(results: str) -> None:
    reading, writing = pipe(b"select \xff")
    os.close(writing)
    code, out, err = query(results, stdin=reading)
    os.close(reading)
    assert (code, out, err.count("\n")) == (2, "", 1), err
    told = run(f"hpaaudit query {results} 'select \udcff'")
    assert (told[0], told[1], told[2].count("\n")) == (2, "", 1), told
