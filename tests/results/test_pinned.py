"""maxReplicas kept pods away only where metrics asked for more than that."""

import duckdb
import pytest

from hpaaudit.results import sql
from hpaaudit.results.questions import question_named

RECONCILES = (
    "reconcile_id bigint, hpa_uid varchar, namespace varchar, name varchar, ts timestamp, lasted_s double, "
    "raw_desired int, desired int, max_replicas int, reason_code varchar, limited_reason varchar, class varchar"
)


@pytest.mark.parametrize(
    ("asked", "stood_s", "answer"),
    [
        ([(18, 12), (14, 12)], None, [(2, 0.5, 18, 12, 120)]),
        ([(18, 12), (14, 12)], 3, [(2, 0.3, 18, 12, 48)]),  # somebody wrote 3 s after the first
        ([(8, 12)], None, []),  # memory wanted more, after maxReplicas was lowered for example
        ([(8, 12), (15, 12)], None, [(1, 0.3, 15, 12, 45)]),
        ([(20, 12), (30, 25)], None, [(2, 0.5, 20, 12, 195)]),  # maxReplicas was raised between them
    ],
)
def test_pods_are_missing_that_metrics_asked_for(
    asked: list[tuple[int, int]], stood_s: float | None, answer: list[tuple[float, ...]]
) -> None:
    with duckdb.connect() as connection:
        for name in ("did_not_run", "has_inputs", "pinned_at_maximum"):
            connection.execute(sql.folder("macros")[name])
        connection.execute(f"create table reconciles ({RECONCILES})")
        # After the first one somebody else wrote, in the case that says so.
        connection.execute(
            "create table interruptions as select 0::bigint as reconcile_id, $s::double as stood_s", {"s": stood_s}
        )
        for number, (raw, maximum) in enumerate(asked):
            connection.execute(
                "insert into reconciles values "
                "(?, 'uid', 'shop', 'web', '2026-03-02 14:00:00', 15, ?, ?, ?, 'bound.max', 'TooManyReplicas', null)",
                [number, raw, maximum, maximum],
            )
        scope = {"hpa": "%", "since": "2026-03-02 00:00:00", "until": "2026-03-03 00:00:00"}
        rows = connection.execute(question_named("pinned_at_max").text, scope).fetchall()
    assert [row[2:] for row in rows] == answer


@pytest.mark.parametrize(
    ("reason", "desired", "said", "is_pinned"),
    [
        ("policy.up_limit", 12, "TooManyReplicas", True),
        ("policy.up_limit", 12, "ScaleUpLimit", False),
        ("policy.legacy_up_limit", 11, "TooManyReplicas", False),
        ("stabilize.down_hold", 12, "TooManyReplicas", False),
    ],
)
def test_a_policy_that_allows_just_as_many_leaves_maxreplicas_a_reason(
    reason: str, desired: int, said: str, *, is_pinned: bool
) -> None:
    with duckdb.connect() as connection:
        connection.execute(sql.folder("macros")["pinned_at_maximum"])
        asked = connection.execute("select pinned_at_maximum(?, 18, ?, 12, ?)", [reason, desired, said]).fetchone()
    assert asked == (is_pinned,)
