"""docs/sql.md: every example runs over the recording that it names, and prints what stands below it."""

import re
from pathlib import Path

import pytest

from hpaaudit.flows.replay import replay
from hpaaudit.report.text_table import table
from hpaaudit.results.answer import Answer

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "sql.md"
EXAMPLE = re.compile(r"```sql\n(.*?)```\n\n```text\n(.*?)```\n", re.DOTALL)


@pytest.mark.golden
def test_the_examples_of_the_page_print_what_it_shows(rewrite: bool, tmp_path: Path) -> None:
    page = PAGE.read_text("utf-8")
    (recording,) = set(re.findall(r"recordings/[\w-]+", page))
    with replay(ROOT / recording, into=tmp_path / "results.duckdb") as results:

        def answered(match: re.Match[str]) -> str:
            shown = Answer(results, results.sql(match[1]))
            return f"```sql\n{match[1]}```\n\n```text\n{table(shown.columns, shown.rows())}\n```\n"

        whole = EXAMPLE.sub(answered, page)
    if rewrite:
        PAGE.write_text(whole, "utf-8")
    assert PAGE.read_text("utf-8") == whole
    assert len(EXAMPLE.findall(whole)) == page.count("```sql") >= 7
