"""What holds for every command: exit codes, quick help, clean streams, no text that controls the terminal."""

import json
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import click
import pyarrow.parquet as pq
import pytest

from hpaaudit import cli
from hpaaudit.cli import COMMANDS, hpaaudit_command
from hpaaudit.errors import AuditError
from tests.cli.run import run

RECORDING = Path(__file__).parents[2] / "recordings" / "scaled-by-hand"
HEAVY = ("duckdb", "polars", "pyarrow", "numba", "aiohttp", "yaml")


def python(code: str, *, cwd: Path | None = None) -> subprocess.CompletedProcess[bytes]:
    """A new interpreter that finds our package."""
    root = str(Path(__file__).parents[2])
    return subprocess.run(
        [sys.executable, "-c", f"import sys; sys.path.insert(0, {root!r})\n{code}"],
        capture_output=True,
        check=False,
        cwd=cwd,
    )


def test_help_imports_no_room() -> None:
    code = (
        "from hpaaudit.cli import _run\n_run(['--help'])\n"
        f"print([name for name in {HEAVY!r} if name in sys.modules], file=sys.stderr)"
    )
    assert python(code).stderr.strip() == b"[]"


def test_a_question_to_results_of_a_recording_imports_nothing_that_reads_or_decides(tmp_path: Path) -> None:
    recording = tmp_path / "friday"
    shutil.copytree(RECORDING, recording)
    assert run(f"hpaaudit replay {recording} -q")[0] == 0
    heavy = ("polars", "pyarrow", "numpy", "numba", "aiohttp", "yaml", "hpaaudit.engine")
    code = (
        f"from hpaaudit.cli import _run\n_run(['query', {str(recording)!r}, 'what_happened', '-q'])\n"
        f"print([name for name in {heavy!r} if name in sys.modules], file=sys.stderr)"
    )
    asked = python(code)
    assert b"SuccessfulRescale" in asked.stdout
    assert asked.stderr.strip() == b"[]"


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_has_the_line_that_the_list_shows(name: str) -> None:
    context = click.Context(hpaaudit_command)
    command = hpaaudit_command.get_command(context, name)
    assert command is not None
    assert command.get_short_help_str(limit=100) == COMMANDS[name][1]


@pytest.mark.parametrize("name", COMMANDS)
def test_every_help_ends_with_an_example(name: str) -> None:
    code, out, err = run(f"hpaaudit {name} --help")
    assert (code, err) == (0, "")
    before, _, _ = out.partition("Options:")
    assert "Example:" in before
    assert f"hpaaudit {name}" in before.rpartition("Example:")[2]
    assert "\\b" not in out


def test_kubectl_calls_it_by_its_own_name() -> None:
    completed = python("sys.argv = ['kubectl-hpaaudit', 'replay', '--help']\nfrom hpaaudit.cli import main\nmain()")
    assert completed.stdout.startswith(b"Usage: kubectl hpaaudit replay ")


def test_an_interrupt_is_130(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(cli.hpaaudit_command, "main", interrupted)
    assert run("hpaaudit demo") == (130, "", "interrupted\n")


def test_an_error_is_one_line_that_cannot_steer_the_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: object, **__: object) -> None:
        raise AuditError("no HPA \x1b[2Jshop/\u202eweb\nin this recording")

    monkeypatch.setattr(cli.hpaaudit_command, "main", fails)
    assert run("hpaaudit demo") == (2, "", "Error: no HPA \\x1b[2Jshop/\\u202eweb\\nin this recording\n")


@pytest.mark.usefixtures("at_desk")
def test_json_is_json_with_times_in_utc() -> None:
    code, out, err = run('hpaaudit query web.duckdb "select ts, name from reconciles order by ts limit 2" -o json')
    assert (code, err) == (0, "")
    assert json.loads(out) == [
        {"ts": "2026-03-02T14:00:00Z", "name": "web"},
        {"ts": "2026-03-02T14:00:15Z", "name": "web"},
    ]


@pytest.mark.usefixtures("at_desk")
def test_no_rows_are_still_valid_json_and_csv() -> None:
    none = '"select ts from reconciles where false"'
    assert run(f"hpaaudit query web.duckdb {none} -o json")[1] == "[]\n"
    assert run(f"hpaaudit query web.duckdb {none} -o csv")[1] == "ts\n"
    assert run(f"hpaaudit query web.duckdb {none}")[1] == "TS\n0 rows\n"


