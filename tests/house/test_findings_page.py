"""docs/findings.md describes every pattern, in the words of the screens and of its SQL."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import pytest

from hpaaudit.report.codes import PATTERNS
from hpaaudit.results.findings import Finding, findings

PAGE = Path(__file__).parents[2] / "docs" / "findings.md"
KNOWN_PATTERNS = 64
"""What people search for after an incident, as far as we know."""
HEAD, REST = "## Patterns\n", "## Patterns that no finding names\n"


def described() -> str:
    """All patterns in a table; then a heading for each, what it means, what to do, and when it is found."""
    listed = "".join(f"| [`{each.pattern}`](#{each.pattern}) | {PATTERNS[each.pattern]} |\n" for each in findings())
    return f"| pattern | meaning |\n| --- | --- |\n{listed}\n" + "\n".join(
        f"### {each.pattern}\n\n{_meaning(each)}\n\n{_advice(each)}\n\n"
        f"*{each.asks}* [SQL](../hpaaudit/sql/findings/{each.pattern}.sql)\n"
        for each in findings()
    )


def _meaning(finding: Finding) -> str:
    words = PATTERNS[finding.pattern]
    return f"{words[0].upper()}{words[1:]}. {finding.row.removeprefix('One row per HPA.').strip()}".strip()


def _advice(finding: Finding) -> str:
    """What column `next_step` may say: as the SQL has it, each case a line."""
    [(tree,)] = duckdb.execute("select json_serialize_sql(?)", [finding.query]).fetchall()
    steps = [text for column in _columns(json.loads(tree), "next_step") for text in _texts(column)]
    assert steps, f"{finding.pattern} does not say what to do"
    if len(steps) == 1:
        return f"**What to do:** {steps[0]}."
    return "**What to do**, by the case:\n\n" + "\n".join(f"- {step}." for step in steps)


def _columns(tree: Any, name: str) -> Iterator[Any]:
    """The expressions of a parsed query that have this name."""
    if isinstance(tree, dict) and tree.get("alias") == name:
        yield tree
    elif isinstance(tree, dict | list):
        for below in tree.values() if isinstance(tree, dict) else tree:
            yield from _columns(below, name)


def _texts(tree: Any) -> Iterator[str]:
    """The sentences of an expression, which are its texts of several words."""
    if isinstance(tree, dict) and tree.get("kind") == "STRING":
        if " " in tree["text"].strip():
            yield tree["text"].strip()
    elif isinstance(tree, dict | list):
        for below in tree.values() if isinstance(tree, dict) else tree:
            yield from _texts(below)


@pytest.mark.golden
def test_the_page_describes_every_pattern(rewrite: bool) -> None:
    text = PAGE.read_text("utf-8")
    before, _, after = text.partition(HEAD)
    _, _, rest = after.partition(REST)
    whole = f"{before}{HEAD}\n{described()}\n{REST}{rest}"
    if rewrite:
        PAGE.write_text(whole, "utf-8")
    assert PAGE.read_text("utf-8") == whole


def test_every_pattern_is_found_or_says_what_it_takes() -> None:
    _, _, rest = PAGE.read_text("utf-8").partition(REST)
    missing = re.findall(r"^\| `(\w+)` \| \S", rest, re.MULTILINE)
    found = {each.pattern for each in findings()}
    assert not found & set(missing)
    assert len(found) + len(missing) == len(found | set(missing)) == KNOWN_PATTERNS


def test_the_page_names_the_patterns_that_need_the_pods_of_decisions() -> None:
    before, _, _ = PAGE.read_text("utf-8").partition(HEAD)
    [sentence] = re.findall(r"^(.*) rest on the pods of single decisions", before, re.MULTILINE)
    assert set(re.findall(r"`(\w+)`", sentence)) == {
        each.pattern for each in findings() if "reconcile_pods" in each.query
    }
