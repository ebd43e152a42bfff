-- Which reconciles failed to write the scale, according to their Event?
-- One row per reconcile with a FailedRescale Event. sent: the last number that it names.
create temp table failed_rescales as
with told as (
    select h.hpa, e.observed_at, e.message
    from runs.k8s_events as e
    join replayed_hpas as h on h.namespace = e.namespace and h.name = e.name
    where e.kind = 'HorizontalPodAutoscaler'
        -- By its text: an Event that is stored under the name of an earlier one of the same instant keeps no reason of its own.
        and uncombined(e.message) like 'New size: %; error: %'
)
select
    s.reconcile_id,
    arg_max(try_cast(regexp_extract(t.message, 'New size: (-?\d+)', 1) as integer), (t.observed_at, t.message)) as sent,
    any_value(t.message order by t.observed_at desc, t.message desc) as message
from told as t
join spans as s on s.hpa = t.hpa and t.observed_at >= s.began_at and t.observed_at < s.until
group by s.reconcile_id;
