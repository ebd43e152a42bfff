"""Every pattern has a case that it finds, and a near miss in which it finds nothing."""

import json
import math
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import pytest

from hpaaudit.results import sql
from tests.results.patterns import DEFAULTS, START, Patterns, Row, Tables, at, changes, patterns, proposals, reconciles


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """Rows in which a pattern is found, with its severity and a part of its verdict; and rows that it must spare."""

    fires: Tables
    says: str
    spares: Tables


BEGUN_BEFORE: list[Row] = [{"started_at": at(-3600)}]
"""A recording that saw all that the controller remembers."""


def _queue(ratios: list[float]) -> Tables:
    """An external total of type Value, with scale-ups from 2 to 16."""
    ups = [
        {**row, "action": "scale_up", "spec_replicas": 2 * 2**n, "desired": 4 * 2**n, "max_replicas": 16}
        for n, row in enumerate(reconciles(3))
    ]
    told = [
        {**row, "ratio": ratio, "metric_type": "External", "metric_name": "queue", "target_type": "Value"}
        for row, ratio in zip(proposals(3), ratios, strict=True)
    ]
    return {"reconciles": ups, "metric_proposals": told}


def _multiplied(unready: int) -> Tables:
    """The same by twice its target, beside a metric that finds pods which are not ready."""
    tables = _queue([2.0, 2.0, 2.0])
    cpu = proposals(3, metric_idx=1, is_winner=False, ready_pods=2, unready_pods=unready)
    return {**tables, "metric_proposals": [*tables["metric_proposals"], *cpu]}


def _memory(ratios: list[float]) -> Tables:
    """A metric per pod, with scale-ups from 2 to 16."""
    tables = _queue(ratios)
    told = [{**row, "metric_type": "Resource", "metric_name": "memory", "target_type": "Utilization"}
            for row in tables["metric_proposals"]]  # fmt: skip
    return {**tables, "metric_proposals": told}


def _old_and_young(old_value: int) -> Tables:
    """A scale-up by four pods of which two are young."""
    pods: list[Row] = [
        {"pod_uid": f"p{n}", "name": f"web-6f-{n}", "created_at": at(-600 if n < 2 else 100)} for n in range(4)
    ]
    counted: list[Row] = [
        {"reconcile_id": 20, "pod_uid": f"p{n}", "pod": f"web-6f-{n}", "value_milli": old_value if n < 2 else 200}
        for n in range(4)
    ]
    return {
        "reconciles": reconciles(1, first=20, action="scale_up", desired=8),
        "metric_proposals": proposals(1, first=20, ratio=2.1),
        "pods": pods,
        "reconcile_pods": counted,
    }


def _counted_pods(owner: str) -> Tables:
    pods: list[Row] = [
        {"pod_uid": "p1", "name": "web-6f-1"},
        {"pod_uid": "p2", "name": "job-1", "owner_kind": "Job", "owner_name": "nightly"} if owner else {"pod_uid": "p2",
            "name": "web-6f-2"},
    ]  # fmt: skip
    counted: list[Row] = [{"reconcile_id": 0, "pod_uid": pod["pod_uid"], "pod": pod["name"]} for pod in pods]
    return {"hpa_specs": [{}], "reconciles": reconciles(1), "pods": pods, "reconcile_pods": counted}


def _taken_over(service: str) -> Tables:
    name = "v1beta1.external.metrics.k8s.io"
    return {
        "api_services": [
            {"name": name, "service": "keda/metrics"},
            {"name": name, "service": service, "observed_at": at(20)},
        ],
        "reconciles": reconciles(4),
        "metric_proposals": proposals(
            2, first=2, metric_type="External", metric_name="queue", valid=False, is_winner=False
        ),
    }


def _gone_to_zero(cpu: float) -> Tables:
    queue = {"metric_type": "External", "metric_name": "queue", "target_type": "AverageValue"}
    return {
        "reconciles": [*reconciles(1), *reconciles(1, first=1, raw_desired=2)],
        "metric_proposals": [
            *proposals(1, ratio=0.9, **queue),
            *proposals(1, first=1, ratio=0.0, **queue),
            *proposals(2, metric_idx=1, ratio=cpu, is_winner=False),
        ],
        "scale_events": changes((320, 4, 2)),
    }


def _daily(second: float) -> Tables:
    return {
        "scale_events": changes(
            (3600, 4, 1), (86400 + second, 4, 1), writer_class="operator", writer_name="kube-downscaler"
        )
    }


def _revised(behavior: str | None) -> Tables:
    specs: list[Row] = [
        {"behavior": '{"scaleDown": {}}', "valid_to": at(60)},
        {"behavior": behavior, "valid_from": at(60), "writer_manager": "Terraform"},
    ]
    return {"hpa_specs": specs}


def _bounds(low: int) -> Tables:
    specs: list[Row] = [{"valid_to": at(60)}, {"valid_from": at(60), "min_replicas": low, "writer_manager": "alice"}]
    enforced = reconciles(1, first=5, action="scale_up", reason_code="gate.below_min", desired=6)
    return {"hpa_specs": specs, "reconciles": enforced}


def _restarted(second: float) -> Tables:
    held = {"reason_code": "stabilize.down_hold", "raw_desired": 2}
    return {
        "controller_epochs": [{"epoch_id": 0}, {"epoch_id": 1, "acquired_at": at(second)}],
        "reconciles": reconciles(3, first=5, epoch_id=1, **held),
    }


