"""The HTML page in a real browser: it loads nothing, says nothing on the console, and fits a narrow window."""

import asyncio
import shutil
from pathlib import Path

import pytest

from hpaaudit.flows.replay import replay
from hpaaudit.flows.report import report
from hpaaudit.report.page.html import page
from tests.report.browser import visit

DEMO = Path(__file__).parents[2] / "recordings" / "scaled-by-hand"
FACTS = """({
    wider: document.documentElement.scrollWidth > innerWidth,
    scripts: document.scripts.length,
    heading: document.querySelector("h1").innerText,
    actual: getComputedStyle(document.querySelector("path.actual")).stroke,
    paper: getComputedStyle(document.body).backgroundColor,
    opened: [...document.querySelectorAll("details")].map(one => {
        one.open = true;
        return one.querySelector("pre").offsetHeight > 0;
    })
})"""


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page of the demo's incident."""
    folder = tmp_path_factory.mktemp("page")
    replay(DEMO, into=folder / "web.duckdb").close()
    path = folder / "web.html"
    path.write_text(page(report(folder / "web.duckdb")), "utf-8")
    return path


@pytest.mark.parametrize(("scheme", "paper"), [("light", "rgb(255, 255, 255)"), ("dark", "rgb(13, 17, 23)")])
@pytest.mark.parametrize("width", [1200, 360])
def test_a_browser_shows_it_and_asks_for_nothing_else(
    written: Path, tmp_path: Path, width: int, scheme: str, paper: str
) -> None:
    program = shutil.which("chromium")
    if program is None:
        pytest.skip("Chromium is not here: make browser")
    visited = asyncio.run(visit(program, written, tmp_path, script=FACTS, width=width, scheme=scheme))
    assert visited.requests == [written.as_uri()]
    assert visited.console == []
    assert visited.answer["heading"] == "shop/checkout: what its HPA did, and why"
    assert (visited.answer["wider"], visited.answer["scripts"], visited.answer["paper"]) == (False, 0, paper)
    assert visited.answer["actual"] != paper
    assert visited.answer["opened"]
    assert all(visited.answer["opened"])
