-- Which HPAs scaled in when a metric fell to zero at once, while a witness says that the load did not?
-- One row per HPA, of its first such fall. The metric that decided fell from above half of its target to 0 in one
-- reconcile, the next change of the replicas was the HPA's own scale-down while it was still at 0, and a witness
-- disagrees: another metric of the HPA stayed above half of its target until then, or a metric of another HPA
-- fell to 0 in the same minute; the same metric of the same namespace is no witness.
-- Needs: External Object
with readings as (
    select
        hpa_uid, namespace, reconcile_id, ts, metric_idx, metric_label, ratio, raw_desired,
        lag(ratio) over one as ratio_before,
        lag(is_winner) over one as won_before,
        lag(proposal) over one as proposal_before,
        (epoch_us(ts) - lag(epoch_us(ts)) over one) / 1e6 - lag(until_next_s) over one as unread_s,
        -- When it had a value again.
        min(if(ratio > 0, ts, null)) over (one rows between current row and unbounded following) as back_at
    from readings
    where metric_type in ('External', 'Object') and valid
    window one as (partition by hpa_uid, metric_idx, metric order by ts)
), falls as (
    select
        f.*,
        count(distinct f.hpa_uid) over (partition by date_trunc('minute', f.ts))
        - count(distinct f.hpa_uid) over (partition by date_trunc('minute', f.ts), f.namespace, f.metric_label) + 1 as hpas
    from readings as f
    -- At once: the reconcile just before had read the other value.
    where f.ratio = 0 and f.ratio_before >= 0.5 and f.unread_s < 1
), followed as (
    -- The next change by anybody: after a scale-up, or what somebody else wrote, a scale-down may have another cause.
    select f.*, e.at_hi as scaled_at, coalesce(m.ts, e.at_hi) as decided_at, e.from_replicas, e.to_replicas
    from falls as f
    asof join (
        -- What a reconcile wrote may be seen a moment before its status.
        select w.*, greatest(w.at_hi, o.ts) as written_at
        from runs.scale_events as w
        left join ran as o using (reconcile_id)
        where w.source = 'actual'
        qualify row_number() over (partition by w.hpa_uid, written_at order by w.scale_event_id) = 1
    ) as e on e.hpa_uid = f.hpa_uid and f.ts <= e.written_at
    asof left join ran as r on r.hpa_uid = f.hpa_uid and r.ts <= e.written_at
    left join ran as m on m.reconcile_id = e.reconcile_id
    where e.writer_class = 'hpa'
        and e.to_replicas < e.from_replicas
        and e.at_hi <= f.ts + interval 20 minutes
        and e.at_hi < coalesce(f.back_at, 'infinity')
        -- It held the number up, and without it the metrics asked for less.
        and f.won_before
        and f.raw_desired < f.proposal_before
        -- A lower maxReplicas lowers the replicas whatever the metrics say.
        and not starts_with(r.reason_code, 'gate.')
        -- A change may be seen late: a reconcile before the fall did not make it because of the fall.
        and decided_at >= f.ts
), others as (
    -- Each other metric from the fall until the scale-down: one that fell as well before it, or was unusable, is no witness.
    select f.hpa_uid, f.reconcile_id, f.metric_idx, min(if(o.valid and not isnan(o.ratio), o.ratio, 0)) as least_ratio
    from followed as f
    join runs.metric_proposals as o
        on o.hpa_uid = f.hpa_uid
        and o.ts between f.ts and f.decided_at
        and o.metric_label <> f.metric_label
    group by f.hpa_uid, f.reconcile_id, f.metric_idx, o.metric_idx
), judged as (
    select f.*, o.other_ratio
    from followed as f
    left join (
        select hpa_uid, reconcile_id, metric_idx, max(least_ratio) as other_ratio
        from others
        group by hpa_uid, reconcile_id, metric_idx
    ) as o using (hpa_uid, reconcile_id, metric_idx)
)
select
    hpa_uid, ts as first_at, scaled_at as last_at, 'high' as severity,
    format(
        '{} fell from {} of its target to 0 at once, and the replicas from {} to {} {}, although {}',
        metric_label, round(ratio_before, 2), from_replicas, to_replicas,
        coalesce(nullif(round((epoch_us(scaled_at) - epoch_us(ts)) / 1e6)::bigint, 0) || ' s later', 'with it'),
        if(
            other_ratio >= 0.5, format('another metric stayed at {} of its target or more', round(other_ratio, 2)),
            format('that of {} fell to 0 in the same minute', counted(hpas - 1, 'other HPA'))
        )
    ) as verdict,
    json_object('metric', metric_label, 'hpas', hpas, 'other_ratio', other_ratio) as evidence,
    'see whether its source failed: let it answer with an error in place of 0, or add a second metric as a floor' as next_step
from judged
where hpas >= 2 or other_ratio >= 0.5
qualify row_number() over (partition by hpa_uid order by ts, metric_idx) = 1;
