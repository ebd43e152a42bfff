-- In which reconciles in a row do two releases want different numbers?
-- One row per run of reconciles of one HPA in which both releases keep their number and their reason. own and other are the
-- first reconcile of each; reconcile_ids are those of the audit and of the other replay.
with differing as (
    select
        *,
        position - row_number() over (
            partition by hpa_uid, own.wanted, own.reason_code, other.wanted, other.reason_code
            order by position
        ) as run
    from paired
    where differs
)
select
    namespace || '/' || name as hpa,
    epoch_us(min(ts)) as first_us,
    epoch_us(max(ts)) as last_us,
    count(*) as reconciles,
    arg_min(spec_replicas, position) as spec_replicas,
    arg_min(own, position) as own,
    arg_min(other, position) as other,
    list(own_id order by position) as own_ids,
    list(other_id order by position) as other_ids
from differing
group by hpa_uid, namespace, name, run, own.wanted, own.reason_code, other.wanted, other.reason_code
order by namespace, name, first_us, min(position);
