"""The page `docs/changed.md` says what the engine decides, and blames rules of the release alone."""

import re
from itertools import pairwise
from pathlib import Path

import pytest

from hpaaudit.engine.behaviours.release import KNOWN
from hpaaudit.engine.behaviours.release_history import between
from tests.conformance.changed import changed

PAGE = Path("docs/changed.md").read_text(encoding="utf-8")
ROWS = {
    cells[0]: cells
    for cells in re.findall(r"^\| (1\.\d+) \| (\S+) \| (\d+) \| (\d+) \| (\d+) \| (.*?) \|$", PAGE, re.MULTILINE)
}


def test_every_release_is_on_the_page_and_blames_its_own_rules_alone() -> None:
    assert list(ROWS) == list(KNOWN[1:])
    for older, newer in pairwise(KNOWN):
        _, _, reconciles, replicas, words, by = ROWS[newer]
        names = re.findall(r"`(\S+)` \d+", by)
        assert int(reconciles) > 100
        assert set(names) <= {change.name for change in between(older, newer).changes}
        assert bool(names) == bool(int(replicas) + int(words))


@pytest.mark.parametrize("newer", ["1.3", "1.18", "1.28"])
def test_what_the_page_says_of_a_release_is_what_the_engine_decides(newer: str) -> None:
    """A few rows, the others cost half a minute: `python -m tests.conformance.changed > docs/changed.md`."""
    older = KNOWN[KNOWN.index(newer) - 1]
    row = changed(older, newer)
    assert row.row in PAGE
    assert row.replicas > 0
