"""docs/findings.md describes every pattern, in the words of the screens and of its SQL."""

import re
from pathlib import Path

import pytest

from hpaaudit.report.codes import PATTERNS
from hpaaudit.results.findings import Finding, findings

PAGE = Path(__file__).parents[2] / "docs" / "findings.md"
KNOWN_PATTERNS = 64
"""What people search for after an incident, as far as we know."""
HEAD, REST = "## Patterns\n", "## Patterns that no finding names\n"


def described() -> str:
    """A heading for each pattern, what it means, and when it is found."""
    return "\n".join(
        f"### {each.pattern}\n\n{_meaning(each)}\n\n*{each.asks}* [SQL](../hpaaudit/sql/findings/{each.pattern}.sql)\n"
        for each in findings()
    )


def _meaning(finding: Finding) -> str:
    words = PATTERNS[finding.pattern]
    return f"{words[0].upper()}{words[1:]}. {finding.row.removeprefix('One row per HPA.').strip()}".strip()


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
