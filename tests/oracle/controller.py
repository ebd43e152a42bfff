"""Builds the real controller of a release, and runs scenarios through it."""

import json
import os
import re
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.oracle.draw import Json

HERE = Path(__file__).parent


@dataclass(frozen=True, slots=True)
class Run:
    """What one run of the controller came to: scenarios lived through, refused by validation, reconciles, seconds."""

    scenarios: int
    refused: int
    reconciles: int
    seconds: float


def releases() -> list[str]:
    """The releases that can be built, oldest first."""
    lines = (HERE / "releases.txt").read_text(encoding="utf-8").splitlines()
    return [line.split()[0] for line in lines if line and not line.startswith("#")]


def program(release: str) -> Path:
    """Where the controller of a release is, once it is built."""
    named = os.environ.get("HPAAUDIT_ORACLE_WORK")
    return (Path(named) if named else Path.home() / ".cache" / "hpaaudit-oracle") / release / "oracle.test"


def prepare(release: str) -> None:
    """Builds the controller of a release, unless what we have is newer than the harness."""
    built = program(release)
    sources = [*HERE.glob("harness/*.go"), *HERE.glob("adapters/*"), *HERE.glob("prepare*"), HERE / "releases.txt"]
    if int(release.split(".")[1]) < 12:  # the harness of 1.1 to 1.11
        sources += HERE.glob("legacy/*")
    if built.exists() and all(source.stat().st_mtime <= built.stat().st_mtime for source in sources):
        return
    subprocess.run([HERE / "prepare", release], check=True)


def run(
    release: str,
    scenarios: Sequence[Json],
    into: Path,
    *,
    plain: bool = True,
    binary: Path | None = None,
    extra: Sequence[str] = (),
) -> Run:
    """Captures and expected decisions of scenarios, two files for each that validation lets pass.

    plain    not compressed, for what is read once
    binary   another build of the controller;  extra   further arguments for it
    """
    with tempfile.NamedTemporaryFile("w", suffix=".jsonl") as lines:
        lines.writelines(f"{json.dumps(scenario)}\n" for scenario in scenarios)
        lines.flush()
        completed = subprocess.run(
            [binary or program(release), "-test.run", "TestOracle", "-test.cpu", "1", "-test.timeout", "60m", *extra],
            env={
                **os.environ,
                "ORACLE_SCENARIOS": lines.name,
                "ORACLE_OUT": str(into),
                "ORACLE_PLAIN": "1" if plain else "",
            },
            cwd=program(release).parent,
            capture_output=True,
            text=True,
            check=False,
        )
    match = re.search(r"scenarios=(\d+) refused=(\d+) reconciles=(\d+) seconds=([\d.]+)", completed.stdout)
    if completed.returncode or match is None:
        raise RuntimeError(
            f"the controller of {release} broke:\n{completed.stdout[-2000:]}\n{completed.stderr[-2000:]}"
        )
    return Run(int(match[1]), int(match[2]), int(match[3]), float(match[4]))