ZERO = {"reason_code": "gate.disabled_at_zero", "spec_replicas": 0, "desired": 0, "raw_desired": None}
HELD_UP = {"reason_code": "adjust.direction_flip_hold"}
IDLE = {"ratio": 2.0, "ratio_adjusted": 0.9, "ready_pods": 3, "unready_pods": 2}
STATEFUL = [{"target_kind": "StatefulSet"}]
CASES: dict[str, Case] = {
    "selector_matches_other_pods": Case(
        fires=_counted_pods("Job"), says="high: 1 pod of Job nightly", spares=_counted_pods("")
    ),
    "pinned_at_max": Case(
        fires={"reconciles": reconciles(4, reason_code="bound.max", raw_desired=14)},
        says="medium: metrics asked for 14 replicas, maxReplicas was 10",
        spares={"reconciles": reconciles(4, raw_desired=10, spec_replicas=10, limited_reason="TooManyReplicas")},
    ),
    "missing_request_sidecar": Case(
        fires={
            "hpa_specs": [{}],
            "reconciles": reconciles(60),
            "metric_proposals": proposals(60, valid=False, invalid_code="metric.invalid.missing_request"),
            "pods": [{"pod_uid": "p1", "name": "web-6f-1", "without_cpu_request": ["istio-proxy"]}],
        },
        says="high: blind for 900 s: container istio-proxy of pod web-6f-1 is without a request of cpu",
        spares={
            "hpa_specs": [{}],
            "reconciles": reconciles(60),
            "metric_proposals": proposals(60),
            "pods": [{"pod_uid": "p1", "name": "web-6f-1", "without_memory_request": ["app"]}],
        },
    ),
    "two_autoscalers": Case(
        fires={"hpa_specs": [{}, {"hpa_uid": "u-2", "name": "web-2"}]},
        says="high: web is the target of web-2 too",
        spares={"hpa_specs": [{"valid_to": at(60)}, {"hpa_uid": "u-2", "name": "web", "valid_from": at(61)}]},
    ),
    "rollout_inflation": Case(
        fires={
            "rollouts": [{}],
            "reconciles": reconciles(1, first=4, action="scale_up", status_replicas=5, raw_desired=6, desired=6),
            "metric_proposals": proposals(1, first=4, ready_pods=5, ratio=1.2, proposal=6),
        },
        says="medium: during a rollout the replicas rose from 4 to 6, and 1 surge pod counted: without it the metric "
        "asks for 5 at the same average",
        spares={
            "rollouts": [{}],
            "reconciles": reconciles(1, first=4, action="scale_up", status_replicas=5, raw_desired=6, desired=6),
            "metric_proposals": proposals(1, first=4, ready_pods=4, unready_pods=1, ratio=1.5, proposal=6),
        },
    ),
    "apply_resets_replicas": Case(
        fires={"scale_events": changes((60, 8, 3), writer_class="deploy_tool", writer_name="helm")},
        says="high: helm set the replica count 1 time",
        spares={"scale_events": changes((-60, 8, 3), writer_class="deploy_tool", writer_name="helm")},
    ),
    "gitops_selfheal_loop": Case(
        fires={
            "scale_events": [
                *changes((60, 8, 3), (180, 8, 3), writer_class="gitops", writer_name="argocd-controller"),
                *changes((75, 3, 8), (195, 3, 8)),
            ]
        },
        says="high: argocd-controller and the HPA overwrote each other, 1 and 2 times, between 3 and 8 replicas",
        spares={
            "scale_events": [
                *changes((60, 8, 3), writer_class="gitops", writer_name="argocd-controller"),
                *changes((75, 3, 8)),
            ]
        },
    ),
    "operator_writes_back": Case(
        fires={"scale_events": changes((60, 8, 3), writer_class="operator", writer_name="db-operator")},
        says="high: db-operator wrote the replicas 1 time, most often 3",
        spares={"scale_events": changes((60, 8, 3), writer_class="operator", writer_name="kube-downscaler")},
    ),
    "progressive_delivery": Case(
        fires={"scale_events": changes((60, 8, 3), writer_class="operator", writer_name="rollouts-controller")},
        says="medium: rollouts-controller wrote the replicas 1 time",
        spares={"scale_events": changes((60, 8, 3), writer_class="operator", writer_name="my-rollouts")},
    ),
    "value_vs_average": Case(
        fires=_queue([2.0, 2.0, 1.9]),
        says="high: queue has a target of type Value, and fell only from 2 to 1.9 times its target while "
        "3 scale-ups raised 2 to 16 replicas",
        spares=_queue([2.0, 1.5, 1.1]),
    ),
    "metric_not_responding": Case(
        fires=_memory([1.5, 1.5, 1.5]), says="medium: memory stood at 1.5", spares=_memory([1.5, 1.3, 1.2])
    ),
    "unready_pods_damp_up": Case(
        fires={"reconciles": reconciles(8, **HELD_UP), "metric_proposals": proposals(8, **IDLE)},
        says="medium: 2 of 5 pods counted as idle, and held a scale-up for 120 s: the ratio 2.0 became 0.9",
        spares={"reconciles": reconciles(3, **HELD_UP), "metric_proposals": proposals(3, **IDLE)},
    ),
    "pods_not_created": Case(
        fires={
            "reconciles": reconciles(10, spec_replicas=8, status_replicas=5),
            "effects": [{"scale_event_id": 1, "wanted": 8, "class": "effect.not_created"}],
        },
        says="high: the target was scaled to 8, and only 5 pods were made",
        spares={"reconciles": reconciles(8, spec_replicas=8, status_replicas=5)},
    ),
    "apiservice_conflict": Case(
        fires=_taken_over("datadog/agent"),
        says="high: v1beta1.external.metrics.k8s.io moved from keda/metrics to datadog/agent",
        spares=_taken_over("keda/metrics"),
    ),
    "keda_fallback": Case(
        fires={"scaled_objects": [{"fallback": "True"}, {"observed_at": at(700)}]},
        says="high: KEDA fell back to 6 replicas for 700 s",
        spares={"scaled_objects": [{}, {"observed_at": at(700)}]},
    ),
    "external_zero_or_absent": Case(
        fires=_gone_to_zero(cpu=0.9),
        says="high: queue fell from 0.9 of its target to 0 at once, and the replicas from 4 to 2 305 s later, although "
        "another metric stayed at 0.9 of its target or more",
        spares=_gone_to_zero(cpu=0.1),
    ),
    "overflow_to_min": Case(
        fires={"reconciles": reconciles(1, desired=2), "metric_proposals": proposals(1, ratio=6e8)},
        says="critical: cpu counted as 600000000 times its target, which asks for more replicas than 32 bits hold: "
        "that counts as the greatest number",
        spares={"reconciles": reconciles(1), "metric_proposals": proposals(1, ratio=5e8)},
    ),
    "unready_pods_multiplied": Case(
        fires={
            **_multiplied(unready=2),
            "assumptions": [{"key": "release", "value": "1.10.13"}],
        },
        says="critical: queue raised 4 to 16 in 2 steps, pods that were not ready included: 2 of 8 at the last, of "
        "which the ready ones asked for 4",
        spares={
            **_multiplied(unready=2),
            "assumptions": [{"key": "release", "value": "1.11.0"}],
        },
    ),
    "scale_up_window_scaled_down": Case(
        fires={
            "reconciles": [
                *reconciles(
                    1,
                    reason_code="stabilize.up_reversed",
                    raw_desired=8,
                    spec_replicas=6,
                    desired=3,
                    action="scale_down",
                ),
                *reconciles(4, first=1, reason_code="stabilize.up_hold", raw_desired=8, spec_replicas=3, desired=3),
                *reconciles(9, first=5, raw_desired=8, spec_replicas=3, desired=6),
            ]
        },
        says="medium: the scale-up window took away 3 of 6 replicas while the metrics asked for 8",
        spares={
            "reconciles": reconciles(5, reason_code="stabilize.up_reversed", raw_desired=8, spec_replicas=3, desired=3)
        },
    ),
    "one_bad_metric_blocks_down": Case(
        fires={
            "recordings": BEGUN_BEFORE,
            "reconciles": reconciles(
                300, reason_code="gate.partial_metrics_block_down", spec_replicas=8, status_replicas=8
            ),
            "metric_proposals": [
                *proposals(300, proposal=3),
                *proposals(300, metric_idx=1, metric_name="qps", valid=False, is_winner=False, proposal=None),
            ],
        },
        says="high: qps was unusable, so that nothing scaled down for 4500 s: up to 5 pods kept",
        spares={
            "reconciles": reconciles(3, reason_code="gate.partial_metrics_block_down"),
            "metric_proposals": proposals(3),
        },
    ),
    "metrics_api_down": Case(
        fires={
            "reconciles": reconciles(10, reason_code="gate.all_metrics_invalid"),
            "metric_proposals": proposals(10, valid=False, invalid_code="metric.invalid.api_unavailable"),
        },
        says="high: the metrics API failed in 10 reconciles",
        spares={
            "reconciles": reconciles(10, reason_code="gate.all_metrics_invalid"),
            "metric_proposals": proposals(10, valid=False, invalid_code="metric.invalid.no_ready_metrics"),
        },
    ),
    "metric_forbidden_or_unregistered": Case(
        fires={
            "reconciles": reconciles(10, reason_code="gate.all_metrics_invalid"),
            "metric_proposals": proposals(10, valid=False, invalid_code="metric.invalid.forbidden"),
        },
        says="medium: the controller may not read cpu in 10 reconciles",
        spares={
            "reconciles": reconciles(1, reason_code="gate.all_metrics_invalid"),
            "metric_proposals": proposals(1, valid=False, invalid_code="metric.invalid.forbidden"),
        },
    ),
    "scheduled_scaler": Case(
        fires=_daily(3660), says="medium: kube-downscaler writes the replicas at 15:00Z, on 2 days", spares=_daily(9000)
    ),
    "ceil_floor_never_down": Case(
        fires={"reconciles": reconciles(120), "metric_proposals": proposals(120, ratio=0.8)},
        says="low: cpu at 0.8 of its target for 30 min, and still 4 replicas: for one pod fewer it must fall",
        spares={"reconciles": reconciles(120), "metric_proposals": proposals(120, ratio=0.95)},
    ),
    "disabled_at_zero": Case(
        fires={
            "reconciles": reconciles(60, **ZERO),
            "scale_events": changes((-5, 4, 0), writer_class="person", writer_name="cron"),
        },
        says="high: off for 900 s: cron wrote replicas 0",
        spares={"reconciles": reconciles(60, reason_code="gate.scaled_to_zero", spec_replicas=0, desired=0)},
    ),
    "pod_without_sample": Case(
        fires={
            "recordings": BEGUN_BEFORE,
            "reconciles": reconciles(10, reason_code="adjust.damped_into_tolerance"),
            "metric_proposals": proposals(10, ratio=0.7, ready_pods=3, missing_pods=1),
        },
        says="low: up to 1 pod without a sample of cpu changed the decision for 150 s",
        spares={
            "reconciles": reconciles(10, reason_code="adjust.damped_into_tolerance"),
            "metric_proposals": proposals(10, ratio=1.7, unready_pods=1),
        },
    ),
    "finished_pods_counted": Case(
        fires={
            "reconciles": reconciles(1),
            "reconcile_pods": [{"reconcile_id": 0, "pod_uid": "p", "bucket": "missing", "why_code": "succeeded"}],
        },
        says="medium: 1 finished pod counted",
        spares={
            "reconciles": reconciles(1),
            "reconcile_pods": [{"reconcile_id": 0, "pod_uid": "p", "bucket": "ignored", "why_code": "succeeded"}],
        },
    ),
    "target_unreadable": Case(
        fires={"hpa_specs": [{}], "reconciles": reconciles(10, reason_code="gate.target_unreadable")},
        says="medium: the scale of Deployment web could not be read for 150 s",
        spares={"hpa_specs": [{}], "reconciles": reconciles(1, reason_code="gate.target_unreadable")},
    ),
    "flapping": Case(
        fires={"scale_events": changes((60, 4, 8), (400, 8, 4), (500, 4, 8), (900, 8, 4))},
        says="medium: 3 reversals between 4 and 8 replicas",
        spares={"scale_events": changes((60, 4, 8), (400, 8, 4), (500, 4, 8), (1500, 8, 4))},
    ),
    "blank_reason": Case(
        fires={
            "reconciles": reconciles(1, raw_desired=4, desired=6, action="scale_up"),
            "decision_steps": [{"reconcile_id": 0, "code": "stabilize.legacy_raise"}],
        },
        says="low: an earlier recommendation, not load, raised the replicas 1 time",
        spares={
            "reconciles": reconciles(1, raw_desired=4, desired=4),
            "decision_steps": [{"reconcile_id": 0, "code": "stabilize.legacy_raise"}],
        },
    ),
    "ordered_statefulset": Case(
        fires={
            "hpa_specs": STATEFUL,
            "effects": [
                {
                    "class": "effect.not_created",
                    "scale_event_id": 1,
                    "wanted": 6,
                    "made": 4,
                    "pod_seconds_missing": 600.0,
                }
            ],
        },
        says="high: StatefulSet web was scaled to 6, and had 4 pods and 4 ready",
        spares={
            "hpa_specs": STATEFUL,
            "effects": [{"class": "effect.not_created", "wanted": 6, "made": 4, "cause": "forbidden"}],
        },
    ),
    "slow_or_missed_sync": Case(
        fires={"reconciles": reconciles(8, **{"class": "not_run.missed_reconcile"})},
        says="medium: not reconciled for 120 s, in 8 reconciles that were due; 0 other HPAs",
        spares={"reconciles": reconciles(8, **{"class": "not_run.controller_down"})},
    ),
    "controller_restart_memory": Case(
        fires=_restarted(60), says="low: after the restart at 14:01:00Z", spares=_restarted(0)
    ),
    "admission_on_scale": Case(
        fires={"reconciles": reconciles(2, desired=8, actual=5, **{"class": "write_mutated.admission"})},
        says="high: 2 writes changed by admission: the HPA wanted 8, and 5 was stored",
        spares={"reconciles": reconciles(2, **{"class": "write_failed.conflict"})},
    ),
    "behavior_lost_by_old_api": Case(
        fires=_revised(None),
        says="medium: the behavior was removed 1 time; the spec was then last written by Terraform",
        spares=_revised('{"scaleUp": {}}'),
    ),
    "keda_pause_race": Case(
        fires={
            "hpa_specs": [{}],
            "scaled_objects": [{"annotations": '{"autoscaling.keda.sh/paused-replicas":"0"}'}],
        },
        says="medium: queue was paused at 14:00:00Z",
        spares={
            "hpa_specs": [{}],
            "scaled_objects": [{"annotations": '{"scaledobject.keda.sh/transfer-hpa-ownership":"true"}'}],
        },
    ),
    "keda_zero_edges": Case(
        fires={"scale_events": changes((60, 0, 1), (600, 1, 0), writer_class="keda", writer_name="keda-operator")},
        says="info: KEDA switched the target on 1 time and off 1 time",
        spares={"scale_events": changes((60, 1, 2), writer_class="keda", writer_name="keda-operator")},
    ),
    "node_churn": Case(
        fires={"effects": [{"removed": 5, "pod_seconds_missing": 90.0}]},
        says="medium: 5 pods ended without a scale-down or a rollout",
        spares={"effects": [{"removed": 5}], "rollouts": [{}]},
    ),
    "startup_cpu_burst": Case(
        fires=_old_and_young(60),
        says="medium: 2 pods younger than 5 minutes raised 4 to 8 replicas: the older ones were at 60 %",
        spares=_old_and_young(80),
    ),
    "new_pods_ignored": Case(
        fires={
            "reconciles": reconciles(20, reason_code="gate.all_metrics_invalid"),
            "metric_proposals": proposals(20, valid=False, invalid_code="metric.invalid.no_ready_metrics"),
        },
        says="medium: no pod counted as ready and measured for 300 s",
        spares={
            "reconciles": reconciles(2, reason_code="gate.all_metrics_invalid"),
            "metric_proposals": proposals(2, valid=False, invalid_code="metric.invalid.no_ready_metrics"),
        },
    ),
    "scale_up_rate_limited": Case(
        fires={"reconciles": reconciles(6, reason_code="policy.up_limit", raw_desired=9, desired=6)},
        says="medium: a policy allowed 6 where metrics asked for 9, for 90 s",
        spares={"reconciles": reconciles(3, reason_code="policy.up_limit", raw_desired=9, desired=6)},
    ),
    "outside_bounds": Case(
        fires={"reconciles": reconciles(3, reason_code="gate.above_max", spec_replicas=12)},
        says="medium: the replicas stood outside the bounds in 3 reconciles, which did not consult metrics: "
        "most often 12 outside 2 to 10",
        spares={"reconciles": reconciles(1, reason_code="gate.above_max", spec_replicas=12)},
    ),
    "vpa_or_resize": Case(
        fires={
            "hpa_specs": [{}],
            "surroundings": [
                {
                    "resource": "verticalpodautoscalers",
                    "name": "web-vpa",
                    "state": '{"targetRef": {"kind": "Deployment", "name": "web"}}',
                }
            ],
        },
        says="medium: VerticalPodAutoscaler web-vpa changes the requests in mode Auto",
        spares={
            "hpa_specs": [{}],
            "surroundings": [
                {
                    "resource": "verticalpodautoscalers",
                    "name": "web-vpa",
                    "state": '{"targetRef": {"kind": "Deployment", "name": "web"}, "updateMode": "Off"}',
                }
            ],
        },
    ),
    "stabilization_confusion": Case(
        fires={"reconciles": reconciles(120, reason_code="stabilize.down_hold", raw_desired=2)},
        says="info: earlier recommendations held scale-downs for 30 min, and kept up to 2 pods",
        spares={"reconciles": reconciles(20, reason_code="stabilize.down_hold", raw_desired=2)},
    ),
    "tolerance_hold": Case(
        fires={
            "reconciles": reconciles(120, reason_code="tolerance.hold"),
            "metric_proposals": proposals(120, ratio=1.08),
        },
        says="info: cpu stood at 108 % of its target for 30 min: the tolerance of 10 %",
        spares={
            "reconciles": reconciles(120, reason_code="tolerance.hold"),
            "metric_proposals": proposals(120, ratio=0.95),
        },
    ),
    "bounds_edited": Case(fires=_bounds(6), says="low: alice changed 2 to 10 replicas into 6 to 10", spares=_bounds(2)),
    "down_although_disabled": Case(
        fires={
            "hpa_specs": [{"behavior": '{"scaleDown": {"selectPolicy": "Disabled"}}'}],
            "scale_events": changes((60, 8, 4)),
        },
        says="medium: 8 -> 4 although selectPolicy of scaleDown is Disabled",
        spares={
            "hpa_specs": [{"behavior": '{"scaleDown": {"selectPolicy": "Disabled"}}'}],
            "scale_events": changes((60, 8, 4), writer_class="kubectl", writer_name="kubectl"),
        },
    ),
    "clock_skew": Case(
        fires={"recordings": [{"clock_offset_ms": -3500.0}], "hpa_specs": [{}]},
        says="medium: the clocks of recorder and API server differ by 3.5 s",
        spares={"recordings": [{"clock_offset_ms": 900.0}], "hpa_specs": [{}]},
    ),
    "misleading_status": Case(
        fires={"reports": [{"class": "report.stale_metric"}]},
        says="low: the status showed a metric that was not usable 1 time",
        spares={"reports": [{"class": "report.event_lost"}]},
    ),
    "stale_informer": Case(
        fires={"reconciles": reconciles(10, reason_code="gate.stale_cache")},
        says="medium: the controller's cache was behind for 150 s",
        spares={"reconciles": reconciles(2, reason_code="gate.stale_cache")},
    ),
    "update_conflict": Case(
        fires={"reconciles": reconciles(2, **{"class": "write_failed.conflict"})},
        says="low: 2 writes lost to a conflict",
        spares={"reconciles": reconciles(2, **{"class": "write_failed.api_error"})},
    ),
    "ha_metrics_sources": Case(
        fires={"reconciles": reconciles(5, **{"class": "input.metric_value_skew", "verdict": "skew"})},
        says="low: the controller read another value than the recorder in 5 reconciles",
        spares={"reconciles": reconciles(4, **{"class": "input.metric_value_skew", "verdict": "skew"})},
    ),
    "events_lost": Case(
        fires={"reports": [{"class": "report.event_lost"}]},
        says="low: 1 change of the HPA left no Event",
        spares={"reports": [{"class": "report.blank_reason"}]},
    ),
}


@pytest.fixture(scope="module")
def database() -> Iterator[Patterns]:
    """One database for all cases."""
    with patterns() as database:
        yield database


TWIN_NAMES: dict[str, tuple[str, ...]] = {
    "metric_proposals": ("metric_name", "invalid_text"),
    "scale_events": ("writer_name",),
    "pods": ("pod_uid", "name"),
    "reconcile_pods": ("pod_uid", "pod"),
    "surroundings": ("name",),
    "scaled_objects": ("name",),
    "api_services": ("name", "service"),
    "k8s_events": ("message",),
}
"""By relation what a twin calls otherwise."""


