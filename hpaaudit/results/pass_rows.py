"""Rows of one replayed reconcile: what was decided, through which steps, and what would have been written."""

import json
from collections.abc import Iterator
from typing import Any

from hpaaudit.api.encode import status_json
from hpaaudit.model.audit import Pass
from hpaaudit.model.decision import Decision, PodBucket
from hpaaudit.model.identity import object_key
from hpaaudit.model.memory import Memory, Recommendation, ScaleEvent
from hpaaudit.model.units import SECOND
from hpaaudit.results.batches import Row

_CONDITIONS = {"AbleToScale": "able", "ScalingActive": "active", "ScalingLimited": "limited"}


def identity(replay_id: str, done: Pass) -> dict[str, Any]:
    """The columns that every relation of a reconcile starts with."""
    decision = done.decision
    return {
        "replay_id": replay_id,
        "hpa_uid": object_key(decision.uid, decision.namespace, decision.name),
        "namespace": decision.namespace,
        "name": decision.name,
        "reconcile_id": done.reconcile_id,
    }


def reconcile(done: Pass, same: Row) -> Row:
    """The row of `reconciles`, as far as the replay alone can tell."""
    decision, instant = done.decision, done.instant
    return {
        **same,
        **conditions(decision),
        "ts": instant.at_us,
        "began_at": instant.began_us,
        "at_source": instant.source,
        "uncertainty_s": instant.uncertainty_us / SECOND,
        "epoch_id": done.epoch_id,
        "spec_replicas": decision.spec_replicas,
        "status_replicas": decision.status_replicas,
        "min_replicas": decision.min_replicas,
        "max_replicas": decision.max_replicas,
        "raw_desired": decision.raw_desired,
        "stabilized": decision.stabilized,
        "rate_limited": decision.rate_limited,
        "desired": decision.desired,
        "status_desired": decision.status_desired,
        "action": decision.action,
        "reason_code": decision.reason_code,
        "scale_reason": decision.scale_reason,
        "winner_idx": next((proposal.metric_idx for proposal in decision.proposals if proposal.is_winner), None),
        "error": decision.error,
        "band_lo": done.band_lo,
        "band_hi": done.band_hi,
        "evidence": done.evidence,
        "missing_input": done.missing_input,
    }


def conditions(decision: Decision) -> Row:
    """Status and reason of the three conditions that the reconcile leaves behind; absent ones are left out."""
    found: dict[str, str] = {}
    for condition in decision.status.conditions if decision.status else ():
        if condition.type in _CONDITIONS:
            found[f"{_CONDITIONS[condition.type]}_status"] = condition.status
            found[f"{_CONDITIONS[condition.type]}_reason"] = condition.reason
    return found


def metric_proposals(done: Pass, same: Row) -> Iterator[Row]:
    """One row per metric."""
    for proposal in done.decision.proposals:
        yield {
            **same,
            "ts": done.instant.at_us,
            "metric_idx": proposal.metric_idx,
            "metric_type": proposal.metric_type,
            "metric_name": proposal.metric_name,
            "target_type": proposal.target_type,
            "target": proposal.target,
            "current_milli": proposal.current_milli,
            "current_utilization": proposal.current_utilization,
            "ratio": proposal.ratio,
            "ratio_adjusted": proposal.ratio_adjusted,
            "tolerance": proposal.tolerance,
            "proposal": proposal.proposal,
            "valid": proposal.valid,
            "invalid_code": proposal.invalid_code,
            "invalid_text": proposal.invalid_text,
            "adjust_code": proposal.adjust_code,
            "ready_pods": proposal.ready_pods,
            "unready_pods": proposal.unready_pods,
            "missing_pods": proposal.missing_pods,
            "ignored_pods": proposal.ignored_pods,
            "is_winner": proposal.is_winner,
        }


def steps(decision: Decision, same: Row) -> Iterator[Row]:
    """One row per step, in the order of the chain."""
    for seq, step in enumerate(decision.steps):
        yield {
            **same,
            "seq": seq,
            "stage": step.stage,
            "code": step.code,
            "before": step.before,
            "after": step.after,
            "binding": step.binding,
            "detail": json.dumps(dict(step.detail)),
        }


def pods(decision: Decision, same: Row) -> Iterator[Row]:
    """One row per pod of a metric."""
    for proposal in decision.proposals:
        for pod in proposal.pods:
            yield {**same, "metric_idx": proposal.metric_idx, **_pod(pod)}


def _pod(pod: PodBucket) -> Row:
    return {
        "pod": pod.pod,
        "pod_uid": pod.uid,
        "bucket": pod.bucket,
        "why_code": pod.why_code,
        "value_milli": pod.value,
        "request_milli": pod.request,
    }


def predicted_status(done: Pass, same: Row) -> Iterator[Row]:
    """The status that the controller writes, if it does."""
    decision = done.decision
    if decision.writes_status and decision.status is not None:
        yield {**same, "ts": done.instant.at_us, "status": status_json(decision.status, decision.status_version)}


def predicted_events(done: Pass, same: Row) -> Iterator[Row]:
    """One row per Event that the controller posts."""
    for seq, event in enumerate(done.decision.events):
        yield {
            **same,
            "seq": seq,
            "ts": done.instant.at_us,
            "type": event.type,
            "reason": event.reason,
            "message": event.message,
        }


def predicted_writes(done: Pass, same: Row) -> Iterator[Row]:
    """One row per write of the scale that the controller makes."""
    for seq, attempt in enumerate(done.decision.attempts):
        yield {
            **same,
            "seq": seq,
            "ts": done.instant.at_us,
            "to_replicas": attempt.to,
            "http_status": attempt.status,
        }


def memory(remembered: Memory, same: Row) -> Row:
    """The memory after the reconcile, slot by slot."""
    return {
        **same,
        "recommendations": _each(remembered.recommendations, _recommendation),
        "up": _each(remembered.up, _scale_event),
        "down": _each(remembered.down, _scale_event),
    }


def _each(slots: Any, to_row: Any) -> list[Row] | None:
    return None if slots is None else [to_row(slot) for slot in slots]


def _recommendation(slot: Recommendation) -> Row:
    return {"replicas": slot.replicas, "ts": slot.at_us}


def _scale_event(slot: ScaleEvent) -> Row:
    return {"change": slot.change, "ts": slot.at_us, "outdated": slot.outdated}


def stabilization_inputs(done: Pass, same: Row) -> Iterator[Row]:
    """The remembered recommendations that a decision was stabilized with, where that changed its number.

    Its step tells how far back the window reached and which of them decided.
    """
    detail = next((dict(step.detail) for step in done.decision.steps if step.stage == "stabilize"), None)
    if detail is None:
        return
    now_us, window_us = done.instant.at_us, detail.get("window_us")
    since_us = now_us - window_us if isinstance(window_us, int) else 0
    for slot in sorted(done.memory.recommendations or (), key=lambda slot: slot.at_us):
        if since_us <= slot.at_us < done.instant.began_us:
            yield {
                **same,
                "rec_at": slot.at_us,
                "recommendation": slot.replicas,
                "decisive": slot.at_us == detail.get("recommended_us"),
            }
