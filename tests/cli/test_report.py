"""`report` writes a page, and no file that is there is lost."""

from pathlib import Path

import pytest

from tests.cli.run import run


@pytest.mark.usefixtures("at_desk")
def test_the_command_writes_a_page_once_and_replaces_it_only_when_asked() -> None:
    code, out, _ = run("hpaaudit report web.duckdb --into web.html")
    assert code == 0
    text = Path("web.html").read_text("utf-8")
    assert out == f"saved web.html ({len(text.encode()):,} bytes)\n"
    assert "shop/web" in text
    assert '<details class="told">' in text
    code, out, err = run("hpaaudit report web.duckdb --into web.html")
    assert (code, out) == (2, "")
    assert "web.html exists" in err
    assert run("hpaaudit report web.duckdb --into web.html --overwrite")[0] == 0
    code, _, err = run("hpaaudit report web.duckdb --into none/web.html")
    assert (code, "cannot be written" in err) == (2, True)
