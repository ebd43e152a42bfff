"""Whatever value an answer holds, every format of `query -o` writes it, and what programs read can be parsed."""

import contextlib
import csv
import io
import json
import shlex
from collections.abc import Iterator
from datetime import UTC
from pathlib import Path

import duckdb
import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from hpaaudit.api.zone import use_zone
from hpaaudit.cli.query import print_answers
from hpaaudit.cli.zone_names import zone_named
from hpaaudit.errors import BadQuery
from hpaaudit.flows.query import query
from hpaaudit.model.plain_values import blob_text
from hpaaudit.results.answer import Answer
from hpaaudit.results.read import Results, open_results
from tests.cli.run import run


def quoted(text: str) -> str:
    """A text as SQL."""
    return "'" + text.replace("'", "''") + "'"


def cast(kind: str, values: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    """Values of a type as SQL."""
    return values.map(lambda value: f"{quoted(value)}::{kind}")


TEXTS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=8).map(quoted)
FLOATS = st.floats().map(str)
DATES = st.dates().map(str) | st.sampled_from(["infinity", "-infinity", "0044-03-15 (BC)", "200000-01-01"])
TIMES = st.datetimes().map(str) | st.sampled_from(["infinity", "-infinity", "0044-03-15 (BC) 12:00:00"])
CLOCKS = st.times().map(str)
BLOBS = st.binary(max_size=6).map(lambda value: f"unhex('{value.hex()}')")
SCALARS = st.one_of(
    st.sampled_from(
        [
            "null",
            "true",
            "false",
            "uuid '7ca423fb-80ac-4372-97b6-d054e1d78010'",
            "'10101'::bit",
            "'a'::enum('a', 'b')",
            "union_value(k := 1)",
        ]
    ),
    TEXTS,
    BLOBS,
    cast("double", FLOATS),
    cast("float", st.floats(width=32).map(str)),
    st.decimals(-(10**20), 10**20, places=5).map(lambda value: f"{value:f}::decimal(38, 5)"),
    cast("hugeint", st.integers(-(2**127), 2**127 - 1).map(str)),
    cast("uhugeint", st.integers(0, 2**128 - 1).map(str)),
    cast("date", DATES),
    cast("timestamp", TIMES),
    cast("timestamptz", TIMES),
    cast("timestamp_s", TIMES),
    cast("time", CLOCKS),
    cast("timetz", CLOCKS.map(lambda clock: f"{clock}+05:30")),
    st.tuples(st.integers(-(10**4), 10**4), st.integers(-(10**6), 10**6)).map(
        lambda pair: f"interval {quoted(f'{pair[0]} months {pair[1]} seconds')}"
    ),
    cast("json", st.sampled_from(['{"a": [1, null]}', '"x"', "1e400"])),
)


