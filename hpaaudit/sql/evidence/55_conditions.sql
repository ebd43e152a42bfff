-- With which texts did that status say so?
-- One row per condition, none if no status was recorded.
with spans as (
    select
        reconcile_id, hpa_uid,
        coalesce(
            lead(began_at) over (partition by hpa_uid order by ts), shown_until(ts, lasted_s, o.ended_at)
        ) as ended_at
    from reconciles
    cross join recordings as o
    where hpa_uid in (select hpa_uid from reconciles where reconcile_id in ($reconcile_ids))
), statuses as (
    select s.reconcile_id, s.hpa_uid, t.observed_at
    from spans as s
    asof join hpa_status as t on t.hpa_uid = s.hpa_uid and t.observed_at < s.ended_at
    where s.reconcile_id in ($reconcile_ids)
)
select s.reconcile_id, c.type, c.status, c.reason, c.message
from statuses as s
join hpa_conditions as c using (hpa_uid, observed_at)
order by s.reconcile_id, c.type;
