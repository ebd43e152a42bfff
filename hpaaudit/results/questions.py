"""Runs the named questions of `sql/questions/`, with defaults for their parameters."""

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache

import duckdb

from hpaaudit.errors import BadOption, UnknownHpa, UnknownQuestion
from hpaaudit.model.meant_hpas import meant_hpas, no_hpa
from hpaaudit.model.nearest import did_you_mean
from hpaaudit.model.question import Occasion, Question
from hpaaudit.model.units import Micros
from hpaaudit.results import sql
from hpaaudit.results.hpa_names import hpa_names, is_hpa_name
from hpaaudit.results.moments import first_moment
from hpaaudit.results.read import Results
from hpaaudit.results.read_only import only_reads

_PARAMETER = re.compile(r"\$(\w+)")
_PARAMETER_OR_TEXT = re.compile(
    r"""'(?:[^']|'')*'|"(?:[^"]|"")*"|--[^\n]*|/\*.*?\*/|\$(\w*)\$.*?\$\1\$|\$(?P<parameter>\w+)""", re.DOTALL
)
"""A parameter, or a text, a quoted name or a comment, in which there is none."""
_WORD = re.compile(r"\w+")
_ASKED = "Asked: "
"""The line of a heading that says when the question is asked."""
_SCOPE = ("hpa", "at", "since", "until")
"""The parameters that a question can have. The options of `query` have the same names."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope:
    """What a question is about: an HPA (`namespace/name`, `*` matches anything), a moment, a time range; None: all."""

    hpa: str | None = None
    at_us: Micros | None = None
    since_us: Micros | None = None
    until_us: Micros | None = None


@lru_cache(maxsize=1)
def questions() -> dict[str, Question]:
    """Every question by its name, in the order in which a postmortem asks them, then in alphabetical order."""
    named = [_question(name, text) for name, text in sql.folder("questions").items()]
    occasions = list(Occasion)
    return {question.name: question for question in sorted(named, key=lambda each: occasions.index(each.occasion))}


def question_named(name: str) -> Question:
    """The question of that name.

    Raises UnknownQuestion, which names the nearest.
    """
    question = questions().get(name)
    if question is None:
        if not name.strip():
            raise UnknownQuestion("nothing is asked: `hpaaudit query` lists the questions")
        hint = did_you_mean(name, questions(), "`hpaaudit query` lists them")
        if name.lower().endswith(".sql"):
            hint = f"SQL of a file is asked with -f {name.removeprefix('@')}"
        elif name.casefold() in sql.relations():
            hint = f'it is a relation, whose rows the SQL "from {name.casefold()}" gives'
        raise UnknownQuestion(f"no question {name!r}: {hint}")
    return question


def require_used(asked: str, parameters: Collection[str], given: Mapping[str, str]) -> None:
    """Raises BadOption for a given part of the scope that is not among the parameters of what is asked.

    given   how each part was given: the name of its option
    """
    for name in _SCOPE:
        if name in given and name not in parameters:
            options = " and ".join(f"--{option}" for option in _SCOPE if option in parameters) or "no option"
            raise BadOption(f"{asked} does not use {given[name]}: it takes {options}")


def require_hpas(asked: str, question: Question | None) -> None:
    """Raises BadOption for labels of HPAs if a question, or SQL, is not about HPAs."""
    about = sql.of_hpas() & {*_WORD.findall(asked.lower())} if question is None else "hpa" in question.parameters
    if not about:
        name = "this SQL" if question is None else question.name
        raise BadOption(f"{name} does not use --selector: it asks nothing of single HPAs")


def parameters_of(text: str) -> frozenset[str]:
    """The parts of a scope that SQL names, as `$hpa`; all of them where the text is no SQL, which `sql` refuses."""
    try:
        parsed = [only_reads(statement) for statement in statements(text)]
        return frozenset(_SCOPE).intersection(*[{name for one in parsed for name in one.named_parameters}])
    except duckdb.Error:
        return frozenset(_SCOPE)


def ask(results: Results, asked: Question, scope: Scope) -> duckdb.DuckDBPyRelation:
    """The answer for a scope. An empty scope is all HPAs and the whole recording."""
    return results.sql(asked.text, **_values(results, asked.parameters, scope))


def ask_sql(results: Results, text: str, scope: Scope) -> duckdb.DuckDBPyRelation:
    """The answer to SQL that only reads. `$hpa`, `$at`, `$since` and `$until` in it are the scope."""
    return results.sql(text, **_values(results, parameters_of(text), scope))


def bound_sql(results: Results, text: str, scope: Scope) -> str:
    """The SQL with the values of the scope in it, which any DuckDB can run on the results file. Raises BadQuery."""
    values = _values(results, parameters_of(text), scope)

    def literal(found: re.Match[str]) -> str:
        value = values.get(found["parameter"])
        if value is None:
            return found[0]
        return f"timestamp '{value}'" if isinstance(value, datetime) else "'" + value.replace("'", "''") + "'"

    return _PARAMETER_OR_TEXT.sub(literal, text).rstrip() + "\n"


def statements(text: str) -> list[str]:
    """The statements of a text, one after the other; the text itself where it is no SQL, which `sql` refuses."""
    try:
        parsed = duckdb.extract_statements(text)
    except duckdb.Error:
        return [text]
    return [one.query.strip() for one in parsed] if len(parsed) > 1 else [text]


def _values(results: Results, parameters: Collection[str], scope: Scope) -> dict[str, str | datetime]:
    if not parameters:
        return {}
    values = defaults(results, scope)
    return {name: values[name] for name in parameters}


def hpas_of(results: Results, text: str) -> list[str]:
    """The HPAs of the results that a text means, the one first that matters most: see `meant_hpas`.

    Raises UnknownHpa, which names the nearest, if there is none.
    """
    if is_hpa_name(results, text):
        return [text]
    names = hpa_names(results)
    meant = meant_hpas(text, names)
    if not meant:
        some = f"there are {', '.join(names[:3]) or 'none'}"
        labelled = "with these labels " if results.is_narrowed else ""
        raise UnknownHpa(no_hpa(text, f"{labelled}in {results.path}", names, some))
    return meant


def defaults(results: Results, scope: Scope) -> dict[str, str | datetime]:
    """The values of all parameters of questions in a scope: `hpa`, `since`, `until`, `at`."""
    started_us, ended_us = results.span
    since, until, at = results.sql(
        "select make_timestamp($since), make_timestamp($until), make_timestamp($at)",
        since=started_us if scope.since_us is None else scope.since_us,
        until=ended_us if scope.until_us is None else scope.until_us,
        at=scope.at_us,
    ).fetchall()[0]
    values = {"hpa": (scope.hpa or "*").replace("*", "%"), "since": since, "until": until}
    values["at"] = at or first_moment(results, **values) or until
    return values


def _question(name: str, text: str) -> Question:
    """A question from the heading of its SQL: the question, what one row is, when it is asked, and the columns."""
    said = sql.described(text)
    row, _, occasion = said.row.rpartition(_ASKED)
    return Question(
        name=name,
        asks=said.asks,
        row=row.strip(),
        columns=said.columns,
        text=text,
        occasion=Occasion(occasion),
        parameters=frozenset(_PARAMETER.findall(text)),
    )
