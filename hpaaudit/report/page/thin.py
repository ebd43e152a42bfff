"""Thins the reconciles of an HPA where a page has too many of them: those at which something changed stay."""

from dataclasses import replace

from hpaaudit.model.hpa_columns import HpaColumns

_CHANGING = ("replicas", "replay", "decided", "actual", "min", "max", "unready", "missing", "ignored")
"""The columns of numbers of which every change stays; those of metrics change at nearly each reconcile."""


def thinned(hpa: HpaColumns, every: int) -> HpaColumns:
    """One of so many reconciles, and each that differs from the one before in more than its metrics."""
    if every <= 1:
        return hpa
    watched = [
        *(hpa.numbers[name] for name in _CHANGING if name in hpa.numbers),
        hpa.words["verdict"],
        hpa.words["state"],
    ]
    kept = [
        place
        for place in range(len(hpa.times_us))
        if place % every == 0
        or hpa.reconcile_ids[place] in hpa.told
        or any(column[place] != column[place - 1] for column in watched)
    ]
    return replace(
        hpa,
        times_us=[hpa.times_us[place] for place in kept],
        reconcile_ids=[hpa.reconcile_ids[place] for place in kept],
        numbers={name: [column[place] for place in kept] for name, column in hpa.numbers.items()},
        words={name: [column[place] for place in kept] for name, column in hpa.words.items()},
        metrics=tuple(
            replace(
                metric,
                values=[metric.values[place] for place in kept],
                targets=[metric.targets[place] for place in kept],
            )
            for metric in hpa.metrics
        ),
    )
