"""A metric type that a release does not know yet is decided as its controller does, in the results of every release."""

import json
from pathlib import Path
from typing import Any

import pytest

import hpaaudit
from hpaaudit.engine.behaviours.release import KNOWN
from hpaaudit.flows.options import ControllerOptions
from hpaaudit.flows.prepare import prepare
from hpaaudit.flows.replay import decide_one_by_one
from hpaaudit.recording.reading.recording import open_recording
from tests.importers.lines import HPAS, Line, get_line, line, saw

SINCE = {"External": 10, "ContainerResource": 20}
"""The minor release whose controller knows a type first. (ContainerResource: without its gate the API lets none in.)"""

SOURCES: dict[str, Any] = {
    "External": {"external": {"metric": {"name": "queue"}, "target": {"type": "AverageValue", "averageValue": "1"}}},
    "ContainerResource": {
        "containerResource": {
            "name": "cpu",
            "container": "app",
            "target": {"type": "Utilization", "averageUtilization": 50},
        }
    },
    "Quantum": {"quantum": {}},
}
MINORS = [minor for release in KNOWN if (minor := int(release.split(".")[1])) > 5]
"""Those whose HPAs have metrics of several types."""

REPLICAS = 3


def _lines(kind: str) -> list[Line]:
    """What the API server showed of one HPA, and that it was reconciled."""
    name = kind.lower()
    reference = {"kind": "Deployment", "name": name, "apiVersion": "apps/v1"}
    shown = {
        "apiVersion": "autoscaling/v2",
        "kind": "HorizontalPodAutoscaler",
        "metadata": {"name": name, "namespace": "shop", "uid": name, "resourceVersion": "1"},
        "spec": {"maxReplicas": 9, "scaleTargetRef": reference, "metrics": [{"type": kind, **SOURCES[kind]}]},
        "status": {"currentReplicas": REPLICAS, "desiredReplicas": REPLICAS},
    }
    scale = {"spec": {"replicas": REPLICAS}, "status": {"replicas": REPLICAS, "selector": f"app={name}"}}
    path = f"/apis/apps/v1/namespaces/shop/deployments/{name}/scale"
    return [saw(0, HPAS, "ADDED", shown), get_line(0, path, scale), line(0, reconcile=f"shop/{name}")]


@pytest.fixture(scope="module")
def recording(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An HPA of each type."""
    folder = tmp_path_factory.mktemp("types")
    lines = sorted((each for kind in SOURCES for each in _lines(kind)), key=lambda each: "reconcile" in each)
    (folder / "types.jsonl").write_text("".join(f"{json.dumps(each)}\n" for each in lines), "utf-8")
    hpaaudit.import_capture(folder / "types.jsonl", into=folder / "recording")
    return folder / "recording"


@pytest.mark.parametrize("minor", MINORS)
def test_a_type_that_a_release_does_not_know_is_named_and_changes_nothing(minor: int, recording: Path) -> None:
    decided = list(decide_one_by_one(prepare(open_recording(recording), ControllerOptions(release=f"1.{minor}"))))
    assert len(decided) == len(SOURCES)
    for kind, decision in zip(SOURCES, (each.decision for each in decided), strict=True):
        is_unknown = minor < SINCE.get(kind, 1000)
        assert decision.desired == REPLICAS
        reasons = {event.reason for event in decision.events}
        assert ("InvalidMetricSourceType" in reasons, kind) == (is_unknown, kind)
        assert (decision.proposals[0].invalid_text == f'unknown metric source type "{kind}"') == is_unknown


@pytest.mark.parametrize("minor", sorted({MINORS[0], *SINCE.values(), MINORS[-1]}))
def test_the_results_name_it_too(minor: int, recording: Path) -> None:
    into = recording.with_name(f"{minor}.duckdb")
    with hpaaudit.replay(recording, into=into, release=f"1.{minor}") as results:
        rows = results.rows(
            "select r.name, r.active_reason, list(distinct e.reason) as reasons from reconciles as r "
            "join predicted_events as e using (reconcile_id) where r.action = 'hold' group by all"
        )
    unknown = {kind.lower() for kind in SOURCES if minor < SINCE.get(kind, 1000)}
    assert {row["name"] for row in rows} == {kind.lower() for kind in SOURCES}
    assert {row["name"] for row in rows if "InvalidMetricSourceType" in row["reasons"]} == unknown
    if minor >= 7:  # the first with conditions
        assert {row["name"] for row in rows if row["active_reason"] == "InvalidMetricSourceType"} == unknown
