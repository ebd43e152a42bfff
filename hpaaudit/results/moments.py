"""The moment that matters most of each HPA, in the order in which its headline names causes."""

from collections.abc import Mapping
from datetime import datetime

from hpaaudit.model.units import Micros
from hpaaudit.results.read import Results

HELD = """
    with held as (
        select
            reconcile_id, hpa_uid, ts, lasted_s, reason_code, spec_replicas, min_replicas, max_replicas, raw_desired,
            desired, starts_with(reason_code, 'adjust.') as is_adjusted
        from reconciles
        where verdict in ('match', 'skew')
            and reason_code in (
                'stabilize.down_hold', 'stabilize.up_hold',
                'adjust.direction_flip_hold', 'adjust.damped_into_tolerance',
                'window.up_forbidden', 'window.down_forbidden',
                'gate.metric_failed', 'gate.partial_metrics_block_down'
            )
    ), adjusted as (
        -- Only these ask for the metric: a fleet has millions of proposals, and few of them were adjusted.
        select h.reconcile_id, p.ratio, p.missing_pods, p.unready_pods + p.missing_pods as idle_pods,
            p.ready_pods + p.unready_pods + p.missing_pods as pods
        from held as h
        join metric_proposals as p on p.reconcile_id = h.reconcile_id and p.is_winner
        where h.is_adjusted
    )
    select
        r.hpa_uid, r.ts, r.lasted_s, p.idle_pods, p.pods,
        greatest(least(r.raw_desired, r.max_replicas), r.min_replicas) - r.desired as wanted_more,
        case
            when r.reason_code = 'stabilize.down_hold'
                and r.desired <> greatest(least(r.raw_desired, r.max_replicas), r.min_replicas)
                -- Then policies hold it too.
                and not coalesce(contains(s.behavior::varchar, 'Disabled'), false) then 'memory'
            when r.is_adjusted and p.ratio > 1 then 'unready'
            when r.is_adjusted and p.ratio < 1 and p.missing_pods > 0 then 'unmeasured'
            when r.reason_code = 'stabilize.up_hold' then 'up_window'
            when r.reason_code = 'window.up_forbidden' and r.raw_desired > r.spec_replicas then 'up_forbidden'
            when r.reason_code = 'window.down_forbidden' and r.raw_desired < r.spec_replicas then 'down_forbidden'
            when r.reason_code = 'gate.metric_failed' then 'metric_failed'
            when r.reason_code = 'gate.partial_metrics_block_down' then 'partial_metrics'
        end as cause
    from held as r
    left join adjusted as p using (reconcile_id)
    left join hpa_specs as s
        on s.hpa_uid = r.hpa_uid
        and r.ts >= s.valid_from
        and r.ts < coalesce(s.valid_to, 'infinity')
"""
"""Reconciles that did not follow their metrics: one row each, with the cause, NULL if there is none."""

LONG_HOLD_S = 60
"""A shorter hold is not worth a sentence."""

_MOMENTS = f"""
with holds as (
    select hpa_uid, min(ts) as moment, sum(lasted_s) as seconds, cause
    from ({HELD})
    where cause is not null and ts between $since and $until
    group by hpa_uid, cause
    having sum(lasted_s) >= {LONG_HOLD_S}
), causes as (
    select hpa_uid, 1 as rank, opened_at as moment from divergences where starts_with(class, 'not_run.')
    union all
    select hpa_uid, 2, opened_at
    from divergences
    where starts_with(class, 'config.') or starts_with(class, 'memory.')
    union all
    select hpa_uid, 3, first_at from findings where pattern = 'metrics_api_down'
    union all
    select hpa_uid, 4, opened_at from divergences where class = 'unexplained'
    union all
    select w.hpa_uid, 5, coalesce(r.ts, w.ts) from foreign_writes as w left join reconciles as r using (reconcile_id)
    union all
    select hpa_uid, 6, opened_at from divergences where starts_with(class, 'write_failed.')
    union all
    select hpa_uid, 7, arg_max(moment, (seconds, cause)) from holds group by hpa_uid
    union all
    select hpa_uid, 8, max(ts) from reconciles where action <> 'hold' and ts between $since and $until group by hpa_uid
)
select c.hpa_uid, h.namespace || '/' || h.name as hpa, c.rank, min(c.moment) as moment
from causes as c
join hpas as h using (hpa_uid)
semi join reconciles as r using (hpa_uid)
where c.moment between $since and $until
group by c.hpa_uid, hpa, c.rank
qualify row_number() over (partition by c.hpa_uid order by c.rank) = 1
"""  # noqa: S608 our own SQL


def moments(results: Results) -> Mapping[str, Micros]:
    """The moment of each HPA, by its uid. An HPA without anything to report has none."""
    since, until = results.rows("select started_at as since, ended_at as until from recordings")[0].values()
    rows = results.rows(f"select hpa_uid, epoch_us(moment) as at_us from ({_MOMENTS})", since=since, until=until)  # noqa: S608 our own SQL
    return {row["hpa_uid"]: Micros(row["at_us"]) for row in rows}


def first_moment(results: Results, hpa: str, since: datetime, until: datetime) -> datetime | None:
    """The moment of the gravest cause in this time, among the HPAs whose `namespace/name` matches."""
    rows = results.rows(
        f"select moment from ({_MOMENTS}) where hpa like $hpa order by rank, moment limit 1",  # noqa: S608 our own SQL
        hpa=hpa,
        since=since,
        until=until,
    )
    moment: datetime | None = rows[0]["moment"] if rows else None
    return moment
