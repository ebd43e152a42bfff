-- Which Events of the HPA were seen from this reconcile on, until the next one?
-- One row per Event.
with spans as (
    select
        reconcile_id, hpa_uid, namespace, name, began_at,
        coalesce(
            lead(began_at) over (partition by hpa_uid order by ts), shown_until(ts, lasted_s, o.ended_at)
        ) as ended_at
    from reconciles
    cross join recordings as o
    where hpa_uid in (select hpa_uid from reconciles where reconcile_id in ($reconcile_ids))
)
select s.reconcile_id, e.observed_at, e.reason, e.message
from spans as s
join k8s_events as e
    on e.namespace = s.namespace and e.name = s.name
    and e.observed_at >= s.began_at and e.observed_at < s.ended_at
where s.reconcile_id in ($reconcile_ids)
    and e.kind = 'HorizontalPodAutoscaler'
    -- An HPA that was made anew under its name has Events of its own.
    and not exists (from hpas as h where h.hpa_uid = e.involved_uid and h.hpa_uid <> s.hpa_uid)
order by e.observed_at, e.last_ts, e.event_name, e.reason, e.message;
