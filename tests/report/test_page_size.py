"""The size of a page that holds a long recording, or a fleet: it can be sent by mail. Its speed is in `make bench`."""

import re

import pytest

from tests.bench.page import FLEET, OF_FLEET, RECONCILES, written
from tests.report.test_pack import unpacked


@pytest.mark.parametrize(
    ("hpas", "reconciles", "most_bytes"), [(1, RECONCILES, 250_000), (FLEET, OF_FLEET, 3_000_000)], ids=["one", "fleet"]
)
def test_a_page_of_many_reconciles_is_small(hpas: int, reconciles: int, most_bytes: int) -> None:
    """A load that wanders, replicas that follow it, every reconcile on the page."""
    assert (RECONCILES, FLEET) == (100_000, 300)
    text = written(hpas, reconciles)
    charts = re.findall(r'<div class="charts"[^>]*><script type="text/plain">([^<]+)</script>', text)
    assert [unpacked(chart)[0]["count"] for chart in charts] == [reconciles] * hpas
    assert len(text.encode()) <= most_bytes
