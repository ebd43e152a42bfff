"""Worlds that our engine once decided otherwise than the real controller did, each shrunk to its cause."""

from pathlib import Path

import pytest

from tests.conformance.decisions import compare
from tests.conformance.expected import name_of

FOUND = sorted((Path(__file__).parent / "found").glob("*.capture.jsonl.gz"))


@pytest.mark.parametrize("capture", FOUND, ids=name_of)
def test_what_was_once_decided_otherwise_is_decided_alike(capture: Path) -> None:
    outcome = compare(capture)
    assert outcome.reconciles > 0
    assert outcome.differences == ()
