-- Which HPAs kept pods for long, because an earlier recommendation held the scale-down?
-- One row per HPA, if that lasted for half an hour.
-- Needs: stabilize.down_hold stabilize.down_partial
select
    hpa_uid, min(ts) as first_at, max(ts) as last_at, 'info' as severity,
    format(
        'earlier recommendations held scale-downs for {} min, and kept up to {}', round(sum(lasted_s) / 60)::bigint,
        counted(max(desired - raw_desired), 'pod')
    ) as verdict,
    json_object('seconds', round(sum(lasted_s), 6), 'spare_pod_seconds', round(sum((desired - raw_desired) * lasted_s), 6)) as evidence,
    if(
        (select max(try_cast(split_part(value, '.', 2) as integer)) from runs.assumptions where key = 'release') < 18,
        'nothing if the load returns; else lower the flag downscale-stabilization of the controller, which is for all HPAs',
        'nothing if the load returns; else shorten behavior.scaleDown.stabilizationWindowSeconds'
    ) as next_step
from ran
where reason_code in ('stabilize.down_hold', 'stabilize.down_partial') and desired > raw_desired
group by hpa_uid
having sum(lasted_s) >= 1800;
