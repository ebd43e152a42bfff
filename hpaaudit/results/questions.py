"""Runs the named questions of `sql/questions/`, with defaults for their parameters."""

import re
from dataclasses import dataclass
from datetime import datetime
from difflib import get_close_matches
from functools import lru_cache

import duckdb

from hpaaudit.errors import UnknownQuestion
from hpaaudit.model.units import Micros
from hpaaudit.results import sql
from hpaaudit.results.read import Results

_PARAMETER = re.compile(r"\$(\w+)")
# The default moment: the worst divergence, else the last scale, else the end.
_INTERESTING = """
select coalesce(
    (
        select opened_at
        from divergences
        where namespace || '/' || name like $hpa and opened_at between $since and $until and class not like 'no_data.%'
        order by list_position(['critical', 'high', 'medium', 'low', 'info'], severity), opened_at
        limit 1
    ),
    (
        select max(ts)
        from reconciles
        where namespace || '/' || name like $hpa and ts between $since and $until and action <> 'hold'
    ),
    $until
)
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A file of `sql/questions/`: its name, its question, what one row is, its SQL and its parameters."""

    name: str
    asks: str
    row: str
    text: str
    parameters: frozenset[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope:
    """What a question is about: an HPA (`namespace/name`, `*` matches anything), a moment, a time range; None: all."""

    hpa: str | None = None
    at_us: Micros | None = None
    since_us: Micros | None = None
    until_us: Micros | None = None


@lru_cache(maxsize=1)
def questions() -> dict[str, Question]:
    """Every question by its name, in alphabetical order."""
    return {name: _question(name, text) for name, text in sql.folder("questions").items()}


def question_named(name: str) -> Question:
    """The question of that name.

    Raises UnknownQuestion, which names the nearest.
    """
    question = questions().get(name)
    if question is None:
        near = get_close_matches(name, questions(), n=1, cutoff=0.4)
        hint = f"did you mean {near[0]}?" if near else "`hpaaudit query RESULTS` lists them"
        raise UnknownQuestion(f"no question {name!r}: {hint}")
    return question


def ask(results: Results, asked: Question, scope: Scope) -> duckdb.DuckDBPyRelation:
    """The answer for a scope. An empty scope is all HPAs and the whole recording."""
    values = defaults(results, scope)
    return results.sql(asked.text, **{name: values[name] for name in asked.parameters})


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
    values["at"] = at or results.sql(_INTERESTING, **values).fetchall()[0][0]
    return values


def _question(name: str, text: str) -> Question:
    asks, *row = sql.heading(text)
    return Question(name=name, asks=asks, row=" ".join(row), text=text, parameters=frozenset(_PARAMETER.findall(text)))
