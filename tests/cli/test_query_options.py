"""An option of `query` takes effect or is refused; an HPA that is not there is an error everywhere."""

import json
import shlex
from pathlib import Path

import pytest

from hpaaudit.results import sql
from hpaaudit.results.questions import questions
from tests.cli.run import run

OPTIONS = {"hpa": "shop/web", "at": "14:02", "since": "14:01", "until": "14:02"}
ALWAYS = "select count(*) from reconciles"


@pytest.mark.usefixtures("at_desk")
@pytest.mark.parametrize("option", OPTIONS)
@pytest.mark.parametrize("question", sql.folder("questions"))
def test_a_question_uses_an_option_or_refuses_it(question: str, option: str) -> None:
    """Which ones it uses is what its SQL says."""
    code, out, err = run(f"hpaaudit query web.duckdb {question} --{option} {OPTIONS[option]}")
    if option in questions()[question].parameters:
        assert (code, "Error" in err) == (0, False)
    else:
        assert (code, out) == (2, "")
        assert err.startswith(f"Error: {question} does not use --{option}: it takes ")


@pytest.mark.usefixtures("at_desk")
def test_a_refusal_names_the_option_that_was_given() -> None:
    refused = "Error: this SQL does not use {}: it takes no option\n"
    for line, option in (
        ("query web.duckdb -n shop 'select 1'", "--namespace"),
        ("-n shop query web.duckdb 'select 1'", "--namespace"),
        ("query web.duckdb -n shop --hpa web 'select 1'", "--hpa"),
    ):
        assert run(f"hpaaudit {line}") == (2, "", refused.format(option)), line
    for rest in ("", "--columns"):
        code, out, err = run(f"hpaaudit query web.duckdb -n shop {rest}")
        assert (code, out) == (2, "")
        assert err.startswith("Error: --namespace "), err
    assert run("hpaaudit query web.duckdb -n shop 'select $hpa as given' -o csv") == (0, "given\nshop/%\n", "")


@pytest.mark.usefixtures("at_desk")
@pytest.mark.parametrize("option", OPTIONS)
def test_sql_uses_an_option_as_a_parameter_or_refuses_it(option: str) -> None:
    value = OPTIONS[option]
    code, out, err = run(f"hpaaudit query web.duckdb '{ALWAYS}' --{option} {value}")
    assert (code, out, err) == (2, "", f"Error: this SQL does not use --{option}: it takes no option\n")
    code, out, err = run(f"hpaaudit query web.duckdb 'select ${option} as given' --{option} {value} -o csv")
    assert (code, err) == (0, "")
    shown = out.splitlines()[1]
    assert shown.startswith(value if option == "hpa" else f"2026-03-02T{value}:")


@pytest.mark.usefixtures("at_desk")
def test_a_dollar_in_a_text_is_no_parameter() -> None:
    assert run("""hpaaudit query web.duckdb "select '$hpa' as said" -o csv""")[1] == "said\n$hpa\n"


@pytest.mark.usefixtures("at_desk")
def test_without_a_question_an_option_is_refused() -> None:
    assert run("hpaaudit query web.duckdb --hpa shop/web")[:2] == (2, "")
    assert run("hpaaudit query web.duckdb")[0] == 0


@pytest.mark.usefixtures("at_desk")
def test_the_list_of_questions_is_json_too_and_nothing_else() -> None:
    listed = json.loads(run("hpaaudit query web.duckdb -o json")[1])
    assert [question["name"] for question in listed] == [*questions()]
    (asked,) = json.loads(run("hpaaudit query web.duckdb what_happened --columns -o json")[1])
    answer = run("hpaaudit query web.duckdb what_happened -o csv")[1].splitlines()[0]
    assert ",".join(column["name"] for column in asked["columns"]) == answer
    for output in ("csv", "parquet"):
        code, out, err = run(f"hpaaudit query web.duckdb --columns -o {output}")
        assert (code, out) == (2, "")
        assert f"-o {output} needs a question or SQL" in err


@pytest.mark.parametrize("asked", ["query web.duckdb what_happened --hpa", "explain web.duckdb"])
@pytest.mark.parametrize(("hpa", "hint"), [("shop/wep", "did you mean shop/web?"), ("q/zzzz", "there are shop/web")])
def test_an_hpa_that_is_not_there_is_an_error(asked: str, hpa: str, hint: str, at_desk: Path) -> None:
    del at_desk
    assert run(f"hpaaudit {asked} {hpa}") == (2, "", f"Error: no HPA {hpa!r} in web.duckdb: {hint}\n")


@pytest.mark.usefixtures("at_desk")
@pytest.mark.parametrize(("pattern", "code"), [("shop/*", 0), ("*/web", 0), ("*/*", 0), ("*/x*", 2), ("shop/we?", 2)])
def test_a_pattern_must_mean_an_hpa(pattern: str, code: int) -> None:
    assert run(f"hpaaudit query web.duckdb what_happened --hpa '{pattern}'")[0] == code


@pytest.mark.usefixtures("at_desk")
def test_times_with_a_zone_are_told_in_utc_as_all_others_are() -> None:
    """Also where a column is in quotes, and beside others."""
    asked = 'select timestamptz \'2026-03-02 15:00:00+01\' as "a ""b""", 1 as n from reconciles limit 1'
    code, out, err = run(f"hpaaudit query web.duckdb {shlex.quote(asked)} -o csv")
    assert (code, err) == (0, "")
    assert out.splitlines()[1] == "2026-03-02T14:00:00Z,1"


@pytest.mark.usefixtures("at_desk")
def test_a_file_that_is_asked_as_if_it_were_a_question_names_the_option() -> None:
    code, _, err = run("hpaaudit query web.duckdb q.sql")
    assert (code, err) == (2, "Error: no question 'q.sql': SQL of a file is asked with -f q.sql\n")