@pytest.mark.parametrize("pattern", CASES)
def test_a_pattern_is_found_where_it_is(pattern: str, database: Patterns) -> None:
    case = CASES[pattern]
    found = database.verdicts(pattern, case.fires)
    assert [verdict for verdict in found if verdict.startswith(case.says)], found


@pytest.mark.parametrize("pattern", CASES)
def test_a_near_miss_is_not_found(pattern: str, database: Patterns) -> None:
    assert database.verdicts(pattern, CASES[pattern].spares) == []


@pytest.mark.parametrize("pattern", CASES)
@pytest.mark.parametrize("unknown", ["no_data.recording_gap", "not_run.controller_down"])
def test_what_was_not_seen_or_did_not_happen_shows_no_pattern(pattern: str, unknown: str, database: Patterns) -> None:
    """The same case, if nobody saw its reconciles or none took place."""
    fires = CASES[pattern].fires
    if "reconciles" not in fires:
        return
    hidden = [{**row, "class": unknown, "verdict": "undecidable"} for row in fires["reconciles"]]
    if pattern not in ("blank_reason", "selector_matches_other_pods"):
        assert database.verdicts(pattern, {**fires, "reconciles": hidden}) == []


UNEVEN: list[tuple[str, str, list[float]]] = [
    ("reconciles", "lasted_s", [0.1, 0.2, 0.7]),
    ("reconciles", "spec_replicas", [0, 1]),
    ("metric_proposals", "unready_pods", [0, 1, 2]),
]
"""What is added to a column of one row after another, so that rows with the same ratio differ in the rest."""


@pytest.mark.parametrize("pattern", CASES)
def test_the_order_of_uneven_rows_changes_no_finding(pattern: str, database: Patterns) -> None:
    """Neither which of several with one ratio is named, nor the last digit of a sum."""
    uneven = {table: [dict(row) for row in rows] for table, rows in CASES[pattern].fires.items()}
    for table, column, steps in UNEVEN:
        for number, row in enumerate(uneven.get(table, ())):
            row[column] = row.get(column, DEFAULTS[table][column]) + steps[number % len(steps)]
    backwards = {table: rows[::-1] for table, rows in uneven.items()}
    assert sorted(database.found(pattern, uneven)) == sorted(database.found(pattern, backwards))


EXTREMES: list[tuple[str, Row]] = [
    *(("metric_proposals", {"ratio": ratio}) for ratio in (math.inf, -math.inf, math.nan, 1e308, -1.0, 0.0)),
    *(("metric_proposals", {"tolerance": tolerance}) for tolerance in (1e308, 0.0)),
    *(("reconciles", {"lasted_s": seconds}) for seconds in (0.0, 1e12)),
    *(("reconciles", {"spec_replicas": number, "desired": number}) for number in (0, -(2**31), 2**31 - 1)),
    *(("reconciles", {"raw_desired": number}) for number in (-(2**31), 2**31 - 1)),
    *(("metric_proposals", {"proposal": number}) for number in (-(2**31), 2**31 - 1)),
    *(("reconciles", {"actual": number}) for number in (-(2**31), 2**31 - 1)),
]
"""Numbers that the controller really computes of odd metrics, clocks and specs."""


@pytest.mark.parametrize("pattern", CASES)
def test_no_number_ends_the_search_for_a_pattern(pattern: str, database: Patterns) -> None:
    fires = CASES[pattern].fires
    for table, extreme in EXTREMES:
        rows = [{**row, **extreme} for row in fires.get(table, ())]
        if rows:
            assert len(database.verdicts(pattern, {**fires, table: rows})) <= 2


def _with_twins(tables: Tables) -> dict[str, list[Row]]:
    """The same, and beside each row one of the same instant that only names something else."""
    twins: dict[str, list[Row]] = {}
    for table, rows in tables.items():
        others = [
            {
                **row,
                **{name: f"{row[name]}-b" for name in TWIN_NAMES.get(table, ()) if name in row},
                **({"metric_idx": row.get("metric_idx", 0) + 10} if table == "metric_proposals" else {}),
                **({"scale_event_id": row["scale_event_id"] + 1_000_000} if table == "scale_events" else {}),
            }
            for row in rows
            if table in TWIN_NAMES
        ]
        twins[table] = [*rows, *others]
    return twins


@pytest.mark.parametrize("pattern", [name for name, case in CASES.items() if TWIN_NAMES.keys() & case.fires.keys()])
def test_the_order_of_rows_changes_no_finding(pattern: str, database: Patterns) -> None:
    """Which of several at one instant is named must not be a matter of threads."""
    tables = _with_twins(CASES[pattern].fires)
    backwards = {table: rows[::-1] for table, rows in tables.items()}
    assert database.found(pattern, tables) == database.found(pattern, backwards)


@pytest.mark.parametrize("pattern", ["scale_up_rate_limited", "stabilization_confusion"])
def test_no_release_before_behavior_is_told_to_use_one(pattern: str, database: Patterns) -> None:
    def next_step(release: str) -> str:
        tables = {**CASES[pattern].fires, "assumptions": [{"key": "release", "value": release}]}
        [(*_, told)] = database.found(pattern, tables)
        return str(told)

    assert "behavior.scale" not in next_step("1.9")
    assert "behavior.scale" not in next_step("1.17.3")
    assert "behavior.scale" in next_step("1.18")


FALLEN = _gone_to_zero(cpu=0.9)
BEFORE, _ = FALLEN["reconciles"]
QUEUE_BEFORE, QUEUE_AT_ZERO, *CPU = FALLEN["metric_proposals"]
BACK = {**QUEUE_BEFORE, "reconcile_id": 10, "ts": at(150)}
LATER = {"ts": at(60)}


@pytest.mark.parametrize(
    ("why", "tables"),
    [
        ("the replicas rose first", {"scale_events": changes((20, 4, 5), (320, 5, 4))}),
        ("somebody else lowered them", {"scale_events": changes((20, 4, 2), writer_class="person")}),
        (
            "maxReplicas was lowered",
            {"reconciles": [*FALLEN["reconciles"], *reconciles(1, first=20, reason_code="gate.above_max")]},
        ),
        (
            "it was back",
            {
                "reconciles": [*FALLEN["reconciles"], *reconciles(1, first=10)],
                "metric_proposals": [*FALLEN["metric_proposals"], BACK],
            },
        ),
        (
            "the other metric fell as well before the scale-down",
            {
                "reconciles": [*FALLEN["reconciles"], *reconciles(1, first=20)],
                "metric_proposals": [
                    *FALLEN["metric_proposals"],
                    *proposals(1, first=20, metric_idx=1, ratio=0.0, is_winner=False),
                ],
            },
        ),
        (
            "the other metric failed before the scale-down",
            {
                "reconciles": [*FALLEN["reconciles"], *reconciles(1, first=20)],
                "metric_proposals": [
                    *FALLEN["metric_proposals"],
                    *proposals(1, first=20, metric_idx=1, ratio=None, valid=False, is_winner=False),
                ],
            },
        ),
        ("the scale-down was decided before", {"scale_events": changes((16, 4, 2), reconcile_id=0)}),
        (
            "the other metric was zero over zero replicas",
            {"metric_proposals": [QUEUE_BEFORE, QUEUE_AT_ZERO, *({**row, "ratio": math.nan} for row in CPU)]},
        ),
        (
            "another metric decided",
            {"metric_proposals": [{**QUEUE_BEFORE, "is_winner": False}, QUEUE_AT_ZERO, *CPU]},
        ),
        (
            "nobody saw it fall",
            {
                "reconciles": [BEFORE, *reconciles(1, first=1, every_s=60, raw_desired=2)],
                "metric_proposals": [QUEUE_BEFORE, *({**row, **LATER} for row in (QUEUE_AT_ZERO, *CPU))],
            },
        ),
    ],
)
def test_a_metric_at_zero_is_blamed_for_no_change_that_it_did_not_make(
    why: str, tables: Tables, database: Patterns
) -> None:
    assert database.verdicts("external_zero_or_absent", {**FALLEN, **tables}) == [], why


def test_a_witness_counts_until_the_scale_down_was_decided(database: Patterns) -> None:
    """What it was in the next reconcile, which saw the new number, does not matter; the least of the others is told."""
    later = [
        *proposals(1, first=20, metric_idx=1, ratio=0.7, is_winner=False),
        *proposals(1, first=21, metric_idx=1, ratio=0.0, is_winner=False),
    ]
    tables: Tables = {
        "reconciles": [*FALLEN["reconciles"], *reconciles(2, first=20)],
        "metric_proposals": [*FALLEN["metric_proposals"], *later],
        "scale_events": changes((320, 4, 2), reconcile_id=20),
    }
    [verdict] = database.verdicts("external_zero_or_absent", tables)
    assert verdict.endswith("although another metric stayed at 0.7 of its target or more")


def test_a_scale_down_may_be_seen_before_the_status_of_the_reconcile_that_wrote_it(database: Patterns) -> None:
    """Nothing held it: the reconcile that saw the fall wrote, and its status was seen 10 ms later."""
    tables = {**FALLEN, "scale_events": changes((14.99, 4, 2), reconcile_id=1)}
    [verdict] = database.verdicts("external_zero_or_absent", tables)
    assert "and the replicas from 4 to 2 with it, although" in verdict


@pytest.mark.parametrize(
    ("other", "told"),
    [
        ({}, 0),
        ({"metric_name": "topic"}, 1),
        ({"namespace": "lab"}, 1),
    ],
    ids=["the same metric", "another metric", "that of another namespace"],
)
def test_the_same_metric_of_another_hpa_is_no_witness(other: Row, told: int, database: Patterns) -> None:
    """Two HPAs of one queue see it run empty together: that says nothing of its source."""
    beside: Row = {"hpa_uid": "u-2", "name": "api", "namespace": other.get("namespace", "shop")}
    asked = [{**row, **beside, "reconcile_id": row["reconcile_id"] + 100} for row in FALLEN["reconciles"]]
    fell = [QUEUE_BEFORE, QUEUE_AT_ZERO]
    theirs = [{**row, **beside, **other, "reconcile_id": row["reconcile_id"] + 100} for row in fell]
    tables: Tables = {"reconciles": [*FALLEN["reconciles"], *asked], "metric_proposals": [*fell, *theirs]}
    verdicts = database.verdicts("external_zero_or_absent", {**FALLEN, **tables})
    assert len(verdicts) == told
    assert all(verdict.endswith("although that of 1 other HPA fell to 0 in the same minute") for verdict in verdicts)


def test_the_numbers_of_a_fall_to_zero_are_those_of_one_fall(database: Patterns) -> None:
    """A later, deeper scale-down is not told of the first fall."""
    tables = {**FALLEN, "scale_events": changes((320, 4, 3), (900, 9, 1))}
    [verdict] = database.verdicts("external_zero_or_absent", tables)
    assert "and the replicas from 4 to 3 305 s later" in verdict


def test_a_finding_tells_the_numbers_of_one_reconcile(database: Patterns) -> None:
    """12 replicas never stood outside of 2 to 30, and 4 -> 6 met no surge of 3."""
    gate = {"reason_code": "gate.above_max"}
    outside = [
        *reconciles(3, spec_replicas=12, max_replicas=10, **gate),
        *reconciles(2, first=3, spec_replicas=40, max_replicas=30, **gate),
        *reconciles(2, first=5, spec_replicas=50, max_replicas=30, **gate),
    ]
    [verdict] = database.verdicts("outside_bounds", {"reconciles": outside})
    assert verdict.endswith("most often 12 outside 2 to 10")

    up = {"action": "scale_up"}
    raised = [
        *reconciles(1, first=4, status_replicas=5, raw_desired=6, desired=6, **up),
        *reconciles(1, first=8, spec_replicas=6, status_replicas=9, raw_desired=11, desired=11, max_replicas=20, **up),
    ]
    counted = [
        *proposals(1, first=4, ready_pods=5, ratio=1.2, proposal=6),
        *proposals(1, first=8, ready_pods=9, ratio=1.2, proposal=11),
    ]
    tables: Tables = {"rollouts": [{}], "reconciles": raised, "metric_proposals": counted}
    [verdict] = database.verdicts("rollout_inflation", tables)
    assert "from 6 to 11, and 3 surge pods counted: without them the metric asks for 8" in verdict


def test_replicas_outside_of_bounds_that_were_moved_were_written_by_nobody(database: Patterns) -> None:
    """Each of three edits left the replicas outside, and a write of the HPA that is refused leaves them there."""
    rows = reconciles(12, spec_replicas=12)
    for number in (2, 5, 8):
        rows[number] |= {"reason_code": "gate.above_max", "max_replicas": 10 - number}
    specs = [{"max_replicas": 20}, *({"valid_from": at(15 * n - 5), "max_replicas": 10 - n} for n in (2, 5, 8))]
    assert database.verdicts("outside_bounds", {"reconciles": rows, "hpa_specs": specs}) == []
    for row in rows[8:]:
        row |= {"reason_code": "gate.above_max", "max_replicas": 2}
    [verdict] = database.verdicts("outside_bounds", {"reconciles": rows, "hpa_specs": specs})
    assert "in 3 reconciles" in verdict
    for row in rows[8:]:
        row |= {"class": "write_failed.denied", "verdict": "divergent"}
    assert database.verdicts("outside_bounds", {"reconciles": rows, "hpa_specs": specs}) == []


