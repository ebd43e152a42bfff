"""The commands at the end of a report give the very results that it was made of."""

import html
import re
import shutil
from collections.abc import Sequence
from pathlib import Path

import pytest

from hpaaudit.flows.bundled import bundled_recording
from tests.cli.run import run

TABLES = ("reconciles", "divergences", "findings", "reports", "sensitivity", "assumptions", "decision_steps")
ON_PAGE = re.compile(r"<pre[^>]*>(hpaaudit verify.*?)</pre>", re.DOTALL)
IN_TEXT = re.compile(r"^    (hpaaudit replay .*)$", re.MULTILINE)
HEAD = re.compile(r'<p class="quiet">(A what-if.*?)</p>')


def results_of(file: Path) -> Sequence[str]:
    """The rows of every table that tells of the replay, as text."""
    questions = [f"select * exclude (replay_id) from {table}" for table in TABLES]  # noqa: S608 our names
    questions.append("select mode, options, release, detail from replays")
    answers = [run(f'hpaaudit query "{file}" "{question}" -o csv -q') for question in questions]
    assert [(code, err) for code, _, err in answers] == [(0, "")] * len(questions)
    return ["\n".join(sorted(out.splitlines())) for _, out, _ in answers]


@pytest.mark.parametrize(
    "options",
    [
        "--flag tolerance=0.5",
        "--release 1.37",
        "--without InclusiveTolerance --flag horizontal-pod-autoscaler-downscale-stabilization=1m",
        "--since 11:12 --until 11:17:30 -n shop",
        "--flag tolerance=0.5 --detail all",
        "--flag tolerance=0.3 --declare",
        "--flag tolerance=0.3 --declare; --flag horizontal-pod-autoscaler-downscale-stabilization=1m",
        "",
    ],
)
def test_the_printed_commands_give_these_very_results(
    options: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    shutil.copytree(bundled_recording("rate-limited"), "it's <a> copy", ignore=shutil.ignore_patterns("*.duckdb"))
    recording = Path("it's <a> copy")
    for command in options.split("; "):
        code, _, err = run(f'hpaaudit replay "{recording}" {command}')
        assert code == 0, err
    is_audit = options == "" or options.endswith("--declare")
    file = recording / ("results.duckdb" if is_audit else "what-if.duckdb")
    asked = results_of(file)
    for name in ("page.html", "page.md"):
        assert run(f'hpaaudit report "{file}" --into {name}')[0] == 0
    page, text = Path("page.html").read_text("utf-8"), Path("page.md").read_text("utf-8")
    told = html.unescape(ON_PAGE.findall(page)[0]).splitlines()
    commands = [line.partition("   #")[0] for line in told if line.startswith("hpaaudit replay")]
    assert IN_TEXT.findall(text) == commands
    heads = [html.unescape(head) for head in HEAD.findall(page)]
    assert len(heads) == (0 if is_audit else 1)
    assert all(head.split(" with ")[1].rstrip(".") in commands[-1] for head in heads)
    shutil.rmtree(recording)
    shutil.copytree(bundled_recording("rate-limited"), recording, ignore=shutil.ignore_patterns("*.duckdb"))
    for command in commands:
        code, _, err = run(command)
        assert code == 0, f"{command}\n{err}"
    assert results_of(file) == asked
