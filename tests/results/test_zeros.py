"""What a headline tells of the times at zero replicas that an HPA wrote itself."""

from collections.abc import Iterator

import pytest

from hpaaudit.api.times import micros
from hpaaudit.model.account import AtZero
from hpaaudit.report.at_zero import zeros_in_words
from hpaaudit.report.text import Clock
from tests.results.patterns import Patterns, Row, Tables, at, changes, patterns, proposals, reconciles

CLOCK = Clock(micros("2026-03-02T14:00:00Z"), micros("2026-03-02T14:10:00Z"))
DOWN = changes((60, 4, 0), writer_class="hpa", reconcile_id=3)
UP = changes((240, 0, 4), writer_class="hpa", reconcile_id=15)
BY_HAND = changes((240, 0, 4), writer_class="kubectl", writer_name="kubectl")


@pytest.fixture(scope="module")
def database() -> Iterator[Patterns]:
    with patterns() as filled:
        yield filled


def told(database: Patterns, *writes: Row, **tables: list[Row]) -> list[str]:
    """The sentences about these writes, in a recording of ten minutes; at 225 s a queue asks for 4 pods."""
    asked = proposals(1, first=15, metric_type="External", metric_name="queue", proposal=4)
    known: Tables = {
        "recordings": [{"ended_at": at(600)}],
        "reconciles": reconciles(20),
        "metric_proposals": asked,
        "hpa_specs": [{}],
        "scale_events": writes,
    }
    rows = database.zeros({**known, **tables})
    zeros = [AtZero(**{name: value for name, value in row.items() if name != "hpa_uid"}) for row in rows]
    return list(zeros_in_words(zeros, CLOCK))


def test_a_zero_is_told_with_what_raised_it_again(database: Patterns) -> None:
    assert told(database, *DOWN, *UP) == [
        "The HPA scaled to 0 at 14:01:00Z, and to 4 after 3m 00s, when queue asked for pods again."
    ]


def test_a_zero_that_minreplicas_ended_was_ended_by_no_metric(database: Patterns) -> None:
    idle = proposals(1, first=15, metric_type="External", metric_name="queue", proposal=0)
    assert told(database, *DOWN, *UP, metric_proposals=idle) == [
        "The HPA scaled to 0 at 14:01:00Z, and to 4 after 3m 00s."
    ]


def test_who_else_ended_a_zero_is_named(database: Patterns) -> None:
    assert told(database, *DOWN, *BY_HAND) == [
        "The HPA scaled to 0 at 14:01:00Z; kubectl raised that to 4 after 3m 00s."
    ]
    nobody = changes((240, 0, 4), writer_class="unknown", writer_name="")
    assert told(database, *DOWN, *nobody) == [
        "The HPA scaled to 0 at 14:01:00Z; somebody unknown raised that to 4 after 3m 00s."
    ]


def test_a_zero_may_last_until_the_end(database: Patterns) -> None:
    assert told(database, *DOWN) == ["The HPA scaled to 0 at 14:01:00Z, and nothing raised that until 14:10:00Z."]


@pytest.mark.parametrize(
    ("tables", "end"),
    [
        ({"hpas": [{"deleted_at": at(120)}]}, "was deleted"),
        ({"hpa_specs": [{"valid_to": at(120)}, {"valid_from": at(120), "target_name": "api"}]}, "got another target"),
    ],
)
def test_what_another_target_has_raises_no_zero(database: Patterns, tables: dict[str, list[Row]], end: str) -> None:
    assert told(database, *DOWN, *BY_HAND, **tables) == [
        f"The HPA scaled to 0 at 14:01:00Z, and nothing raised that before the HPA {end}."
    ]


def test_a_target_that_is_gone_has_no_zero(database: Patterns) -> None:
    gone = [{"observed_at": at(60), "spec_replicas": 0, "gone_at": at(120)}]
    assert told(database, *DOWN, *BY_HAND, scale_states=gone) == [
        "The HPA scaled to 0 at 14:01:00Z, and nothing raised that before the target was gone."
    ]


def test_how_long_a_zero_lasted_is_unknown_where_nobody_looked(database: Patterns) -> None:
    gap = {"stream": "targets", "prefix": "/apis/apps/v1/deployments", "gap_from": at(100), "gap_to": at(200)}
    assert told(database, *DOWN, *UP, coverage_gaps=[gap]) == [
        "The HPA scaled to 0 at 14:01:00Z; from 14:01:40Z on nobody looked."
    ]


def test_a_zero_that_was_only_read_now_and_then_lasted_at_most_so_long(database: Patterns) -> None:
    late = [{**row, "at_lo": at(40)} for row in DOWN]
    assert told(database, *late, *UP) == [
        "The HPA scaled to 0 by 14:01:00Z, and to 4 within 3m 20s, when queue asked for pods again."
    ]


def test_several_zeros_are_one_sentence(database: Patterns) -> None:
    """From 60 s to 240 s, and from 400 s to 430 s, or to some time after 410 s."""
    again = changes((400, 4, 0), writer_class="hpa")
    up_again = changes((430, 0, 2), writer_class="hpa")
    words = "The HPA scaled to 0 2 times, first at 14:01:00Z, last at 14:06:40Z: there were no replicas for "
    assert told(database, *DOWN, *UP, *again, *up_again) == [f"{words}3m 30s."]
    late = [{**row, "at_lo": at(410)} for row in up_again]
    assert told(database, *DOWN, *UP, *again, *late) == [f"{words}at least 3m 10s."]


@pytest.mark.parametrize("writer", ["kubectl", "unknown", "autoscaler"])
def test_a_zero_of_others_is_no_zero_of_the_hpa(database: Patterns, writer: str) -> None:
    by_others = changes((60, 4, 0), writer_class=writer)
    assert told(database, *by_others, *UP) == []


def test_a_zero_before_the_time_that_is_shown_is_not_told(database: Patterns) -> None:
    assert told(database, *DOWN, *UP, recordings=[{"started_at": at(90), "ended_at": at(600)}]) == []
