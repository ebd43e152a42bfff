"""Python as a user writes it: values, attributes, notebooks, types, errors."""

import base64
import inspect
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from datetime import timedelta, timezone
from html import unescape
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import hpaaudit
from hpaaudit.flows.bundled import bundled_recording
from hpaaudit.flows.python_errors import in_python
from hpaaudit.report.codes import WORDS
from hpaaudit.results import sql
from tests.cli.run import run
from tests.python_api.typed_user import incident

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Iterator[hpaaudit.Results]:
    file = tmp_path_factory.mktemp("python") / "demo.duckdb"
    with hpaaudit.replay(bundled_recording(), into=file) as replayed:
        yield replayed


def test_a_script_that_a_user_writes_runs_and_mypy_knows_its_types(tmp_path: Path) -> None:
    found = incident(bundled_recording(), tmp_path / "demo.duckdb")
    assert found[0] == "5 changes, divergent"
    assert found[1].startswith("shop/checkout at 15:04:24Z: kept 6.")
    checked = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "tests/python_api/typed_user.py"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert checked.returncode == 0, checked.stdout


def test_every_relation_is_an_attribute(results: hpaaudit.Results) -> None:
    relations = [row[0] for row in results.sql("select distinct table_name from information_schema.tables").fetchall()]
    listed = [name for name in dir(results) if name in relations]
    assert {"reconciles", "changes", "metric_proposals", "hpas", "agreement"} <= set(listed)
    assert len(dir(results)) == len(set(dir(results)))
    known = {*sql.declared(), *sql.folder("views"), *sql.folder("recorded")}
    others = {name for name in dir(results) if not name.startswith("_")} - known
    assert others == {
        "close",
        "detail",
        "frame",
        "is_whole",
        "labels",
        "manifest_sha256",
        "path",
        "recording",
        "span",
        "sql",
    }
    for name in ("reconciles", "changes", "agreement", "refused"):
        frame = getattr(results, name)
        assert isinstance(frame, pl.DataFrame)
        assert frame.equals(results.frame(name))
    with pytest.raises(AttributeError, match="no relation 'reconcile': dir"):
        results.reconcile  # noqa: B018 asking is the point


def test_what_was_opened_is_as_good_as_its_path(results: hpaaudit.Results) -> None:
    recording = hpaaudit.open(str(bundled_recording()))
    assert hpaaudit.verify(results) == hpaaudit.verify(recording) == hpaaudit.verify(bundled_recording())
    assert hpaaudit.inspect(results) == hpaaudit.inspect(recording)
    assert hpaaudit.explain(results) == hpaaudit.explain(results.path) == hpaaudit.explain(str(results.path))
    with hpaaudit.open_results(results) as again:
        assert again.path == results.path
    assert callable(hpaaudit.report)  # although a package has that name too, which is imported by now
    assert hpaaudit.report(results, explained=False).account.hpas[0].name == "checkout"


