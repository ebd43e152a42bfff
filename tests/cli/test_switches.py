"""What a replay's options do is said: which change nothing, and to what a replay is narrowed."""

import json
import shutil
from pathlib import Path

import pytest

from hpaaudit.flows.bundled import bundled_recording
from tests.cli.run import run


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ("--with InclusiveTolerance", "--with InclusiveTolerance changes nothing: as release 1.36.3 this rule is on"),
        ("--with hpacontainermetrics", "--with hpacontainermetrics changes nothing: as release 1.36.3 this rule is on"),
        ("--without HPAScaleToZero", "--without HPAScaleToZero changes nothing: as release 1.36.3 this rule is off"),
        ("--release 1.5 --without InclusiveTolerance", "--without InclusiveTolerance changes nothing: as release 1.5 "),
        ("--without InclusiveTolerance", ""),
        ("--with HPAScaleToZero", ""),
    ],
)
def test_a_switch_that_changes_nothing_is_said(options: str, said: str, tmp_path: Path) -> None:
    shutil.copytree(bundled_recording(), tmp_path / "friday")
    code, _, err = run(f"hpaaudit replay {tmp_path}/friday {options}")
    assert (code, err.count("\n"), err.startswith(said)) == (0, 1 if said else 0, True)


def test_a_narrowed_replay_says_to_what(tmp_path: Path) -> None:
    shutil.copytree(bundled_recording(), tmp_path / "friday")
    changed = ("--flag tolerance=0.5", "--hpa '*/c*' --release 1.20")
    for options in ("--since 15:04 --until 15:06", "--hpa shop/checkout", *changed):
        assert run(f"hpaaudit replay {tmp_path}/friday -q {options}")[0] == 0
    _, out, _ = run(f"hpaaudit query {tmp_path}/friday/what-if.duckdb what_would_it_cost -q -o json")
    assert [row["narrowed_to"] for row in json.loads(out)] == [
        "since 2026-11-21T15:04:00Z, until 2026-11-21T15:06:00.999999Z",
        "hpa shop/checkout",
        None,
        "hpa '*/c*'",
    ]
