"""A split pane of 40 columns shows what a wide terminal shows: no line is too long, and no word is lost or cut."""

import shutil
from collections import Counter
from pathlib import Path

import pytest

from hpaaudit.flows.bundled import bundled_recording
from hpaaudit.flows.replay import replay
from tests.cli.run import run
from tests.cli.terminal import typed

INCIDENTS = ("gitops-loop", "scaled-by-hand", "unready-on-the-way-up")
DRAWN = set("┄─│┌┐└┘├┤▄░")


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with recordings that were replayed."""
    folder = tmp_path_factory.mktemp("desk")
    for name in INCIDENTS:
        shutil.copytree(bundled_recording(name), folder / name, ignore=shutil.ignore_patterns("*.duckdb"))
        replay(folder / name).close()
    return folder


def words(screen: str) -> Counter[str]:
    """Every word of a screen, without its charts."""
    return Counter(word for part in screen.split("\n\n") if not DRAWN & set(part) for word in part.split())


@pytest.mark.parametrize("command", ["replay", "timeline", "explain"])
@pytest.mark.parametrize(
    ("name", "columns"), [("gitops-loop", 40), ("unready-on-the-way-up", 40), ("scaled-by-hand", 60)]
)
def test_a_narrow_terminal_shows_every_word_and_no_line_that_is_too_long(
    name: str, command: str, columns: int, desk: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Only commands and paths stay on one line, so that they can be pasted."""
    monkeypatch.chdir(desk)
    _, whole, _ = run(f"hpaaudit {command} {name} -q")
    code, shown = typed([command, name, "-q"], [], "nothing", columns=columns)
    assert code == 0, shown
    assert [line for line in shown.splitlines() if len(line) > columns and name not in line] == []
    assert words(shown) == words(whole)


def test_the_width_that_is_asked_for_is_that_of_the_whole_page(desk: Path) -> None:
    _, out, _ = run(f"hpaaudit timeline {desk / 'gitops-loop'} --width 40 -q")
    lines = [line for line in out.splitlines() if "hpaaudit explain" not in line]
    assert max(map(len, lines)) == 40
    assert run(f"hpaaudit timeline {desk / 'gitops-loop'} --width 39")[0] == 2


@pytest.mark.parametrize("output", ["html", "markdown"])
def test_a_report_is_the_same_whatever_terminal_it_was_made_on(output: str, desk: Path, tmp_path: Path) -> None:
    piped, narrow = tmp_path / "piped" / "page", tmp_path / "narrow" / "page"
    for into in (piped, narrow):
        into.parent.mkdir()
    source, options = str(desk / "scaled-by-hand"), ["-o", output, "-q"]
    assert run(f"hpaaudit report {source} --into {piped} -o {output} -q")[0] == 0
    assert typed(["report", source, "--into", str(narrow), *options], [], "nothing", columns=40)[0] == 0
    assert narrow.read_bytes() == piped.read_bytes()
