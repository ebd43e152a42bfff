"""The notebook in docs/ shows what its cells give."""

from pathlib import Path

import pytest

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
