"""Where HPAAUDIT_NO_SKIP is set, a test that is skipped fails, and says which it is and why."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

TESTS = {
    "test_one.py": "import pytest\n\n\ndef test_needs_go():\n    pytest.skip('go is not here: make cluster')\n",
    "test_all.py": "import pytest\n\npytest.skip('no browser: make browser', allow_module_level=True)\n",
    "test_fine.py": "import pytest\n\n\n@pytest.mark.xfail\ndef test_known():\n    assert False\n",
}


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """Three files of tests, under our conftest."""
    shutil.copy(Path(__file__).parents[1] / "conftest.py", tmp_path)
    for name, text in TESTS.items():
        (tmp_path / name).write_text(text)
    return tmp_path


def run(project: Path, no_skip: str) -> tuple[int, str]:
    """Exit code and words of pytest."""
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-ra",
        "-p",
        "no:cacheprovider",
        "--rootdir",
        ".",
        "-c",
        os.devnull,
    ]
    environment = {**os.environ, "HPAAUDIT_NO_SKIP": no_skip}
    environment.pop("PYTEST_ADDOPTS", None)
    completed = subprocess.run(command, cwd=project, env=environment, capture_output=True, text=True, check=False)
    return completed.returncode, completed.stdout


def test_a_skip_is_a_failure_that_names_the_test_and_the_reason(project: Path) -> None:
    code, output = run(project, "1")
    assert code != 0
    assert "test_all.py was skipped, and HPAAUDIT_NO_SKIP allows no skip. Skipped: no browser: make browser" in output
    (project / "test_all.py").unlink()
    code, output = run(project, "1")
    assert code == 1
    assert (
        "test_one.py::test_needs_go was skipped, and HPAAUDIT_NO_SKIP allows no skip. Skipped: go is not here" in output
    )
    assert "1 failed, 1 xfailed" in output


@pytest.mark.parametrize("no_skip", ["", "0"])
def test_without_it_a_skip_is_one_line_with_the_command_that_helps(no_skip: str, project: Path) -> None:
    code, output = run(project, no_skip)
    assert code == 0
    assert [line.partition(": ")[2] for line in output.splitlines() if line.startswith("SKIPPED")] == [
        "no browser: make browser",
        "go is not here: make cluster",
    ]
