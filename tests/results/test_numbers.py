"""Reconciles written as columns give the same results as reconciles written as rows, in all numbers."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import duckdb
import pytest

from hpaaudit.flows.replay import replayed_reconciles
from hpaaudit.model.audit import ReplayedReconcile
from hpaaudit.model.facts import Fact, HpaSeen, PodSeen
from hpaaudit.recording.reading.recording import Recording, open_recording
from hpaaudit.results import sql
from hpaaudit.results.account_reconcile import reconcile_account
from hpaaudit.results.questions import Scope, ask, question_named
from hpaaudit.results.read import Results
from hpaaudit.results.write import ResultsWriter
from tests.results import numbers, story
from tests.results.things import at

RECORDINGS = Path(__file__).parents[2] / "recordings"
EMPTY = {
    "decision_steps",
    "reconcile_pods",
    "stabilization_inputs",
    "predicted_statuses",
    "predicted_events",
    "memories",
}
"""What a replay of numbers does not keep."""
OTHERWISE = {"ran_at", "detail", "evidence"} | numbers.UNTOLD
"""Columns that tell when and how it was replayed, or in whose words."""


def written(
    folder: Path, recording: Recording, recorded: list[Fact], reconciles: list[ReplayedReconcile], size: int | None
) -> Results:
    """A results file of these reconciles: as rows, or as columns in slices of that size."""
    detail = "moved" if size is None else "numbers"
    path = folder / f"{detail}-{size}.duckdb"
    run = replace(story.REPLAY, detail=detail)
    with ResultsWriter(path, recording.info, run, overwrite=False, recorded=recording) as writer:
        writer.add_facts(recorded)
        if size is None:
            writer.add(reconciles)
        else:
            for slice_ in numbers.decided(reconciles, size):
                writer.add_columns(slice_)
        return writer.finish()


def rows(results: Results, table: str) -> list[tuple[Any, ...]]:
    answered_rows = results.sql(f"from runs.{table}")
    columns = [number for number, name in enumerate(answered_rows.columns) if name not in OTHERWISE]
    return [tuple(row[number] for number in columns) for row in answered_rows.fetchall()]


def fleet() -> tuple[list[Fact], list[ReplayedReconcile]]:
    """The story four times over, of four HPAs whose uids are not in the order of their names."""
    facts_seen: list[Fact] = [fact for fact in story.facts() if not isinstance(fact, HpaSeen)]
    reconciles: list[ReplayedReconcile] = []
    for number, uid in enumerate("dbca"):
        name = f"web-{number}"
        facts_seen += [replace(fact, uid=uid, name=name) for fact in story.facts() if isinstance(fact, HpaSeen)]
        for done in story.reconciles():
            decision = replace(done.decision, uid=uid, name=name)
            reconciles.append(replace(done, reconcile_id=4 * done.reconcile_id + number, decision=decision))
    facts_seen.sort(key=lambda fact: fact.at_us)
    reconciles.sort(key=lambda done: done.reconcile_id)
    return facts_seen, reconciles


@pytest.mark.parametrize("size", [1, 5, 1000])
def test_the_story_as_columns_makes_the_tables_that_it_makes_as_rows(tmp_path: Path, size: int) -> None:
    recorded, replayed = fleet()
    recording = story.recorded(tmp_path / "recording", recorded)
    with (
        written(tmp_path, recording, recorded, replayed, None) as results,
        written(tmp_path, recording, recorded, replayed, size) as counted,
    ):
        for table in sql.folder("schema"):
            if table not in EMPTY:
                assert rows(counted, table) == rows(results, table), table


@pytest.mark.parametrize("name", ["load-step", "metrics-down", "scaled-by-hand", "unready-on-the-way-up"])
def test_a_recording_as_columns_makes_the_tables_that_it_makes_as_rows(tmp_path: Path, name: str) -> None:
    recording = open_recording(RECORDINGS / name)
    recorded, replayed = list(recording.facts()), list(replayed_reconciles(RECORDINGS / name))
    with (
        written(tmp_path, recording, recorded, replayed, None) as results,
        written(tmp_path, recording, recorded, replayed, 7) as counted,
    ):
        assert rows(results, "reconciles")
        for table in sql.folder("schema"):
            if table not in EMPTY:
                assert rows(counted, table) == rows(results, table), table


def test_hpas_that_are_audited_apart_are_judged_as_they_are_together(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    recorded, replayed = fleet()
    recording = story.recorded(tmp_path / "recording", recorded)
    with written(tmp_path, recording, recorded, replayed, 1000) as together:
        hpas = sql.folder("audit")["13_replayed_hpas"]
        assert "// 250000" in hpas
        monkeypatch.setitem(sql.folder("audit"), "13_replayed_hpas", hpas.replace("// 250000", "// 20"))
        with written(tmp_path, recording, recorded, replayed, 999) as apart:
            for table in sql.folder("schema"):
                assert rows(apart, table) == rows(together, table), table


def test_one_by_one_a_replay_of_numbers_keeps_as_little(tmp_path: Path) -> None:
    with story.results(tmp_path, detail="numbers") as results:
        for table in EMPTY:
            assert rows(results, table) == [], table
        assert rows(results, "reconciles")


@pytest.fixture(scope="module")
def counted(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Results]:
    """The story, replayed as numbers."""
    folder = tmp_path_factory.mktemp("numbers")
    recorded = list(story.facts())
    recording = story.recorded(folder / "recording", recorded)
    with written(folder, recording, recorded, list(story.reconciles()), 6) as results:
        yield results


def test_what_numbers_do_not_tell_is_empty_or_null_and_the_replay_says_so(counted: Results) -> None:
    assert counted.detail == "numbers"
    for table in EMPTY:
        assert rows(counted, table) == [], table
    assert counted.rows("select count(error) as error from reconciles") == [{"error": 0}]
    assert counted.rows("select count(invalid_text) as text from metric_proposals") == [{"text": 0}]


def test_columns_arrive_as_the_types_that_are_declared(counted: Results, story_results: Results) -> None:
    types = "select table_name, column_name, data_type from duckdb_columns() where schema_name = 'runs' order by all"
    assert counted.sql(types).fetchall() == story_results.sql(types).fetchall()


def answers(results: Results, name: str, seconds: float) -> list[dict[str, Any]]:
    answer = ask(results, question_named(name), Scope(at_us=at(seconds)))
    return [dict(zip(answer.columns, row, strict=True)) for row in answer.fetchall()]


def test_the_last_step_that_bound_a_number_is_told_without_its_steps(counted: Results, story_results: Results) -> None:
    [step] = answers(counted, "which_steps_made_it", 30)
    [*_, last] = [step for step in answers(story_results, "which_steps_made_it", 30) if step["binding"]]
    assert (step["code"], step["after"]) == (last["code"], last["after"])
    assert (step["seq"], step["stage"], step["detail"]) == (None, None, None)


def test_a_memory_that_held_is_told_without_its_age(counted: Results, story_results: Results) -> None:
    rows = answers(story_results, "which_memory_held_it", 0)
    assert rows
    untold = {"rec_at": None, "age_s": None}
    assert answers(counted, "which_memory_held_it", 0) == [row | untold for row in rows]


def test_all_pods_that_did_not_count_are_counted_with_their_names_or_without(
    counted: Results, story_results: Results
) -> None:
    """Whatever was kept of them, each bucket has as many."""
    totals = []
    for results in (counted, story_results):
        rows = answers(results, "which_pods_did_not_count", 0)
        totals.append(
            {bucket: sum(row["pod_reconciles"] for row in rows if row["bucket"] == bucket) for bucket in BUCKETS}
        )
    assert totals[0] == totals[1]
    assert totals[0]["unready"] > 0
    assert all(row["why_code"] is None and row["missing"] for row in answers(counted, "which_pods_did_not_count", 0))


def test_whose_pods_were_counted_is_told_or_said_to_be_unknown(counted: Results, tmp_path: Path) -> None:
    """Kept pods with owners are told; pods that were not kept, or name no owner, leave a row that says so."""
    decided = list(story.reconciles())
    with story.replayed(tmp_path / "owned.duckdb", story.facts(), decided, detail="pods") as results:
        assert answers(results, "which_pods_are_foreign", 0) == []
    [unkept] = answers(counted, "which_pods_are_foreign", 0)
    assert (unkept["owner_kind"], unkept["pods"]) == (None, None)
    assert unkept["missing"].endswith("--detail pods")
    ownerless = [
        replace(fact, pod=replace(fact.pod, owner_kind="", owner_name="")) if isinstance(fact, PodSeen) else fact
        for fact in story.facts()
    ]
    with story.replayed(tmp_path / "ownerless.duckdb", ownerless, decided, detail="pods") as results:
        [unknown] = answers(results, "which_pods_are_foreign", 0)
    assert (unknown["owner_kind"], unknown["pods"]) == (None, None)
    assert unknown["missing"].startswith("the owners of its pods")
    assert unknown["pod_reconciles"] == unkept["pod_reconciles"]


BUCKETS = ("unready", "missing", "ignored")


def test_the_same_patterns_are_found(counted: Results, story_results: Results) -> None:
    findings = "select pattern, first_at, last_at, severity, verdict from findings"
    assert counted.rows(findings) == story_results.rows(findings)
    assert counted.rows("select pattern from findings where pattern = 'blank_reason'")


def test_a_reconcile_is_accounted_for_without_its_steps(counted: Results, story_results: Results) -> None:
    ours, theirs = (reconcile_account(results, "shop/web", at(105)) for results in (counted, story_results))
    assert theirs.error == ours.error == ""
    assert [replace(metric, invalid_text="") for metric in theirs.metrics] == list(ours.metrics)
    assert (ours.steps, ours.pods) == ((), ())
    assert (ours.conditions, ours.verdict, ours.before) == (theirs.conditions, theirs.verdict, theirs.before)


def test_what_does_not_fit_into_memory_is_asked_again_with_more(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    limits: list[object] = []
    audit = ResultsWriter._audit

    def fails_at_first(writer: ResultsWriter) -> None:
        limits.extend(writer._connection.execute("select current_setting('memory_limit')").fetchall())
        if len(limits) == 1:
            writer._connection.execute("begin")
            writer._connection.execute("create temp table spoilt as select 1")
            raise duckdb.OutOfMemoryException
        audit(writer)

    monkeypatch.setattr(ResultsWriter, "_audit", fails_at_first)
    with story.results(tmp_path) as results:
        assert len(rows(results, "reconciles")) == len(story.SCENES)
    assert len(set(limits)) == 2
