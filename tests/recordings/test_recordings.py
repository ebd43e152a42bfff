"""Every recording of `recordings/` tells the story that its golden file tells, and agrees with its cluster's truth."""

import re
import shutil
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import pytest

from hpaaudit.flows.importing import import_capture
from hpaaudit.flows.replay import replay
from hpaaudit.model.facts import Fact, HpaSeen
from hpaaudit.recording.reading.recording import open_recording
from tests.cli.run import shown
from tests.conformance import verdicts
from tests.conformance.expected import expected_of
from tests.oracle.controller import program
from tests.recordings.old_releases import DECISIONS as DECIDED
from tests.recordings.old_releases import STORIES, make
from tests.script import parse, play

ROOT = Path(__file__).parents[2]
RECORDINGS = sorted(path for path in (ROOT / "recordings").iterdir() if path.is_dir())
TRUTH = ROOT / "tests" / "cluster" / "truth"
GOLDEN = "expected.txt"
DECISIONS = """
select epoch_us(ts), namespace || '/' || name, lasted_s, class, desired, raw_desired, reason_code
from reconciles
order by ts
"""


class Decided(NamedTuple):
    """A reconcile: when, of which HPA, how long it stood, in which way it differs, and what was decided."""

    at_us: int
    hpa: str
    lasted_s: float
    divergence: str | None
    desired: int | None
    raw_desired: int | None
    reason_code: str


def decisions(folder: Path) -> list[Decided]:
    """Every reconcile of a recording, in order of time."""
    with replay(folder, into=folder.with_suffix(".duckdb")) as results:
        return [Decided(*row) for row in results.sql(DECISIONS).fetchall()]


def each(path: Path) -> str:
    """A recording's name, for the list of tests."""
    return path.name


@pytest.fixture
def beside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder that commands run in; recordings are copied there, so that no path depends on the checkout."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    return tmp_path


@pytest.mark.golden
@pytest.mark.parametrize("recording", RECORDINGS, ids=each)
def test_a_recording_tells_its_story(recording: Path, beside: Path, rewrite: bool) -> None:
    """Replay, questions and one explanation, word for word."""
    shutil.copytree(recording, beside / recording.name)
    play(recording / GOLDEN, lambda command, _: shown(command), rewrite=rewrite)


@pytest.mark.parametrize("recording", RECORDINGS, ids=each)
def test_a_recording_has_three_sentences_and_they_end_in_how_it_was_made(recording: Path) -> None:
    title, *text = (recording / "README.md").read_text(encoding="utf-8").strip().splitlines()
    sentences = [line for line in text if line]
    assert title == f"# {recording.name}"
    assert len(sentences) == 3
    assert sentences[-1].startswith("It was made by `python -m tests.")


@pytest.mark.parametrize("recording", [path for path in RECORDINGS if path.name not in STORIES], ids=each)
def test_what_was_recorded_decides_as_what_the_controller_saw(recording: Path, beside: Path) -> None:
    """Each reconcile that the cluster itself knows of has one in the recording, at that time, with that decision."""
    import_capture([TRUTH / f"{recording.name}.jsonl.gz"], into=beside / "truth")
    shutil.copytree(recording, beside / "recorded")
    truth, recorded = decisions(beside / "truth"), decisions(beside / "recorded")
    pairs = [(true_decision, nearest(true_decision, recorded)) for true_decision in truth]
    assert pairs
    assert len({own_decision for _, own_decision in pairs}) == len(truth), "two reconciles are paired with one"
    late = [
        (true_decision, own_decision)
        for true_decision, own_decision in pairs
        if abs(own_decision.at_us - true_decision.at_us) > 100_000
    ]
    assert late == []
    assert [
        (true_decision, own_decision) for true_decision, own_decision in pairs if true_decision[4:] != own_decision[4:]
    ] == []
    # The recorder may have looked on a moment longer than the cluster kept account. A controller that has ended is
    # thought to run until its Lease runs out: of what would come next the replay says that it did not take place.
    seen = {own_decision for _, own_decision in pairs}
    rest = [
        own_decision
        for own_decision, following in pairwise(recorded)
        if own_decision not in seen and not (did_not_take_place(own_decision) or did_not_take_place(following))
    ]
    assert [own_decision for own_decision in rest if own_decision.at_us < truth[-1].at_us] == []


@pytest.mark.parametrize("name", STORIES)
def test_a_recording_of_an_old_release_decides_as_its_controller_did(name: str, beside: Path) -> None:
    """Replicas, writes, the whole status and Events of every reconcile."""
    shutil.copytree(ROOT / "recordings" / name, beside / name)
    expected = expected_of(DECIDED / f"{name}.capture.jsonl.gz")
    assert len(expected) > 10
    assert verdicts.differences(beside / name, expected) == []


@pytest.mark.parametrize("name", [name for name in STORIES if program(STORIES[name]()["release"]).exists()])
def test_a_recording_of_an_old_release_can_be_made_again(name: str, tmp_path: Path) -> None:
    """The controller in the same world makes the same facts. `make oracle RELEASE=…` builds it; CI has that of 1.1."""
    made, _ = make(name, tmp_path)
    kept = [*open_recording(ROOT / "recordings" / name).facts()]
    assert kept == [_as_0_1_0(fact) for fact in open_recording(made).facts()]


def _as_0_1_0(fact: Fact) -> Fact:
    """The fact as the version recorded it that made these recordings: without labels of HPAs."""
    return replace(fact, labels_json=None) if isinstance(fact, HpaSeen) else fact


_TWO_ERAS = (
    "# The same incident in two eras\n\n"
    "Six recordings of old controllers, and what the newest release would have decided. Each is in `recordings/`: "
    "replay it, then replay it again with `--release 1.37`. "
    "[How the two are compared](replay.md#another-release-beside-the-audit)\n"
)


@pytest.mark.golden
def test_the_page_of_two_eras_shows_what_the_recordings_show(rewrite: bool) -> None:
    """Each story with the difference that its golden file prints."""
    parts = [_TWO_ERAS]
    for name in STORIES:
        _, happened, _, made = (
            line for line in (ROOT / "recordings" / name / "README.md").read_text("utf-8").splitlines() if line
        )
        script = (ROOT / "recordings" / name / GOLDEN).read_text("utf-8")
        block = next(each for each in parse(script) if "--release" in each.command)
        differs = re.search(r"^\S+ \(the audit\) and .*?(?=\n  next  )", block.expected, re.MULTILINE | re.DOTALL)
        commands = [f"hpaaudit replay recordings/{name}{options}" for options in ("", " --release 1.37")]
        lead = script.partition("\n")[0].removeprefix("# ")
        assert differs is not None
        assert "decides as" in differs[0]
        assert commands[1].replace("recordings/", "") == block.command
        assert made.startswith("It was made by")
        parts.append(f"## {lead}\n\n{happened}\n\n```\n$ {commands[0]}\n…\n$ {commands[1]}\n…\n{differs[0]}…\n```\n")
    page, text = ROOT / "docs" / "two-eras.md", "\n".join(parts)
    if rewrite:
        page.write_text(text, "utf-8")
    assert page.read_text("utf-8") == text


def did_not_take_place(decision: Decided) -> bool:
    """Whether the replay says so."""
    return (decision.divergence or "").startswith("not_run.")


def nearest(true_decision: Decided, recorded: list[Decided]) -> Decided:
    """The reconcile of the same HPA that is nearest in time."""
    return min(
        (row for row in recorded if row.hpa == true_decision.hpa), key=lambda row: abs(row.at_us - true_decision.at_us)
    )
