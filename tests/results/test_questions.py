"""Every question over two recordings, held to golden answers; and what holds for every question."""

from collections.abc import Iterator
from pathlib import Path

import duckdb
import pytest

from hpaaudit.flows.replay import replay
from hpaaudit.model.question import Occasion
from hpaaudit.model.units import Micros
from hpaaudit.report.question_list import questions_text
from hpaaudit.report.replay import replay_text
from hpaaudit.report.text_table import table
from hpaaudit.results import sql
from hpaaudit.results.account import replay_account
from hpaaudit.results.account_reconcile import interesting
from hpaaudit.results.answer import Answer
from hpaaudit.results.hpa_names import hpa_names
from hpaaudit.results.questions import Scope, ask, question_named, questions
from hpaaudit.results.read import Results
from tests.results import story
from tests.results.patterns import patterns, reconciles
from tests.results.test_numbers import fleet
from tests.script import parse, play

ROOT = Path(__file__).parents[2]
SCRIPTS = Path(__file__).parent / "questions"
RECORDINGS = {"demo": "hpaaudit/demo/scaled-by-hand", "metrics-down": "recordings/metrics-down"}


@pytest.mark.golden
@pytest.mark.parametrize("name", RECORDINGS)
def test_a_recording_answers_every_question(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, rewrite: bool
) -> None:
    monkeypatch.chdir(ROOT)
    with replay(RECORDINGS[name], into=tmp_path / "results.duckdb") as results:

        def answer(command: str, _text: str) -> str:
            """`ask NAME`, about the whole recording."""
            asked = question_named(command.split()[1])
            shown = Answer(results, ask(results, asked, Scope()))
            assert list(asked.columns) == list(shown.columns)
            return table(shown.columns, shown.rows())

        play(SCRIPTS / f"{name}.txt", answer, rewrite=rewrite)


@pytest.mark.parametrize("name", RECORDINGS)
def test_every_question_has_a_golden_answer_of_a_recording(name: str) -> None:
    asked = [block.command.split()[1] for block in parse((SCRIPTS / f"{name}.txt").read_text("utf-8"))]
    assert asked == list(questions())


@pytest.fixture(scope="module")
def fleet_results(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Results]:
    """The story of four HPAs of one target."""
    with story.replayed(tmp_path_factory.mktemp("fleet") / "fleet.duckdb", *fleet()) as results:
        yield results


READS_RECORDING = {
    name for name, text in sql.folder("questions").items() if any(view in text for view in sql.folder("recorded"))
}
"""Questions that the story cannot answer: its recording is gone."""


@pytest.mark.parametrize("name", [name for name in questions() if name not in READS_RECORDING])
def test_one_hpa_has_the_rows_that_it_has_among_all(name: str, fleet_results: Results) -> None:
    """The same question for one HPA and for all of them; what others do changes no row."""
    question = question_named(name)
    if "hpa" not in question.parameters or "name" not in question.columns:
        return
    everybody = Answer(fleet_results, ask(fleet_results, question, Scope(at_us=story.INFO.ended_us)))
    alone = Answer(fleet_results, ask(fleet_results, question, Scope(at_us=story.INFO.ended_us, hpa="shop/web-2")))
    named = everybody.columns.index("name")
    assert [row for row in everybody.rows() if row[named] == "web-2"] == alone.rows()


def test_page_names_and_explanation_begin_with_the_hpa_that_matters_most(fleet_results: Results) -> None:
    page = replay_account(fleet_results)
    names = hpa_names(fleet_results)
    assert [f"{one.namespace}/{one.name}" for one in page.hpas] == names
    assert interesting(fleet_results, None)[0] == names[0]
    assert f"explain {fleet_results.path} {names[0]} --at" in replay_text(page)


def test_questions_are_listed_by_the_moment_at_which_they_are_asked() -> None:
    listed = [line for line in questions_text(questions()).splitlines() if line and not line.startswith(" ")]
    assert listed == list(Occasion)


def test_an_sql_client_shows_what_every_relation_and_column_is(tmp_path: Path) -> None:
    """In plain DuckDB, without hpaaudit."""
    story.results(tmp_path).close()
    with duckdb.connect() as connection:
        connection.execute(f"attach '{tmp_path / 'web.duckdb'}' as results (read_only)")
        columns = connection.execute("""
            select table_name, column_name, comment
            from duckdb_columns()
            where database_name = 'results' and schema_name = 'main'
        """).fetchall()
        relations = connection.execute("""
            select view_name, comment
            from duckdb_views()
            where database_name = 'results' and schema_name = 'main' and not internal
        """).fetchall()
    known = {name for folder in ("schema", "views", "recorded") for name in sql.folder(folder)}
    ours = {(table_name, column): comment for table_name, column, comment in columns if table_name in known}
    assert {table_name for table_name, _ in ours} == known == {name for name, _ in relations}
    assert [name for name, comment in ours.items() if not comment] == []
    assert dict(relations)["reconciles"].startswith(sql.heading(sql.folder("schema")["reconciles"])[0])
    assert ours["findings", "name"] == "of the HPA"
    assert ours["pods", "name"] == "of the pod"


def test_pods_cost_what_the_changes_of_the_replicas_say(tmp_path: Path) -> None:
    """From each change to the next, not from one reconcile to the next: others write in between."""
    with replay(ROOT / "recordings/gitops-loop", into=tmp_path / "results.duckdb") as results:
        until_us = results.span[1]
        # The HPA was made while it was recorded: before, it cost nothing.
        (since_us,) = results.rows("select epoch_us(min(ts)) as us from effects")[0].values()
        changes = results.rows("""
            select epoch_us(at_hi) as at_us, from_replicas, to_replicas from scale_events
            where source = 'actual' order by at_us, scale_event_id
        """)
        middle_us = Micros((since_us + until_us) // 2)

        def spent(first_us: Micros, last_us: Micros) -> float:
            scope = Scope(since_us=first_us, until_us=last_us)
            answer = Answer(results, ask(results, question_named("what_did_it_cost"), scope))
            (row,) = answer.rows()
            return float(row[answer.columns.index("pod_minutes")])

        whole, *parts = spent(since_us, until_us), spent(since_us, middle_us), spent(middle_us, until_us)
    ends = [*(change["at_us"] for change in changes[1:]), until_us]
    pods_us = changes[0]["from_replicas"] * (changes[0]["at_us"] - since_us)
    pods_us += sum(change["to_replicas"] * (end - change["at_us"]) for change, end in zip(changes, ends, strict=True))
    assert whole == pytest.approx(pods_us / 60e6, abs=0.05)
    assert whole == pytest.approx(sum(parts), abs=0.11)


@pytest.mark.parametrize(("blind", "read", "spare"), [(20, 0, None), (20, 4, 1.0), (0, 4, 1.0)])
def test_nobody_knows_which_pods_were_spare_while_the_metrics_could_not_be_read(
    blind: int, read: int, spare: float | None
) -> None:
    """For a minute four replicas ran where the metrics asked for three; before, they asked for nothing."""
    rows = [
        *reconciles(blind, raw_desired=None, reason_code="gate.all_metrics_invalid"),
        *reconciles(read, first=blind, raw_desired=3),
    ]
    with patterns() as database:
        (cost,) = database.asked("what_did_it_cost", {"reconciles": rows})
    assert (cost["spare_pod_minutes"], cost["blind_minutes"]) == (spare, blind / 4)
