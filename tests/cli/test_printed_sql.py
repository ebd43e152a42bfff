"""The SQL that `explain --sql` and `query --sql` print runs as it is: in `query`, and in plain DuckDB on results."""

import json
import re
import shlex
import shutil
from pathlib import Path
from typing import Any

import duckdb
import pytest

from hpaaudit.flows.bundled import bundled_recording
from hpaaudit.model.plain_values import plain
from hpaaudit.results import sql
from hpaaudit.results.questions import questions
from tests.cli.run import printed, run

KEPT = re.compile(r"\A-- The results hold no ([a-z ]+) of this reconcile.*?To keep them: ([^\n]*)\n", re.DOTALL)
SCOPES = {"hpa": "shop/checkout", "at": "15:04:31", "since": "15:00", "until": "15:05"}


@pytest.fixture(scope="module")
def incident(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("sql") / "incident.duckdb"
    printed(f"hpaaudit replay {bundled_recording()} --into {file}")
    return file


def in_duckdb(file: Path, text: str) -> list[list[dict[str, Any]]]:
    """The rows of each statement of a text, from a connection that knows nothing of us."""
    found = []
    with duckdb.connect(str(file), read_only=True) as connection:
        for statement in duckdb.extract_statements(text):
            answer = connection.execute(statement)
            names = [name for name, *_ in answer.description]
            found.append([dict(zip(names, map(plain, row), strict=True)) for row in answer.fetchall()])
    return found


def in_query(file: Path, text: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Any:
    """What `query FILE -` says of the same text on stdin."""
    (tmp_path / "pasted.sql").write_text(text)
    with (tmp_path / "pasted.sql").open() as stdin:
        monkeypatch.setattr("sys.stdin", stdin)
        return json.loads(printed(f"hpaaudit query {file} - -o json"))


@pytest.mark.parametrize("options", ["", "--at first", "--at last"])
@pytest.mark.parametrize("name", ["scaled-by-hand", "metrics-down", "1.10-unready-pods-multiplied"])
def test_the_queries_of_an_explanation_run_all_together(
    name: str, options: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "results.duckdb"
    printed(f"hpaaudit replay {bundled_recording(name)} --into {file}")
    text = printed(f"hpaaudit explain {file} {options} --sql")
    rows = in_duckdb(file, text)
    assert len(rows) == len(sql.folder("evidence"))
    assert in_query(file, text, monkeypatch, tmp_path) == rows


@pytest.mark.parametrize("options", ["", "--at first", "--at last", "--flag tolerance=0.5"])
def test_the_queries_of_an_explanation_tell_what_is_not_kept_and_how_to_keep_it(options: str, tmp_path: Path) -> None:
    """What the screen shows has rows, or the first lines say that it has none; the command there gives them."""
    recording, settings = tmp_path / "friday", options if "--flag" in options else ""
    shutil.copytree(bundled_recording("metrics-down"), recording)
    file = recording / ("what-if.duckdb" if settings else "results.duckdb")
    printed(f"hpaaudit replay {recording} {settings}")
    asked = f"hpaaudit explain {file} {options.removeprefix(settings)}"
    shown = json.loads(printed(f"{asked} -o json"))
    text = printed(f"{asked} --sql")
    lacking = KEPT.search(text)
    if lacking is not None:
        printed(lacking[2])
        assert printed(f"{asked} --sql") == text[lacking.end() :].lstrip("\n")
    steps, _, pods = in_duckdb(file, text)[3:6]
    counted = [(row["reconcile_id"], row["seq"]) for row in steps], [row["pod"] for row in pods]
    assert (len(counted[0]), len(counted[1])) == (len(shown["steps"]), len(shown["members"]))
    assert "--at" not in options or lacking is not None


@pytest.mark.parametrize("question", sql.folder("questions"))
def test_the_sql_of_a_question_gives_the_rows_of_the_question(
    question: str, incident: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    used = questions()[question].parameters
    asked = f"hpaaudit query {incident} {question} " + " ".join(f"--{name} {SCOPES[name]}" for name in sorted(used))
    answer = json.loads(printed(f"{asked} -o json -q"))
    text = printed(f"{asked} --sql")
    assert in_query(incident, text, monkeypatch, tmp_path) == answer
    assert in_duckdb(incident, text) == [answer]


def test_own_sql_gets_its_values_too_and_texts_stay(incident: Path) -> None:
    asked = 'select \'$hpa\' as said, $hpa as hpa, $at as at, "$since" -- $until\nfrom (select 1 as "$since")'
    text = printed(f"hpaaudit query {incident} {shlex.quote(asked)} --hpa 'shop/*' --at 15:04:31 --sql")
    assert text == (
        "select '$hpa' as said, 'shop/%' as hpa, timestamp '2026-11-21 15:04:31.999999' as at, \"$since\" -- $until\n"
        'from (select 1 as "$since")\n'
    )


def test_several_statements_are_answered_below_each_other(incident: Path) -> None:
    asked = f"hpaaudit query {incident} 'select 1 as a; select $hpa as b' --hpa checkout"
    assert printed(asked) == "A\n1\n\nB\nshop/checkout\n"
    assert printed(f"{asked} -o csv") == "a\n1\n\nb\nshop/checkout\n"
    assert json.loads(printed(f"{asked} -o json")) == [[{"a": 1}], [{"b": "shop/checkout"}]]
    assert printed(f"{asked} -o yaml") == "- a: 1\n---\n- b: shop/checkout\n"
    names = "select namespace, name from reconciles; select namespace, name from scale_events"
    assert printed(f"hpaaudit query {incident} '{names}' -o name") == "shop/checkout\n"


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("'select 1; drop table x'", "DROP is refused"),
        ("'select 1; select 2' --at 15:04", "this SQL does not use --at"),
        ("'select 1; select 2' -o parquet", "Parquet holds one table"),
        ("why_this_number --sql -o json", "--sql prints SQL: it does not take -o"),
        ("--sql -o json", "--sql prints SQL: it does not take -o"),
        ("why_this_number --sql -l a=b", "--sql prints SQL: it does not take --selector"),
    ],
)
def test_what_cannot_be_is_refused_in_a_line(line: str, said: str, incident: Path) -> None:
    command = "explain" if line.startswith("--sql") else "query"
    code, out, err = run(f"hpaaudit {command} {incident} {line}")
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert said in err
