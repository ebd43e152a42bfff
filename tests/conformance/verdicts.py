"""Compares what a results file predicts with what the real controller decided, reconcile by reconcile."""

import json
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from hpaaudit.api.times import micros
from hpaaudit.flows.importing import import_capture
from hpaaudit.flows.replay import replay
from tests.conformance.expected import (
    Outcome,
    by_chance,
    comparable_events,
    differing,
    expected_of,
    name_of,
    remembered,
    standing_after,
    status_pairs,
)


def compare(capture: Path) -> Outcome:
    """Imports, replays, and asks the results file: replicas, writes, status, events and memory."""
    expected = expected_of(capture)
    with tempfile.TemporaryDirectory() as folder:
        recording = Path(folder) / "recording"
        import_capture([capture], into=recording)
        found = differences(recording, expected)
    return Outcome(name_of(capture), len(expected), tuple(found))


def differences(recording: Path, expected: Sequence[dict[str, Any]]) -> list[str]:
    """What the results of a recording say otherwise than the real controller decided."""
    with replay(recording, detail="all") as results:
        predicted = _predictions(results)
        start_us = results.span[0]
    living = [row for row in expected if not row.get("gone")]
    found = [] if len(living) == len(predicted) else [f"{len(living)} reconciles, {len(predicted)} replayed"]
    standing: dict[str, Any] = {}
    for want, actual in zip(living, predicted, strict=False):
        ours = None if actual["status"] is None else json.loads(actual["status"])
        before = standing.get(actual["hpa_uid"])
        pairs = {**_decided(want, actual, start_us), **status_pairs(want, ours, before)}
        standing[actual["hpa_uid"]] = standing_after(want, before)
        found += differing(want, pairs)
    return found


_PREDICTIONS = """
with events as (
    select reconcile_id, list([type, reason, message] order by seq) as events from predicted_events group by 1
), writes as (
    select reconcile_id, list([to_replicas, http_status] order by seq) as puts from predicted_writes group by 1
)
select
    epoch_us(r.ts) as at_us, r.namespace || '/' || r.name as hpa, r.hpa_uid, r.spec_replicas, r.status_replicas,
    coalesce(w.puts, []) as puts, s.status, s.custom_metrics, coalesce(e.events, []) as events,
    m.recommendations, m.up, m.down
from reconciles as r
left join events as e using (reconcile_id)
left join writes as w using (reconcile_id)
left join predicted_statuses as s using (reconcile_id)
left join memories as m using (reconcile_id)
order by r.reconcile_id
"""


def _predictions(results: Any) -> list[dict[str, Any]]:
    relation = results.sql(_PREDICTIONS)
    return [dict(zip(relation.columns, row, strict=True)) for row in relation.fetchall()]


def _decided(want: dict[str, Any], actual: dict[str, Any], start_us: int) -> dict[str, tuple[Any, Any]]:
    chance = by_chance(want, writes=actual["status"] is not None)
    return {
        "at": (micros(want["at"]), actual["at_us"]),
        "hpa": (want["hpa"], actual["hpa"]),
        "spec replicas": (want.get("spec_replicas"), actual["spec_replicas"]),
        "status replicas": (want.get("status_replicas"), actual["status_replicas"]),
        "scale writes": ([[put["to"], put["status"]] for put in want.get("scale_puts", [])], actual["puts"]),
        "events": (
            comparable_events(want.get("events", []), chance=chance),
            comparable_events(actual["events"], chance=chance),
        ),
        "annotation": (want.get("annotation"), actual["custom_metrics"]),
        "memory": (remembered(want.get("memory", {})), _memory(actual, start_us)),
    }


def _memory(actual: dict[str, Any], start_us: int) -> dict[str, Any]:
    def entries(rows: list[dict[str, Any]] | None, number: str) -> list[list[Any]] | None:
        if rows is None:
            return None
        outdated = [["outdated"] if row.get("outdated") else [] for row in rows]
        return [[row[number], micros_of(row) - start_us, *flag] for row, flag in zip(rows, outdated, strict=True)]

    return {
        "recommendations": entries(actual["recommendations"], "replicas"),
        "up": entries(actual["up"], "change"),
        "down": entries(actual["down"], "change"),
    }


def micros_of(row: dict[str, Any]) -> int:
    """When an entry of the memory was made; DuckDB gives UTC times without a zone."""
    return micros(f"{row['ts'].isoformat()}Z")
