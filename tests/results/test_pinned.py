"""maxReplicas kept pods away only where metrics asked for more than that."""

import duckdb
import pytest

from hpaaudit.results.questions import question_named

RECONCILES = "namespace varchar, name varchar, ts timestamp, lasted_s double, raw_desired int, max_replicas int"


@pytest.mark.parametrize(
    ("asked", "answer"),
    [
        ([(18, 12), (14, 12)], [(2, 0.5, 18, 12, 120)]),
        ([(8, 12)], []),  # memory wanted more, after maxReplicas was lowered for example
        ([(8, 12), (15, 12)], [(1, 0.3, 15, 12, 45)]),
        ([(20, 12), (30, 25)], [(2, 0.5, 20, 12, 195)]),  # maxReplicas was raised between them
    ],
)
def test_pods_are_missing_that_metrics_asked_for(asked: list[tuple[int, int]], answer: list[tuple[float, ...]]) -> None:
    with duckdb.connect() as connection:
        connection.execute(f"create table reconciles ({RECONCILES}, reason_code varchar)")
        for raw, maximum in asked:
            connection.execute(
                "insert into reconciles values ('shop', 'web', '2026-03-02 14:00:00', 15, ?, ?, 'bound.max')",
                [raw, maximum],
            )
        scope = {"hpa": "%", "since": "2026-03-02 00:00:00", "until": "2026-03-03 00:00:00"}
        rows = connection.execute(question_named("pinned_at_max").text, scope).fetchall()
    assert [row[2:] for row in rows] == answer
