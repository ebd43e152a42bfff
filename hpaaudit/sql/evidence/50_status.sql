-- Which status stood after this reconcile?
-- One row, none if no status was recorded.
with ends as (
    select
        reconcile_id, hpa_uid,
        coalesce(
            lead(began_at) over (partition by hpa_uid order by ts), shown_until(ts, lasted_s, o.ended_at)
        ) as ended_at
    from reconciles
    cross join recordings as o
    where hpa_uid in (select hpa_uid from reconciles where reconcile_id in ($reconcile_ids))
)
select e.reconcile_id, s.*
from ends as e
asof join hpa_status as s on s.hpa_uid = e.hpa_uid and s.observed_at < e.ended_at
where e.reconcile_id in ($reconcile_ids)
order by e.reconcile_id;