def holding(values: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    """Lists, structs and maps of such values as SQL. A map's key is no null."""
    keys = values.filter(lambda value: value != "null")
    return st.one_of(
        values.map(lambda value: f"[{value}]"),
        values.map(lambda value: f"array_value({value}, {value})"),
        st.tuples(values, values).map(lambda pair: f"{{'a': {pair[0]}, 'b': {pair[1]}}}"),
        st.tuples(keys, values).map(lambda pair: f"map {{{pair[0]}: {pair[1]}}}"),
    )


VALUES = st.recursive(SCALARS, holding, max_leaves=3)


def refused(constant: str) -> None:
    raise AssertionError(f"{constant} is no JSON")


@pytest.fixture(scope="module")
def results(desk: Path) -> Iterator[Results]:
    with open_results(desk / "web.duckdb") as opened:
        yield opened
    use_zone(UTC)


def printed(answer: Answer, form: str) -> str:
    """What `query -o` prints of an answer."""
    with contextlib.redirect_stdout(io.StringIO()) as out:
        print_answers([answer], form, has_legend=False)
    return out.getvalue()


@settings(max_examples=300, deadline=None)
@given(st.lists(VALUES, min_size=1, max_size=6), st.sampled_from(["UTC", "+14:00", "America/New_York"]))
def test_every_value_is_written_in_every_format(results: Results, values: list[str], zone: str) -> None:
    names = [f"c{number}" for number in range(len(values))]
    sql = f"select * from (values ({', '.join(values)})) as t({', '.join(names)})"  # noqa: S608 our own
    try:
        duckdb.execute(f"create or replace temp table taken as {sql}")
    except duckdb.Error:
        return  # DuckDB itself does not take it
    use_zone(zone_named(zone))
    answer = Answer(results, results.sql(sql))
    (row,) = json.loads(printed(answer, "json"), parse_constant=refused)
    assert list(row) == names
    assert yaml.safe_load(printed(answer, "yaml")) == [row]
    headings, cells = csv.reader(io.StringIO(printed(answer, "csv"), newline=""))
    assert (headings, len(cells)) == (names, len(values))
    assert all(text == value for value, text in zip(row.values(), cells, strict=True) if isinstance(value, str))
    assert [printed(answer, form).count("\n") for form in ("table", "wide")] == [2, 2]
    with contextlib.suppress(BadQuery):  # a type that Parquet does not have
        assert answer.parquet().startswith(b"PAR1")


@pytest.mark.usefixtures("at_desk")
@pytest.mark.parametrize(
    ("value", "written"),
    [
        ("'nan'::double", None),
        ("['-inf'::double, 1.5]", [None, 1.5]),
        ("{'a': 'inf'::float}", {"a": None}),
        (r"'a\xAA\x00\x5C'::blob", r"a\xAA\x00\x5C"),
        (r"map {'\xAA'::blob: 1}", {r"\xAA": 1}),
        ("map {date '2026-03-02': 1.25}", {"2026-03-02": 1.25}),
        ("timestamptz '2026-03-02 15:00:00+01'", "2026-03-02T14:00:00Z"),
        ("[timestamptz '2026-03-02 15:00:00+01']", ["2026-03-02T14:00:00Z"]),
    ],
)
def test_a_value_that_json_does_not_have_is_null_or_a_text_that_sql_reads(value: str, written: object) -> None:
    code, out, err = run(f"hpaaudit query web.duckdb {shlex.quote(f'select {value} as x')} -o json")
    assert (code, err) == (0, "")
    assert json.loads(out, parse_constant=refused) == [{"x": written}]


@given(st.binary(max_size=20))
def test_the_text_of_a_blob_is_the_one_that_duckdb_reads(value: bytes) -> None:
    assert duckdb.execute("select $text::blob", {"text": blob_text(value)}).fetchall() == [(value,)]
    assert duckdb.execute("select $value::blob::varchar", {"value": value}).fetchall() == [(blob_text(value),)]


@pytest.mark.usefixtures("at_desk")
def test_columns_of_one_name_are_all_written() -> None:
    code, out, _ = run("hpaaudit query web.duckdb 'select 1 as a, 2 as a, 3 as a_1' -o json")
    assert (code, json.loads(out)) == (0, [{"a": 1, "a_1": 2, "a_1_1": 3}])


@pytest.mark.usefixtures("at_desk")
def test_the_answer_does_not_depend_on_the_zone_of_the_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    sql = "select [timestamptz '2026-03-02 15:00:00+01'] as z, timestamptz '2026-03-02 15:00:00' as local"
    line = f"hpaaudit query web.duckdb {shlex.quote(sql)} -o json"
    here = run(line)[1]
    monkeypatch.setenv("TZ", "Asia/Tokyo")
    assert run(line)[1] == here


@pytest.mark.usefixtures("at_desk")
def test_a_type_that_parquet_does_not_have_is_refused_in_a_line() -> None:
    with (
        query("web.duckdb", "select interval '1 day' as lasted") as answer,
        pytest.raises(BadQuery, match=r"^the answer cannot be written as Parquet: .*interval"),
    ):
        answer.parquet()