@pytest.mark.parametrize(
    ("metric", "ratio", "is_told"),
    [
        (("External", "AverageValue"), 1.3, True),
        (("Object", "AverageValue"), 1.3, True),
        (("External", "AverageValue"), 1.5, False),  # over all ten it would be 1.2
        (("External", "Value"), 1.3, False),  # no average
        (("Resource", "Utilization"), 1.3, False),  # fewer pods use as much as all did
    ],
)
def test_a_rollout_whose_pods_are_gone_raises_an_average_over_those_that_are_left(
    metric: tuple[str, str], ratio: float, is_told: bool, database: Patterns
) -> None:
    """With maxUnavailable the first pods end before others are made."""
    metric_type, target_type = metric
    tables: Tables = {
        "rollouts": [{}],
        "reconciles": reconciles(
            1, first=4, action="scale_up", spec_replicas=10, status_replicas=8, desired=11, actual=11
        ),
        "metric_proposals": proposals(1, first=4, metric_type=metric_type, target_type=target_type, ratio=ratio),
    }
    told = (
        "medium: a rollout raised the replicas from 10 to 11, while 2 of 10 pods were gone: "
        "an average over all of them would have been within its tolerance"
    )
    assert database.verdicts("rollout_inflation", tables) == ([told] if is_told else [])


TOTAL = {"metric_type": "External", "metric_name": "queue", "target_type": "AverageValue", "ready_pods": 13}


@pytest.mark.parametrize(
    ("why", "raised", "metric", "others"),
    [
        ("a total counts no pod", {"desired": 20}, {**TOTAL, "ratio": 20 / 13, "proposal": 20}, None),
        ("another metric asks for it as well", {}, {**TOTAL, "ratio": 10.8 / 13, "proposal": 11}, 11),
        ("minReplicas is as many", {"min_replicas": 11}, {**TOTAL, "ratio": 10.8 / 13, "proposal": 11}, None),
        ("memory raised it", {"raw_desired": 9}, {**TOTAL, "ratio": 10.8 / 13, "proposal": 9}, None),
        (
            "no surge pod was ready",
            {"desired": 20},
            {"ready_pods": 10, "unready_pods": 3, "ratio": 2.0, "proposal": 20},
            None,
        ),
    ],
)
def test_a_surge_is_blamed_only_for_a_number_that_it_made(
    why: str, raised: Row, metric: Row, others: int | None, database: Patterns
) -> None:
    def told(raised: Row, metric: Row, others: int | None) -> list[str]:
        up: Row = {
            "action": "scale_up",
            "spec_replicas": 10,
            "status_replicas": 13,
            "max_replicas": 30,
            "desired": 11,
            **raised,
        }
        metrics = proposals(1, first=4, **metric)
        if others is not None:
            metrics += proposals(1, first=4, metric_idx=1, is_winner=False, proposal=others)
        rows = reconciles(1, first=4, **{"raw_desired": up["desired"], **up})
        return database.verdicts(
            "rollout_inflation", {"rollouts": [{}], "reconciles": rows, "metric_proposals": metrics}
        )

    assert told(raised, metric, others) == [], why
    [verdict] = told({}, {**TOTAL, "ratio": 10.8 / 13, "proposal": 11}, None)
    assert verdict.endswith("rose from 10 to 11, and 3 surge pods counted: without them the metric asks for 10")


def test_each_metric_that_cannot_be_read_has_its_own_cause(database: Patterns) -> None:
    """What most metrics lack is not told of the metric that fails most."""
    lost = {"valid": False, "is_winner": False}
    tables: Tables = {
        "reconciles": reconciles(4, reason_code="gate.all_metrics_invalid"),
        "metric_proposals": [
            *proposals(4, metric_name="queue", invalid_code="metric.invalid.not_registered", **lost),
            *proposals(3, metric_idx=1, metric_name="cpu", invalid_code="metric.invalid.forbidden", **lost),
            *proposals(3, metric_idx=2, metric_name="memory", invalid_code="metric.invalid.forbidden", **lost),
        ],
    }
    [verdict] = database.verdicts("metric_forbidden_or_unregistered", tables)
    assert verdict == "low: the controller finds nothing that serves queue in 4 reconciles"


UP_AND_DOWN = CASES["flapping"].fires["scale_events"]


@pytest.mark.parametrize("undone", ["gitops", "person", "autoscaler", "unknown"])
def test_an_hpa_that_undoes_what_others_write_does_not_flap(undone: str, database: Patterns) -> None:
    """It only ever raised the replicas, or lowered them after somebody had raised them."""
    wrote = changes((100, 8, 2), (300, 8, 25), (500, 8, 2), (700, 8, 25), writer_class=undone)
    restored = changes((120, 2, 8), (320, 25, 8), (520, 2, 8), (720, 25, 8))
    tables = {"scale_events": [*wrote, *restored]}
    assert database.verdicts("flapping", tables) == []
    assert database.asked("which_hpas_flap", tables) == []


def test_reversals_that_are_not_in_a_row_are_no_flapping(database: Patterns) -> None:
    """Two of them, and one an hour later."""
    apart = {"scale_events": changes((60, 4, 8), (400, 8, 4), (500, 4, 8), (4000, 8, 6), (4100, 6, 8))}
    assert database.verdicts("flapping", apart) == []
    assert database.asked("which_hpas_flap", apart) == []
    both = {"scale_events": [*UP_AND_DOWN, *changes((4000, 4, 6), (4100, 6, 4))]}
    [verdict] = database.verdicts("flapping", both)
    assert verdict.startswith("medium: 3 reversals between 4 and 8 replicas")


def test_a_target_that_was_made_again_goes_on_with_no_flapping(database: Patterns) -> None:
    """Its new pods are young: the HPA lowers it and raises it once."""
    again = {"scale_events": changes((60, 4, 8), (400, 8, 4), (500, 4, 8), (560, 8, 4))}
    remade = {"scale_states": [{"observed_at": at(0)}, {"observed_at": at(450)}]}
    assert database.verdicts("flapping", {**again, "scale_states": [{"observed_at": at(0)}]})
    assert database.verdicts("flapping", {**again, **remade}) == []
    assert database.asked("which_hpas_flap", {**again, **remade}) == []


@pytest.mark.parametrize(
    ("held", "told"),
    [
        # One reconcile in between does not end it, two do.
        ([(0, 3, 4), (4, 3, 4)], ["2 of 5 pods counted as idle, and held a scale-up for 90 s"]),
        ([(0, 3, 4), (5, 3, 4)], []),
        # A scale-up that was made was not held.
        ([(0, 3, 4), (3, 3, 7)], []),
        ([(0, 1, 4), (5, 5, 7)], ["2 of 5 pods counted as idle, and held a scale-up for 75 s"]),
    ],
)
def test_seconds_of_several_scale_ups_that_were_held_are_not_added_up(
    held: list[tuple[int, int, int]], told: list[str], database: Patterns
) -> None:
    """`held`: the first reconcile, how many of them, and at how many replicas."""
    tables: Tables = {"reconciles": [], "metric_proposals": []}
    for first, count, replicas in held:
        tables["reconciles"] += reconciles(count, first=first, spec_replicas=replicas, **HELD_UP)
        tables["metric_proposals"] += proposals(count, first=first, **IDLE)
    verdicts = database.verdicts("unready_pods_damp_up", tables)
    assert [verdict.partition(": ")[2].partition(":")[0] for verdict in verdicts] == told


def test_a_change_that_an_edited_bound_enforced_is_no_reversal(database: Patterns) -> None:
    lowered = {"scale_events": [{**row, "reconcile_id": row["scale_event_id"]} for row in UP_AND_DOWN]}
    own = {"reconciles": [*reconciles(1, first=400), *reconciles(1, first=900)]}
    enforced = {"reconciles": [*reconciles(1, first=400, reason_code="gate.above_max"), *reconciles(1, first=900)]}
    assert database.verdicts("flapping", {**lowered, **own}) == database.verdicts("flapping", CASES["flapping"].fires)
    assert database.verdicts("flapping", {**lowered, **enforced}) == []
    assert [row["reversals"] for row in database.asked("which_hpas_flap", {**lowered, **own})] == [3]
    assert database.asked("which_hpas_flap", {**lowered, **enforced}) == []


def test_a_metric_that_fell_between_two_scale_ups_was_lowered_by_them(database: Patterns) -> None:
    """At every scale-up it was as high as at the one before."""
    climb = _queue([2.0, 2.0, 2.0])
    ups = [{**row, "reconcile_id": 2 * n, "ts": at(30 * n)} for n, row in enumerate(climb["reconciles"])]
    high = [{**row, "reconcile_id": 2 * n, "ts": at(30 * n)} for n, row in enumerate(climb["metric_proposals"])]
    between: Row = {**high[0], "reconcile_id": 1, "ts": at(15)}
    tables: Tables = {"reconciles": [*ups, *reconciles(1, first=1)], "metric_proposals": [*high, between]}
    assert len(database.verdicts("value_vs_average", tables)) == 1
    fell = {**tables, "metric_proposals": [*high, {**between, "ratio": 0.75}]}
    assert database.verdicts("value_vs_average", fell) == []


@pytest.mark.parametrize(
    ("code", "proposal", "said"),
    [
        (
            "gate.metric_failed",
            9,
            "qps was unusable, so that nothing scaled up for 75 s: what was usable asked for up to 1 pod more",
        ),
        ("gate.metric_failed", 6, "qps was unusable, so that nothing could scale for 75 s"),
        ("gate.metric_failed", None, "cpu and qps were unusable, so that nothing could scale for 75 s"),
        (
            "gate.partial_metrics_block_down",
            6,
            "qps was unusable, so that nothing scaled down for 75 s: up to 2 pods kept",
        ),
        (
            "gate.partial_metrics_block_down",
            None,
            "cpu and qps were unusable, so that nothing could scale down for 75 s",
        ),
    ],
)
def test_only_what_was_blocked_is_told_of_a_metric_that_failed(
    code: str, proposal: int | None, said: str, database: Patterns
) -> None:
    """Until 1.14 it ended the reconcile, so that nothing could scale up either."""
    failed = {"metric_idx": 1, "metric_name": "qps", "valid": False, "is_winner": False, "proposal": None}
    tables: Tables = {
        "recordings": BEGUN_BEFORE,
        "reconciles": reconciles(5, reason_code=code, spec_replicas=8, status_replicas=8),
        "metric_proposals": [
            *proposals(5, proposal=proposal, valid=proposal is not None, metric_idx=2),
            *proposals(5, **failed),
        ],
    }
    [verdict] = database.verdicts("one_bad_metric_blocks_down", tables)
    assert verdict.split(": ", 1)[1] == said


def test_metrics_that_failed_at_once_are_all_named(database: Patterns) -> None:
    """While another one fails, repairing the first changes nothing."""
    failed = {"valid": False, "is_winner": False, "proposal": None}
    rows = reconciles(6, reason_code="gate.partial_metrics_block_down", raw_desired=None)

    def told(*metrics: list[Row]) -> str:
        tables: Tables = {
            "recordings": BEGUN_BEFORE, "reconciles": rows, "metric_proposals": [row for one in metrics for row in one]
        }  # fmt: skip
        [(_, verdict, _, next_step)] = database.found("one_bad_metric_blocks_down", tables)
        assert ("each of these metrics" in next_step) == (" and " in verdict)
        return str(verdict).partition(", so that")[0]

    qps, lag = {"metric_name": "qps", "metric_idx": 1}, {"metric_name": "lag", "metric_idx": 2}
    assert told(proposals(6, **qps, **failed), proposals(6, **lag, **failed)) == "lag and qps were unusable"
    assert told(proposals(6, **qps, **failed), proposals(2, **lag, **failed)) == "qps was unusable, at times lag too"
    assert told(proposals(4, **qps, **failed), proposals(2, first=4, **lag, **failed)) == "lag or qps was unusable"


CPU_METRIC = '{"resource": {"name": "cpu"}, "type": "Resource"}'


def _edited(second: float, **values: Any) -> list[Row]:
    """Two specs in turn: the second one has these values."""
    before: Row = {"metrics": f"[{CPU_METRIC}]"}
    return [{**before, "valid_to": at(second)}, {**before, "valid_from": at(second), **values}]


SELECTOR = '[{"resource": {"name": "cpu"}, "type": "Resource", "selector": "b"}]'
STEADY: dict[str, Tables] = {
    "metric_not_responding": _memory([1.5, 1.5, 1.5]),
    "value_vs_average": _queue([2.0, 2.0, 1.9]),
    "external_zero_or_absent": FALLEN,
    "ceil_floor_never_down": CASES["ceil_floor_never_down"].fires,
    "tolerance_hold": CASES["tolerance_hold"].fires,
}
"""Patterns of one metric over several reconciles."""


