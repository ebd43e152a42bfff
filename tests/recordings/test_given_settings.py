"""A setting that the user gives hides nothing that contradicts it."""

import shutil
from pathlib import Path

import pytest

from hpaaudit.flows.query import account
from hpaaudit.flows.replay import replay
from hpaaudit.report.replay import replay_text

RECORDING = Path(__file__).parents[2] / "recordings" / "scaled-by-hand"


@pytest.mark.parametrize(("tolerance", "contradicted"), [("0.1", 0), ("0.9", 2)])
def test_where_the_numbers_agree_by_chance_the_headline_names_the_events_that_do_not(
    tolerance: str, contradicted: int, tmp_path: Path
) -> None:
    """With any tolerance an earlier recommendation leads to the same numbers; only the Events tell them apart.

    Declared to be the controller's own it contradicts them; a tolerance that is only tried says nothing of them.
    """
    shutil.copytree(RECORDING, tmp_path / "friday", ignore=shutil.ignore_patterns("*.duckdb"))
    with replay(tmp_path / "friday", flags={"tolerance": tolerance}) as results:
        assert results.rows("from reports where class = 'report.other_reason'") == []
    with replay(tmp_path / "friday", flags={"tolerance": tolerance}, declare=True) as results:
        found = results.rows("select reported, happened from reports where class = 'report.other_reason'")
        screen = " ".join(replay_text(account(results)).split())
    assert len(found) == contradicted
    assert ("The HPA was faithful" in screen) == (not contradicted)
    assert (f"but {contradicted} Events of it name another reason than the replay" in screen) == bool(contradicted)
