"""The table of statements is complete and current."""

from pathlib import Path

import pytest

from tests.statements import table

PAGE = Path(__file__).parent / "README.md"


def test_every_statement_has_a_test_or_a_reason() -> None:
    rows = table.statements()
    assert len(rows) == 136
    assert set(table.tested()) <= set(rows)
    assert set(rows) - set(table.tested()) == set(table.UNTESTED)


@pytest.mark.golden
def test_the_page_is_what_the_table_prints(rewrite: bool) -> None:
    if rewrite:
        PAGE.write_text(table.page(), "utf-8")
    assert PAGE.read_text("utf-8") == table.page()
