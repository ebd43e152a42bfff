"""An HPA with values that no API server serves is named and left out; every other HPA is decided as without it."""

import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import duckdb
import pytest

import hpaaudit
from hpaaudit.model.facts import ControllerSeen, Fact, HpaSeen, ScaleRead, ScaleWritten, TargetSeen
from tests.fleet.both import replayed_twice
from tests.fleet.chance import write
from tests.fleet.kinds import ROOT, beside, facts_of
from tests.fleet.outside import published

pytestmark = pytest.mark.usefixtures("unsearched")
ODD, OTHER = "shop", "other-shop"
WORLDS = ROOT / "tests" / "conformance" / "1.36"
BIG = 2**63 - 1
Change = Callable[[Fact], Fact]
FLAGS = (("horizontal-pod-autoscaler-sync-period", "5s"), ("horizontal-pod-autoscaler-downscale-stabilization", "45s"))
"""Those of the controller of the HPA that is not odd. Else the period is inferred from all HPAs together."""


def _world() -> list[Fact]:
    """Two HPAs in two namespaces, reconciled by one process."""
    first, second = (facts_of(WORLDS / f"{name}.capture.jsonl.gz") for name in ("behavior-100-0004", "people-100-0001"))
    both = beside(list(first), list(second), OTHER.removesuffix("-shop"))
    return [fact for fact in both if not isinstance(fact, ControllerSeen)]


def _of_hpa(text: str, change: Callable[[dict[str, Any]], Any]) -> Change:
    """The HPA of the odd namespace with a text that is another, from its second state on."""
    kinds_seen = []

    def changed(fact: Fact) -> Fact:
        if not isinstance(fact, HpaSeen) or fact.namespace != ODD:
            return fact
        kinds_seen.append(fact)
        if len(kinds_seen) == 1:
            return fact
        return replace(fact, **{text: json.dumps(change(json.loads(getattr(fact, text))), sort_keys=True)})

    return changed


def _of_scale(**counts: int) -> Change:
    def changed(fact: Fact) -> Fact:
        if not isinstance(fact, ScaleRead | ScaleWritten | TargetSeen) or fact.target.namespace != ODD:
            return fact
        return fact if fact.scale is None else replace(fact, scale=replace(fact.scale, **counts))

    return changed


def _spec(**fields: Any) -> Change:
    return _of_hpa("spec_json", lambda spec: {**spec, **fields})


def _status(**fields: Any) -> Change:
    return _of_hpa("status_json", lambda status: {**status, **fields})


CHANGES: dict[str, Callable[[], Change]] = {
    "spec.replicas of its target": lambda: _of_scale(spec_replicas=BIG),
    "status.replicas of its target": lambda: _of_scale(status_replicas=-(2**40)),
    "maxReplicas": lambda: _spec(maxReplicas=2**31),
    "maxReplicas as text": lambda: _spec(maxReplicas="5"),
    "minReplicas as a truth": lambda: _spec(minReplicas=True),
    "metrics": lambda: _spec(metrics=[5]),
    "a window": lambda: _spec(behavior={"scaleDown": {"stabilizationWindowSeconds": 2**62}}),
    "a policy": lambda: _spec(
        behavior={"scaleUp": {"policies": [{"type": "Pods", "value": 2**40, "periodSeconds": 1}]}}
    ),
    "its target's name": lambda: _spec(scaleTargetRef={"kind": 5, "name": None}),
    "currentReplicas": lambda: _status(currentReplicas=BIG),
    "currentReplicas as text": lambda: _status(currentReplicas="x"),
    "desiredReplicas, half": lambda: _status(desiredReplicas=1.5),
    "observedGeneration": lambda: _status(observedGeneration=2**70),
    "lastScaleTime": lambda: _status(lastScaleTime="yesterday"),
    "conditions": lambda: _status(conditions=[1]),
    "a message that is no text": lambda: _status(conditions=[{"type": "AbleToScale", "status": "True", "message": 7}]),
    "a quantity": lambda: _status(currentMetrics=[{"type": "Pods", "pods": {"current": {"averageValue": "zzz"}}}]),
    "a percentage": lambda: _status(
        currentMetrics=[{"type": "Resource", "resource": {"name": "cpu", "current": {"averageUtilization": 2**40}}}]
    ),
}


def _keep(folder: Path, facts: Sequence[Fact]) -> Path:
    folder.mkdir()
    process = ControllerSeen(
        at_us=facts[0].at_us, state="declared", release="1.36", version="", flags=FLAGS, gates=()
    )  # fmt: skip
    write(folder / "recording", [process, *facts], 120)
    return folder / "recording"


@pytest.fixture(scope="module", params=["by lines", "by statuses"])
def facts(request: pytest.FixtureRequest) -> list[Fact]:
    """What was seen of two HPAs."""
    return _world() if request.param == "by lines" else list(published(_world()))


@pytest.fixture(scope="module")
def alone(facts: list[Fact], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The results of the other HPA where nothing is odd."""
    folder = tmp_path_factory.mktemp("alone")
    recording = _keep(folder / "alone", facts)
    hpaaudit.replay(recording, into=folder / "alone.duckdb", detail="numbers").close()
    return folder / "alone.duckdb"


def _others(path: Path) -> list[tuple[Any, ...]]:
    """The rows of the other HPA, without the numbers that count all HPAs."""
    counted = {"replay_id", "reconcile_id", "divergence_id", "finding_id", "hpa_uid"}
    with duckdb.connect(str(path), read_only=True) as connection:
        collected = []
        for table in ("reconciles", "metric_proposals", "predicted_writes", "divergences", "findings", "hpa_status"):
            names = [row[0] for row in connection.execute(f"describe runs.{table}").fetchall()]
            chosen = ", ".join(f'"{name}"' for name in names if name not in counted)
            rows = connection.execute(
                f"select {chosen} from runs.{table} where namespace = '{OTHER}' order by all"  # noqa: S608 (our own names)
            )
            collected += [(table, *map(repr, row)) for row in rows.fetchall()]
    return collected


@pytest.mark.parametrize("change", CHANGES)
def test_an_odd_hpa_is_named_and_left_out_and_changes_no_row_of_another(
    change: str, facts: list[Fact], alone: Path, tmp_path: Path
) -> None:
    odd = CHANGES[change]()
    recording = _keep(tmp_path / "odd", [odd(fact) for fact in facts])
    comparison = replayed_twice(recording, tmp_path)
    assert (comparison.difference, comparison.beyond) == ("", "")
    assert [line.split(":")[0] for line in comparison.left_out] == [f"{ODD}/web is not replayed"]
    assert _others(tmp_path / "compiled.duckdb") == _others(alone)
    assert _others(alone)
    only = replayed_twice(recording, tmp_path, hpas=(f"{OTHER}/web",))
    assert (only.difference, only.beyond) == ("", "")
    assert _others(tmp_path / "compiled.duckdb")[:1] == _others(alone)[:1]
