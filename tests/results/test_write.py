"""A results file is whole or absent, and has the tables and columns that docs/results.md promises."""

from dataclasses import replace
from pathlib import Path

import duckdb
import pytest

from hpaaudit.errors import BadQuery, FileExists, NotResults
from hpaaudit.results import encoded, sql
from hpaaudit.results.account import replay_account
from hpaaudit.results.answer import Answer
from hpaaudit.results.read import Results, open_results
from hpaaudit.results.write import ResultsWriter
from tests.results import story


def test_a_results_file_that_is_there_is_not_replaced_unless_asked(tmp_path: Path) -> None:
    story.results(tmp_path).close()
    with pytest.raises(FileExists, match="add --overwrite"):
        ResultsWriter(tmp_path / "web.duckdb", story.INFO, story.REPLAY, overwrite=False)
    with ResultsWriter(tmp_path / "web.duckdb", story.INFO, story.REPLAY, overwrite=True) as writer:
        writer.finish().close()
    with open_results(tmp_path / "web.duckdb") as results:
        assert results.rows("select count(*) as n from reconciles") == [{"n": 0}]


def test_the_parent_folder_must_exist(tmp_path: Path) -> None:
    with pytest.raises(FileExists, match="not a folder"):
        ResultsWriter(tmp_path / "nowhere" / "web.duckdb", story.INFO, story.REPLAY, overwrite=False)


def broken_replay(path: Path, *, overwrite: bool) -> None:
    """Begins to write results, until somebody presses Ctrl-C."""
    with ResultsWriter(path, story.INFO, story.REPLAY, overwrite=overwrite) as writer:
        writer.add_facts(story.facts())
        raise KeyboardInterrupt


def test_a_replay_that_breaks_leaves_nothing_behind(tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt):
        broken_replay(tmp_path / "web.duckdb", overwrite=False)
    assert list(tmp_path.iterdir()) == []


def test_an_old_file_survives_a_replay_that_breaks(tmp_path: Path) -> None:
    story.results(tmp_path).close()
    with pytest.raises(KeyboardInterrupt):
        broken_replay(tmp_path / "web.duckdb", overwrite=True)
    with open_results(tmp_path / "web.duckdb") as results:
        assert results.rows("select count(*) as n from reconciles") == [{"n": len(story.SCENES)}]


def test_only_the_results_file_is_left_when_all_went_well(tmp_path: Path) -> None:
    story.results(tmp_path).close()
    assert [path.name for path in tmp_path.iterdir()] == ["web.duckdb"]


def test_the_file_can_be_read_by_duckdb_1_4(story_results: Results) -> None:
    tags = story_results.sql("select tags from duckdb_databases() where path is not null and not internal").fetchall()
    assert tags == [({"storage_version": "v1.4.0+"},)]


@pytest.mark.parametrize("content", [b"", b"not a database, but long enough to look like one" * 100])
def test_what_is_no_results_file_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "x.duckdb"
    path.write_bytes(content)
    with pytest.raises(NotResults, match=r"x\.duckdb"):
        open_results(path)
    with pytest.raises(NotResults, match="does not exist"):
        open_results(tmp_path / "none")


def test_a_database_of_somebody_else_is_refused(tmp_path: Path) -> None:
    with duckdb.connect(str(tmp_path / "other.duckdb")) as other:
        other.execute("create table reconciles as select 1 as x")
    with pytest.raises(NotResults, match="holds no results"):
        open_results(tmp_path / "other.duckdb")


def test_results_are_read_only(story_results: Results) -> None:
    with pytest.raises(BadQuery, match="CREATE is refused, because results are read-only"):
        story_results.sql("create table mine (x integer)")


def test_a_refused_query_says_why_in_one_line(story_results: Results) -> None:
    with pytest.raises(BadQuery, match="nope") as refused:
        story_results.sql("select nope from reconciles")
    assert "\n" not in str(refused.value)


def test_two_answers_can_be_read_in_turn(story_results: Results) -> None:
    first, second = story_results.sql("from reconciles"), story_results.sql("from divergences")
    assert len(second.fetchall()) == 6
    assert len(first.fetchall()) == len(story.SCENES)


def test_an_answer_comes_as_a_polars_frame(story_results: Results) -> None:
    frame = Answer(story_results, story_results.sql("select ts, desired from reconciles order by ts")).frame()
    assert (frame.columns, frame.height) == (["ts", "desired"], len(story.SCENES))
    assert Answer(story_results, None).frame().is_empty()
    with pytest.raises(BadQuery, match="Conversion"):
        Answer(story_results, story_results.sql("select name::integer from reconciles")).frame()


def test_relations_come_as_polars_frames(story_results: Results) -> None:
    assert story_results.frame("reconciles").height == len(story.SCENES)
    with pytest.raises(BadQuery, match="not a relation"):
        story_results.frame("reconciles; drop table x")


