"""A split pane of 40 columns shows what a wide terminal shows: no line is too long, and no word is lost or cut."""

import shutil
from collections import Counter
from pathlib import Path

import pytest

from hpaaudit.flows.bundled import bundled_recording
from hpaaudit.flows.replay import replay
from hpaaudit.report.text import fitted_to
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


def check(shown: str, name: str, command: str, columns: int) -> None:
    """Only commands and paths stay on one line, so that they can be pasted."""
    _, whole, _ = run(f"hpaaudit {command} {name} -q")
    assert [line for line in shown.splitlines() if len(line) > columns and name not in line] == []
    assert words(shown) == words(whole)


@pytest.mark.parametrize("command", ["replay", "timeline", "explain"])
def test_a_narrow_terminal_shows_every_word_and_no_line_that_is_too_long(
    command: str, desk: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(desk)
    code, shown = typed([command, "gitops-loop", "-q"], [], "nothing", columns=40)
    assert code == 0, shown
    check(shown, "gitops-loop", command, 40)


@pytest.mark.parametrize("columns", [40, 60])
@pytest.mark.parametrize("command", ["inspect gitops-loop -q", "verify gitops-loop", "releases"])
def test_what_asks_no_results_fits_too(command: str, columns: int, desk: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(desk)
    with fitted_to(columns):
        _, shown, _ = run(f"hpaaudit {command}")
    _, whole, _ = run(f"hpaaudit {command}")
    lines = [line for line in shown.splitlines() if not line.lstrip().startswith(("next", "hpaaudit"))]
    assert [line for line in lines if len(line) > columns and len(line.split()) > 1] == []
    assert "".join(sorted("".join(shown.split()))) == "".join(sorted("".join(whole.split())))


@pytest.mark.parametrize("columns", [40, 60])
@pytest.mark.parametrize("command", ["", "replay", "query", "record", "import capture"])
def test_help_fits_and_says_the_same(command: str, columns: int, monkeypatch: pytest.MonkeyPatch) -> None:
    _, whole, _ = run(f"hpaaudit {command} --help")
    monkeypatch.setenv("COLUMNS", str(columns))
    _, shown, _ = run(f"hpaaudit {command} --help")
    assert [line for line in shown.splitlines() if len(line) > columns and len(line.split()) > 1] == []
    assert "".join(shown.split()) == "".join(whole.split())


@pytest.mark.parametrize("command", ["replay", "timeline", "explain"])
@pytest.mark.parametrize(("name", "columns"), [("unready-on-the-way-up", 40), ("scaled-by-hand", 60)])
def test_so_does_every_incident(
    name: str, columns: int, command: str, desk: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(desk)
    with fitted_to(columns):
        code, shown, _ = run(f"hpaaudit {command} {name} -q")
    assert code == 0
    check(shown, name, command, columns)


def test_the_width_that_is_asked_for_is_that_of_the_whole_page(desk: Path) -> None:
    _, out, _ = run(f"hpaaudit timeline {desk / 'gitops-loop'} --width 40 -q")
    lines = [line for line in out.splitlines() if "hpaaudit explain" not in line]
    assert max(map(len, lines)) == 40
    assert run(f"hpaaudit timeline {desk / 'gitops-loop'} --width 39")[0] == 2


@pytest.mark.parametrize("output", ["html", "markdown"])
def test_a_report_is_the_same_whatever_terminal_it_was_made_on(output: str, desk: Path, tmp_path: Path) -> None:
    pages = []
    for columns in (None, 40):
        into = tmp_path / str(columns) / "page"
        into.parent.mkdir()
        with fitted_to(columns):
            assert run(f"hpaaudit report {desk / 'scaled-by-hand'} --into {into} -o {output} -q")[0] == 0
        pages.append(into.read_bytes())
    assert pages[0] == pages[1]
