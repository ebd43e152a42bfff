"""Lays out the reconciles of a recording: what no line says must be found, or said to be unknown."""

from hpaaudit.engine.plan import plan
from hpaaudit.model.facts import HpaSeen
from tests.engine.scenes import at, cpu, hpa_of
from tests.engine.telling import hpa_seen


def _seen() -> HpaSeen:
    return hpa_seen(at(0), hpa_of(cpu(50)))


def test_an_hpa_that_was_seen_for_less_than_a_period_has_no_reconcile() -> None:
    """Nothing is invented for it, and nothing breaks."""
    laid_out = plan([_seen()], None)
    assert laid_out.passes == []
    assert laid_out.keys == ("shop/web",)