PER_HPA = ["replay_id", "hpa_uid", "namespace", "name"]
CONTRACT = {
    "reconciles": """
        reconcile_id ts lasted_s at_source uncertainty_s epoch_id spec_replicas status_replicas min_replicas
        max_replicas raw_desired stabilized rate_limited desired status_desired action reason_code able_status
        able_reason active_status active_reason limited_status limited_reason band_lo band_hi decided
        decided_source actual verdict divergence_id evidence missing_input
    """,
    "metric_proposals": """
        metric_idx metric_type metric_name target_type target current_milli current_utilization ratio
        ratio_adjusted tolerance proposal valid invalid_code adjust_code ready_pods unready_pods missing_pods
        ignored_pods is_winner
    """,
    "decision_steps": "seq stage code before after binding detail",
    "reconcile_pods": "bucket why_code value_milli request_milli",
    "scale_events": "source at_lo at_hi from_replicas to_replicas writer_class writer_name evidence_level",
    "scale_event_matches": "predicted_at actual_at_lo actual_at_hi predicted_to actual_to lag_s shape verdict",
    "predicted_statuses": "reconcile_id ts status custom_metrics",
    "predicted_events": "reconcile_id seq ts type reason message",
    "predicted_writes": "reconcile_id seq to_replicas http_status",
    "memories": "reconcile_id recommendations up down",
    "comparisons": "predicted decided actual verdict",
    "divergences": """
        divergence_id reconcile_id class shape severity confidence predicted actual opened_at closed_at
        contributing explanation next_step
    """,
    "findings": "pattern first_at last_at severity verdict evidence next_step",
    "hpas": "target_kind target_name created_at deleted_at",
    "hpa_specs": "valid_from valid_to generation min_replicas max_replicas metrics behavior writer_manager",
    "hpa_status": """
        observed_at resource_version current_replicas desired_replicas last_scale_time observed_generation
    """,
    "hpa_conditions": "observed_at type status reason message last_transition_time",
    "hpa_status_metrics": "observed_at metric_idx metric_type metric_name container avg_utilization value_milli",
    "scale_states": "observed_at spec_replicas status_replicas selector replicas_manager replicas_written_at",
}


@pytest.mark.parametrize(("relation", "columns"), CONTRACT.items(), ids=list(CONTRACT))
def test_a_relation_has_the_columns_of_the_contract(story_results: Results, relation: str, columns: str) -> None:
    columns_found = story_results.sql(f"from {relation} limit 0").columns
    assert columns_found[:4] == PER_HPA
    assert set(columns.split()) <= set(columns_found)


def test_times_are_plain_timestamps(story_results: Results) -> None:
    zoned = story_results.rows(
        "select table_name, column_name from duckdb_columns() where schema_name = 'runs' and data_type like '%ZONE%'"
    )
    assert zoned == []


@pytest.mark.parametrize("folder", ["schema", "views", "recorded", "facts", "audit", "questions", "staging", "macros"])
def test_every_file_of_sql_opens_with_its_question_and_says_what_one_row_is(folder: str) -> None:
    texts = sql.folder(folder)
    assert texts
    for name, text in texts.items():
        question, *rest = sql.heading(text)
        assert question.endswith("?"), name
        assert rest, name
        if folder in ("schema", "views", "recorded", "facts", "questions", "staging"):
            assert rest[0].startswith("One row"), name


def test_a_table_has_a_file_of_its_name_and_shows_in_main(story_results: Results) -> None:
    tables = {
        row["name"]
        for row in story_results.rows("select table_name as name from duckdb_tables() where schema_name = 'runs'")
    }
    views = {
        row["name"]
        for row in story_results.rows("select view_name as name from duckdb_views() where schema_name = 'main'")
    }
    assert tables == set(encoded.tables())
    assert set(sql.folder("schema")) <= views


def test_main_shows_the_current_replay_only(tmp_path: Path) -> None:
    story.results(tmp_path).close()
    with duckdb.connect(str(tmp_path / "web.duckdb")) as connection:
        connection.execute(
            "insert into runs.replays by name select 'w1' as replay_id, 'what_if' as mode, now() as ran_at"
        )
        connection.execute("update runs.texts set replay_id = list_append(replay_id, 'w1')")
        connection.execute("insert into runs.encoded_reconciles by name select 1 as replay_id, 99 as reconcile_id")
    with open_results(tmp_path / "web.duckdb") as results:
        assert results.rows("select distinct replay_id from reconciles") == [{"replay_id": "r1"}]


