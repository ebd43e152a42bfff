"""What is piped to `convert` and `import` is read, or refused in a line."""

import gzip
import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.conftest import CAPTURE, HPAS

HPA = HPAS / "web.yaml"


def piped(given: bytes, arguments: str, folder: Path) -> tuple[int, str, str]:
    """Exit code, stdout and stderr of a command in a folder that gets this on stdin."""
    done = subprocess.run(
        [sys.executable, "-m", "hpaaudit", *shlex.split(arguments)],
        cwd=folder,
        input=given,
        capture_output=True,
        check=False,
        env={**os.environ, "PYTHONIOENCODING": "utf-8"},
    )
    return done.returncode, done.stdout.decode(), done.stderr.decode()


def files(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize("name", ["-", "/dev/stdin"])
@pytest.mark.parametrize("is_packed", [True, False])
def test_a_capture_from_a_pipe_makes_the_recording_of_its_file(name: str, is_packed: bool, tmp_path: Path) -> None:
    packed = CAPTURE.read_bytes()
    assert piped(b"", f"import capture {CAPTURE} --into named", tmp_path)[0] == 0
    code, out, err = piped(
        packed if is_packed else gzip.decompress(packed), f"import capture {name} --into piped", tmp_path
    )
    assert (code, out, err.splitlines()[-1]) == (0, "", "next     hpaaudit replay piped")
    assert files(tmp_path / "piped") == files(tmp_path / "named")


@pytest.mark.parametrize(
    ("given", "arguments", "said"),
    [
        (b"", "import capture - --into r", "stdin: empty; a capture has one JSON object per line"),
        (b"{bad\n", "import capture - --into r", "stdin:1: not JSON ("),
        (b"{bad\n", f"import capture {CAPTURE} /dev/stdin --into r", "/dev/stdin:1: not JSON ("),
        (b"\xff\xfe", "convert - --to v1", "stdin cannot be read: it is no text in UTF-8"),
        (b"", "convert - --to v1", "stdin: no HorizontalPodAutoscaler in it"),
    ],
)
def test_what_cannot_be_read_from_a_pipe_is_refused_in_a_line(
    given: bytes, arguments: str, said: str, tmp_path: Path
) -> None:
    code, out, err = piped(given, arguments, tmp_path)
    assert (code, out, err.count("\n"), err.startswith(f"Error: {said}")) == (2, "", 1, True)
    assert list(tmp_path.iterdir()) == []


def test_an_hpa_from_a_pipe_is_converted_as_its_file(tmp_path: Path) -> None:
    code, out, err = piped(HPA.read_bytes(), "convert - --to v1", tmp_path)
    assert (code, out, err) == piped(b"", f"convert {HPA} --to v1", tmp_path)
    assert (code, out[:29]) == (0, "apiVersion: autoscaling/v1\nki")
