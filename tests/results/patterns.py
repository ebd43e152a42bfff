"""A database with the tables that a finding reads, and rows for it from a few words."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime, timedelta
from math import ceil, isnan
from typing import Any

import duckdb

from hpaaudit.engine.rules.go_numbers import MAX_INT32
from hpaaudit.results import sql
from hpaaudit.results.findings import findings
from hpaaudit.results.moments import LONG_HOLD_S, account_sql

START = datetime(2026, 3, 2, 14, 0, 0)  # noqa: DTZ001 the tables keep UTC without a zone
Row = dict[str, Any]
Tables = Mapping[str, Iterable[Row]]
HPA: Row = {"replay_id": "r1", "hpa_uid": "u-web", "namespace": "shop", "name": "web"}
DEFAULTS: Mapping[str, Row] = {
    "reconciles": {**HPA, "lasted_s": 15.0, "spec_replicas": 4, "min_replicas": 2,
        "max_replicas": 10, "raw_desired": 4, "stabilized": 4, "desired": 4, "action": "hold",
        "reason_code": "metric.on_target", "verdict": "match", "epoch_id": 0, "at_source": "status_write"},
    "metric_proposals": {**HPA, "metric_idx": 0, "metric_type": "Resource", "metric_name": "cpu",
        "target_type": "Utilization", "target": 60, "tolerance": 0.1, "ratio": 1.0, "proposal": 4, "valid": True,
        "invalid_code": "", "invalid_text": "", "adjust_code": "adjust.none", "ready_pods": 4, "unready_pods": 0,
        "missing_pods": 0, "ignored_pods": 0, "is_winner": True},
    "scale_events": {**HPA, "source": "actual", "from_replicas": 4, "to_replicas": 8, "writer_class": "hpa",
        "writer_name": "kube-controller-manager", "evidence_level": "managed_fields"},
    "hpa_specs": {**HPA, "valid_from": START, "target_kind": "Deployment", "target_name": "web",
        "target_api_version": "apps/v1", "min_replicas": 2, "max_replicas": 10,
        "metrics": '[{"resource": {"target": {"averageUtilization": 60}}, "type": "Resource"}]',
        "writer_manager": "helm"},
    "hpas": {**HPA, "target_kind": "Deployment", "target_name": "web", "seen_at": START},
    "pods": {"replay_id": "r1", "namespace": "shop", "owner_kind": "ReplicaSet", "owner_name": "web-6f",
        "created_at": START, "seen_at": START, "without_cpu_request": [], "without_memory_request": []},
    "reconcile_pods": {**HPA, "metric_idx": 0, "bucket": "ready", "why_code": "measured", "value_milli": 60,
        "request_milli": 100},
    "effects": {**HPA, "ts": START, "until": START + timedelta(minutes=5), "from_replicas": 4, "wanted": 4, "made": 4,
        "ready": 4, "removed": 0, "class": "effect.none", "pod_seconds_missing": 0.0},
    "reports": {**HPA, "ts": START},
    "divergences": {**HPA, "opened_at": START, "reconciles": 1, "predicted": 8, "actual": 5},
    "scaled_objects": {"replay_id": "r1", "namespace": "shop", "name": "queue", "gone": False, "hpa_name": "web",
        "target_kind": "Deployment", "target_name": "web", "fallback": "False", "paused": "False",
        "fallback_replicas": 6, "annotations": "{}", "observed_at": START},
    "rollouts": {**HPA, "started_at": START, "revision": "v2", "replaced": "v1"},
    "surroundings": {"replay_id": "r1", "observed_at": START, "namespace": "shop", "gone": False},
    "api_services": {"replay_id": "r1", "observed_at": START, "available": "True"},
    "controller_epochs": {"replay_id": "r1"},
    "scale_states": {**HPA, "spec_replicas": 4, "status_replicas": 4},
    "k8s_events": {"replay_id": "r1", "namespace": "shop", "name": "web", "kind": "HorizontalPodAutoscaler",
        "count": 1},
    "predicted_events": {**HPA, "type": "Normal", "seq": 1},
    "coverage_gaps": {"replay_id": "r1", "stream": "events"},
    "hpa_status": {**HPA, "able_status": "True", "able_reason": "ReadyForNewScale", "active_status": "True",
        "active_reason": "ValidMetricFound", "limited_status": "False", "limited_reason": "DesiredWithinRange"},
    "hpa_conditions": {**HPA, "observed_at": START},
    "hpa_status_metrics": {**HPA, "metric_idx": 0, "metric_type": "Resource", "metric_name": "cpu"},
    "recordings": {"replay_id": "r1", "started_at": START, "ended_at": START + timedelta(days=3),
        "clock_offset_ms": 5.0},
    "replays": {"replay_id": "r1", "mode": "audit", "detail": "moved", "ran_at": START},
    "decision_steps": {**HPA, "binding": True},
    "assumptions": {"replay_id": "r1", "source": "default"},
}  # fmt: skip
"""What a row is unless a case says otherwise."""


def at(seconds: float) -> datetime:
    """Seconds after the case begins."""
    return START + timedelta(seconds=seconds)


def reconciles(count: int, *, every_s: float = 15, first: int = 0, **values: Any) -> list[Row]:
    """So many reconciles in a row, all alike."""
    return [
        {"reconcile_id": first + n, "ts": at(every_s * (first + n)), "lasted_s": every_s, **values}
        for n in range(count)
    ]


def proposals(count: int, *, every_s: float = 15, first: int = 0, **values: Any) -> list[Row]:
    """A metric of each of so many reconciles, all alike."""
    return [{"reconcile_id": first + n, "ts": at(every_s * (first + n)), **values} for n in range(count)]


def changes(*steps: tuple[float, int, int], **values: Any) -> list[Row]:
    """Changes of the replicas as (second, from, to)."""
    return [
        {"scale_event_id": int(second), "at_lo": at(second - 1), "at_hi": at(second), "from_replicas": before,
            "to_replicas": after, **values}
        for second, before, after in steps
    ]  # fmt: skip


class Patterns:
    """A database with every table of a results file, in which one case at a time is played."""

    def __init__(self, connection: duckdb.DuckDBPyConnection) -> None:
        self._connection = connection

    def verdicts(self, pattern: str, tables: Tables) -> list[str]:
        """What the query of a pattern finds in these rows: `severity: verdict` of each HPA."""
        return [f"{severity}: {verdict}" for severity, verdict, *_ in self.found(pattern, tables)]

    def found(self, pattern: str, tables: Tables) -> list[tuple[Any, ...]]:
        """The same with the evidence and the next step."""
        with self._filled({"hpas": [{}], **tables}) as ask:
            (finding,) = (each for each in findings() if each.pattern == pattern)
            found = ask(f"select severity, verdict, evidence, next_step from ({finding.query}\n)")  # noqa: S608 our own
            rows = found.fetchall()
            signs = {sign for (sign,) in ask(sql.folder("audit")["67_signs"] + "from signs").fetchall()}
        assert not rows or not finding.needs or finding.needs & signs, "it would not run"
        assert all(next_step for *_, next_step in rows)
        return rows

    def spans(self, pattern: str, tables: Tables) -> list[tuple[Any, ...]]:
        """From when until when the query of a pattern finds it, of each HPA in the order of time."""
        with self._filled({"hpas": [{}], **tables}) as ask:
            (finding,) = (each for each in findings() if each.pattern == pattern)
            return ask(f"select first_at, last_at from ({finding.query}\n) order by all").fetchall()  # noqa: S608 our own

    def audited(self, query: str, relation: str, tables: Tables) -> list[Row]:
        """The rows that a query of `sql/audit/` makes of these rows."""
        with self._filled({"recordings": [{"ended_at": at(3600)}], "hpas": [{}], **tables}) as ask:
            ask(sql.folder("audit")[query])
            return _rows(ask(f"from runs.{relation} order by ts"))

    def chain(self, tables: Tables) -> list[tuple[str, ...]]:
        """What the reconciles of these rows did, why their metric won, and what it found."""
        with self._filled(tables) as ask:
            return ask("select act_code, winner_code, metric_code from reasons").fetchall()

    def holds(self, tables: Tables) -> list[Row]:
        """What held the HPA for a minute or more, longest first: rows of `sql/account/holds.sql`."""
        with self._filled({"hpas": [{}], **tables}) as ask:
            return _rows(ask(account_sql("holds"), {"long_hold_s": LONG_HOLD_S}))

    def asked(self, question: str, tables: Tables) -> list[Row]:
        """What a question about every HPA and the whole recording answers of these rows."""
        text = sql.folder("questions")[question]
        scope = {"hpa": "%", "since": at(-86400), "until": at(7 * 86400)}
        with self._filled({"hpas": [{}], **tables}) as ask:
            return _rows(ask(text, {name: value for name, value in scope.items() if f"${name}" in text}))

    def unknown(self, tables: Tables) -> list[str]:
        """What the page of the one HPA of these rows says is unknown of its undecidable reconciles."""
        with self._filled({"hpas": [{}], **tables}) as ask:
            [(why,)] = ask(f"select why from ({sql.folder('account')['hpas'].rstrip().removesuffix(';')})").fetchall()  # noqa: S608 our own
            return list(why or ())

    def writes(self, tables: Tables) -> list[Row]:
        """What became of the writes by others among these rows: rows of `sql/account/foreign_writes.sql`."""
        with self._filled({"hpas": [{}], "recordings": [{"ended_at": at(120)}], **tables}) as ask:
            return _rows(ask(account_sql("foreign_writes")))

    def zeros(self, tables: Tables) -> list[Row]:
        """The times at zero replicas that the HPA wrote itself: rows of `sql/account/zeros.sql`."""
        with self._filled({"hpas": [{}], **tables}) as ask:
            return _rows(ask(account_sql("zeros")))

    def there(self, tables: Tables) -> list[tuple[str, int]]:
        """The HPAs that the page of a replay names, each with the number of its reconciles."""
        with self._filled(tables) as ask:
            rows = _rows(ask(account_sql("hpas")))
        return [(row["name"], row["reconciles"]) for row in rows]

    def marks(self, tables: Tables) -> list[Row]:
        """What a timeline of the one HPA of these rows marks besides reconciles."""
        with self._filled({"hpas": [{}], **tables}) as ask:
            return _rows(ask(sql.folder("timeline")["marks"], {name: HPA[name] for name in ("namespace", "name")}))

    @contextmanager
    def _filled(self, tables: Tables) -> Iterator[Callable[..., duckdb.DuckDBPyConnection]]:
        """Asks queries of a database that holds these rows; they are gone afterwards."""
        ask = self._connection.execute
        ask("begin")
        try:
            self._fill({"recordings": [{}], "replays": [{}], **tables})
            yield ask
        finally:
            ask("rollback")

    def _fill(self, tables: Tables) -> None:
        ask = self._connection.execute
        computed = [{**DEFAULTS["metric_proposals"], **row} for row in tables.get("metric_proposals", ())]
        for table, rows in tables.items():
            for row in rows:
                values = {**DEFAULTS[table], **row}
                if table == "reconciles":
                    values = {**_derived(values, computed), **values, **row}
                if table == "metric_proposals":
                    values = {"metric_label": values["metric_name"], **values}
                places = ", ".join("?" * len(values))
                ask(f"insert into runs.{table} ({', '.join(values)}) values ({places})", [*values.values()])  # noqa: S608
        ask(
            "insert into replayed_hpas select 1, replay_id, hpa_uid, namespace, name, "
            "(select ended_at from runs.recordings) from runs.hpas"
        )
        ask(
            "insert into compared by name select reconcile_id, hpa, ts, lasted_s, "
            "row_number() over (partition by hpa order by ts, reconcile_id) as nth "
            "from runs.reconciles join replayed_hpas using (hpa_uid)"
        )
        for query in ("09_tenures", "10_shared_targets", "32_memory_windows"):
            ask(sql.folder("audit")[query])


def _derived(reconcile: Row, proposals: Iterable[Row]) -> Row:
    """What follows from the other columns of a reconcile, in the plain case: no policy, window or memory besides."""
    code, least, most = reconcile["reason_code"], reconcile["min_replicas"], reconcile["max_replicas"]
    own = [row for row in proposals if row["reconcile_id"] == reconcile["reconcile_id"] and row["valid"]]
    number = None
    if code.startswith("adjust."):
        number = max((_alike(row, reconcile["spec_replicas"]) for row in own), default=None)
    elif code == "gate.partial_metrics_block_down":
        number = max((row["proposal"] for row in own), default=least)
    elif code.startswith("stabilize.") or reconcile["stabilized"] != reconcile["raw_desired"]:
        number = reconcile["raw_desired"]
    status = reconcile["spec_replicas"]
    return {"status_replicas": status, "unheld": None if number is None else max(least, min(most, number))}


def _alike(proposal: Row, replicas: int) -> int:
    """What a metric would propose if all its pods used as much as those that were measured."""
    ratio, pods = proposal["ratio"], sum(proposal[name] for name in ("ready_pods", "unready_pods", "missing_pods"))
    is_inside = isnan(ratio) or abs(1 - ratio) <= proposal["tolerance"]
    return replicas if is_inside else ceil(max(-MAX_INT32, min(ratio * pods, MAX_INT32)))


def _rows(answer: duckdb.DuckDBPyConnection) -> list[Row]:
    names = [column[0] for column in answer.description or ()]
    return [dict(zip(names, row, strict=True)) for row in answer.fetchall()]


@contextmanager
def patterns() -> Iterator[Patterns]:
    """The database."""
    with duckdb.connect() as connection:
        ask = connection.execute
        ask("create schema runs")
        for folder in ("macros", "schema"):
            for text in sql.folder(folder).values():
                ask(text)
        views = dict(sql.folder("views"))
        ask(views.pop("current_replay"))
        for table in sql.folder("schema"):
            ask(f"create view main.{table} as from runs.{table} where replay_id = (from main.current_replay)")
        for text in views.values():
            ask(text)
        ask(sql.folder("staging")["compared"])
        ask(
            "create temp table replayed_hpas (hpa integer, replay_id varchar, hpa_uid varchar, namespace varchar, "
            "name varchar, ended_at timestamp)"
        )
        ask("create temp table sync as select interval 15 second as sync, 15000000 as sync_us")
        for view in ("68_ran", "68_readings"):
            ask(sql.folder("audit")[view])
        yield Patterns(connection)
