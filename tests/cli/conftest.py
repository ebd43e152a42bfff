"""A folder to run commands in: the story as `web.duckdb`, a real controller's capture as `people.jsonl.gz`, HPAs."""

import shutil
from pathlib import Path

import pytest

from hpaaudit.flows.provenance import remember
from tests.results import story

CAPTURE = Path(__file__).parents[1] / "conformance" / "1.36" / "people-100-0002.capture.jsonl.gz"
HPAS = Path(__file__).parent / "hpas"


@pytest.fixture(scope="session")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Made once: what commands write there, later ones find."""
    folder = tmp_path_factory.mktemp("desk")
    story.results(folder).close()
    remember(folder / "web.duckdb")
    shutil.copy(CAPTURE, folder / "people.jsonl.gz")
    shutil.copytree(HPAS, folder, dirs_exist_ok=True)
    return folder


@pytest.fixture
def at_desk(desk: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder is the current one; the terminal is as wide as everywhere."""
    monkeypatch.chdir(desk)
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.delenv("TZ", raising=False)
    return desk
