"""Accounts to put into words: whatever a test does not name is quiet and healthy."""

from typing import Any

from hpaaudit.api.times import micros
from hpaaudit.model.account import (
    Divergence,
    Finding,
    ForeignWrite,
    Hold,
    HpaAccount,
    Metric,
    Outage,
    ReconcileAccount,
    StepLine,
)
from hpaaudit.model.units import Micros

NOON = micros("2026-03-02T12:00:00Z")


def hpa(**fields: Any) -> HpaAccount:
    """An HPA that agreed forty times. Every reconcile that is neither undecidable nor skew agrees."""
    quiet: dict[str, Any] = {
        "namespace": "shop",
        "name": "web",
        "target": "Deployment/web",
        "reconciles": 40,
        "match": 40,
        "skew": 0,
        "divergent": 0,
        "undecidable": 0,
        "undecidable_s": 0.0,
        "undecidable_why": (),
        "proven": 40,
        "changes": (),
        "foreign_writes": (),
        "divergences": (),
    }
    missed = [one for one in fields.get("divergences", ()) if one.divergence_class.startswith("not_run.")]
    quiet["outages"] = tuple(
        Outage(
            divergence_class=one.divergence_class, missed=one.certain, began_us=one.opened_us, until_us=one.closed_us
        )
        for one in missed
    )
    account = quiet | fields
    comparable = account["reconciles"] - account["undecidable"]
    return HpaAccount(**({"comparable": comparable, "agree": comparable - account["skew"]} | account))


def divergence(kind: str, explanation: str = "replay 8, controller 10, replicas then 10") -> Divergence:
    """One reconcile at noon."""
    return Divergence(
        opened_us=NOON,
        closed_us=None,
        divergence_class=kind,
        severity="high",
        confidence="proven",
        reconciles=1,
        certain=1,
        explanation=explanation,
        next_step="look",
    )


def foreign_write(*, restored_s: int | None, **then: Any) -> ForeignWrite:
    """Helm at noon: 12 -> 4; `then` says what else became of it."""
    return ForeignWrite(
        at_us=NOON,
        writer_class="deploy_tool",
        writer_name="helm",
        from_replicas=12,
        to_replicas=4,
        restored_us=None if restored_s is None else type(NOON)(NOON + restored_s * 1_000_000),
        restored_to=None if restored_s is None else 12,
        **then,
    )


def finding(severity: str, pattern: str = "", last_us: Micros = NOON) -> Finding:
    """A problem at noon, or from noon on."""
    return Finding(
        pattern=pattern or f"a_{severity}_one",
        first_us=NOON,
        last_us=last_us,
        severity=severity,
        verdict="seen",
        next_step="look",
    )


def hold(cause: str, seconds: float) -> Hold:
    """Four reconciles at noon."""
    return Hold(cause=cause, reconciles=4, first_us=NOON, last_us=NOON, lasted_s=seconds)


def cpu(percent: int | None, **fields: Any) -> Metric:
    """Utilization of cpu against 60 %, all of four pods ready."""
    quiet: dict[str, Any] = {
        "name": "cpu",
        "type": "Resource",
        "target_type": "Utilization",
        "target": 60,
        "current_utilization": percent,
        "current_milli": None,
        "ratio": None if percent is None else percent / 60,
        "ratio_adjusted": None if percent is None else percent / 60,
        "tolerance": 0.1,
        "proposal": 4,
        "adjust_code": "adjust.none",
        "ready_pods": 4,
        "unready_pods": 0,
        "missing_pods": 0,
        "ignored_pods": 0,
    }
    known = quiet | fields
    return Metric(**{"label": known["name"], **known})


def step(stage: str, code: str, before: int | None, after: int | None, **detail: str | float | None) -> StepLine:
    """A step that decided."""
    return StepLine(stage=stage, code=code, before=before, after=after, binding=True, detail=tuple(detail.items()))


def reconcile(**fields: Any) -> ReconcileAccount:
    """Four replicas, kept."""
    quiet: dict[str, Any] = {
        "recording": "recordings/web",
        "started_us": NOON,
        "ended_us": NOON,
        "reconcile_id": 7,
        "namespace": "shop",
        "name": "web",
        "at_us": NOON,
        "at_source": "status_write",
        "uncertainty_s": 0.0,
        "release": "1.36",
        "spec_replicas": 4,
        "status_replicas": 4,
        "min_replicas": 2,
        "max_replicas": 10,
        "raw_desired": 4,
        "stabilized": 4,
        "rate_limited": 4,
        "desired": 4,
        "status_desired": 4,
        "decided": 4,
        "decided_source": "status",
        "actual": 4,
        "band": (4, 4),
        "verdict": "match",
        "reason_code": "tolerance.hold",
        "evidence": "proven",
        "missing_input": "",
        "error": "",
        "metrics": (cpu(62),),
        "steps": (step("propose", "tolerance.hold", 4, 4),),
        "pods": (),
        "conditions": (),
        "events": (),
        "before": None,
        "divergence": None,
    }
    return ReconcileAccount(**(quiet | fields))
