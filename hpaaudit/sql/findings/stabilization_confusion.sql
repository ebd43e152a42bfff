-- Which HPAs kept pods for long, because an earlier recommendation held the scale-down?
-- One row per HPA, if that lasted for half an hour.
-- Needs: stabilize.down_hold stabilize.down_partial
with held as (
    -- As for the page of a replay: what a policy or minReplicas forbids to remove too, and what memory raises, it does not hold.
    select
        r.hpa_uid, r.ts, r.lasted_s,
        begins_stretch(r.ts, lag(r.ts) over one, lag(r.until_next_s) over one) as is_first,
        -- Up to 1.15 a decision starts from the pods that there are: what is held is the number of the spec all the same.
        if(r.action = 'hold', r.spec_replicas, r.desired) as replicas,
        spare_pods(replicas, r.unheld, r.status_replicas) as kept
    from ran as r
    where r.reason_code in ('stabilize.down_hold', 'stabilize.down_partial')
        and replicas > r.unheld
        and replicas <= r.spec_replicas
        -- What was recommended before the recording is unknown: the number is certain, and not what made it.
        and r.missing_input is distinct from 'memory.before_recording'
    window one as (partition by r.hpa_uid order by r.ts)
)
select
    hpa_uid, min(ts) as first_at, max(ts) as last_at, 'info' as severity,
    format(
        'earlier recommendations held scale-downs for {} min{}, and kept up to {}', round(sum(lasted_s) / 60)::bigint,
        if(sum(is_first::integer) > 1, format(' in {} stretches', sum(is_first::integer)), ''), counted(max(kept), 'pod')
    ) as verdict,
    json_object('seconds', round(sum(lasted_s), 6), 'spare_pod_seconds', round(sum(kept * lasted_s), 6)) as evidence,
    if(
        (select max(minor_release(value)) from runs.assumptions where key = 'release') < 18,
        'nothing if the load returns; else lower the flag downscale-stabilization of the controller, which is for all HPAs',
        'nothing if the load returns; else shorten behavior.scaleDown.stabilizationWindowSeconds'
    ) as next_step
from held
group by hpa_uid
having sum(lasted_s) >= 1800;
