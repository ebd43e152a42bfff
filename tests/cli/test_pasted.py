"""A time that a screen shows, pasted back, means the reconcile beside which it stood."""

import re
from collections import Counter
from pathlib import Path
from shutil import copytree

import pytest

import hpaaudit
from hpaaudit.flows.moments import moment, moments
from hpaaudit.flows.query import account
from hpaaudit.flows.replay import replay
from hpaaudit.model.units import SECOND
from hpaaudit.report.replay import replay_text
from hpaaudit.report.text import clock, stamp
from hpaaudit.results.account_reconcile import reconcile_account
from tests.cli.run import run
from tests.recordings.kept import RECORDINGS
from tests.sample import one_in

TIME = re.compile(r"\b\d\d:\d\d:\d\dZ")


@pytest.mark.parametrize("recording", RECORDINGS.values(), ids=lambda path: path.name)
def test_every_time_of_a_screen_explains_the_reconcile_of_that_second(recording: Path, tmp_path: Path) -> None:
    with replay(recording, into=tmp_path / "results.duckdb") as results:
        rows = results.rows(
            "select namespace || '/' || name as hpa, reconcile_id, epoch_us(ts) as at_us from reconciles"
        )
        seconds = Counter((row["hpa"], clock(row["at_us"])) for row in rows)
        screen = replay_text(account(results))
        on_screen = set(TIME.findall(screen))
        assert on_screen & {second for _, second in seconds}
        for row in one_in(3, rows):
            shown = clock(row["at_us"])
            at_us = moments(results.span, at=moment(shown))["at"]
            assert at_us is not None
            explained = reconcile_account(results, row["hpa"], at_us)
            assert clock(explained.at_us) == shown
            if seconds[row["hpa"], shown] == 1:
                assert explained.reconcile_id == row["reconcile_id"]


ENDS = ("started", "ended")


@pytest.mark.parametrize("recording", RECORDINGS.values(), ids=lambda path: path.name)
def test_the_second_in_which_a_recording_ends_lasts_until_its_end(recording: Path) -> None:
    started_us, ended_us = span = hpaaudit.inspect(recording).info.started_us, hpaaudit.inspect(recording).last_us
    for text in (stamp(ended_us), clock(ended_us), clock(ended_us).removesuffix("Z")):
        at = moments(span, at=moment(text), since=moment(text), until=moment(text))
        assert (at["at"], at["until"]) == (ended_us, ended_us)
        assert at["since"] in (ended_us, ended_us // SECOND * SECOND)
    for text in (stamp(started_us), clock(started_us)):
        at = moments(span, at=moment(text), since=moment(text), until=moment(text))
        assert all(at_us // SECOND == started_us // SECOND for at_us in at.values() if at_us is not None)


@pytest.fixture(scope="module")
def replayed(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, str]]:
    """A copy of a recording that is replayed, and its begin and end as its first screen shows them."""
    folder = tmp_path_factory.mktemp("pasted") / "friday"
    copytree(RECORDINGS["metrics-down"], folder)
    code, out, _ = run(f"hpaaudit replay {folder} -q")
    assert code in (0, 1)
    head = re.search(r"(\S+Z) to (\S+Z)", run(f"hpaaudit replay {folder}")[1] or out)
    assert head is not None
    return folder, dict(zip(ENDS, head.groups(), strict=True))


@pytest.mark.parametrize("end", ENDS)
@pytest.mark.parametrize(
    "command",
    [
        "explain {} --at",
        "explain {}/results.duckdb --at",
        "query {} why_this_number --at",
        "query {}/results.duckdb why_this_number --at",
        "query {} what_happened --since",
        "query {} what_happened --until",
        "timeline {} --since",
        "timeline {} --until",
        "inspect {} --since",
        "inspect {} --until",
        "replay {} --since",
        "replay {} --until",
        "report {} --into - -o markdown --since",
        "report {} --into - -o markdown --until",
    ],
)
def test_the_begin_and_end_of_the_first_screen_are_accepted(
    command: str, end: str, replayed: tuple[Path, dict[str, str]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, ends = replayed
    monkeypatch.chdir(tmp_path)
    into = f" --into {tmp_path / 'part.duckdb'}" if command.startswith("replay") else ""
    _, _, err = run(f"hpaaudit {command.format(folder)} {ends[end]}{into}")
    assert "Error" not in err


@pytest.mark.parametrize("end", ENDS)
def test_python_accepts_the_begin_and_end_of_the_first_screen(end: str, replayed: tuple[Path, dict[str, str]]) -> None:
    folder, ends = replayed
    assert hpaaudit.explain(folder, at=ends[end]).at_us
