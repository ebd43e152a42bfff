"""Every command that a screen prints works when it is pasted, and the first one explains the headline."""

import json
import re
import shlex
import shutil
from pathlib import Path

import pytest

from hpaaudit.flows.query import named_questions
from tests.cli.run import run
from tests.recordings.kept import RECORDINGS
from tests.sample import one_in

COMMAND = re.compile(r"(?:`|^|\s)(hpaaudit [a-z]+ +[^`\n]*?)(?=`|\n|$|  )", re.MULTILINE)
TIME = re.compile(r"\d\d:\d\d:\d\dZ")


def printed(screen: str) -> list[str]:
    """The commands on a screen."""
    return [" ".join(command.split()) for command in COMMAND.findall(re.sub(r"(hpaaudit query) +", r"\1 ", screen))]


@pytest.fixture
def folder(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of a recording in a folder with a blank in its name, which is the current one."""
    desk = tmp_path / "my incidents"
    shutil.copytree(request.param.resolve(), desk / "it's friday", ignore=shutil.ignore_patterns("*.duckdb"))
    monkeypatch.chdir(desk)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    return Path("it's friday")


@pytest.mark.parametrize(
    ("folder", "turn"),
    [(recording, turn) for turn, recording in enumerate(RECORDINGS.values())],
    ids=RECORDINGS,
    indirect=["folder"],
)
def test_every_printed_command_works_when_it_is_pasted(folder: Path, turn: int) -> None:
    """Half of the questions are asked of the audit, some of the what-if, of the next recording the next ones."""
    source = shlex.quote(str(folder))
    asked = [
        f"hpaaudit inspect {source}",
        f"hpaaudit verify {source}",
        f"hpaaudit repair {source} --plan",
        f"hpaaudit replay {source} --detail numbers",
        f"hpaaudit replay {source} --flag tolerance=0.5",
        f"hpaaudit explain {source}",
        f"hpaaudit query {source} which_pods_did_not_count",
        *(f"hpaaudit query {source} {question}" for question in one_in(2, [*named_questions()], turn)),
        *(f"hpaaudit query {source}/what-if.duckdb {question}" for question in one_in(6, [*named_questions()], turn)),
    ]
    pasted: set[str] = set()
    while asked:
        command = asked.pop(0)
        code, out, err = run(command)
        assert code == 0, f"{command}\n{err}"
        new = dict.fromkeys(printed(out + err))
        asked += [command for command in new if command not in pasted]
        pasted |= set(new)
    kinds = {command.split()[1] for command in pasted}
    assert {"replay", "explain", "query", "verify", "report"} <= kinds
    # The pods of an old recording may be unasked for: until 1.4 the controller did not group them. A queue has none.
    is_recorded = json.loads((folder / "recording.json").read_text("utf-8"))["source"] == "record"
    counts_pods = any(folder.glob("segments/*/samples.parquet"))
    assert any("--detail pods" in command for command in pasted) or not (is_recorded and counts_pods)


@pytest.mark.parametrize("folder", RECORDINGS.values(), ids=lambda path: path.name, indirect=True)
def test_the_next_command_explains_the_moment_of_the_headline(folder: Path) -> None:
    """So does `explain` without a time."""
    source = shlex.quote(str(folder))
    _, screen, _ = run(f"hpaaudit replay {source}")
    parts = screen.split("\n\n")
    title = next(place for place, part in enumerate(parts) if re.fullmatch(r"[\w-]+/[\w-]+ -> .*", part, re.DOTALL))
    headline = parts[title + 1]
    first, *_ = printed(screen)
    explained = run(first)[1]
    assert explained == run(f"hpaaudit explain {source}")[1]
    times = TIME.findall(headline)
    assert times
    if "did not take place" in headline:  # what is explained is the first that did not
        assert times[0] <= TIME.findall(explained)[0] < times[1]
    else:
        assert times[0] in explained, headline


def test_a_replay_leads_on_to_its_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each kind of replay has a page of its own name, so that the second command that is pasted works as the first."""
    monkeypatch.chdir(tmp_path)
    for name in ("two-hpas", "quota"):
        shutil.copytree(RECORDINGS[name].resolve(), tmp_path / name, ignore=shutil.ignore_patterns("*.duckdb"))
    wanted = {
        "two-hpas": "report two-hpas/results.duckdb --into two-hpas.html",
        "two-hpas --flag tolerance=0.5": "report two-hpas/what-if.duckdb --into two-hpas-what-if.html",
        "quota --into other.duckdb": "report other.duckdb --into other.html",
    }
    for options, command in wanted.items():
        told = printed(run(f"hpaaudit replay {options}")[1])
        assert f"hpaaudit {command}" in [" ".join(one.split()) for one in told]
        assert run(f"hpaaudit {command}")[0] == 0
        assert (tmp_path / command.rpartition(" ")[2]).read_text("utf-8").startswith("<!doctype html>")


@pytest.mark.parametrize("recording", RECORDINGS.values(), ids=lambda path: path.name)
def test_two_screens_never_count_the_same_outage_differently(recording: Path, tmp_path: Path) -> None:
    _, screen, _ = run(f"hpaaudit replay {recording} --into {tmp_path}/r.duckdb")
    code, out, _ = run(f"hpaaudit query {tmp_path}/r.duckdb why_no_scale_up -o json")
    assert code == 0
    rows = json.loads(out)
    headline = " ".join(screen.split())
    failed = re.search(r"metrics API failed in (\d+) reconcile", headline)
    held = re.search(r"One metric failed, .*? in (\d+) reconcile", headline)
    api = re.compile(r"invalid\.(api_unavailable|forbidden|not_reg)")
    unusable = sum(row["reconciles"] for row in rows if row["reason_code"].startswith("gate."))
    if held:
        # A failed metric holds nothing where memory would have held as much.
        assert 0 < int(held[1]) <= unusable
    else:
        assert sum(row["reconciles"] for row in rows if api.search(row["invalid_code"])) == int(
            failed[1] if failed else 0
        )


@pytest.mark.parametrize("recording", RECORDINGS.values(), ids=lambda path: path.name)
def test_inspect_and_verify_say_the_same_size_of_the_tables(recording: Path) -> None:
    _, inspected, _ = run(f"hpaaudit inspect {recording}")
    _, verified, _ = run(f"hpaaudit verify {recording}")
    (tables,) = re.findall(r"the tables have (\S+ \S+),", inspected)
    assert f"table files of {tables};" in verified
