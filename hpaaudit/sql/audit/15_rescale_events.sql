-- Which writes of the scale do the Events of each HPA tell of?
-- One row per SuccessfulRescale Event. at: as the Event says, in whole seconds; replicas: NULL if its message has another form.
create temp table rescale_events as
select
    h.hpa, e.observed_at,
    coalesce(e.last_ts, e.observed_at) as at,
    try_cast(regexp_extract(uncombined(e.message), '^New size: (\d+);', 1) as integer) as replicas
from runs.k8s_events as e
join replayed_hpas as h on h.namespace = e.namespace and h.name = e.name
where e.reason = 'SuccessfulRescale' and e.kind = 'HorizontalPodAutoscaler';