@pytest.mark.parametrize("pattern", STEADY)
@pytest.mark.parametrize(
    ("edit", "is_other"),
    [
        ({"metrics": SELECTOR}, True),
        ({"metrics": f'[{{"type": "External"}}, {CPU_METRIC}]'}, True),
        ({"target_name": "api"}, True),
        ({"max_replicas": 99}, False),
        ({"metrics": f"[{CPU_METRIC}, {CPU_METRIC}]"}, False),
    ],
)
def test_what_an_edit_made_another_metric_is_not_told_of_one(
    pattern: str, edit: Row, is_other: bool, database: Patterns
) -> None:
    """The place of a metric in the spec is no name, and after an edit of its target it measures other pods."""
    last = max(row["ts"] for row in STEADY[pattern]["reconciles"])
    second = (last - START).total_seconds() / 2 + 1
    found = database.verdicts(pattern, {**STEADY[pattern], "hpa_specs": _edited(second, **edit)})
    assert found == ([] if is_other else database.verdicts(pattern, STEADY[pattern]))


def _climb(**values: list[Any]) -> Tables:
    """The case of a metric that does not respond, with these values in its reconciles."""
    tables = _memory([1.5, 1.5, 1.5])
    rows = [dict(row) for row in tables["reconciles"]]
    for column, each in values.items():
        for row, value in zip(rows, each, strict=True):
            row[column] = value
    return {**tables, "reconciles": rows}


@pytest.mark.parametrize(
    ("why", "tables"),
    [
        ("a policy allowed fewer", _climb(raw_desired=[4, 9, 4])),
        ("the replicas were lowered before", _climb(spec_replicas=[8, 4, 16], desired=[9, 8, 20])),
        (
            "the pods share a total by definition",
            {
                **_climb(),
                "metric_proposals": [
                    {**row, "metric_type": "External", "target_type": "AverageValue"}
                    for row in _climb()["metric_proposals"]
                ],
            },
        ),
    ],
)
def test_a_metric_that_may_respond_is_not_blamed(why: str, tables: Tables, database: Patterns) -> None:
    assert len(database.verdicts("metric_not_responding", _climb(raw_desired=[4, 8, 99]))) == 1
    assert database.verdicts("metric_not_responding", tables) == [], why


@pytest.mark.parametrize("pattern", ["metric_not_responding", "value_vs_average"])
def test_a_climb_ends_where_the_replicas_are_lowered(pattern: str, database: Patterns) -> None:
    tables = {"metric_not_responding": _memory, "value_vs_average": _queue}[pattern]([1.5, 1.5, 1.5])
    again = [{**row, "reconcile_id": n, "ts": at(15 * n)} for n, row in enumerate([*tables["reconciles"]] * 2)]
    told = [{**row, "reconcile_id": n, "ts": at(15 * n)} for n, row in enumerate([*tables["metric_proposals"]] * 2)]
    halves: Tables = {"reconciles": again, "metric_proposals": told}
    assert database.found(pattern, halves) == database.found(pattern, tables)
    assert database.spans(pattern, halves) == database.spans(pattern, tables)


def test_the_average_of_a_total_over_no_pods_is_no_overflow(database: Patterns) -> None:
    """Its ratio is infinite for any load."""
    woken = reconciles(1, spec_replicas=0, desired=4, action="scale_up")
    flood = {"metric_type": "External", "metric_name": "flood", "target_type": "AverageValue", "ratio": math.inf}

    def told(proposal: int) -> list[str]:
        metrics = proposals(1, proposal=proposal, **flood)
        return database.verdicts("overflow_to_min", {"reconciles": woken, "metric_proposals": metrics})

    assert told(8) == []
    beyond = (
        "critical: flood counted as infinitely many times its target, which asks for more replicas than 32 bits hold: "
        "that counts as "
    )
    assert told(-(2**31)) == [f"{beyond}the least number"], "something else raised it"
    assert told(2**31 - 1) == [f"{beyond}the greatest number, and 0 became 4"]


def test_a_negative_value_is_told_and_not_called_an_overflow(database: Patterns) -> None:
    """2^63 - 1 becomes -1 in thousandths; a source may also have said -1."""
    negative = proposals(2, metric_name="flood", ratio=-0.02, proposal=0)
    [verdict] = database.verdicts("overflow_to_min", {"reconciles": reconciles(2), "metric_proposals": negative})
    assert verdict == (
        "high: in 2 reconciles flood was negative, -0.02 times its target, which asks for no replicas: its source said "
        "so, or its value is beyond 64 bits"
    )


def test_the_times_of_an_overflow_are_not_those_of_other_values(database: Patterns) -> None:
    """Between two reconciles with one the value was negative, and before them another metric was too large."""
    numbers = [("queue", 6e8), ("flood", 9e8), ("flood", -5), ("flood", 1), ("flood", 8e8)]
    metrics = [
        {**row, "metric_name": name, "ratio": ratio}
        for row, (name, ratio) in zip(proposals(len(numbers)), numbers, strict=True)
    ]
    tables: Tables = {"reconciles": reconciles(len(numbers)), "metric_proposals": metrics}
    [verdict] = database.verdicts("overflow_to_min", tables)
    assert verdict.startswith("critical: in 2 reconciles flood counted as up to 900000000 times its target")
    assert database.spans("overflow_to_min", tables) == [(at(15), at(60))]


MOVED = [
    {"target_kind": "StatefulSet", "valid_to": at(100)},
    {"target_kind": "Deployment", "target_name": "nope", "valid_from": at(100), "valid_to": at(200)},
    {"target_kind": "StatefulSet", "valid_from": at(200)},
]
"""A StatefulSet, then for a while a Deployment."""


def test_a_target_is_that_of_the_time_that_is_told(database: Patterns) -> None:
    def unread(first: int, count: int) -> str:
        rows = reconciles(count, first=first, reason_code="gate.target_unreadable")
        [verdict] = database.verdicts("target_unreadable", {"hpa_specs": MOVED, "reconciles": rows})
        return verdict.removeprefix("low: the scale of ")

    assert unread(first=8, count=4) == "Deployment nope could not be read for 60 s"
    assert unread(first=11, count=4) == (
        "Deployment nope could not be read for 45 s, and that of StatefulSet web could not be read for 15 s"
    )

    def lacking(second: float) -> list[str]:
        rows = [{"ts": at(second), "class": "effect.not_created", "wanted": 6, "made": 4}]
        return database.verdicts("ordered_statefulset", {"hpa_specs": MOVED, "effects": rows})

    assert [len(lacking(second)) for second in (50, 150, 250)] == [1, 0, 1]
    assert lacking(50)[0].endswith("StatefulSet web asked for 6, and had 4 pods and 4 ready")


def test_what_vpa_and_keda_say_is_told_of_the_target_of_that_time(database: Patterns) -> None:
    moved = [{"valid_to": at(100)}, {"target_name": "api", "valid_from": at(100)}]
    percent, gone = {"resource": "verticalpodautoscalers", "name": "vpa"}, {"observed_at": at(80), "gone": True}

    def resized(target: str, *more: Row) -> list[tuple[Any, ...]]:
        state = f'{{"targetRef": {{"kind": "Deployment", "name": "{target}"}}}}'
        states = [{**percent, "state": state}, *({**percent, "state": state, **row} for row in more)]
        return database.spans("vpa_or_resize", {"hpa_specs": moved, "surroundings": states})

    assert resized("web") == [(START, at(100))]
    assert resized("api")[0][0] == at(100)
    assert resized("api", gone) == []

    def paused(target: str, *seconds: float) -> list[tuple[Any, ...]]:
        states: list[Row] = [
            {"paused": paused, "target_name": target, "observed_at": at(second)}
            for second, paused in zip(seconds, ("True", "False"), strict=False)
        ]
        return database.spans("keda_pause_race", {"hpa_specs": moved, "scaled_objects": states})

    assert paused("web", 50) == [(at(50), at(50))]
    assert paused("web", 150) == []
    assert paused("api", 150) == [(at(150), at(150))]
    assert paused("api", 50) == [(at(50), at(50))]
    assert paused("api", 50, 80) == []


def test_the_hpa_of_a_paused_scaled_object_may_be_gone_or_not_yet_there(database: Patterns) -> None:
    states = [{"paused": "True", "observed_at": at(100)}, {"paused": "False", "observed_at": at(200)}]
    deleted, made = [{"valid_to": at(90)}], [{"valid_from": at(210)}]
    for specs in (deleted, made):
        assert len(database.verdicts("keda_pause_race", {"hpa_specs": specs, "scaled_objects": states})) == 1


def test_a_fallback_is_told_of_the_hpa_that_lived_then(database: Patterns) -> None:
    lives = [{"deleted_at": at(300)}, {"hpa_uid": "u-2", "seen_at": at(400)}, {"hpa_uid": "u-3", "seen_at": at(800)}]
    fell = [{"fallback": "True"}, {"observed_at": at(700)}]
    found = database.verdicts("keda_fallback", {"hpas": lives, "scaled_objects": fell})
    assert sorted(found) == ["medium: KEDA fell back to 6 replicas for 300 s: the trigger of queue failed"] * 2


def test_pods_that_ended_are_told_of_the_time_in_which_they_did(database: Patterns) -> None:
    """Not of the whole time in which the target had the same number of replicas."""
    gone = [{"pod_uid": f"p{n}", "name": f"web-6f-{n}", "deleted_at": at(100 + n)} for n in range(4)]
    tables: Tables = {"hpa_specs": [{}], "pods": gone, "effects": [{"removed": 4}]}
    assert database.spans("node_churn", tables) == [(at(100), at(103))]
    lower = {**tables, "effects": [{"removed": 3, "from_replicas": 4, "wanted": 3}]}
    assert database.spans("node_churn", lower) == [(at(101), at(103))]


@pytest.mark.parametrize("kind", ["write_failed.denied", "write_failed.conflict", "unexplained"])
def test_what_was_refused_or_decided_otherwise_raised_nothing(kind: str, database: Patterns) -> None:
    tables = CASES["blank_reason"].fires
    decided = [{**row, "class": kind, "verdict": "divergent"} for row in tables["reconciles"]]
    assert database.verdicts("blank_reason", {**tables, "reconciles": decided}) == []


def test_what_only_the_replay_raised_is_no_raise(database: Patterns) -> None:
    """In a gap, or where the target kept its number, the memory of the replay raised nothing."""
    tables = CASES["blank_reason"].fires
    for only in ({"class": "no_data.recording_gap", "verdict": "undecidable"}, {"actual": 4}):
        replayed = [{**row, **only} for row in tables["reconciles"]]
        assert database.verdicts("blank_reason", {**tables, "reconciles": replayed}) == []


def test_a_bound_whose_write_was_refused_was_not_enforced(database: Patterns) -> None:
    tables = CASES["bounds_edited"].fires
    refused = [{**row, "class": "write_failed.denied", "verdict": "divergent"} for row in tables["reconciles"]]
    assert database.verdicts("bounds_edited", {**tables, "reconciles": refused}) == []


@pytest.mark.parametrize(
    ("why", "stood", "edit", "writes"),
    [
        ("it stood above the former bound too", 20, {"max_replicas": 6}, []),
        ("the other bound was changed", 20, {"min_replicas": 3}, []),
        ("the bound was raised", 12, {"max_replicas": 11}, []),
        ("somebody wrote after the edit", 8, {"max_replicas": 6}, changes((70, 4, 8), writer_class="kubectl")),
    ],
)
def test_an_edit_is_blamed_only_for_what_follows_from_it(
    why: str, stood: int, edit: Row, writes: list[Row], database: Patterns
) -> None:
    def told(stood: int, edit: Row, writes: list[Row]) -> list[str]:
        high = {"max_replicas": 10, **edit}["max_replicas"]
        row = {"reason_code": "gate.above_max", "action": "scale_down", "spec_replicas": stood, "desired": high}
        tables: Tables = {
            "hpa_specs": [{"valid_to": at(60)}, {"valid_from": at(60), "writer_manager": "alice", **edit}],
            "reconciles": reconciles(1, first=5, **row),
            "scale_events": writes,
        }
        return database.verdicts("bounds_edited", tables)

    assert told(stood, edit, writes) == [], why
    assert told(8, {"max_replicas": 6}, changes((50, 4, 8), writer_class="kubectl")) == [
        "low: alice changed 2 to 10 replicas into 2 to 6, and the HPA enforced it: 8 -> 6"
    ]


def test_what_an_overflow_wanted_is_no_change_where_nothing_was_written(database: Patterns) -> None:
    def told(**values: Any) -> str:
        rows = reconciles(1, action="scale_up", desired=8, **values)
        [verdict] = database.verdicts(
            "overflow_to_min", {"reconciles": rows, "metric_proposals": proposals(1, ratio=6e8, proposal=2**31 - 1)}
        )
        return verdict.rpartition(", and ")[2]

    assert told(actual=8) == "4 became 8"
    assert told(actual=4) == "8 were wanted in place of 4"


def test_a_negative_value_may_ask_for_replicas_all_the_same(database: Patterns) -> None:
    """Pods without a sample count as at their target on the way down."""
    told = proposals(1, metric_name="rps", ratio=-0.4, proposal=3)
    [verdict] = database.verdicts("overflow_to_min", {"reconciles": reconciles(1), "metric_proposals": told})
    assert "-0.4 times its target, and asks for 3 replicas all the same: its source said so" in verdict


