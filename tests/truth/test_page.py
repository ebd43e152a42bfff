"""The page `docs/truth.md` is complete, and its tables agree: what is wrong in one is wrong in the other."""

import re
from pathlib import Path

from hpaaudit.results import sql
from tests.truth.page import SHOWN

PAGE = Path("docs/truth.md").read_text(encoding="utf-8")
VERDICTS = {"match", "skew", "undecidable", "divergent"}


def _table(title: str) -> list[list[str]]:
    text = PAGE.split(f"## {title}\n")[1].split("\n## ")[0]
    rows = [line.strip("| ").split(" | ") for line in text.splitlines() if line.startswith("| ")]
    return rows[2:]


def test_every_view_is_on_the_page_and_no_headline_was_wrong() -> None:
    rows = _table("By what was recorded")
    assert [row[0] for row in rows] == list(SHOWN.values())
    for shown, *figures, wrong, named, others, headlines in rows:
        worlds, reconciles, match, proven, skew, undecidable, divergent, unexplained = figures
        assert int(worlds) >= 10
        assert int(reconciles) == int(match) + int(skew) + int(undecidable) + int(divergent)
        assert int(proven) <= int(match)
        assert int(unexplained) <= int(divergent)
        assert int(named) > 0 or shown == SHOWN["no scales"]
        assert int(wrong) <= int(reconciles)
        assert int(others) <= int(named)
        assert headlines == "0"


def test_every_class_on_the_page_is_one_and_as_much_is_wrong_as_in_the_views() -> None:
    known = set(re.findall(r"^ +\('([a-z_.]+)', \d, '", sql.folder("audit")["64_divergences"], re.MULTILINE))
    text = PAGE.split("## By verdict\n")[1].split("\n## ")[0]
    rows = [line.split("|")[1:5] for line in text.splitlines() if line.startswith("| ")][2:]
    assert {verdict.strip() for verdict, *_ in rows} == VERDICTS
    assert {name.strip(" `") for _, name, _, _ in rows} - {""} <= known
    assert sum(int(said) for _, _, said, _ in rows) == sum(int(row[2]) for row in _table("By what was recorded"))
    assert sum(int(wrong) for *_, wrong in rows) == sum(int(row[9]) for row in _table("By what was recorded"))