@pytest.mark.usefixtures("at_desk")
def test_a_table_escapes_what_could_steer_the_terminal() -> None:
    _, out, _ = run("""hpaaudit query web.duckdb "select chr(27) || '[31m' || chr(8238) as name" """)
    assert out == "NAME\n\\x1b[31m\\u202e\n"


def test_parquet_comes_on_stdout(desk: Path) -> None:
    code = (
        "from hpaaudit.cli import main\n"
        "sys.argv = ['hpaaudit', 'query', 'web.duckdb', 'from reconciles', '-o', 'parquet']\nmain()"
    )
    completed = python(code, cwd=desk)
    (desk / "answer.parquet").write_bytes(completed.stdout)
    assert pq.read_table(desk / "answer.parquet").num_rows == 14
    assert completed.stderr == b""


HUGE = "select count(*) from range(100000000) as a, range(1000000) as b"


@contextmanager
def started(arguments: Sequence[str], folder: Path) -> Iterator[subprocess.Popen[bytes]]:
    """`hpaaudit …` as a process of its own, which answers to SIGINT as in a terminal."""
    code = f"from hpaaudit.cli import main\nsys.argv = ['hpaaudit', *{[*arguments]!r}]\nmain()"
    root = str(Path(__file__).parents[2])
    with subprocess.Popen(
        [sys.executable, "-c", f"import signal, sys; sys.path.insert(0, {root!r})\n{INTERRUPTIBLE}\n{code}"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=folder,
    ) as process:
        try:
            yield process
        finally:
            process.kill()


INTERRUPTIBLE = "signal.signal(signal.SIGINT, signal.default_int_handler)"


@pytest.mark.parametrize("output", ["table", "json", "csv", "parquet"])
@pytest.mark.parametrize("rows", [0, 200_000])
def test_a_reader_that_goes_away_is_no_error(output: str, rows: int, desk: Path) -> None:
    """As with `| head`, whether the answer is longer than what a pipe holds or not."""
    with started(["query", "web.duckdb", f"from range({rows})", "-o", output], desk) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait() == 0


def test_a_command_that_fails_fails_although_nobody_reads_why(desk: Path) -> None:
    with started(["replay", "nowhere"], desk) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        process.stderr.close()
        assert process.wait() == 2


@pytest.mark.parametrize("output", ["table", "json", "csv", "parquet"])
@pytest.mark.parametrize("sql", [HUGE, f"explain analyze {HUGE}", "select * from range(1000000000000)"])
def test_ctrl_c_ends_sql_at_once(sql: str, output: str, desk: Path) -> None:
    with started(["query", "web.duckdb", sql, "-o", output], desk) as process:
        time.sleep(2)
        process.send_signal(signal.SIGINT)
        _, stderr = process.communicate(timeout=5)
        assert (process.returncode, stderr.strip()) == (130, b"interrupted")


@pytest.mark.parametrize("command", ["replay", "import capture", ""])
def test_help_shows_what_the_option_shows(command: str) -> None:
    assert run(f"hpaaudit help {command}") == run(f"hpaaudit {command} --help")


def test_help_for_what_is_no_command_suggests_the_nearest() -> None:
    code, out, err = run("hpaaudit help replya")
    assert (code, out) == (2, "")
    assert "did you mean replay" in err
    assert run("hpaaudit help replay shop/web")[0] == 2


def test_version_names_the_releases_and_the_format() -> None:
    versions = json.loads(run("hpaaudit version -o json")[1])
    assert (versions["oldest_release"], versions["newest_release"], versions["recording_format"]) == ("1.1", "1.37", 1)
    assert f"hpaaudit          {versions['hpaaudit']}\n" in run("hpaaudit version")[1]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full")
@pytest.mark.parametrize("words", [["version"], ["query"], ["query", "web.duckdb", "from range(200000)"]])
def test_where_nothing_more_can_be_written_says_so_in_a_line(words: Sequence[str], desk: Path) -> None:
    """And fails with the code of an error, which is not that of a divergence."""
    with Path("/dev/full").open("w") as full:
        process = subprocess.run(
            [sys.executable, "-m", "hpaaudit", *words],
            stdout=full, stderr=subprocess.PIPE, text=True, check=False, cwd=desk,
        )  # fmt: skip
    told = "Error: the output cannot be written: No space left on device\n"
    assert (process.returncode, process.stderr) == (2, told)
