"""Computes what `/metrics` says about the HPAs themselves, with a bound on the number of series."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from hpaaudit.cluster.observe.observer import Observer
from hpaaudit.cluster.stores.conditions import OTHER, REASONS
from hpaaudit.model.units import SECOND

Labels = tuple[str, ...]
MAX_CONDITIONS = 500
"""So many conditions are named, those that have lasted longest. All of them are counted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HpaMetrics:
    """What HPAs publish, and what is seen of their controller. Times are in seconds since 1970.

    by_reason   how many HPAs publish each condition and reason, 0 included
    since       by namespace, HPA, condition and reason: when the condition took this reason
    left_out    conditions that are not in `since`
    foreign     by namespace, target and field manager: the last write of replicas that was not the HPA controller's
    renewed     when the controller last renewed its Lease, by its own clock; empty while unknown
    """

    by_reason: Mapping[Labels, float]
    since: Mapping[Labels, float]
    left_out: int
    foreign: Mapping[Labels, float]
    foreign_writes: int
    status_changes: int
    metric_changes: int
    renewed: Mapping[Labels, float]


def hpa_metrics(observer: Observer) -> HpaMetrics:
    """The metrics of now."""
    known = ((condition, reason) for condition, reasons in REASONS.items() for reason in (*reasons, OTHER))
    counts: Counter[Labels] = Counter(dict.fromkeys(known, 0))
    named = [(key, trouble) for key, version in observer.hpas.versions.items() for trouble in version.troubles]
    counts.update((trouble.condition, trouble.reason) for _, trouble in named)
    named.sort(key=lambda pair: (pair[1].since_us, pair[0], pair[1].condition))
    targets, leases = observer.targets.foreign, observer.environment.leases
    renewed_us = leases.renewed_us if leases else None
    return HpaMetrics(
        by_reason=counts,
        since={
            (*key, trouble.condition, trouble.reason): trouble.since_us / SECOND
            for key, trouble in named[:MAX_CONDITIONS]
        },
        left_out=max(0, len(named) - MAX_CONDITIONS),
        foreign={
            (target.namespace, f"{_resource(target.resource, target.group)}/{target.name}", manager): at_us / SECOND
            for target, (manager, at_us) in targets.last.items()
        },
        foreign_writes=targets.count,
        status_changes=observer.hpas.status_changes,
        metric_changes=observer.poller.metric_changes,
        renewed={} if renewed_us is None else {(): renewed_us / SECOND},
    )


def _resource(resource: str, group: str) -> str:
    return f"{resource}.{group}" if group else resource
