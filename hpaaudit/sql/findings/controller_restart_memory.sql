-- Which HPAs decided otherwise because a restart of the controller made it forget?
-- One row per HPA, of the restart that most reconciles felt: at least two within five minutes.
-- Needs: process.restarted
with remembered as (
    -- The first reconcile of a process remembers the number that it meets. What holds later is that number only as long as no
    -- later recommendation is as high.
    select
        *, first_value(spec_replicas) over one as first_number,
        coalesce(max(raw_desired) over (one rows between unbounded preceding and 1 preceding), 0) as highest_since
    from ran
    window one as (partition by hpa_uid, epoch_id order by ts, reconcile_id)
)
select
    r.hpa_uid, e.acquired_at as first_at, max(r.ts) as last_at, 'low' as severity,
    format(
        'after the restart at {} earlier recommendations were forgotten: {} afterwards {} held by the first number alone',
        time_beside(e.acquired_at, e.acquired_at), counted(count(*), 'reconcile'),
        if(count(*) = 1, 'was', 'were')
    ) as verdict,
    json_object('reconciles', count(*), 'epoch', e.epoch_id) as evidence,
    'nothing for the workload: windows last no longer than the process that remembers them' as next_step
from remembered as r
join runs.controller_epochs as e using (epoch_id)
cross join runs.recordings as i
where e.epoch_id > 0
    -- What began with the recording is no restart that the HPA met.
    and e.acquired_at > i.started_at + interval 1 second
    and r.reason_code in ('stabilize.down_hold', 'stabilize.down_partial')
    and r.stabilized = r.first_number
    and r.highest_since < r.stabilized
    and r.ts <= e.acquired_at + interval 5 minutes
group by r.hpa_uid, e.epoch_id, e.acquired_at
having count(*) >= 2
qualify row_number() over (partition by r.hpa_uid order by count(*) desc, e.epoch_id) = 1;
