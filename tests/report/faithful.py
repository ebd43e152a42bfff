"""The law of the word faithful: what a headline may say of reconciles that could not all be compared."""

from collections import defaultdict
from collections.abc import Sequence
from itertools import groupby
from typing import Any

from hpaaudit.flows.query import account
from hpaaudit.report.replay import clock_of
from hpaaudit.report.verdict import verdict
from hpaaudit.results.read import Results

ROWS = """
    select
        hpa_uid, namespace || '/' || name as hpa, verdict, coalesce(class, '') as class, decided_source, action, actual,
        spec_replicas
    from reconciles
    order by hpa_uid, ts
"""
SAME_DECISION = ("external_write.", "write_failed.", "write_mutated.")
"""Divergences in which the controller decided as the replay does."""


def shows_the_decision(row: dict[str, Any], following: dict[str, Any] | None) -> bool:
    """The controller published its decision, or the scale shows what became of it."""
    if row["decided_source"] is not None:
        return True
    if row["action"] != "hold":
        return row["actual"] is not None
    return following is not None and following["spec_replicas"] is not None


def broken_headlines(results: Results) -> list[str]:
    """The headlines that claim more than their reconciles show, each with the reason."""
    headlines = defaultdict(list)
    page = account(results)
    for hpa in page.hpas:  # one that was made again has the name of the former one
        headlines[f"{hpa.namespace}/{hpa.name}"].append(verdict(hpa, clock_of(page)))
    broken = []
    for _, group in groupby(results.rows(ROWS), key=lambda row: row["hpa_uid"]):
        rows = list(group)
        of_name = headlines[rows[0]["hpa"]]
        problems_by_hpa = [[f"{problem}: {headline}" for problem in problems(rows, headline)] for headline in of_name]
        broken += min(problems_by_hpa, key=len)
    return broken


def problems(rows: Sequence[dict[str, Any]], headline: str) -> list[str]:
    """What is wrong with a headline over these reconciles of an HPA, in the order of time."""
    undecidable = sum(row["verdict"] == "undecidable" for row in rows)
    compared = [
        row
        for row, following in zip(rows, (*rows[1:], None), strict=True)
        if row["verdict"] != "undecidable" and shows_the_decision(row, following)
    ]
    agree = all(row["verdict"] == "match" or row["class"].startswith(SAME_DECISION) for row in compared)
    wrong = []
    if "faithful" in headline:
        if not compared:
            wrong.append("nothing could be compared")
        if not agree:
            wrong.append("a comparable reconcile did not match")
        if len(compared) < len(rows) and "that can be compared" not in headline:
            wrong.append(f"only {len(compared)} of {len(rows)} reconciles were comparable")
    if "decided as the replay" in headline and not compared:
        wrong.append("nothing could be compared")
    if undecidable and not (f"{undecidable} of " in headline or "Nothing can be decided" in headline):
        wrong.append(f"{undecidable} undecidable reconciles are not named")
    return wrong
