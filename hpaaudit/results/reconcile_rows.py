"""Rows of one replayed reconcile: what was decided, in which steps, and what would have been written."""

import json
from collections.abc import Iterator
from math import isnan
from typing import Any

from hpaaudit.api.encode import status_json
from hpaaudit.model.audit import ReplayedReconcile
from hpaaudit.model.decision import Decision, PodBucket
from hpaaudit.model.identity import object_key
from hpaaudit.model.memory import Memory, Recommendation, ScaleEvent
from hpaaudit.model.units import SECOND
from hpaaudit.results.batches import Row

_CONDITIONS = {"AbleToScale": "able", "ScalingActive": "active", "ScalingLimited": "limited"}


def identity(replay_id: str, replayed: ReplayedReconcile) -> dict[str, Any]:
    """The first columns of every table about reconciles."""
    decision = replayed.decision
    return {
        "replay_id": replay_id,
        "hpa_uid": object_key(decision.uid, decision.namespace, decision.name),
        "namespace": decision.namespace,
        "name": decision.name,
        "reconcile_id": replayed.reconcile_id,
    }


def reconcile(replayed: ReplayedReconcile, same: Row) -> Row:
    """The row of `reconciles` without the columns that the audit adds."""
    decision, instant = replayed.decision, replayed.instant
    return {
        **same,
        **conditions(decision),
        "ts": instant.at_us,
        "began_at": instant.began_us,
        "at_source": instant.source,
        "uncertainty_s": instant.uncertainty_us / SECOND,
        "epoch_id": replayed.epoch_id,
        "spec_replicas": decision.spec_replicas,
        "status_replicas": decision.status_replicas,
        "min_replicas": decision.min_replicas,
        "max_replicas": decision.max_replicas,
        "raw_desired": decision.raw_desired,
        "stabilized": decision.stabilized,
        "rate_limited": decision.rate_limited,
        "unheld": decision.unheld,
        "desired": decision.desired,
        "status_desired": decision.status_desired,
        "action": decision.action,
        "reason_code": decision.reason_code,
        "scale_reason": decision.scale_reason,
        "winner_idx": next((proposal.metric_idx for proposal in decision.proposals if proposal.is_winner), None),
        "error": decision.error,
        "band_lo": replayed.band_lo,
        "band_hi": replayed.band_hi,
        "evidence": replayed.evidence,
        "missing_input": replayed.missing_input,
    }


def conditions(decision: Decision) -> Row:
    """Status and reason of the three standard conditions after the reconcile; absent conditions are left out."""
    columns: dict[str, str] = {}
    for condition in decision.status.conditions if decision.status else ():
        if condition.type in _CONDITIONS:
            columns[f"{_CONDITIONS[condition.type]}_status"] = condition.status
            columns[f"{_CONDITIONS[condition.type]}_reason"] = condition.reason
    return columns


def metric_proposals(replayed: ReplayedReconcile, same: Row) -> Iterator[Row]:
    """One row per metric."""
    for proposal in replayed.decision.proposals:
        yield {
            **same,
            "ts": replayed.instant.at_us,
            "metric_idx": proposal.metric_idx,
            "metric_type": proposal.metric_type,
            "metric_name": proposal.metric_name,
            "metric_label": replayed.metric_labels[proposal.metric_idx],
            "target_type": proposal.target_type,
            "target": proposal.target,
            "current_milli": proposal.current_milli,
            "current_utilization": proposal.current_utilization,
            "ratio": _defined(proposal.ratio),
            "ratio_adjusted": _defined(proposal.ratio_adjusted),
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
    """One row per step, in order."""
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


def predicted_status(replayed: ReplayedReconcile, same: Row) -> Iterator[Row]:
    """The status that the controller writes, if it writes one."""
    decision = replayed.decision
    if decision.writes_status and decision.status is not None:
        yield {
            **same,
            "ts": replayed.instant.at_us,
            "status": status_json(decision.status, decision.status_version),
            "custom_metrics": decision.status.custom_metrics or None,
        }


def predicted_events(replayed: ReplayedReconcile, same: Row) -> Iterator[Row]:
    """One row per Event that the controller posts."""
    for seq, event in enumerate(replayed.decision.events):
        yield {
            **same,
            "seq": seq,
            "ts": replayed.instant.at_us,
            "type": event.type,
            "reason": event.reason,
            "message": event.message,
        }


def predicted_writes(replayed: ReplayedReconcile, same: Row) -> Iterator[Row]:
    """One row per write of the scale that the controller makes."""
    for seq, attempt in enumerate(replayed.decision.attempts):
        yield {
            **same,
            "seq": seq,
            "ts": replayed.instant.at_us,
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


def stabilization_inputs(replayed: ReplayedReconcile, same: Row) -> Iterator[Row]:
    """The remembered recommendations within the window, if stabilization changed the number.

    The step says how long the window is and which recommendation decided.
    """
    detail = next((dict(step.detail) for step in replayed.decision.steps if step.stage == "stabilize"), None)
    if detail is None:
        return
    now_us, window_us = replayed.instant.at_us, detail.get("window_us")
    since_us = now_us - window_us if isinstance(window_us, int) else 0
    # Of its first reconcile a process remembers two: the number that it met, and the one that it recommends.
    decided = {(detail.get("recommended_us"), detail.get("recommendation"))}
    for slot in sorted(replayed.memory.recommendations or (), key=lambda slot: slot.at_us):
        if since_us <= slot.at_us < replayed.instant.began_us:
            is_decisive = (slot.at_us, slot.replicas) in decided
            if is_decisive:
                decided.clear()  # of two that are alike one decided
            yield {**same, "rec_at": slot.at_us, "recommendation": slot.replicas, "decisive": is_decisive}


def _defined(ratio: float | None) -> float | None:
    """A ratio, None where nothing is divided by nothing: a total of 0 averaged over no pods."""
    return None if ratio is None or isnan(ratio) else ratio