def test_the_threshold_of_one_pod_fewer_is_told_exactly(database: Patterns) -> None:
    low = {"spec_replicas": 7, "desired": 7}
    tables: Tables = {
        "reconciles": reconciles(120, **low), "metric_proposals": proposals(120, ratio=0.85857, proposal=7)
    }  # fmt: skip
    [verdict] = database.verdicts("ceil_floor_never_down", tables)
    assert verdict.startswith("low: cpu at 0.859 of its target for 30 min, and still 7 replicas")
    assert verdict.endswith("for one pod fewer it must fall to 6/7 of its target")


def test_the_first_sight_of_a_spec_is_no_edit_of_a_schedule(database: Patterns) -> None:
    specs: list[Row] = [{"valid_from": at(86400 * day + 60), "writer_manager": "alice"} for day in range(3)]
    assert database.verdicts("scheduled_scaler", {"hpa_specs": specs[:2]}) == []
    [verdict] = database.verdicts("scheduled_scaler", {"hpa_specs": specs})
    assert verdict == "medium: alice writes the spec at 14:01Z, on 2 days"


def test_what_is_written_to_two_targets_in_turn_is_no_loop(database: Patterns) -> None:
    fires = CASES["gitops_selfheal_loop"].fires
    turns: list[Row] = [
        {"valid_from": at(second), "target_name": name}
        for second, name in ((0, "web"), (70, "api"), (170, "web"), (190, "api"))
    ]
    assert database.verdicts("gitops_selfheal_loop", {**fires, "hpa_specs": turns}) == []
    assert len(database.verdicts("gitops_selfheal_loop", {**fires, "hpa_specs": turns[:1]})) == 1


def test_pods_of_a_target_that_the_hpa_left_are_no_churn(database: Patterns) -> None:
    pods: list[Row] = [{"pod_uid": f"p{n}", "name": f"web-6f-{n}", "deleted_at": at(100 + n)} for n in range(4)]
    effects: list[Row] = [{"removed": 4, "wanted": 4}]
    left: list[Row] = [{"valid_to": at(60)}, {"valid_from": at(60), "target_name": "api"}]
    stays: list[Row] = [{"valid_to": at(60)}, {"valid_from": at(60), "max_replicas": 12}]
    tables: Tables = {"pods": pods, "effects": effects}
    assert database.verdicts("node_churn", {**tables, "hpa_specs": left}) == []
    assert database.verdicts("node_churn", {**tables, "hpa_specs": stays}) == [
        "low: 4 pods ended without a scale-down or a rollout"
    ]


def test_max_replicas_is_named_where_a_policy_allows_just_as_many(database: Patterns) -> None:
    policy: Row = {"reason_code": "policy.up_limit", "raw_desired": 14, "limited_reason": "TooManyReplicas"}
    both = reconciles(4, desired=10, **policy)
    asked = "metrics asked for 14 replicas, maxReplicas was 10"
    assert database.verdicts("pinned_at_max", {"reconciles": both}) == [
        f"medium: {asked}, and the scale-up policies allowed no more either"
    ]
    later = reconciles(4, first=4, desired=10, raw_desired=14, reason_code="bound.max")
    assert database.verdicts("pinned_at_max", {"reconciles": [*both, *later]}) == [
        f"medium: {asked}, and for a part of the time the scale-up policies allowed no more either"
    ]
    assert database.verdicts("pinned_at_max", {"reconciles": reconciles(4, desired=9, **policy)}) == []


def test_two_hpas_share_a_target_only_while_both_name_it(database: Patterns) -> None:
    moved = [
        {"target_name": "api", "valid_to": at(180)},
        {"valid_from": at(180), "valid_to": at(300)},
        {"target_name": "api", "valid_from": at(300)},
    ]
    other = {"hpa_uid": "u-2", "name": "late"}
    tables: Tables = {"hpas": [{}, other], "hpa_specs": [*moved, other]}
    assert sorted(database.verdicts("two_autoscalers", tables)) == [
        "high: web was the target of late too, until 14:05:00Z",
        "high: web was the target of web too, until 14:05:00Z",
    ]
    assert database.spans("two_autoscalers", tables) == [(at(180), at(300))] * 2
    apart = {**other, "valid_from": at(300)}
    assert database.verdicts("two_autoscalers", {"hpas": [{}, other], "hpa_specs": [*moved, apart]}) == []


def test_two_hpas_that_exchange_their_targets_share_none(database: Patterns) -> None:
    """One edit comes before the other, and no reconcile between them."""
    first = [{"valid_to": at(300)}, {"target_name": "api", "valid_from": at(300)}]
    second = [{"target_name": "api", "valid_to": at(301)}, {"valid_from": at(301)}]
    other = {"hpa_uid": "u-2", "name": "late"}
    tables: Tables = {"hpas": [{}, other], "hpa_specs": [*first, *({**row, **other} for row in second)]}
    assert database.verdicts("two_autoscalers", tables) == []


def test_a_write_that_the_service_account_may_not_make_is_no_matter_of_a_webhook(database: Patterns) -> None:
    refused = {"type": "AbleToScale", "status": "False", "reason": "FailedUpdateScale"}
    because = 'is forbidden: User "x" cannot update resource "deployments/scale" in API group "apps"'
    rows = reconciles(2, desired=8, **{"class": "write_failed.denied"})
    for message, word in ((because, "permission"), ('admission webhook "x" denied the request', "webhook")):
        tables: Tables = {"reconciles": rows, "hpa_conditions": [{**refused, "message": message}]}
        [(*_, next_step)] = database.found("admission_on_scale", tables)
        assert word in next_step


def test_the_numbers_of_several_writes_are_said_as_a_range(database: Patterns) -> None:
    kind = {"class": "write_mutated.admission"}
    rows = [*reconciles(4, desired=6, actual=5, **kind), *reconciles(15, first=4, desired=8, actual=5, **kind)]
    [verdict] = database.verdicts("admission_on_scale", {"reconciles": rows})
    assert verdict == "high: 19 writes changed by admission: the HPA wanted 6 to 8, and 5 was stored"
    assert database.spans("admission_on_scale", {"reconciles": rows}) == [(START, at(18 * 15))]


def _written_by(writer_class: str, *names: str) -> Tables:
    rows = [
        row
        for n, name in enumerate(names)
        for row in changes((60 * (n + 1), 8, 3), writer_class=writer_class, writer_name=name)
    ]
    return {"scale_events": rows}


@pytest.mark.parametrize(
    ("pattern", "tables", "said"),
    [
        ("apply_resets_replicas", _written_by("deploy_tool", "helm", "Terraform"), "Terraform and helm set"),
        ("operator_writes_back", _written_by("operator", "a", "c", "b", "a"), "a, b and c wrote the replicas 4 times"),
        (
            "progressive_delivery",
            _written_by("operator", "flagger", "argo-rollouts"),
            "argo-rollouts and flagger wrote",
        ),
        (
            "disabled_at_zero",
            {
                "reconciles": reconciles(30, **ZERO),
                "scale_events": [
                    *changes((-5, 4, 0), writer_class="person", writer_name="cron"),
                    *changes((200, 4, 0), writer_class="person", writer_name="alice"),
                ],
            },
            "off for 450 s in 2 times: alice and cron wrote replicas 0",
        ),
        (
            "disabled_at_zero",
            {
                "reconciles": reconciles(30, **ZERO),
                "scale_events": [
                    *changes((-5, 4, 0), writer_class="person", writer_name="cron"),
                    *changes((200, 4, 0), writer_class="unknown", writer_name=""),
                ],
            },
            "off for 450 s in 2 times: cron and somebody unknown wrote replicas 0",
        ),
        (
            "disabled_at_zero",
            {
                "reconciles": reconciles(30, **ZERO),
                "scale_events": changes((200, 4, 0), writer_class="person", writer_name="cron"),
            },
            "off for 450 s in 2 times: the target had replicas 0 at first, cron wrote it later, and the HPA",
        ),
        (
            "misleading_status",
            {"reports": [{"class": f"report.{kind}"} for kind in ("wrong_condition", *["stale_metric"] * 3)]},
            "the status showed a metric that was not usable 3 times, and conditions of another decision 1 time",
        ),
        (
            "one_bad_metric_blocks_down",
            {
                "recordings": BEGUN_BEFORE,
                "reconciles": reconciles(6, reason_code="gate.partial_metrics_block_down", raw_desired=None),
                "metric_proposals": [
                    *proposals(4, metric_name="qps", valid=False, is_winner=False, proposal=None),
                    *proposals(2, first=4, metric_name="lag", valid=False, is_winner=False, proposal=None),
                ],
            },
            "lag or qps was unusable, so that nothing could scale down for 90 s",
        ),
        (
            "pod_without_sample",
            {
                "recordings": BEGUN_BEFORE,
                "reconciles": reconciles(10, reason_code="adjust.damped_into_tolerance"),
                "metric_proposals": [
                    *proposals(7, ratio=0.7, ready_pods=3, missing_pods=1),
                    *proposals(3, first=7, ratio=0.7, ready_pods=2, missing_pods=2, metric_name="memory"),
                ],
            },
            "up to 2 pods without a sample of cpu and memory changed",
        ),
    ],
)
def test_what_several_did_is_not_told_of_one(pattern: str, tables: Tables, said: str, database: Patterns) -> None:
    [verdict] = database.verdicts(pattern, tables)
    assert verdict.split(": ", 1)[1].startswith(said)


def test_the_time_of_a_reconcile_counts_once_for_all_of_its_metrics(database: Patterns) -> None:
    blind = reconciles(20, reason_code="gate.all_metrics_invalid")
    for pattern, code in (("new_pods_ignored", "no_ready_metrics"), ("pod_without_sample", "container_missing")):
        lost = {"valid": False, "is_winner": False, "invalid_code": f"metric.invalid.{code}"}
        both = [*proposals(20, **lost), *proposals(20, metric_idx=1, metric_name="memory", **lost)]
        [verdict] = database.verdicts(pattern, {"reconciles": blind, "metric_proposals": both})
        assert " for 300 s" in verdict


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("gate.above_max", ", so that no metric was usable and the HPA only kept its bounds"),
        (
            "metric.above_target",
            ", in 2 stretches of 150 s together, so that no metric was usable and none of these could scale",
        ),
        (None, ", so that no metric was usable and nothing could scale"),
    ],
)
def test_what_moved_the_replicas_while_the_metrics_api_failed_is_told(
    code: str | None, said: str, database: Patterns
) -> None:
    """Outside of the bounds no metric is consulted, and the API may answer once in between."""
    moved = reconciles(1, first=5, reason_code=code, action="scale_down", desired=3) if code else []
    second = 5 + len(moved)
    tables: Tables = {
        "reconciles": [
            *reconciles(5, reason_code="gate.all_metrics_invalid"),
            *moved,
            *reconciles(5, first=second, reason_code="gate.all_metrics_invalid"),
        ],
        "metric_proposals": [
            proposal
            for proposal in proposals(5 + second, valid=False, invalid_code="metric.invalid.api_unavailable")
            if proposal["reconcile_id"] != 5 or not moved
        ],
    }
    [verdict] = database.verdicts("metrics_api_down", tables)
    assert verdict == f"high: the metrics API failed in 10 reconciles{said}"


def _two_outages(good: int) -> Tables:
    """Three reconciles in which the metrics API failed, so many in which it answered, and four in which it failed."""
    blind = [*range(3), *range(3 + good, 7 + good)]
    rows = [
        {**row, **({"reason_code": "gate.all_metrics_invalid"} if row["reconcile_id"] in blind else {})}
        for row in reconciles(7 + good)
    ]
    failed = {"valid": False, "is_winner": False, "invalid_code": "metric.invalid.api_unavailable"}
    return {
        "reconciles": rows,
        "metric_proposals": [
            {**row, **(failed if row["reconcile_id"] in blind else {})} for row in proposals(7 + good)
        ],
    }


def test_good_minutes_between_two_outages_are_no_outage(database: Patterns) -> None:
    """Ten good minutes do not make two outages of 45 and 60 s a grave one."""
    blind = "so that no metric was usable and"
    [verdict] = database.verdicts("metrics_api_down", _two_outages(40))
    assert verdict.startswith("medium: the metrics API failed in 7 reconciles, in 2 stretches of 105 s together")
    assert verdict.endswith(f", {blind} none of these could scale")
    [verdict] = database.verdicts("metrics_api_down", _two_outages(0))
    assert verdict == f"medium: the metrics API failed in 7 reconciles, {blind} nothing could scale"


def test_a_metric_that_failed_held_nothing_that_memory_would_have_held(database: Patterns) -> None:
    """For 5 minutes after the last recommendation of 8 it would have kept all of the 8."""
    failed = {"metric_idx": 1, "metric_name": "qps", "valid": False, "is_winner": False, "proposal": None}
    blocked = {"reason_code": "gate.partial_metrics_block_down", "raw_desired": None}
    tables: Tables = {
        "recordings": BEGUN_BEFORE,
        "reconciles": [
            *reconciles(1, spec_replicas=8, raw_desired=8),
            *reconciles(20, first=1, spec_replicas=8, unheld=8, **blocked),
            *reconciles(20, first=21, spec_replicas=8, **blocked),
        ],
        "metric_proposals": [*proposals(40, first=1, proposal=3), *proposals(40, first=1, **failed)],
        "assumptions": [{"key": "downscale-stabilization", "value": "300s"}],
    }
    [verdict] = database.verdicts("one_bad_metric_blocks_down", tables)
    assert verdict == "medium: qps was unusable, so that nothing scaled down for 300 s: up to 5 pods kept"


