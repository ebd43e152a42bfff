"""The rows of a single fact: specs, statuses, conditions, published metrics, gaps."""

import json
from collections.abc import Iterable, Iterator

from hpaaudit.model.audit import RecordingInfo, Replay
from hpaaudit.model.facts import Gap, HpaSeen
from hpaaudit.model.hpa import Hpa, HpaStatus
from hpaaudit.model.identity import object_key
from hpaaudit.model.units import Quantity
from hpaaudit.results.batches import Row
from hpaaudit.results.lease_outages import Outage

_CONDITIONS = {"AbleToScale": "able", "ScalingActive": "active", "ScalingLimited": "limited"}


def replay(info: RecordingInfo, how: Replay) -> Row:
    """The row of `replays`."""
    return {
        "replay_id": how.replay_id,
        "recording_id": info.manifest_sha256,
        "path": info.path,
        "manifest_sha256": info.manifest_sha256,
        "mode": how.mode,
        "release": how.release,
        "engine_version": how.engine_version,
        "detail": how.detail,
        "options": how.options,
    }


def assumptions(how: Replay) -> Iterator[Row]:
    """One row per assumption."""
    for assumption in how.assumptions:
        yield {
            "replay_id": how.replay_id,
            "key": assumption.key,
            "value": assumption.value,
            "source": assumption.source,
            "in_place_of": assumption.in_place_of,
        }


def outages(replay_id: str, lease_outages: Iterable[Outage]) -> Iterator[Row]:
    """One row per time without a leader."""
    for outage in lease_outages:
        yield {
            "replay_id": replay_id,
            "renewed_at": outage.renewed_us,
            "lapsed_at": outage.lapsed_us,
            "until": outage.until_us,
            "was_renewed": outage.was_renewed,
        }


def hpa_identity(replay_id: str, fact: HpaSeen) -> Row:
    """The first columns of every table about an HPA."""
    return {
        "replay_id": replay_id,
        "hpa_uid": object_key(fact.uid, fact.namespace, fact.name),
        "namespace": fact.namespace,
        "name": fact.name,
    }


def hpa_spec(fact: HpaSeen, hpa: Hpa, same: Row) -> Row:
    """A spec. Metrics and behavior stay JSON, as they were written."""
    raw = json.loads(fact.spec_json)
    return {
        **same,
        "valid_from": fact.at_us,
        "generation": fact.generation,
        "target_kind": hpa.spec.target.kind,
        "target_name": hpa.spec.target.name,
        "target_api_version": hpa.spec.target.api_version,
        "min_replicas": hpa.spec.min_replicas,
        "max_replicas": hpa.spec.max_replicas,
        "metrics": json.dumps(raw["metrics"]) if "metrics" in raw else None,
        "behavior": json.dumps(raw["behavior"]) if "behavior" in raw else None,
        "writer_manager": fact.spec_manager,
    }


def hpa_status(fact: HpaSeen, status: HpaStatus, same: Row) -> Row:
    """A published status with its three standard conditions."""
    row = {
        **same,
        "observed_at": fact.at_us,
        "resource_version": fact.resource_version,
        "current_replicas": status.current_replicas,
        "desired_replicas": status.desired_replicas,
        "last_scale_time": status.last_scale_us,
        "observed_generation": status.observed_generation,
    }
    for condition in status.conditions:
        if condition.type in _CONDITIONS:
            row[f"{_CONDITIONS[condition.type]}_status"] = condition.status
            row[f"{_CONDITIONS[condition.type]}_reason"] = condition.reason
    return row


def hpa_conditions(fact: HpaSeen, status: HpaStatus, same: Row) -> Iterator[Row]:
    """One row per condition, whatever its type."""
    for condition in status.conditions:
        yield {
            **same,
            "observed_at": fact.at_us,
            "type": condition.type,
            "status": condition.status,
            "reason": condition.reason,
            "message": condition.message,
            "last_transition_time": condition.last_transition_us,
        }


def hpa_status_metrics(fact: HpaSeen, status: HpaStatus, same: Row) -> Iterator[Row]:
    """One row per entry of `currentMetrics`."""
    for index, metric in enumerate(status.current_metrics or ()):
        yield {
            **same,
            "observed_at": fact.at_us,
            "metric_idx": index,
            "metric_type": metric.type,
            "metric_name": metric.name,
            "container": metric.container,
            "avg_utilization": metric.average_utilization,
            "avg_value_milli": _milli(metric.average_value),
            "value_milli": _milli(metric.value),
        }


def _milli(quantity: Quantity | None) -> int | None:
    return None if quantity is None else quantity.milli


def gap(replay_id: str, fact: Gap) -> Row:
    """A gap. SQL adds which stream it hides."""
    return {
        "replay_id": replay_id,
        "prefix": fact.prefix,
        "gap_from": fact.at_us,
        "gap_to": fact.until_us,
        "cause": fact.cause,
    }
