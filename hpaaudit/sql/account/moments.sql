-- Which moment of each HPA should be explained first?
-- One row per HPA to which something happened in this time: the first moment of its gravest cause, in the order in which a
-- headline names causes.
with reconciles as (
    -- In place of the relation: a fleet has millions, and of one HPA they are found at once.
    from main.reconciles
    where hpa_uid in (select hpa_uid from hpas where namespace || '/' || name like $hpa)
), held as (
    {held}
), holds as (
    select hpa_uid, min(ts) as moment, sum(lasted_s) as seconds, cause
    from held
    where cause is not null and ts between $since and $until
    group by hpa_uid, cause
    having sum(lasted_s) >= $long_hold_s
), causes as (
    select hpa_uid, 1 as rank, opened_at as moment from divergences where starts_with(class, 'not_run.')
    union all
    -- Other settings decide another number, or only publish another status.
    select hpa_uid, if(predicted is distinct from coalesce(decided, actual), 2, 3), opened_at
    from divergences
    where starts_with(class, 'config.') or starts_with(class, 'memory.')
    union all
    -- What is told of a loop of writers begins with the first write.
    select hpa_uid, 4, first_at
    from findings
    where pattern = 'metrics_api_down'
        or pattern = 'pods_not_created' and severity = 'high'
        or severity = 'critical' and pattern <> 'gitops_selfheal_loop'
    union all
    select hpa_uid, 5, opened_at from divergences where class = 'unexplained'
    union all
    select w.hpa_uid, 6, coalesce(r.ts, w.ts) from foreign_writes as w left join reconciles as r using (reconcile_id)
    union all
    select hpa_uid, 7, opened_at from divergences where starts_with(class, 'write_failed.')
    union all
    select hpa_uid, 8, opened_at from divergences where starts_with(class, 'write_mutated.')
    union all
    select hpa_uid, 9, arg_min(moment, (-seconds, cause)) from holds group by hpa_uid
    union all
    select w.hpa_uid, 10, coalesce(r.ts, w.at_hi)
    from scale_events as w
    left join reconciles as r using (reconcile_id)
    where w.source = 'actual' and w.to_replicas = 0 and w.writer_class = 'hpa'
    union all
    select hpa_uid, 11, max(ts) from reconciles where action <> 'hold' and ts between $since and $until group by hpa_uid
)
select c.hpa_uid, min(c.moment) as moment, epoch_us(min(c.moment)) as at_us
from causes as c
semi join reconciles as r using (hpa_uid)
where c.moment between $since and $until
group by c.hpa_uid, c.rank
qualify row_number() over (partition by c.hpa_uid order by c.rank) = 1
order by c.rank, moment, c.hpa_uid;
