"""What a user installs: a wheel that carries the questions and the demo, into an empty environment."""

import os
import subprocess
import sys
import tempfile
import venv
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PLACES = (
    {"TZ": "UTC", "LC_ALL": "C.UTF-8"},
    {"TZ": "Asia/Kathmandu", "LC_ALL": "C"},
    {"TZ": "America/St_Johns", "LC_ALL": "POSIX", "PYTHONUTF8": "0"},
)


@pytest.fixture(scope="module")
def anybodys() -> Iterator[Path]:
    """A folder that anybody may enter: those of pytest are for its own user, and closed by each that starts."""
    with tempfile.TemporaryDirectory(prefix="hpaaudit-wheel-") as folder:
        Path(folder).chmod(0o755)
        yield Path(folder)


@pytest.fixture(scope="module")
def installed(anybodys: Path) -> Path:
    """An environment that holds the wheel and what it asks for, wheels only; anybody may run it."""
    build = [sys.executable, "-m", "uv", "build", "--wheel", "--no-build-isolation", "--python", sys.executable]
    subprocess.run([*build, "--out-dir", anybodys, ROOT], check=True, capture_output=True)
    (wheel,) = anybodys.glob("*.whl")
    environment = anybodys / "environment"
    venv.create(environment, with_pip=True)
    pip = [environment / "bin" / "python", "-m", "pip", "install", "--quiet", "--only-binary", ":all:"]
    subprocess.run([*pip, "--constraint", _constraints(anybodys), wheel], check=True)
    return environment / "bin" / "hpaaudit"


def _constraints(folder: Path) -> Path:
    """The versions of the lock without its hashes, which constraints may not have."""
    pinned = [line.split(" ")[0] for line in (ROOT / "requirements.lock").read_text().splitlines() if "==" in line]
    (folder / "constraints.txt").write_text("\n".join(pinned))
    return folder / "constraints.txt"


def _run(
    command: list[str | Path], cwd: Path, *, user: str | None = None, **environment: str
) -> subprocess.CompletedProcess[str]:
    plain = {key: value for key, value in os.environ.items() if key in ("PATH", "HOME", "XDG_STATE_HOME")}
    cwd.mkdir(exist_ok=True)
    cwd.chmod(0o777)
    return subprocess.run(
        command, cwd=cwd, env={**plain, **environment}, user=user, capture_output=True, text=True, check=False,
        encoding="utf-8",
    )  # fmt: skip


@pytest.mark.parametrize("environment", PLACES, ids=lambda environment: environment["TZ"])
def test_the_demo_runs_from_the_wheel_in_any_time_zone_and_locale(
    installed: Path, tmp_path: Path, environment: dict[str, str]
) -> None:
    """The same answer everywhere: who wrote, when, and what the controller wanted."""
    shown = _run([installed, "demo"], tmp_path / "elsewhere", **environment)
    assert shown.returncode == 0, shown.stderr
    assert "kubectl" in shown.stdout
    assert "external_write.manual" in shown.stdout


def test_the_demo_needs_no_rights(installed: Path) -> None:
    """Nothing is written but the results where the user stands, the note that they are his own, and the cache."""
    folder = installed.parents[2] / "nobody"
    # Who is not root already is such a user.
    shown = _run([installed, "demo"], folder, user="nobody" if os.getuid() == 0 else None, HOME=str(folder),
                 XDG_STATE_HOME="")  # fmt: skip
    assert shown.returncode == 0, shown.stderr
    results_folder = folder / ".local" / "state" / "hpaaudit" / "made"
    files = [path for path in folder.rglob("*") if path.is_file() and path.parent != results_folder]
    cache = Path(".cache", "hpaaudit", "empty-results")
    assert {path.relative_to(folder) for path in files} == {Path("hpaaudit-demo.duckdb"), cache}
    assert [path.stat().st_size for path in results_folder.iterdir()] == [0, 0]


def test_the_questions_travel_in_the_wheel(installed: Path, tmp_path: Path) -> None:
    shown = _run([installed, "demo"], tmp_path / "here")
    assert shown.returncode == 0, shown.stderr
    listed = _run([installed, "query", "hpaaudit-demo.duckdb"], tmp_path / "here")
    assert "who_wrote_replicas" in listed.stdout
    asked = _run([installed, "query", "hpaaudit-demo.duckdb", "who_wrote_replicas"], tmp_path / "here")
    assert "kubectl" in asked.stdout


SCRIPT = """
import hpaaudit

def divergent(recording: str) -> list[str]:
    with hpaaudit.replay(recording) as results:
        frame = results.frame("reconciles")
        assert_type(results, hpaaudit.Results)
        assert_type(frame, polars.DataFrame)
    account = hpaaudit.explain(recording, "shop/web")
    assert_type(account, hpaaudit.ReconcileAccount)
    if hpaaudit.verify(Path(recording)).damages:
        assert_type(hpaaudit.repair(Path(recording)), hpaaudit.Repair)
    with hpaaudit.query(recording, "what_happened") as answer:
        assert_type(answer.frame(), polars.DataFrame)
        return answer.columns

hpaaudit.replay(recording=1)
"""
"""A user's script with one mistake, in its last line."""


def test_a_type_checker_sees_the_types_of_the_installed_wheel(installed: Path, tmp_path: Path) -> None:
    heads = ("from pathlib import Path", "from typing import assert_type", "import polars")
    (tmp_path / "script.py").write_text("\n".join(heads) + SCRIPT)
    checker = [sys.executable, "-m", "mypy", "--strict", "--no-incremental"]
    python = installed.with_name("python")
    checked = _run([*checker, "--python-executable", python, "script.py"], tmp_path)
    [mistake, summary] = checked.stdout.splitlines()
    assert 'Argument "recording" to "replay" has incompatible type "int"' in mistake
    assert summary.startswith("Found 1 error")


def test_record_loads_neither_duckdb_nor_polars_nor_numba() -> None:
    """A recorder in production carries only what it needs."""
    code = (
        "import sys; import hpaaudit.cli.record, hpaaudit.flows.record, hpaaudit.recording.writing.writer; "
        "import hpaaudit.cluster.observe.observer; "
        "print([m for m in ('duckdb', 'polars', 'numba') if m in sys.modules])"
    )
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert shown.stdout.strip() == "[]"


def test_every_file_says_its_one_job_in_its_first_line() -> None:
    files = [path for top in ("hpaaudit", "tests") for path in (ROOT / top).rglob("*.py")]
    mute = [path for path in files if path.stat().st_size and not path.read_text().startswith('"""')]
    assert mute == []
