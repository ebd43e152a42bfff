"""`The HPA was faithful` is never said of what could not be compared; `tests/truth` asks it of whole worlds."""

import re
from pathlib import Path

from hpaaudit.flows.importing import import_capture
from hpaaudit.flows.query import account
from hpaaudit.flows.replay import replay
from hpaaudit.report.replay import replay_text
from tests.report.faithful import broken_headlines

CAPTURE = (Path(__file__).parents[2] / "docs" / "capture.md").read_text("utf-8")


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
