-- Which tolerance do the decisions support?
-- One row per HPA and direction, of reconciles in which nothing else decided: no pod filled in, no window, no policy, no
-- limit. If held_up_to is above scaled_from, another thing than the tolerance decides.
-- Asked: Can I trust this?
-- Columns:
--   namespace: the HPA's namespace
--   name: the HPA's name
--   direction: up or down
--   held_up_to: the largest distance from the target at which the replicas stayed although the number would have changed
--   scaled_from: the smallest distance at which they changed
--   assumed: the tolerance that the replay used
--   reconciles: how many reconciles tell it
with clean as (
    select
        r.hpa_uid, r.namespace, r.name,
        if(p.ratio > 1, 'up', 'down') as direction,
        abs(p.ratio - 1) as distance,
        coalesce(r.decided, r.actual) = r.spec_replicas as held,
        p.tolerance
    from reconciles as r
    join metric_proposals as p on p.reconcile_id = r.reconcile_id and p.is_winner
    where r.namespace || '/' || r.name like $hpa
        and r.ts between $since and $until
        and p.valid
        and p.adjust_code = 'adjust.none'
        and p.ratio <> 1
        and r.stabilized = r.raw_desired
        and r.rate_limited = r.stabilized
        and r.spec_replicas between r.min_replicas + 1 and r.max_replicas - 1
        and ceil(p.ratio * p.ready_pods) <> r.spec_replicas
        and p.ready_pods = r.spec_replicas
        and coalesce(r.decided, r.actual) is not null
        and (r.verdict = 'match' or starts_with(r.class, 'config.') or r.class = 'unexplained')
)
select
    namespace, name, direction,
    round(max(distance) filter (held), 4) as held_up_to,
    round(min(distance) filter (not held), 4) as scaled_from,
    any_value(tolerance) as assumed,
    count(*) as reconciles
from clean
group by hpa_uid, namespace, name, direction
order by namespace, name, direction, hpa_uid;
