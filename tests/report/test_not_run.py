"""A reconcile that did not take place is told as one: nobody read, counted or decided anything then."""

import re

import pytest

from hpaaudit.flows.bundled import bundled_recording
from hpaaudit.flows.explain import explain_number
from hpaaudit.flows.replay import replay
from hpaaudit.report.explain import explain_text
from hpaaudit.results.hpa_columns import hpa_columns
from hpaaudit.results.read import Results
from hpaaudit.results.timeline import timeline


@pytest.fixture(scope="module")
def down(tmp_path_factory: pytest.TempPathFactory) -> Results:
    """No controller ran for five minutes, in which the load grew."""
    return replay(bundled_recording("controller-down"), into=tmp_path_factory.mktemp("down") / "r.duckdb")


def test_an_explanation_says_that_it_did_not_take_place(down: Results) -> None:
    rows = down.rows("select reconcile_id, desired from reconciles where starts_with(class, 'not_run.') order by ts")
    assert len(rows) > 10
    for row in (rows[0], rows[len(rows) // 2], rows[-1]):
        text = " ".join(explain_text(explain_number(down, row["reconcile_id"])).split())
        assert f": did not take place. Replay {row['desired']}, controller none, replicas then " in text
        assert "A reconcile then would have said: " in text
        assert "nothing then; it had said before" in text
        for wrong in ("controller ?", "was not recorded", "input proven", "input assumed", "kept ", "nothing that it"):
            assert wrong not in text


def test_a_reconcile_that_took_place_is_told_as_before(down: Results) -> None:
    (row,) = down.rows("select reconcile_id from reconciles where class is null order by ts desc limit 1")
    text = explain_text(explain_number(down, row["reconcile_id"]))
    assert re.search(r"controller \d", text)
    assert "did not take place" not in text


def test_no_chart_counts_pods_of_a_reconcile_that_did_not_take_place(down: Results) -> None:
    missed = {
        row["reconcile_id"]: row["at_us"]
        for row in down.rows(
            "select reconcile_id, epoch_us(ts) as at_us from reconciles where starts_with(class, 'not_run.')"
        )
    }
    (columns,) = hpa_columns(down, ["shop/checkout"])
    counted = {
        number: [columns.numbers[bucket][place] for bucket in ("ready", "unready", "missing", "ignored")]
        for place, number in enumerate(columns.reconcile_ids)
    }
    assert all(counted[number] == [None] * 4 for number in missed)
    assert sum(pods != [None] * 4 for pods in counted.values()) > 10
    points = timeline(down, "shop/checkout", 0).points
    assert {point.ready for point in points if point.at_us in missed.values()} == {None}
    assert sum(point.ready is not None for point in points) > 10
