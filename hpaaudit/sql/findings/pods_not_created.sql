-- Which targets were scaled up and did not get their pods?
-- One row per HPA.
with lacking as (
    select
        *,
        coalesce(lag(ts + to_microseconds((1e6 * lasted_s)::bigint)) over one < ts - interval 1 second, true)
        -- What was asked for before was made: these are other pods.
        or status_replicas >= lag(spec_replicas) over one as is_first
    from runs.reconciles
    -- What was not observed, and what did not take place, shows no pods.
    where status_replicas < spec_replicas
        and coalesce(class, '') not in ('no_data.recording_gap', 'no_data.object_unseen')
        and has_inputs(class)
    window one as (partition by hpa_uid order by ts)
), waits as (
    select *, sum(is_first::integer) over (partition by hpa_uid order by ts rows unbounded preceding) as wait
    from lacking
), longest_waits as (
    select
        hpa_uid, min(ts) as first_at, max(ts) as last_at, epoch(max(ts) - min(ts)) as seconds,
        arg_max(spec_replicas, ts) as wanted, arg_max(status_replicas, ts) as made
    from waits
    group by hpa_uid, wait
    having max(ts) - min(ts) > interval 2 minutes
    qualify row_number() over (partition by hpa_uid order by max(ts) - min(ts) desc, min(ts)) = 1
)
select
    w.hpa_uid, w.first_at, w.last_at, 'high' as severity,
    format('the target was scaled to {}, and only {} were made', w.wanted, counted(w.made, 'pod')) as verdict,
    json_object('seconds', w.seconds, 'wanted', w.wanted, 'made', w.made, 'quotas', coalesce(q.names, [])) as evidence,
    'look at the Events of the ReplicaSet: FailedCreate names the quota or the admission rule that refuses pods'
        as next_step
from longest_waits as w
join replayed_hpas as h using (hpa_uid)
left join (
    select namespace, list_sort(list(distinct name)) as names
    from runs.surroundings
    where resource = 'resourcequotas'
    group by namespace
) as q on q.namespace = h.namespace;
