"""The moment that matters most of each HPA, in the order in which its headline names causes."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from hpaaudit.model.units import Micros
from hpaaudit.results import sql
from hpaaudit.results.read import Results

LONG_HOLD_S = 60
"""A shorter hold is not worth a sentence."""


def account_sql(name: str) -> str:
    """A query of `sql/account/`; in place of `{held}` stands the one that finds reconciles which something held."""
    queries = sql.folder("account")
    return queries[name].replace("{held}", queries["held"].rstrip().removesuffix(";"))


def moments(results: Results) -> Mapping[str, Micros]:
    """The moment of each HPA, by its uid. An HPA without anything to report has none."""
    since, until = results.rows("select started_at as since, ended_at as until from recordings")[0].values()
    return {row["hpa_uid"]: Micros(row["at_us"]) for row in _moments(results, "%", since, until)}


def first_moment(results: Results, hpa: str, since: datetime, until: datetime) -> datetime | None:
    """The moment of the gravest cause in this time, among the HPAs whose `namespace/name` matches."""
    return next((row["moment"] for row in _moments(results, hpa, since, until)), None)


def _moments(results: Results, hpa: str, since: datetime, until: datetime) -> list[dict[str, Any]]:
    text = account_sql("moments")
    return results.rows(text, hpa=hpa, since=since, until=until, long_hold_s=LONG_HOLD_S)
