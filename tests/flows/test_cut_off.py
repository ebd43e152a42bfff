"""Of a recording that was cut off, a replay says what `inspect` says."""

import json
from pathlib import Path
from shutil import copytree

import pytest

import hpaaudit
from hpaaudit.report.export.markdown import markdown
from hpaaudit.report.inspect import NOT_ENDED
from hpaaudit.report.page.html import page
from tests.cli.run import run
from tests.recordings.kept import RECORDINGS


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return Path(copytree(RECORDINGS["scaled-by-hand"], tmp_path / "friday"))


def _words(text: str) -> str:
    return " ".join(text.split())


def test_a_recording_without_an_end_is_told_by_every_screen(folder: Path) -> None:
    whole = _words(run(f"hpaaudit replay {folder} --overwrite")[1])
    (folder / "end.json").unlink()
    cut = _words(run(f"hpaaudit replay {folder} --overwrite")[1])
    assert (NOT_ENDED in whole, NOT_ENDED in cut) == (False, True)
    assert NOT_ENDED in _words(run(f"hpaaudit inspect {folder}")[1])
    told = hpaaudit.report(folder)
    assert NOT_ENDED in markdown(told, None)[0]
    assert NOT_ENDED in page(told)


def test_a_recording_without_a_fact_says_that_nothing_was_recorded(folder: Path) -> None:
    for segment in (folder / "segments").iterdir():
        for file in segment.iterdir():
            file.unlink()
        segment.rmdir()
    (folder / "end.json").unlink()
    screen = _words(run(f"hpaaudit replay {folder}")[1])
    assert "friday empty nothing was recorded" in screen
    assert NOT_ENDED in screen
    assert "gaps" not in screen
    assert "release" not in screen
    fields = json.loads(run(f"hpaaudit replay {folder} --overwrite -o json")[1])
    assert (fields["complete"], fields["is_empty"]) == (False, True)
