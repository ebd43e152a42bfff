"""The notebook in docs/ shows what its cells give."""

from pathlib import Path
from typing import Any

import pytest

import hpaaudit
from hpaaudit.flows.bundled import bundled_recording
from tests.python_api.notebook import executed, written

ROOT = Path(__file__).parents[2]
NOTEBOOK = ROOT / "docs" / "incident.ipynb"


@pytest.mark.golden
def test_the_notebook_shows_what_its_cells_give(rewrite: bool, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "recordings").symlink_to(ROOT / "recordings")
    monkeypatch.chdir(tmp_path)
    notebook = executed(NOTEBOOK)
    if rewrite:
        NOTEBOOK.write_text(written(notebook), "utf-8")
    assert written(notebook) == NOTEBOOK.read_text("utf-8")
    code = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    assert all(cell["outputs"] for cell in code[1:])
    assert str(tmp_path) not in written(notebook)


def test_every_cell_can_be_run_again(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """In the same kernel, also while its results are open, and by a new kernel in `docs/` of the checkout."""
    (tmp_path / "recordings").symlink_to(ROOT / "recordings")
    (tmp_path / "docs").mkdir()
    monkeypatch.chdir(tmp_path / "docs")
    names: dict[str, Any] = {}
    once = executed(NOTEBOOK, names)
    first, *_ = ["".join(cell["source"]) for cell in once["cells"] if cell["cell_type"] == "code"]
    exec(first, names)  # noqa: S102 our own notebook
    assert written(executed(NOTEBOOK, names)) == written(once)
    assert written(once) == NOTEBOOK.read_text("utf-8")
    assert len([*Path().glob("*.duckdb")]) == 2


def test_results_of_two_hpas_begin_with_a_sentence_of_both(tmp_path: Path) -> None:
    with hpaaudit.replay(bundled_recording("two-hpas"), into=tmp_path / "two.duckdb") as results:
        shown = results._repr_html_()
    assert shown.startswith("<p>Both HPAs decided as the replay does in each reconcile, 60 in all. 2 HPAs have a ")
    assert shown.count("Both HPAs") == 1
