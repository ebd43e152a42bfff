"""How many pods a write by somebody else took away: only those that the metrics asked for all the same."""

from collections.abc import Iterator
from typing import Any

import pytest

from tests.results.patterns import Patterns, Row, changes, patterns, reconciles


@pytest.fixture(scope="module")
def database() -> Iterator[Patterns]:
    with patterns() as filled:
        yield filled


BY_HAND = {"source": "actual", "writer_class": "kubectl", "writer_name": "kubectl", "evidence_level": "managed_fields"}
FEWER = changes((30, 18, 5), **BY_HAND)
"""Half a minute after the first reconcile, for the 90 seconds until the recording ends."""


@pytest.mark.parametrize(
    ("values", "pod_s"),
    [
        ({"raw_desired": 18}, 13 * 90),
        ({"raw_desired": 30}, 13 * 90),  # what the metrics asked for beyond the former number, the write did not take
        ({"raw_desired": 8}, 3 * 90),
        ({"raw_desired": 5}, 0),
        ({"raw_desired": 1}, 0),
        ({"raw_desired": 1, "min_replicas": 7}, 2 * 90),  # the HPA asked for its minReplicas
        ({"raw_desired": 18, "max_replicas": 10}, 5 * 90),
        ({"raw_desired": None, "reason_code": "gate.all_metrics_invalid"}, 13 * 90),  # the HPA would have kept 18
        ({"raw_desired": 18, "verdict": "undecidable", "class": "no_data.recording_gap"}, None),
        (
            {"raw_desired": 18, "verdict": "undecidable", "class": "no_data.object_unseen", "band_lo": 4, "band_hi": 9},
            None,
        ),
        # What was not seen is what became of the number: the metrics are known.
        (
            {"raw_desired": 8, "verdict": "undecidable", "class": "no_data.object_unseen", "band_lo": 8, "band_hi": 8},
            3 * 90,
        ),
        ({"raw_desired": 8, "verdict": "undecidable", "class": "no_data.warmup", "band_lo": 5, "band_hi": 9}, 3 * 90),
    ],
)
def test_missing_is_what_the_metrics_asked_for_beyond_what_stood(
    database: Patterns, values: dict[str, Any], pod_s: int | None
) -> None:
    rows = reconciles(8, **{"max_replicas": 100, **values})
    (write,) = database.writes({"reconciles": rows, "scale_events": FEWER})
    assert write["missing_pod_s"] == pod_s


def test_it_is_counted_from_each_reconcile_and_each_scale_to_the_next(database: Patterns) -> None:
    """12 were wanted at 18 pods; from 60 seconds on 7 at 5 pods; the HPA wrote 6 at 90 seconds."""
    rows = reconciles(4, raw_desired=12, max_replicas=100) + reconciles(4, first=4, raw_desired=7, max_replicas=100)
    events = FEWER + changes((90, 5, 6), source="actual")
    (write,) = database.writes({"reconciles": rows, "scale_events": events})
    assert write["missing_pod_s"] == 7 * 30 + 2 * 30 + 1 * 30


def test_while_no_metric_is_usable_the_number_asked_for_last_would_have_stayed(database: Patterns) -> None:
    """The metrics asked for 5 after the write, and failed from 60 seconds on: the 13 pods were not missed any more."""
    rows = reconciles(4, raw_desired=5, max_replicas=100)
    failed = {"raw_desired": None, "reason_code": "gate.all_metrics_invalid"}
    rows += reconciles(4, first=4, max_replicas=100, **failed)
    (write,) = database.writes({"reconciles": rows, "scale_events": FEWER})
    assert write["missing_pod_s"] == 0
    early = [{**row, "raw_desired": 12} for row in rows[:2]] + [{**row, **failed} for row in rows[2:]]
    (write,) = database.writes({"reconciles": early, "scale_events": changes((20, 18, 5), **BY_HAND)})
    assert write["missing_pod_s"] == 7 * 10 + 13 * 90  # nothing was asked since the write: what stood before it


def test_before_the_first_reconcile_nobody_knows_what_was_wanted(database: Patterns) -> None:
    rows = reconciles(4, first=4, raw_desired=7, max_replicas=100)
    assert [row["missing_pod_s"] for row in database.writes({"reconciles": rows, "scale_events": FEWER})] == [None]
    none: list[Row] = []
    assert [row["missing_pod_s"] for row in database.writes({"reconciles": none, "scale_events": FEWER})] == [None]


def test_a_write_upward_takes_no_pod_away(database: Patterns) -> None:
    events = changes((30, 5, 18), **BY_HAND)
    (write,) = database.writes({"reconciles": reconciles(8, raw_desired=30, max_replicas=100), "scale_events": events})
    assert write["missing_pod_s"] == 0
