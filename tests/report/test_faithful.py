"""`The HPA was faithful` is said where everything comparable agreed, and never of what could not be compared."""

import re
from pathlib import Path

import pytest

from hpaaudit.flows.importing import import_capture
from hpaaudit.flows.query import account
from hpaaudit.flows.replay import replay
from hpaaudit.report.replay import clock_of, replay_text, verdict
from tests.conformance.expected import captures
from tests.fleet.chance import write
from tests.report.faithful import broken_headlines
from tests.truth.views import VIEWS
from tests.truth.worlds import facts_of

CAPTURE = (Path(__file__).parents[2] / "docs" / "capture.md").read_text("utf-8")


@pytest.mark.parametrize("release", ["1.17", "1.36"])
@pytest.mark.parametrize("view", VIEWS)
def test_a_headline_says_how_much_of_a_world_could_be_compared(view: str, release: str, tmp_path: Path) -> None:
    worlds, verdicts = captures(release), set()
    # Of each view other worlds, three of each release.
    third = max(1, len(worlds) // 3)
    for number, capture in enumerate(worlds[list(VIEWS).index(view) % third :: third]):
        shown = list(VIEWS[view](facts_of(capture)))
        folder = tmp_path / str(number)
        write(folder, shown, len(shown) + 1)
        with replay(folder) as results:
            assert broken_headlines(results) == [], capture.name
            page = account(results)
            verdicts |= {verdict(hpa, clock_of(page)) for hpa in page.hpas}
    assert verdicts


def test_the_example_of_the_capture_page_gets_no_verdict(tmp_path: Path) -> None:
    """One reconcile, and nothing that shows what the controller made of it."""
    (tmp_path / "example.jsonl").write_text(re.findall(r"^```json\n(.*?)^```", CAPTURE, re.MULTILINE | re.DOTALL)[0])
    import_capture((tmp_path / "example.jsonl",), into=tmp_path / "example")
    with replay(tmp_path / "example") as results:
        assert broken_headlines(results) == []
        outcome = account(results)
    screen = " ".join(replay_text(outcome).split())
    assert "Nothing can be compared: what the controller decided was not recorded." in screen
    assert "faithful" not in screen
    assert "no decision of the controller is known" in screen
