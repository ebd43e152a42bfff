"""`record --plan` names exactly those HPAs as unreadable that `record` cannot read."""

from pathlib import Path
from typing import Any

import pytest

from hpaaudit.model.facts import PodSeen, ResourceMetricsRead, ScaleRead, TargetSeen
from tests.cluster.small import CRD, PATHS, SCALE, Small, object_of, plan, record
from tests.cluster.test_odd import of

WEB_SCALE = "/apis/apps/v1/namespaces/shop/deployments/web/scale"
OK_SCALE = of({"spec": {"replicas": 2}, "status": {"replicas": 2, "selector": "app=web"}})
PODS = of({"metadata": {"resourceVersion": "9"}, "items": [object_of("pod", "web-1")]})
NO_WORKLOADS: dict[str, Any] = {
    CRD: of({}, 403),
    PATHS["deployment"]: of({}, 403),
    PATHS["custom"]: of({}, 403),
    "/api/v1/namespaces/shop/pods": PODS,
}
WORLDS: dict[str, dict[str, Any]] = {
    "all rights": {},
    "no definitions": {CRD: of({}, 403)},
    "minimal rights": NO_WORKLOADS | {WEB_SCALE: OK_SCALE},
    "neither workloads nor scales": NO_WORKLOADS | {WEB_SCALE: of({}, 403), SCALE: of({}, 403)},
    "a target that is not there": NO_WORKLOADS | {WEB_SCALE: OK_SCALE, SCALE: of({"code": 404}, 404)},
}
GIVEN_UP = {
    "neither workloads nor scales": {
        ("shop/rocket", "neither Rocket web nor its scale may be read"),
        ("shop/web", "neither Deployment web nor its scale may be read"),
    },
    "a target that is not there": {("shop/rocket", "Rocket web does not exist")},
}


@pytest.mark.parametrize("world", WORLDS)
def test_the_plan_gives_up_those_hpas_that_the_recorder_cannot_read(world: str, tmp_path: Path) -> None:
    planned = plan(Small(odd=dict(WORLDS[world])))
    assert set(planned.unauditable) == GIVEN_UP.get(world, set())
    outcome = record(Small(odd=dict(WORLDS[world])), tmp_path / "r", seconds=3)
    scales = {fact.target.resource for fact in outcome.of(ScaleRead) if fact.scale}
    read = scales | {fact.target.resource for fact in outcome.of(TargetSeen)}
    given_up = {"rockets" if hpa == "shop/rocket" else "deployments" for hpa, _ in planned.unauditable}
    assert read == {"rockets", "deployments"} - given_up
    if read:
        assert outcome.of(PodSeen)
        assert outcome.of(ResourceMetricsRead)
        assert planned.pods == 1