NATURAL = """
select name, sum(lasted_s)/60 as at_max_min from reconciles where raw_desired > max_replicas
    group by name order by 2 desc;
from reconciles where name = 'checkout' and ts <= '2026-03-02 14:05:20' order by ts desc limit 1;
from scale_event_matches where verdict <> 'match' order by actual_at_lo;
select name, class, count(*) as n, min(opened_at) as first_at from divergences
    group by name, class order by n desc;
select writer_class, count(*) as writes, sum(abs(to_replicas - from_replicas)) as pods
    from scale_events where source = 'actual' group by 1;
select name, reason_code, sum(lasted_s) as seconds from reconciles where action = 'hold'
    group by 1, 2 order by 3 desc;
"""


@pytest.mark.parametrize("query", NATURAL.split(";")[:-1])
def test_natural_queries_run_as_they_are_read(story_results: Results, query: str) -> None:
    assert story_results.sql(query).columns


@pytest.mark.parametrize(
    ("written", "utc"),
    [
        ("2026-03-02T10:05:00-04:00", "2026-03-02 14:05:00"),
        ("2026-03-02T14:05:00Z", "2026-03-02 14:05:00"),
        ("2026-03-02 14:05", "2026-03-02 14:05:00"),
        ("2026-03-02T14:05:00.123456+00", "2026-03-02 14:05:00.123456"),
        ("2026-03-02", "2026-03-02 00:00:00"),
    ],
)
@pytest.mark.parametrize("zone", ["UTC", "America/New_York", "Asia/Kolkata"])
def test_utc_honours_an_offset_in_every_time_zone(tmp_path: Path, written: str, utc: str, zone: str) -> None:
    with duckdb.connect(str(tmp_path / "zone.duckdb")) as connection:
        connection.execute(sql.folder("macros")["utc"])
        connection.execute(f"set TimeZone = '{zone}'")
        rows = connection.execute("select utc($written)::varchar", {"written": written}).fetchone()
        assert rows == (utc,)


@pytest.mark.parametrize(
    ("detail", "steps", "pods", "memories"),
    [
        ("numbers", "none", "none", "none"),
        ("moved", "some", "some", "none"),
        ("steps", "all", "some", "none"),
        ("pods", "all", "all", "none"),
        ("all", "all", "all", "all"),
    ],
)
def test_detail_is_kept_of_none_or_all_or_where_something_moved_or_differs(
    tmp_path: Path, story_results: Results, detail: str, steps: str, pods: str, memories: str
) -> None:
    moved = {
        row["reconcile_id"]
        for row in story_results.rows("from reconciles")
        if row["action"] != "hold" or row["verdict"] != "match"
    }
    worth = {"none": set(), "some": moved, "all": set(range(1, len(story.SCENES) + 1))}
    with story.results(tmp_path, detail=detail) as results:
        for relation, stored in (("decision_steps", steps), ("reconcile_pods", pods), ("memories", memories)):
            reconcile_ids = {row["reconcile_id"] for row in results.rows(f"from {relation}")}
            assert reconcile_ids == worth[stored], relation
        kept_anyway = results.rows("from decision_steps order by all")
        assert [row for row in kept_anyway if row["reconcile_id"] in moved] == (
            [] if steps == "none" else story_results.rows("from decision_steps order by all")
        )


def test_two_hpas_without_uids_are_kept_apart(tmp_path: Path) -> None:
    reconciles = list(story.reconciles())
    nameless = [replace(reconcile, decision=replace(reconcile.decision, uid="")) for reconcile in reconciles]
    others = [
        replace(
            reconcile,
            reconcile_id=reconcile.reconcile_id + 100,
            decision=replace(reconcile.decision, uid="", name="api"),
        )
        for reconcile in reconciles
    ]
    with ResultsWriter(tmp_path / "two.duckdb", story.INFO, story.REPLAY, overwrite=False) as writer:
        writer.add(nameless + others)
        with writer.finish() as results:
            assert results.rows("select name, count(*) as n from reconciles group by name order by name") == [
                {"name": "api", "n": len(reconciles)},
                {"name": "web", "n": len(reconciles)},
            ]
            assert results.rows("select distinct hpa_uid from reconciles order by 1") == [
                {"hpa_uid": "shop/api"},
                {"hpa_uid": "shop/web"},
            ]


def test_an_account_of_several_hpas_gives_each_its_own(tmp_path: Path) -> None:
    reconciles = list(story.reconciles())
    others = [
        replace(
            reconcile,
            reconcile_id=reconcile.reconcile_id + 100,
            decision=replace(reconcile.decision, uid="u-api", name="api"),
        )
        for reconcile in reconciles
    ]
    with story.replayed(tmp_path / "two.duckdb", story.facts(), reconciles + others) as results:
        web, api = sorted(replay_account(results).hpas, key=lambda hpa: hpa.name, reverse=True)
        alone = replay_account(story.results(tmp_path)).hpas[0]
    assert web == alone
    assert web.changes
    assert web.foreign_writes
    assert web.findings
    assert (api.name, api.reconciles, api.foreign_writes) == ("api", len(reconciles), ())
