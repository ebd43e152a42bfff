-- How long did each reconcile stand, and what came next?
-- One row per reconcile: until: when the next one of this HPA began, else the end of the HPA or of the recording.
-- sync: the usual distance of two reconciles, our measure of the sync period.
create temp table spans as
with neighbours as (
    select
        r.reconcile_id, r.hpa_uid, r.namespace, r.name, r.ts, r.began_at,
        lead(r.ts) over later as next_ts,
        lead(r.began_at) over later as next_began,
        lead(r.spec_replicas) over later as next_spec_replicas
    from replayed as r
    window later as (partition by r.hpa_uid order by r.ts, r.reconcile_id)
), typical as (
    select coalesce(median(epoch_us(next_ts) - epoch_us(ts)), 15000000)::bigint as sync_us from neighbours
)
select
    n.reconcile_id, n.hpa_uid, n.namespace, n.name, n.ts, n.began_at, n.next_ts, n.next_spec_replicas,
    coalesce(n.next_began, greatest(n.ts, least(h.deleted_at, i.ended_at)) + interval 1 microsecond) as until,
    greatest(0, epoch_us(coalesce(n.next_ts, least(h.deleted_at, i.ended_at))) - epoch_us(n.ts)) / 1e6 as lasted_s,
    to_microseconds(t.sync_us) as sync
from neighbours as n
cross join typical as t
cross join runs.recordings as i
left join runs.hpas as h using (hpa_uid);
