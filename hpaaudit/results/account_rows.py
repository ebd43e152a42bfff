"""Turns rows of the results into values of the account."""

from collections.abc import Iterator, Mapping
from typing import Any

from hpaaudit.model.account import Change, Divergence, Metric
from hpaaudit.results.read import Results


def change(row: Mapping[str, Any]) -> Change:
    """A change, from a row of the relation `changes` with its times in microseconds: `at_us`, `after_us`."""
    return Change(
        at_us=row["at_us"],
        from_replicas=row["from_replicas"],
        to_replicas=row["to_replicas"],
        writer_class=row["writer_class"] or "",
        writer_name=row["writer_name"] or "",
        evidence_level=row["evidence_level"] or "",
        decided=row["decided"],
        replay=row["replay"],
        reason_code=row["reason_code"] or "",
        metric=metric(row) if row["metric_name"] is not None else None,
        divergence_class=row["class"] or "",
        severity=row["severity"] or "",
        confidence=row["confidence"] or "",
        raw_desired=row["raw_desired"],
        stabilized=row["stabilized"],
        tied_metrics=tuple(row["tied_metrics"] or ()),
        is_undecidable=row["verdict"] == "undecidable",
        after_us=row["after_us"],
        is_remade=row["is_remade"],
    )


def metric(row: Mapping[str, Any]) -> Metric:
    """A metric, from a row of `metric_proposals` or some of its columns."""
    return Metric(
        name=row["metric_name"],
        label=row["metric_label"],
        type=row.get("metric_type", ""),
        target_type=row["target_type"] or "",
        target=row["target"],
        current_utilization=row["current_utilization"],
        current_milli=row["current_milli"],
        ratio=row.get("ratio"),
        ratio_adjusted=row.get("ratio_adjusted"),
        tolerance=row.get("tolerance"),
        proposal=row.get("proposal"),
        valid=row.get("valid", True),
        invalid_code=row.get("invalid_code", ""),
        invalid_text=row.get("invalid_text") or "",
        adjust_code=row.get("adjust_code", ""),
        ready_pods=row.get("ready_pods"),
        unready_pods=row.get("unready_pods"),
        missing_pods=row.get("missing_pods"),
        ignored_pods=row.get("ignored_pods"),
        is_winner=row.get("is_winner", True),
    )


def divergences(results: Results, uid: str | None = None) -> Iterator[tuple[str, int, Divergence]]:
    """The divergences of one HPA, or of all, ordered by time: uid, number and divergence."""
    for row in results.rows(
        """
        select
            *, epoch_us(opened_at) as opened_us, epoch_us(closed_at) as closed_us,
            (
                select count(*)
                from reconciles as r
                where r.divergence_id = d.divergence_id and r.class = d.class
            ) as certain
        from divergences as d
        where hpa_uid = coalesce($uid, hpa_uid)
        order by opened_at, divergence_id
        """,
        uid=uid,
    ):
        yield row["hpa_uid"], row["divergence_id"], divergence(row)


def divergence(row: Mapping[str, Any]) -> Divergence:
    """A divergence, from a row of `divergences` with `opened_us` and `closed_us`."""
    return Divergence(
        opened_us=row["opened_us"],
        closed_us=row["closed_us"],
        divergence_class=row["class"],
        severity=row["severity"],
        confidence=row["confidence"],
        reconciles=row["reconciles"],
        certain=row.get("certain", row["reconciles"]),
        explanation=row["explanation"],
        next_step=row["next_step"],
        is_decided_alike=row["decided"] is not None and row["decided"] == row["predicted"],
    )