def test_a_report_writes_itself_as_the_command_does(
    results: hpaaudit.Results, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    told = hpaaudit.report(results)
    assert repr(told) == "<Report of shop/checkout: 55 reconciles>"
    assert told.save("here.html") == "here.html"
    assert Path(told.save(tmp_path)) == tmp_path / "report.html"
    assert told.save(Path("here.md")) == "here.md"
    assert run(f"hpaaudit report {results.path} --into there.html")[0] == 0
    assert run(f"hpaaudit report {results.path} --into there.md")[0] == 0
    there = Path("there.html").read_text("utf-8")
    assert told.html() == Path("here.html").read_text("utf-8") == Path("report.html").read_text("utf-8") == there
    assert Path("here.md").read_text("utf-8").replace("here.1.svg", "there.1.svg") == Path("there.md").read_text(
        "utf-8"
    )
    for into, said in {
        "here.html": r"here\.html exists: name another file with into, or add overwrite=True",
        "here.pdf": r"no report is written as \.pdf: into takes \.html",
        "none/here.html": "its folder does not exist: make it",
    }.items():
        with pytest.raises(hpaaudit.AuditError, match=said):
            told.save(into)
    assert told.save("here.html", overwrite=True) == "here.html"


def test_a_report_explains_the_patterns_that_it_names(results: hpaaudit.Results, tmp_path: Path) -> None:
    """Also those of low severity, of which only the name is told."""
    told = hpaaudit.report(results, explained=False)
    patterns = {finding.pattern for hpa in told.account.hpas for finding in hpa.findings}
    assert "blank_reason" in patterns
    page, text = unescape(told.html()), Path(told.save(tmp_path / "told.md")).read_text("utf-8").replace("\\", "")
    for pattern in patterns:
        assert f"<dt><code>{pattern}</code></dt><dd>{WORDS[pattern]}</dd>" in page
        assert f"- {pattern}: {WORDS[pattern]}" in text


def test_closed_results_say_that_they_are_closed(tmp_path: Path) -> None:
    closed = hpaaudit.replay(bundled_recording(), into=tmp_path / "closed.duckdb")
    answer = hpaaudit.query(tmp_path / "closed.duckdb", "select 1 as a")
    closed.close()
    answer.results.close()
    for ask in (lambda: closed.sql("select 1"), lambda: closed.changes, lambda: closed.rows("select 1"), answer.rows):
        with pytest.raises(hpaaudit.AuditError, match=r"these results are closed: open .*closed\.duckdb again"):
            ask()
    with pytest.raises(hpaaudit.AuditError, match="`record` or `import_capture` wrote"):
        hpaaudit.replay(tmp_path)


def test_a_time_in_a_row_or_frame_has_its_zone_and_is_taken_wherever_a_time_is(results: hpaaudit.Results) -> None:
    sql = "select ts, [ts] as list, {'ts': ts} as struct, ts::timestamp_s as second, utc('2026-01-01T00:00:00Z') as u"
    with hpaaudit.query(results, f"{sql} from reconciles where verdict = 'divergent'") as answer:
        [row] = list(answer)
        [tuple_row] = answer.rows()
        [frame_row] = answer.frame().to_dicts()
    at = row["ts"]
    times = [at, row["list"][0], row["struct"]["ts"], row["second"], row["u"]]
    assert [time.utcoffset() for time in times] == [timedelta(0)] * 5
    assert tuple(row.values()) == tuple_row
    assert frame_row == row
    assert hpaaudit.explain(results, at=at).verdict == "divergent"
    assert hpaaudit.explain(results, at=at.astimezone(timezone(timedelta(hours=2)))) == hpaaudit.explain(results, at=at)
    assert len(hpaaudit.query(results, "who_wrote_replicas", since=at, until=at + timedelta(seconds=10))) == 1
    assert results.sql("select ts from reconciles where ts = $at", at=at).fetchall() == [(at.replace(tzinfo=None),)]
    assert len(results.sql("from reconciles where ts in $times", times=[at])) == 1
    assert results.reconciles.filter(pl.col("ts") == at)["verdict"].to_list() == ["divergent"]
    assert results.frame("recordings").schema["started_at"] == pl.Datetime("us", "UTC")


def test_printed_values_are_a_line_or_what_a_command_prints(results: hpaaudit.Results) -> None:
    assert str(results) == f"<Results {str(results.path)!r}>"
    assert str(hpaaudit.open(bundled_recording())) == f"<Recording {str(bundled_recording())!r}>"
    decision = hpaaudit.explain(results)
    assert str(decision) == decision.explain()


def test_what_commands_show_is_printed_like_it(results: hpaaudit.Results) -> None:
    path = shlex.quote(str(results.path))
    assert str(hpaaudit.timeline(results)) == run(f"hpaaudit timeline {path}")[1]
    assert str(hpaaudit.inspect(bundled_recording())) == run(f"hpaaudit inspect {bundled_recording()}")[1]
    with hpaaudit.query(results, "select ts, desired from reconciles order by ts") as answer:
        rows = list(answer)
        assert len(answer) == len(rows) == len(answer.rows()) > 0
        assert [tuple(row.values()) for row in rows] == answer.rows()
        assert set(rows[0]) == {"ts", "desired"}
        told = str(answer)
        assert told.endswith(f"\n{len(rows)} rows" + (", the first 100 are shown" if len(rows) > 100 else ""))
        assert told.splitlines()[0].split() == ["TS", "DESIRED"]


def test_a_notebook_shows_a_chart_and_the_words(results: hpaaudit.Results) -> None:
    decision = hpaaudit.explain(results)
    shown = {
        "recording": hpaaudit.open(bundled_recording())._repr_html_(),
        "results": results._repr_html_(),
        "decision": decision._repr_html_(),
        "timeline": hpaaudit.timeline(results)._repr_html_(),
        "inspection": hpaaudit.inspect(results)._repr_html_(),
    }
    assert "55 reconciles" in shown["results"]
    assert "kubectl wrote 6 -&gt; 2" in shown["results"]
    assert decision.explain().splitlines()[0].replace(">", "&gt;") in shown["decision"]
    assert shown["inspection"] == shown["recording"]
    for name in ("results", "decision", "timeline"):
        [data] = re.findall(r"data:image/svg\+xml;base64,([\w+/=]+)", shown[name])
        assert base64.b64decode(data).startswith(b"<svg ")
    assert not re.search(r"<script|<style|(src|href)=.(?!data:)", "".join(shown.values()))


def test_a_notebook_shows_an_answer_as_a_table(results: hpaaudit.Results) -> None:
    with hpaaudit.query(results, "who_wrote_replicas") as answer:
        rows = re.findall("<tr>(.*?)</tr>", answer._repr_html_())
        cells = [re.findall("<t[hd][^>]*>(.*?)</t[hd]>", row) for row in rows]
        assert cells[0] == answer.columns
        assert [row[2:4] for row in cells[1:]] == [list(row[2:4]) for row in answer.rows()]
    assert repr(answer) in unescape(answer._repr_html_())  # closed: it has no rows any more
    with hpaaudit.query(results, "select '<b>&' as \"<i>\", range as n from range(250)") as many:
        shown = many._repr_html_()
    assert (shown.count("<tr>"), shown.count("&lt;b&gt;&amp;"), "<b>" in shown or "<i>" in shown) == (101, 100, False)
    assert shown.endswith("<p>250 rows, the first 100 are shown</p>")


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (lambda r: hpaaudit.explain(r, at="20:00"), "at='20:00' is not in the recording"),
        (lambda r: hpaaudit.explain(r, at="next week"), "is not a time"),
        (lambda r: hpaaudit.query(r, "why_this_number", since="15:00"), "does not use since: it takes hpa and at"),
        (lambda r: hpaaudit.replay(r, release="1.99"), "release='1.37'"),
        (lambda r: hpaaudit.replay(r, into=r.path), "overwrite"),
        (
            lambda r: hpaaudit.query(r, "from hpas", selector="a=b=c"),
            "selector 'a=b=c' is no label selector: found '='",
        ),
        (lambda r: hpaaudit.explain(r, selector="team=shop"), "choose with hpa in place of selector"),
        (lambda r: hpaaudit.query(r, "select 1", selector="team"), "this SQL does not use selector"),
        (lambda r: hpaaudit.replay(r, since="15:05", until="15:01"), "since is 2026-11-21T15:05:00Z, later than until"),
    ],
)
def test_errors_name_parameters(wrong: object, message: str, results: hpaaudit.Results) -> None:
    with pytest.raises(hpaaudit.AuditError) as refused:
        wrong(results)  # type: ignore[operator]
    assert message in str(refused.value)
    assert not re.search(r"--(at|since|until|release|into|overwrite|hpa|selector)\b", str(refused.value))


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"flags": "tolerance=0.3"}, "flags='tolerance=0.3' is no dict: give values by flag, {'tolerance': '0.2'}"),
        ({"flags": {"tolerance": True}}, "has a value that is no text: give {'tolerance': 'True'}"),
        ({"flags": {"tolerence": "0.3"}}, "flags tolerence changes no decision: did you mean tolerance?"),
        ({"release": 1.30}, "release=1.3 is no text: give it in quotes, as 1.30 is the number 1.3"),
        ({"behaviours": {"HPAScaleToZero": "off"}}, "is neither True nor False: give {'HPAScaleToZero': True} or"),
        ({"behaviours": ["HPAScaleToZero"]}, "behaviours=['HPAScaleToZero'] is no dict"),
        ({"behaviours": {"HPAScaleToZeroo": True}}, "did you mean HPAScaleToZero"),
        ({"hpas": "shop/checkout"}, "hpas='shop/checkout' is one text: give a list, ['shop/checkout']"),
        ({"since": 3.5}, "since=3.5 is no time"),
        ({"detail": "much"}, "detail='much' is unknown: give one of 'numbers', 'moved'"),
        ({"declare": "no"}, "declare='no' is neither True nor False"),
        ({"flags": [("x", "y" * 500)]}, "..."),
    ],
)  # fmt: skip
def test_an_argument_of_a_wrong_type_is_refused_in_one_line(wrong: dict[str, object], message: str) -> None:
    with pytest.raises(hpaaudit.AuditError) as refused:
        hpaaudit.replay(bundled_recording(), **wrong)  # type: ignore[arg-type]
    told = str(refused.value)
    assert message in told
    assert "\n" not in told
    assert len(told) < 250
    assert "--" not in told


