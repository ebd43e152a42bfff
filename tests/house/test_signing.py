"""The commands of docs/format.md sign a head hash and check it, run as they are with OpenSSH."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from hpaaudit.flows.bundled import bundled_recording

PAGE = (Path(__file__).parents[2] / "docs" / "format.md").read_text(encoding="utf-8")
PART = PAGE.partition("### What only a hash kept elsewhere proves")[2].partition("\n### ")[0]
COMMANDS = [line for block in re.findall(r"```sh\n(.*?)```", PART, re.DOTALL) for line in block.splitlines()]


@pytest.mark.skipif(shutil.which("ssh-keygen") is None, reason="ssh-keygen, a part of OpenSSH, is not here")
def test_the_commands_of_the_page_sign_and_check(tmp_path: Path) -> None:
    shutil.copytree(bundled_recording(), tmp_path / "friday", ignore=shutil.ignore_patterns("*.duckdb"))
    (tmp_path / ".ssh").mkdir()
    key = tmp_path / ".ssh" / "id_ed25519"
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(key)], check=True)
    shutil.copy(key.with_suffix(".pub"), tmp_path / "signer.pub")
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    environment = {**os.environ, "HOME": str(tmp_path), "PATH": path}

    def output_of(command: str) -> tuple[int, str]:
        completed = subprocess.run(
            ["sh", "-c", command.replace("~", "$HOME")],
            cwd=tmp_path,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        return completed.returncode, completed.stdout + completed.stderr

    assert len(COMMANDS) == 6
    for command in COMMANDS:
        code, words = output_of(command)
        assert code == 0, (command, words)
    assert "The expected hash covers the whole recording." in words
    head = tmp_path / "friday.head"
    head.write_text(head.read_text().translate(str.maketrans("0123456789", "1234567890")))
    assert output_of(COMMANDS[-2])[0] != 0
    assert output_of(COMMANDS[-1])[0] == 2
