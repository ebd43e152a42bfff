"""The picture of the README shows what the demo finds, in light and in dark."""

import asyncio
import re
import runpy
import shutil
from itertools import takewhile
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

import hpaaudit
from hpaaudit.flows.bundled import bundled_recording
from hpaaudit.flows.report import report
from hpaaudit.report.export.markdown import markdown
from tests.report.browser import visit

ROOT = Path(__file__).parents[2]
TIMELINE = ROOT / "docs" / "metrics-down.svg"
SVG = ROOT / "docs" / "demo.svg"


def test_the_picture_is_drawn_from_the_results_of_the_demo(tmp_path: Path) -> None:
    draw = runpy.run_path(str(ROOT / "docs" / "demo_picture.py"))["picture"]
    with hpaaudit.replay(bundled_recording(), into=tmp_path / "demo.duckdb") as results:
        assert SVG.read_text("utf-8") == draw(results), "make picture draws it anew"


@pytest.mark.golden
def test_the_second_picture_is_that_of_a_report(tmp_path: Path, rewrite: bool) -> None:
    shutil.copytree(ROOT / "recordings" / "metrics-down", tmp_path / "metrics-down")
    _, pictures = markdown(report(tmp_path / "metrics-down"), "page")
    (picture,) = pictures.values()
    if rewrite:
        TIMELINE.write_text(picture, "utf-8")
    assert TIMELINE.read_text("utf-8") == picture


def test_the_picture_says_what_the_screen_says() -> None:
    printed = " ".join((ROOT / "tests" / "cli" / "golden" / "demo.txt").read_text("utf-8").split())
    svg = ET.fromstring(SVG.read_text("utf-8"))  # noqa: S314 our own file
    words = [element.text or "" for element in svg.iter("{http://www.w3.org/2000/svg}text")]
    headline = takewhile(lambda text: not re.fullmatch(r"\d\d:\d\d", text), words[1:])  # until the axis of time
    assert len(told := " ".join(headline)) > len(words[0])
    assert told in printed
    assert "kubectl 6 -> 2" in words
    assert "55 reconciles: 54 match, 1 divergent" in words


@pytest.mark.parametrize("picture", [SVG, TIMELINE], ids=lambda path: path.name)
def test_a_browser_cuts_no_text_of_a_picture(picture: Path, tmp_path: Path) -> None:
    """Its fonts are other than those that it was drawn with, so that a text is wider or narrower."""
    program = shutil.which("chromium")
    if program is None:
        pytest.skip("Chromium is not here: make browser")
    script = """(() => {
        const {x, y, width, height} = document.documentElement.viewBox.baseVal;
        const texts = [...document.querySelectorAll("text")].filter((text) => text.getBBox().width > 0);
        const cut = texts.filter((text) => {
            const box = text.getBBox();
            return box.x < x || box.y < y || box.x + box.width > x + width || box.y + box.height > y + height;
        });
        return {shown: texts.length, cut: cut.map((text) => text.textContent)};
    })()"""
    answer = asyncio.run(visit(program, picture, tmp_path, script=script)).answer
    assert answer["shown"] > 10
    assert answer["cut"] == []


def test_the_picture_has_colours_for_light_and_dark_pages() -> None:
    style = SVG.read_text("utf-8").partition("<style>")[2].partition("</style>")[0]
    light, _, dark = style.partition("@media (prefers-color-scheme: dark)")
    names = re.findall(r"(--\w+): #", light)
    assert names
    assert re.findall(r"(--\w+): #", dark) == names