@given(
    st.dictionaries(
        st.sampled_from(["release", "flags", "behaviours", "hpas", "selector", "since", "detail", "declare"]),
        st.one_of(
            st.floats(),
            st.binary(),
            st.sets(st.integers(), min_size=1),
            st.dictionaries(st.text(), st.none(), min_size=1),
        ),
        min_size=1,
    )
)
def test_whatever_is_given_for_an_argument_is_refused_by_its_name(wrong: dict[str, object]) -> None:
    with pytest.raises(hpaaudit.AuditError) as refused:
        hpaaudit.replay(bundled_recording(), **wrong)  # type: ignore[arg-type]
    assert str(refused.value).startswith(tuple(wrong))
    assert len(str(refused.value).splitlines()) == 1


@given(st.lists(st.sampled_from(["--at 14:05", "--at first:", "--until.", "--into", "--xyz 3", "hpaaudit", "a-b"])))
def test_only_our_own_options_are_replaced(words: list[str]) -> None:
    told = in_python(" ".join(words), ("at", "until", "into"))
    assert told.count("--") == words.count("--xyz 3")
    assert told.count("at='14:05'") == words.count("--at 14:05")
    assert told.count("hpaaudit") == words.count("hpaaudit")


def test_public_functions_keep_signature_and_words() -> None:
    assert "at" in inspect.signature(hpaaudit.explain).parameters
    assert (hpaaudit.open.__doc__ or "").startswith("Opens a recording")


@pytest.mark.parametrize("at", [0, -1, 1795273237, 1795273237000])
def test_a_number_that_is_no_time_of_the_recording_explains_nothing(results: hpaaudit.Results, at: int) -> None:
    with pytest.raises(hpaaudit.AuditError, match=r"in microseconds, is not in the recording, which goes from 2026-"):
        hpaaudit.explain(results, "checkout", at=at)