def test_a_new_process_held_the_replicas_that_it_found(database: Patterns) -> None:
    """It remembers them for 5 minutes, whatever the metrics asked for at its first reconcile."""
    failed = {"metric_idx": 1, "metric_name": "qps", "valid": False, "is_winner": False, "proposal": None}
    blocked = {"reason_code": "gate.partial_metrics_block_down", "raw_desired": None, "epoch_id": 1}
    tables: Tables = {
        "reconciles": [
            *reconciles(1, spec_replicas=8, raw_desired=3, stabilized=8, epoch_id=1),
            *reconciles(20, first=1, spec_replicas=8, unheld=8, **blocked),
            *reconciles(20, first=21, spec_replicas=8, **blocked),
        ],
        "metric_proposals": [*proposals(40, first=1, proposal=3), *proposals(40, first=1, **failed)],
        "assumptions": [{"key": "downscale-stabilization", "value": "300s"}],
    }
    [verdict] = database.verdicts("one_bad_metric_blocks_down", tables)
    assert verdict == "medium: qps was unusable, so that nothing scaled down for 300 s: up to 5 pods kept"


def test_a_restart_is_told_with_its_own_reconciles(database: Patterns) -> None:
    held = {"reason_code": "stabilize.down_hold", "raw_desired": 2}
    tables: Tables = {
        "controller_epochs": [{"epoch_id": n, "acquired_at": at(600 * n)} for n in range(3)],
        "reconciles": [*reconciles(2, first=41, epoch_id=1, **held), *reconciles(5, first=81, epoch_id=2, **held)],
    }
    [verdict] = database.verdicts("controller_restart_memory", tables)
    assert verdict.startswith(
        "low: after the restart at 14:20:00Z earlier recommendations were forgotten: 5 reconciles"
    )


def test_a_size_is_told_with_its_own_ratio(database: Patterns) -> None:
    """0.9 of the target at 20 replicas is not told of 4."""
    tables: Tables = {
        "reconciles": [*reconciles(125), *reconciles(120, first=125, spec_replicas=20)],
        "metric_proposals": [*proposals(125, ratio=0.8), *proposals(120, first=125, ratio=0.89, proposal=20)],
    }
    [verdict] = database.verdicts("ceil_floor_never_down", tables)
    assert verdict.startswith("low: cpu at 0.8 of its target for 31 min, and still 4 replicas")


def test_what_max_replicas_forbids_is_not_missing_by_a_policy(database: Patterns) -> None:
    def limited(raw: int, desired: int) -> list[Row]:
        return reconciles(5, reason_code="policy.up_limit", raw_desired=raw, desired=desired)

    assert database.verdicts("scale_up_rate_limited", {"reconciles": limited(14, 10)}) == []
    [verdict] = database.verdicts("scale_up_rate_limited", {"reconciles": limited(14, 9)})
    assert verdict == "medium: a policy allowed 9 where metrics asked for 14 and maxReplicas was 10, for 75 s"


def test_pods_of_one_scale_up_after_another_are_not_one_wait(database: Patterns) -> None:
    """Each reconcile raised the replicas, and those of the one before were made."""
    rising = [{**row, "spec_replicas": 5 + n, "status_replicas": 4 + n} for n, row in enumerate(reconciles(12))]
    scaled = [{"ts": row["ts"], "scale_event_id": n, "from_replicas": 4 + n, "wanted": 5 + n}
              for n, row in enumerate(rising)]  # fmt: skip
    assert database.verdicts("pods_not_created", {"reconciles": rising, "effects": scaled}) == []
    stuck = [{**row, "status_replicas": 4} for row in rising]
    [verdict] = database.verdicts("pods_not_created", {"reconciles": stuck, "effects": scaled})
    assert verdict == "high: the target was scaled to 16, and only 4 pods were made"


@pytest.mark.parametrize(
    ("why", "rows"),
    [
        ("all were made, and one ended", [*reconciles(4, spec_replicas=8, status_replicas=8), (4, 8, 7)]),
        ("they were there from the start, and went", [*reconciles(4), (4, 4, 0)]),
        ("more were made before the number fell", [*reconciles(4, spec_replicas=8, status_replicas=7), (4, 6, 5)]),
    ],
)
def test_pods_that_were_made_and_ended_are_not_called_not_made(why: str, rows: list[Any], database: Patterns) -> None:
    *before, (first, wanted, there) = rows
    after = reconciles(12, first=first, spec_replicas=wanted, status_replicas=there)
    assert database.verdicts("pods_not_created", {"reconciles": [*before, *after]}) == [], why
    [verdict] = database.verdicts(
        "pods_not_created",
        {
            "reconciles": [*before, *after, *reconciles(10, first=16, spec_replicas=12, status_replicas=9)],
            "effects": [{"ts": at(230), "scale_event_id": 1, "wanted": 12}],
        },
    )
    assert verdict == "high: the target was scaled to 12, and only 9 pods were made"


WAITING = [*reconciles(4), *reconciles(12, first=4, spec_replicas=8, status_replicas=5)]
SCALED_UP: Row = {"ts": at(47), "scale_event_id": 1, "wanted": 8, "class": "effect.quota", "pod_seconds_missing": 540.0}


def test_a_wait_for_pods_begins_with_the_scale_up(database: Patterns) -> None:
    """Where the number was so when the recording began, or when the HPA turned to this target, nobody scaled it."""
    for effects, first_at, said in (
        ([SCALED_UP], at(47), "the target was scaled to 8, and only 5 pods were made"),
        ([{**SCALED_UP, "scale_event_id": None}], at(60), "the target asked for 8 replicas, and had at most 5 pods"),
        ([{**SCALED_UP, "from_replicas": 9}], at(60), "the target asked for 8 replicas, and had at most 5 pods"),
        ([], at(60), "the target asked for 8 replicas, and had at most 5 pods"),
    ):
        tables: Tables = {"reconciles": WAITING, "effects": effects}
        assert database.verdicts("pods_not_created", tables) == [f"high: {said}"]
        assert database.spans("pods_not_created", tables) == [(first_at, at(15 * 15))]
    # A minute after the scale-up the status was not known, or all of its pods were there, for one reconcile.
    later = {
        "reconciles": [*WAITING[:8], {**WAITING[8], "status_replicas": None}, *WAITING[9:]],
        "effects": [SCALED_UP],
    }
    assert database.spans("pods_not_created", later) == []
    longer = {
        **later,
        "reconciles": [*later["reconciles"], *reconciles(6, first=16, spec_replicas=8, status_replicas=5)],
    }
    assert database.spans("pods_not_created", longer) == [(at(9 * 15), at(21 * 15))]


def test_pods_of_one_target_are_not_missing_at_another(database: Patterns) -> None:
    """Three minutes of waiting, a minute and a half for each of two targets."""
    rows = reconciles(12, spec_replicas=8, status_replicas=5)
    one: Row = {"valid_from": at(0), "valid_to": at(90)}
    two: Row = {"valid_from": at(90), "target_name": "api"}
    assert database.verdicts("pods_not_created", {"reconciles": rows, "hpa_specs": [one, two]}) == []
    assert (
        len(
            database.verdicts(
                "pods_not_created", {"reconciles": rows, "hpa_specs": [one, {**two, "target_name": "web"}]}
            )
        )
        == 1
    )


@pytest.mark.parametrize(
    ("cause", "who", "next_step"),
    [
        (
            'pods "web-6f-x" is forbidden: exceeded quota: small, requested: pods=1, used: pods=5, limited: pods=5',
            ": quota small refused more; 9 pod-minutes missing",
            "raise this quota",
        ),
        (
            'admission webhook "w" denied the request',
            ": the API server refused more; 9 pod-minutes missing",
            "see `cause`",
        ),
        (None, "", "look at the Events"),
    ],
)
def test_who_refuses_pods_is_told_where_an_event_says_it(
    cause: str | None, who: str, next_step: str, database: Patterns
) -> None:
    tables: Tables = {"reconciles": WAITING, "effects": [{**SCALED_UP, "cause": cause}]}
    [(_, verdict, evidence, told)] = database.found("pods_not_created", tables)
    assert verdict == f"the target was scaled to 8, and only 5 pods were made{who}"
    assert told.startswith(next_step)
    assert json.loads(evidence)["cause"] == cause


@pytest.mark.parametrize(
    "pattern", ["metric_not_responding", "rollout_inflation", "startup_cpu_burst", "value_vs_average"]
)
def test_a_scale_up_that_did_not_happen_raised_nothing(pattern: str, database: Patterns) -> None:
    """Only the replay has it; the next reconcile read the old number."""
    fires = CASES[pattern].fires
    rows = [*fires["reconciles"]]
    done = [{**row, "actual": row["desired"]} for row in rows]
    undone = [{**rows[0], "actual": rows[0].get("spec_replicas", 4)}, *done[1:]]
    assert len(database.verdicts(pattern, {**fires, "reconciles": done})) == 1
    assert database.verdicts(pattern, {**fires, "reconciles": undone}) == []


def test_nobody_is_named_who_may_not_have_removed_the_behavior(database: Patterns) -> None:
    before, after = _revised(None)["hpa_specs"]
    tables: Tables = {"hpa_specs": [before, {**after, "writer_manager": ""}]}
    [(_, verdict, _, next_step)] = database.found("behavior_lost_by_old_api", tables)
    assert verdict == "the behavior was removed 1 time"
    assert "may" in next_step


@pytest.mark.parametrize(
    ("pattern", "said"),
    [
        ("missing_request_sidecar", "blind for 1800 s in 2 stretches"),
        ("new_pods_ignored", " for 600 s in 2 stretches"),
        ("one_bad_metric_blocks_down", " for 9000 s in 2 stretches"),
        ("pod_without_sample", " for 300 s in 2 stretches"),
        ("scale_up_rate_limited", " for 180 s in 2 stretches"),
        ("slow_or_missed_sync", "not reconciled for 240 s in 2 stretches"),
        ("stabilization_confusion", " for 60 min in 2 stretches"),
        ("stale_informer", " for 300 s in 2 stretches"),
        ("target_unreadable", " for 300 s in 2 stretches"),
        ("unready_pods_damp_up", " for 240 s in 2 stretches"),
    ],
)
def test_what_lasted_in_two_stretches_is_not_told_as_one(pattern: str, said: str, database: Patterns) -> None:
    """Half of a day lies between them."""
    fires = CASES[pattern].fires
    tables = {
        name: [*rows, *({**row, "reconcile_id": row["reconcile_id"] + 5000, "ts": row["ts"] + timedelta(hours=12)}
                        for row in rows)]
        if name in ("reconciles", "metric_proposals") else rows
        for name, rows in fires.items()
    }  # fmt: skip
    [verdict] = database.verdicts(pattern, tables)
    assert said in verdict
    [verdict] = database.verdicts(pattern, fires)
    assert "stretches" not in verdict


def test_after_the_last_renewal_of_the_lease_nothing_says_that_the_controller_ran(database: Patterns) -> None:
    missed = reconciles(8, **{"class": "not_run.missed_reconcile"})

    def told(*renewals: float | None) -> list[str]:
        epochs = [{"epoch_id": n, "renewed_at": None if s is None else at(s)} for n, s in enumerate(renewals)]
        return database.verdicts("slow_or_missed_sync", {"reconciles": missed, "controller_epochs": epochs})

    assert told(-40) == []
    assert len(told(-40, 120)) == len(told(None)) == 1


def _lasting(tables: Tables, key: str, pattern: str, database: Patterns, *writes: Row) -> float:
    """What a finding says it lasted, if each reconcile lasts 30 s and these writes are seen."""
    longer = [{**row, "lasted_s": 30.0} for row in tables["reconciles"]]
    events = [*tables.get("scale_events", ()), *writes]
    [(_, _, evidence, _)] = database.found(pattern, {**tables, "reconciles": longer, "scale_events": events})
    return float(json.loads(evidence)[key])


WRITTEN: list[Row] = [
    row
    for first in (0, 2)
    for row in changes((15 * first + 3, 4, 5), (15 * first + 9, 5, 6), writer_class="person", reconcile_id=first)
]
"""Somebody wrote 3 s after two reconciles, and again."""
NOT_WRITTEN: list[Row] = [
    *changes((3, 4, 5), reconcile_id=0),
    *changes((3, 4, 5), source="predicted", writer_class="person", reconcile_id=0),
]
"""The HPA wrote itself, and a replay would have."""


@pytest.mark.parametrize(
    "pattern",
    [
        "ceil_floor_never_down",
        "disabled_at_zero",
        "one_bad_metric_blocks_down",
        "outside_bounds",
        "pinned_at_max",
        "pod_without_sample",
        "scale_up_rate_limited",
        "stabilization_confusion",
        "tolerance_hold",
        "unready_pods_damp_up",
    ],
)
def test_a_number_is_held_until_somebody_else_writes(pattern: str, database: Patterns) -> None:
    fires = CASES[pattern].fires
    seconds = _lasting(fires, "seconds", pattern, database)
    assert seconds == 30 * len([*fires["reconciles"]])
    assert _lasting(fires, "seconds", pattern, database, *NOT_WRITTEN) == seconds
    assert _lasting(fires, "seconds", pattern, database, *WRITTEN) == seconds - 2 * 27


