-- Which HPAs scaled in because their metric's source fell to zero, not the load?
-- One row per HPA. The value fell from above half of its target to 0 in one reconcile, replicas followed, and a witness
-- disagrees: another metric of the HPA stayed above half of its target, or another HPA lost its value in the same minute.
-- Needs: External Object
with readings as (
    select
        p.hpa_uid, p.reconcile_id, p.ts, p.metric_idx, p.metric_name, p.ratio,
        lag(p.ratio) over (partition by p.hpa_uid, p.metric_idx order by p.ts) as ratio_before
    from runs.metric_proposals as p
    where p.metric_type in ('External', 'Object') and p.valid
), drops as (
    select d.*, r.spec_replicas, h.namespace
    from readings as d
    join ran as r using (reconcile_id)
    join replayed_hpas as h on h.hpa_uid = d.hpa_uid
    where d.ratio = 0 and d.ratio_before >= 0.5
), witnessed as (
    select
        d.*,
        count(distinct d.hpa_uid) over (partition by date_trunc('minute', d.ts)) as hpas,
        (
            select max(o.ratio)
            from runs.metric_proposals as o
            where o.reconcile_id = d.reconcile_id and o.metric_name <> d.metric_name and o.valid
        ) as other_ratio
    from drops as d
), followed as (
    select w.*, e.at_hi as scaled_at, e.to_replicas
    from witnessed as w
    asof join (
        from runs.scale_events where source = 'actual' and writer_class = 'hpa' and to_replicas < from_replicas
    ) as e on e.hpa_uid = w.hpa_uid and w.ts <= e.at_hi
    where e.at_hi <= w.ts + interval 20 minutes
)
select
    hpa_uid, min(ts) as first_at, max(scaled_at) as last_at, 'high' as severity,
    format(
        '{} fell from {} of its target to 0 at once, and the replicas from {} to {}: its source went away, not the load',
        arg_min(metric_name, (ts, metric_idx)), round(arg_min(ratio_before, (ts, metric_idx)), 2),
        arg_min(spec_replicas, ts), min(to_replicas)
    ) as verdict,
    json_object(
        'metric', arg_min(metric_name, (ts, metric_idx)), 'hpas', max(hpas), 'other_ratio', max(other_ratio)
    ) as evidence,
    'let the source answer with an error in place of 0, or add a second metric as a floor' as next_step
from followed
where hpas >= 2 or other_ratio >= 0.5
group by hpa_uid;
