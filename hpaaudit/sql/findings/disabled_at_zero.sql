-- Which HPAs were off because their target has zero replicas?
-- One row per HPA.
-- Needs: gate.disabled_at_zero
with off as (
    -- It may have been switched off more than once, by several: each reconcile has the last write of 0 before it.
    select
        r.hpa_uid, r.ts, r.lasted_s, w.at_hi,
        case
            when w.at_hi is null then null
            -- After a 0 of its own an HPA goes on: then somebody else wrote this one, whom nobody saw.
            when w.writer_class in ('hpa', 'unknown') or w.writer_name = '' then 'somebody unknown'
            else w.writer_name
        end as writer_name
    from ran as r
    asof left join (
        from runs.scale_events
        where source = 'actual' and to_replicas = 0
        qualify row_number() over (partition by hpa_uid, at_lo order by scale_event_id desc) = 1
    ) as w
        on w.hpa_uid = r.hpa_uid and w.at_lo <= r.ts
    where r.reason_code = 'gate.disabled_at_zero'
), by_hpa as (
    select
        hpa_uid, min(ts) as first_at, max(ts) as last_at, round(sum(lasted_s), 6) as seconds,
        count(distinct coalesce(at_hi, '-infinity')) as times,
        bool_or(at_hi is null) as had_zero,
        enumerated(list(distinct writer_name order by writer_name = 'somebody unknown', writer_name)
            filter (writer_name is not null)) as writers,
        arg_min({'name': if(writer_name = 'somebody unknown', null, writer_name), 'at': at_hi}, ts) as first_write
    from off
    group by hpa_uid
)
select
    hpa_uid, first_at, last_at, cost_severity(0, 0, seconds) as severity,
    format(
        'off for {} s{}: {} replicas 0{}, and the HPA raises nothing until somebody writes 1 or more',
        round(seconds)::bigint, if(times > 1, format(' in {} times', times), ''),
        if(had_zero, 'the target had', writers || ' wrote'),
        if(had_zero and writers is not null, format(' at first, {} wrote it later', writers), '')
    ) as verdict,
    json_object('seconds', seconds, 'writer', first_write.name, 'written_at', first_write.at) as evidence,
    if(
        hpa_uid in (select hpa_uid from runs.hpa_specs where min_replicas = 0),
        'scale the target to at least 1; with minReplicas 0 an HPA raises only a 0 of its own',
        'scale the target to at least 1; let a schedule change minReplicas, or use minReplicas 0 or KEDA'
    ) as next_step
from by_hpa;