@pytest.mark.parametrize(
    ("pattern", "key"),
    [
        ("missing_request_sidecar", "blind_s"),
        ("new_pods_ignored", "blind_s"),
        ("stale_informer", "blind_s"),
        ("target_unreadable", "seconds"),
    ],
)
def test_what_is_blind_stays_so_until_the_next_reconcile(pattern: str, key: str, database: Patterns) -> None:
    """Nothing can be decided before, whoever writes."""
    fires = CASES[pattern].fires
    seconds = _lasting(fires, key, pattern, database)
    assert seconds == 30 * len([*fires["reconciles"]])
    assert _lasting(fires, key, pattern, database, *WRITTEN) == seconds


@pytest.mark.parametrize(
    ("code", "lost_s"), [("gate.all_metrics_invalid", 0), ("gate.partial_metrics_block_down", 2 * 27)]
)
def test_a_missing_container_blinds_only_where_no_metric_is_left(code: str, lost_s: float, database: Patterns) -> None:
    lost = {"valid": False, "is_winner": False, "invalid_code": "metric.invalid.container_missing"}
    tables: Tables = {"reconciles": reconciles(20, reason_code=code), "metric_proposals": proposals(20, **lost)}
    assert _lasting(tables, "seconds", "pod_without_sample", database, *WRITTEN) == 600 - lost_s


def _held_down(**values: Any) -> Tables:
    """Half an hour in which memory held 20 replicas, and metrics asked for 2."""
    held: Row = {"reason_code": "stabilize.down_hold", "spec_replicas": 20, "status_replicas": 20, "max_replicas": 20,
        "desired": 20}  # fmt: skip
    return {"reconciles": reconciles(120, **{**held, "raw_desired": 2, **values})}


@pytest.mark.parametrize(
    ("values", "kept"),
    [
        ({}, "18 pods"),
        ({"min_replicas": 12}, "8 pods"),
        ({"max_replicas": 1, "min_replicas": 1}, "19 pods"),
        ({"spec_replicas": 20, "desired": 24}, "18 pods"),  # up to 1.15 a decision starts from the pods that there are
        ({"desired": 5, "action": "scale_down"}, "3 pods"),
    ],
)
def test_memory_keeps_only_pods_that_could_have_gone(values: Row, kept: str, database: Patterns) -> None:
    [verdict] = database.verdicts("stabilization_confusion", _held_down(**values))
    assert verdict == f"info: earlier recommendations held scale-downs for 30 min, and kept up to {kept}"


@pytest.mark.parametrize(
    ("why", "values"),
    [
        ("minReplicas is as many", {"min_replicas": 20}),
        ("it was scaled to minReplicas", {"desired": 12, "min_replicas": 12, "action": "scale_down"}),
        ("memory raised the number", {"spec_replicas": 10, "action": "scale_up"}),
        ("what memory holds is not recorded", {"missing_input": "memory.before_recording"}),
    ],
)
def test_memory_that_changes_nothing_is_not_blamed(why: str, values: Row, database: Patterns) -> None:
    assert database.verdicts("stabilization_confusion", _held_down(**values)) == [], why


def test_memory_is_not_blamed_where_something_else_holds_the_same_number(database: Patterns) -> None:
    tables = _held_down()
    assert database.verdicts("stabilization_confusion", tables)
    held = [{**row, "unheld": row["desired"]} for row in tables["reconciles"]]
    assert database.verdicts("stabilization_confusion", {**tables, "reconciles": held}) == []


def test_zero_over_zero_replicas_is_not_above_a_target(database: Patterns) -> None:
    """DuckDB sorts what is no number above every number."""
    for pattern in ("value_vs_average", "tolerance_hold", "external_zero_or_absent"):
        fires = CASES[pattern].fires
        told = [{**row, "ratio": math.nan} for row in fires["metric_proposals"]]
        assert database.verdicts(pattern, {**fires, "metric_proposals": told}) == [], pattern


def test_every_pattern_has_a_case() -> None:
    assert set(CASES) == set(sql.folder("findings"))
    assert at(0) == START


INSIDE = {"metric_type": "External", "target_type": "AverageValue", "ratio": 1.05, "proposal": 6}


@pytest.mark.parametrize(
    ("reconcile", "metrics", "chain"),
    [
        ({}, [{"ratio": 1.05}], ("act.hold", "winner.only_valid", "metric.within_tolerance")),
        ({}, [{"ratio": 1.0}, {"valid": False}], ("act.hold", "winner.only_valid", "metric.on_target")),
        (
            {"action": "scale_up"},
            [{"ratio": 2.0, "proposal": 8}, {"proposal": 5}],
            ("act.scale_up", "winner.max_proposal", "metric.above_target"),
        ),
        (
            {"action": "scale_down"},
            [{"ratio": 0.5, "proposal": 2}, {"proposal": 2}],
            ("act.scale_down", "winner.tie", "metric.below_target"),
        ),
        (
            {"status_replicas": 6},
            [INSIDE],
            ("act.hold", "winner.only_valid", "tolerance.status_replicas_returned"),
        ),
        ({"status_replicas": 4}, [INSIDE], ("act.hold", "winner.only_valid", "metric.within_tolerance")),
        ({"reason_code": "act.write_failed"}, [], ("act.write_failed", None, None)),
    ],
)
def test_the_reasons_of_a_reconcile_are_a_chain(
    reconcile: Row, metrics: list[Row], chain: tuple[str, ...], database: Patterns
) -> None:
    told = [
        {"reconcile_id": 0, "ts": at(0), "metric_idx": place, "is_winner": place == 0, **metric}
        for place, metric in enumerate(metrics)
    ]
    tables: Tables = {"reconciles": reconciles(1, **reconcile), "metric_proposals": told}
    assert database.chain(tables) == [chain]


def test_the_number_of_one_reconcile_is_not_told_of_the_time_of_all(database: Patterns) -> None:
    """The policy allowed 5 for a minute, then 6, then 7."""
    climb = [
        row
        for n, desired in enumerate((5, 6, 7))
        for row in reconciles(4, first=4 * n, reason_code="policy.up_limit", raw_desired=9, desired=desired)
    ]
    [verdict] = database.verdicts("scale_up_rate_limited", {"reconciles": climb})
    assert verdict == (
        "medium: a policy allowed fewer than metrics asked for, for 180 s: at worst 5 where they asked for 9"
    )


def test_a_scale_up_that_is_disabled_is_no_policy(database: Patterns) -> None:
    off = reconciles(6, reason_code="policy.up_disabled", raw_desired=9, desired=6)
    [verdict] = database.verdicts("scale_up_rate_limited", {"reconciles": off})
    assert verdict == "medium: scale-up is disabled, which allowed 6 where metrics asked for 9, for 90 s"


def test_what_was_asked_for_stands_beside_the_max_replicas_of_that_time(database: Patterns) -> None:
    """8 were asked for while 6 was the maximum; 10 was it later."""
    low = reconciles(4, reason_code="bound.max", raw_desired=8, desired=6, max_replicas=6)
    high = reconciles(4, first=4, reason_code="bound.max", raw_desired=11, desired=10)
    [verdict] = database.verdicts("pinned_at_max", {"reconciles": [*low, *high]})
    assert verdict == "medium: metrics asked for 8 replicas, maxReplicas was 6 then, and in all 6 to 10"


def test_of_numbers_that_occur_equally_often_none_is_the_most_frequent(database: Patterns) -> None:
    outside = [
        row
        for n, number in enumerate((12, 40, 13))
        for row in reconciles(1, first=n, reason_code="gate.above_max", spec_replicas=number)
    ]
    [verdict] = database.verdicts("outside_bounds", {"reconciles": outside})
    assert verdict.endswith("for example 12 outside 2 to 10")
    writes = changes((60, 4, 1), (120, 4, 3), writer_class="operator", writer_name="db-operator")
    assert database.verdicts("operator_writes_back", {"scale_events": writes}) == [
        "high: db-operator wrote the replicas 2 times, for example 1"
    ]


def test_the_value_of_one_reconcile_is_not_told_of_all(database: Patterns) -> None:
    ratios = zip(proposals(2, metric_name="flood", proposal=0), (-1.5, -30.0), strict=True)
    negative = [{**row, "ratio": ratio} for row, ratio in ratios]
    [verdict] = database.verdicts("overflow_to_min", {"reconciles": reconciles(2), "metric_proposals": negative})
    assert verdict.startswith("high: in 2 reconciles flood was negative, down to -30 times its target")


def test_a_tolerance_is_told_with_its_end_and_the_times_that_it_held(database: Patterns) -> None:
    """For 20 minutes twice, by a tolerance of less than a percent more than 2.5."""
    held: dict[str, Any] = {"action": "hold", "reason_code": "tolerance.hold", "spec_replicas": 40, "max_replicas": 60}
    told: dict[str, Any] = {"ratio": 1.024, "tolerance": 0.025, "ready_pods": 42}
    tables: Tables = {
        "reconciles": [*reconciles(80, **held), *reconciles(80, first=200, **held)],
        "metric_proposals": [*proposals(80, **told), *proposals(80, first=200, **told)],
    }
    assert database.verdicts("tolerance_hold", tables) == [
        "info: cpu stood at 102.4 % of its target for 40 min in 2 stretches: the tolerance of 2.5 % holds up to 102.5 %"
    ]


def test_a_total_that_falls_little_by_little_is_not_said_to_stay(database: Patterns) -> None:
    """By less than a tenth each time: from three times its target to two and a half."""
    [verdict] = database.verdicts("value_vs_average", _queue([2.0, 2.0, 2.1]))
    assert verdict.startswith(
        "high: queue has a target of type Value, and did not fall while 3 scale-ups raised 2 to 16"
    )
    assert database.verdicts("value_vs_average", _queue([3.0, 2.75, 2.5])) == []
    [verdict] = database.verdicts("value_vs_average", _queue([3.0, 2.9, 2.75]))
    assert verdict == (
        "high: queue has a target of type Value, and fell only from 3 to 2.75 times its target while "
        "3 scale-ups raised 2 to 16 replicas"
    )


@pytest.mark.parametrize(
    ("raw_desired", "scale_reason", "said"),
    [
        (4, "", "names no reason"),
        (2, "All metrics below target", "names a reason for a scale-down"),
        (2, None, "names a reason for a scale-down"),
    ],
)
def test_an_event_with_a_reason_is_not_said_to_name_none(
    raw_desired: int, scale_reason: str | None, said: str, database: Patterns
) -> None:
    """Where the metrics ask for fewer than there are, the controller says so, although memory raises the replicas."""
    tables = CASES["blank_reason"].fires
    raised = [{**row, "raw_desired": raw_desired, "scale_reason": scale_reason} for row in tables["reconciles"]]
    assert database.verdicts("blank_reason", {**tables, "reconciles": raised}) == [
        f"low: an earlier recommendation, not load, raised the replicas 1 time: the Event {said}"
    ]


@pytest.mark.parametrize(
    ("before", "said"),
    [
        ({"hpa_uid": "u-before"}, "to the HPA of this name that was deleted before"),
        ({"target_name": "api"}, "for the target that the HPA scaled before"),
    ],
)
def test_an_hpa_that_was_made_again_for_its_target_did_not_turn_to_another(
    before: Row, said: str, database: Patterns
) -> None:
    """Made again before the controller saw that it was gone, it has the memory of the HPA of its name."""
    tables = {
        "reconciles": reconciles(1, first=8, raw_desired=4, desired=6, action="scale_up"),
        "decision_steps": [{"reconcile_id": 8, "code": "stabilize.legacy_raise"}],
        "hpa_specs": [{**before, "valid_to": at(100)}, {"valid_from": at(100)}],
        "assumptions": [{"key": "downscale-stabilization", "value": "300s"}],
    }
    [(*_, next_step)] = database.found("blank_reason", tables)
    assert next_step == f"nothing: that was recommended {said}"


def test_pods_that_count_as_idle_are_some_of_the_pods_and_not_of_the_replicas(database: Patterns) -> None:
    """In a rollout there are surge pods: six pods where four replicas are asked for."""
    surge = [
        {**row, "unready_pods": 5 if n else 4, "ready_pods": 1, "missing_pods": 0}
        for n, row in enumerate(proposals(8, **IDLE))
    ]
    [verdict] = database.verdicts(
        "unready_pods_damp_up", {"reconciles": reconciles(8, **HELD_UP), "metric_proposals": surge}
    )
    assert "at worst 5 of 6 pods counted as idle" in verdict


def test_one_finished_pod_is_not_several(database: Patterns) -> None:
    [verdict] = database.verdicts("finished_pods_counted", CASES["finished_pods_counted"].fires)
    assert verdict == "medium: 1 finished pod counted, without a sample"


def test_who_makes_a_target_again_fights_with_nobody(database: Patterns) -> None:
    """Twice alice scales by hand, and a minute later the target has its former number."""

    def fights(**again: bool) -> list[str]:
        by_alice = changes((100, 8, 3), (500, 8, 3), writer_class="kubectl", writer_name="alice")
        back = changes((160, 3, 8), (560, 3, 8), writer_class="unknown", writer_name="", **again)
        asked = database.asked("which_writers_fight", {"scale_events": [*by_alice, *back]})
        return [row["writer_name"] for row in asked]

    assert fights() == ["alice"]
    assert fights(is_remade=True) == []
