"""Compares what a results file predicts with what the real controller decided, reconcile by reconcile."""

import gzip
import json
import re
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hpaaudit.api.times import micros
from hpaaudit.flows.importing import import_capture
from hpaaudit.flows.replay import replay

HERE = Path(__file__).parent
_RANDOM = (
    (re.compile(r"controlled by multiple HPAs: \[[^]]*]"), "controlled by multiple HPAs"),
    (re.compile(r"controlled by more than one HPA \(e\.g\. \[[^]]*]\)"), "controlled by more than one HPA"),
    (re.compile(r"(missing pod-level request for \S+ in Pod) \S+"), r"\1"),
    (re.compile(r"(missing request for \S+ in container \S+ of Pod) \S+"), r"\1"),
)


@dataclass(frozen=True, slots=True)
class Outcome:
    """One capture: how many reconciles were compared, and every difference."""

    name: str
    reconciles: int
    differences: tuple[str, ...]


def releases() -> list[str]:
    """The releases of which we hold decisions, oldest first."""
    return sorted((path.name for path in HERE.glob("1.*")), key=lambda name: int(name.split(".")[1]))


def captures(release: str) -> list[Path]:
    """The captures of a release, by name."""
    return sorted((HERE / release).glob("*.capture.jsonl.gz"))


def expected_of(capture: Path) -> list[dict[str, Any]]:
    """What the real controller decided, a row per reconcile line."""
    path = capture.with_name(capture.name.replace(".capture.", ".expected."))
    with gzip.open(path, "rt") as lines:
        return [json.loads(line) for line in lines]


def settled(value: Any) -> Any:
    """A value without the parts that upstream makes by chance."""
    if isinstance(value, str):
        for pattern, plain in _RANDOM:
            value = pattern.sub(plain, value)
        return value
    if isinstance(value, list):
        return [settled(item) for item in value]
    if isinstance(value, dict):
        return {key: settled(item) for key, item in value.items()}
    return value


def compare(capture: Path) -> Outcome:
    """Import, replay, and ask the results file: replicas, writes, status, events and memory."""
    expected = expected_of(capture)
    with tempfile.TemporaryDirectory() as folder:
        recording = Path(folder) / "recording"
        import_capture([capture], into=recording)
        results = replay(recording, detail="all")
        predicted = _predictions(results)
        start_us = results.sql("select epoch_us(started_at) from recordings").fetchall()[0][0]
        results.close()
    living = [row for row in expected if not row.get("gone")]
    differences = [] if len(living) == len(predicted) else [f"{len(living)} reconciles, {len(predicted)} replayed"]
    standing: dict[str, Any] = {}
    for want, got in zip(living, predicted, strict=False):
        pairs = {**_decided(want, got, start_us), **_status(want, got, standing.get(want["hpa"]))}
        standing[want["hpa"]] = want.get("status")
        differences += [
            f"pass {want['n']} of {want['hpa']}: {what}: {a} expected, {b} predicted"
            for what, (a, b) in pairs.items()
            if a != b
        ]
    return Outcome(capture.name.removesuffix(".capture.jsonl.gz"), len(expected), tuple(differences))


_PREDICTIONS = """
with events as (
    select reconcile_id, list([type, reason, message] order by seq) as events from predicted_events group by 1
), writes as (
    select reconcile_id, list([to_replicas, http_status] order by seq) as puts from predicted_writes group by 1
)
select
    epoch_us(r.ts) as at_us, r.namespace || '/' || r.name as hpa, r.spec_replicas, r.status_replicas,
    coalesce(w.puts, []) as puts, s.status, coalesce(e.events, []) as events,
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


def _decided(want: dict[str, Any], got: dict[str, Any], start_us: int) -> dict[str, tuple[Any, Any]]:
    return {
        "at": (micros(want["at"]), got["at_us"]),
        "hpa": (want["hpa"], got["hpa"]),
        "spec replicas": (want.get("spec_replicas"), got["spec_replicas"]),
        "status replicas": (want.get("status_replicas"), got["status_replicas"]),
        "scale writes": ([[put["to"], put["status"]] for put in want.get("scale_puts", [])], got["puts"]),
        "events": (settled(want.get("events", [])), settled(got["events"])),
        "memory": (_remembered(want["memory"]), _memory(got, start_us)),
    }


def _status(want: dict[str, Any], got: dict[str, Any], standing: Any) -> dict[str, tuple[Any, Any]]:
    """The status that was computed; where only a text made by chance changed, writing it is chance as well."""
    ours = None if got["status"] is None else settled(json.loads(got["status"]))
    theirs, written = settled(want["status"]), "status_put" in want
    by_chance = theirs != want["status"]
    if ours is None:
        return {"status": (settled(standing), theirs)} if by_chance or not written else {"status": (theirs, None)}
    return {"status": (theirs, ours), "status write": (written or by_chance, True)}


def _remembered(memory: dict[str, Any]) -> dict[str, Any]:
    """Upstream's memory with its seconds cut to microseconds, as a recording keeps time."""

    def entries(rows: list[list[Any]] | None) -> list[list[Any]] | None:
        if rows is None:
            return None
        return [[row[0], round(row[1] * 10**9) // 1000, *row[2:]] for row in rows]

    return {kind: entries(memory.get(kind)) for kind in ("recommendations", "up", "down")}


def _memory(got: dict[str, Any], start_us: int) -> dict[str, Any]:
    def entries(rows: list[dict[str, Any]] | None, number: str) -> list[list[Any]] | None:
        if rows is None:
            return None
        outdated = [["outdated"] if row.get("outdated") else [] for row in rows]
        return [[row[number], micros_of(row) - start_us, *flag] for row, flag in zip(rows, outdated, strict=True)]

    return {
        "recommendations": entries(got["recommendations"], "replicas"),
        "up": entries(got["up"], "change"),
        "down": entries(got["down"], "change"),
    }


def micros_of(row: dict[str, Any]) -> int:
    """When an entry of the memory was made; DuckDB gives UTC times without a zone."""
    return micros(f"{row['ts'].isoformat()}Z")
