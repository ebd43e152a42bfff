"""Which reconciles a recording has: those without a line are inferred, or said to be unknown."""

import json
from dataclasses import replace

import pytest

from hpaaudit.engine.replay.plan import plan
from hpaaudit.model.facts import HpaSeen, VersionRead
from hpaaudit.model.units import SECOND
from tests.engine.recorded_facts import hpa_seen
from tests.engine.scenes import at, cpu, hpa_of


def _seen() -> HpaSeen:
    return hpa_seen(at(0), hpa_of(cpu(50)))


def test_an_hpa_that_was_seen_for_less_than_a_period_has_no_reconcile() -> None:
    """Nothing is invented for it, and nothing breaks."""
    laid_out = plan([_seen()], None)
    assert laid_out.reconciles == []
    assert laid_out.keys == ("shop/web",)


@pytest.mark.parametrize(("version", "seconds"), [("v1.11.10", 30), ("v1.12.0", 15), ("v1.36.3", 15)])
def test_the_default_sync_period_is_that_of_the_recorded_release(version: str, seconds: int) -> None:
    read = VersionRead(at_us=at(0), version=version, clock_offset_us=None, round_trip_us=None)
    assert plan([read, _seen()], None).periods.common_us == seconds * SECOND


def test_a_container_that_v2beta1_leaves_out_is_not_guessed() -> None:
    """API servers of 1.20 to 1.23 serve it empty; v1 and v2beta2 have it, and so may v2beta1 of another server."""

    def left_out(container: str) -> dict[str, str]:
        metric = {"name": "cpu", "container": container, "targetAverageUtilization": 60}
        spec = json.loads(_seen().spec_json) | {"metrics": [{"type": "ContainerResource", "containerResource": metric}]}
        fact = replace(_seen(), api_version="autoscaling/v2beta1", spec_json=json.dumps(spec))
        return plan([fact], None).unsupported

    assert left_out("app") == {}
    assert left_out("") == {
        "shop/web": "autoscaling/v2beta1 does not say whose ContainerResource it means: the container is left out there"
    }
