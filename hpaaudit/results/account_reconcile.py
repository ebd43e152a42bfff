"""Reads one reconcile from a results file, for its page."""

import json
import shlex
from collections.abc import Iterator
from typing import Any

from hpaaudit.errors import NotResults
from hpaaudit.model.account import Divergence, Metric, PodLine, ReconcileAccount, StepLine
from hpaaudit.model.units import Micros
from hpaaudit.results.account import hpa_names
from hpaaudit.results.account_rows import change, divergences, metric
from hpaaudit.results.questions import Scope, defaults, require_one_hpa
from hpaaudit.results.read import Results

_CONDITIONS = ("able", "active", "limited")
_TYPES = ("AbleToScale", "ScalingActive", "ScalingLimited")


def interesting(results: Results, hpa: str | None) -> tuple[str, Micros]:
    """The HPA and the moment that matter most: the worst divergence, the last scale, the end.

    Raises NotResults where no HPA was replayed.
    """
    names = [hpa] if hpa else hpa_names(results)
    if not names:
        command = f"hpaaudit inspect {shlex.quote(results.recording)}"
        raise NotResults(f"{results.path} holds no reconcile: `{command}` says what the recording lacks")
    moment = defaults(results, Scope(hpa=names[0]))["at"]
    return names[0], Micros(results.rows("select epoch_us($at) as at_us", at=moment)[0]["at_us"])


def reconcile_account(results: Results, hpa: str, at_us: Micros) -> ReconcileAccount:
    """The last reconcile of `namespace/name` until then, else its first.

    Raises UnknownHpa, which names the nearest.
    """
    require_one_hpa(results, hpa)
    rows = results.rows(
        """
        select
            r.*, epoch_us(r.ts) as at_us, epoch_us(r.began_at) as began_us, p.path, p.release,
            epoch_us(o.started_at) as started_us, epoch_us(o.ended_at) as ended_us
        from reconciles as r
        join replays as p using (replay_id)
        join recordings as o using (replay_id)
        where r.namespace || '/' || r.name = $hpa
        order by r.ts > make_timestamp($at_us), case when r.ts > make_timestamp($at_us) then r.ts end, r.ts desc
        limit 1
        """,
        hpa=hpa,
        at_us=at_us,
    )
    row = rows[0]
    number = row["reconcile_id"]
    return ReconcileAccount(
        recording=row["path"],
        started_us=row["started_us"],
        ended_us=row["ended_us"],
        reconcile_id=number,
        namespace=row["namespace"],
        name=row["name"],
        at_us=row["at_us"],
        at_source=row["at_source"],
        uncertainty_s=row["uncertainty_s"],
        release=row["release"],
        spec_replicas=row["spec_replicas"],
        status_replicas=row["status_replicas"],
        min_replicas=row["min_replicas"],
        max_replicas=row["max_replicas"],
        raw_desired=row["raw_desired"],
        stabilized=row["stabilized"],
        rate_limited=row["rate_limited"],
        desired=row["desired"],
        status_desired=row["status_desired"],
        decided=row["decided"],
        decided_source=row["decided_source"] or "",
        actual=row["actual"],
        band=None if row["band_lo"] is None or row["band_hi"] is None else (row["band_lo"], row["band_hi"]),
        verdict=row["verdict"],
        reason_code=row["reason_code"],
        evidence=row["evidence"],
        missing_input=row["missing_input"],
        error=row["error"] or "",
        metrics=tuple(_metrics(results, number)),
        steps=tuple(_steps(results, number)),
        pods=tuple(_pods(results, number)),
        conditions=tuple(_published(results, row)),
        events=tuple(_events(results, row)),
        before=next(map(change, _earlier(results, row)), None),
        divergence=_divergence(results, row),
    )


def _divergence(results: Results, row: dict[str, Any]) -> Divergence | None:
    of_hpa = divergences(results, row["hpa_uid"])
    return next((divergence for _, number, divergence in of_hpa if number == row["divergence_id"]), None)


def _metrics(results: Results, number: int) -> Iterator[Metric]:
    for row in results.rows("from metric_proposals where reconcile_id = $number order by metric_idx", number=number):
        yield metric(row)


def _steps(results: Results, number: int) -> Iterator[StepLine]:
    for row in results.rows("from decision_steps where reconcile_id = $number order by seq", number=number):
        yield StepLine(
            stage=row["stage"],
            code=row["code"],
            before=row["before"],
            after=row["after"],
            binding=row["binding"],
            detail=tuple(json.loads(row["detail"]).items()),
        )


def _pods(results: Results, number: int) -> Iterator[PodLine]:
    for row in results.rows(
        """
        select metric_idx, bucket, why_code, count(*) as pods
        from reconcile_pods
        where reconcile_id = $number
        group by metric_idx, bucket, why_code
        order by metric_idx, bucket, why_code
        """,
        number=number,
    ):
        yield PodLine(**row)


def _published(results: Results, row: dict[str, Any]) -> Iterator[tuple[str, str, str]]:
    """The conditions of the status after the reconcile: type, status and reason."""
    statuses = results.rows(
        """
        select s.*
        from hpa_status as s
        where s.hpa_uid = $uid and s.observed_at < coalesce(
            (select min(n.began_at) from reconciles as n where n.hpa_uid = $uid and n.ts > $ts),
            'infinity'
        )
        order by s.observed_at desc
        limit 1
        """,
        uid=row["hpa_uid"],
        ts=row["ts"],
    )
    for status in statuses:
        for kind, column in zip(_TYPES, _CONDITIONS, strict=True):
            if status[f"{column}_status"] is not None:
                yield kind, status[f"{column}_status"], status[f"{column}_reason"]


def _events(results: Results, row: dict[str, Any]) -> Iterator[tuple[str, str]]:
    for event in results.rows(
        """
        select reason, message
        from k8s_events
        where kind = 'HorizontalPodAutoscaler' and namespace = $namespace and name = $name and observed_at >= $began
            and observed_at < coalesce(
                (select min(n.began_at) from reconciles as n where n.hpa_uid = $uid and n.ts > $ts),
                'infinity'
            )
        order by observed_at
        """,
        namespace=row["namespace"],
        name=row["name"],
        uid=row["hpa_uid"],
        began=row["began_at"],
        ts=row["ts"],
    ):
        yield event["reason"], event["message"]


def _earlier(results: Results, row: dict[str, Any]) -> list[dict[str, Any]]:
    """The last actual change of spec.replicas before the reconcile began, if any."""
    return results.rows(
        """
        select *, epoch_us(ts) as at_us
        from changes
        where hpa_uid = $uid and ts < $began and writer_class is not null
        order by ts desc
        limit 1
        """,
        uid=row["hpa_uid"],
        began=row["began_at"],
    )
