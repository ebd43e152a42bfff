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
), risen as (
    -- Few HPAs wait for long: only their other reconciles are asked what was made before.
    select hpa_uid, reconcile_id, ts, status_replicas, coalesce(spec_replicas > lag(spec_replicas) over one, true) as is_raised
    from runs.reconciles
    where has_inputs(class)
        and hpa_uid in (select hpa_uid from waits group by hpa_uid, wait having max(ts) - min(ts) > interval 2 minutes)
    window one as (partition by hpa_uid order by ts, reconcile_id)
), rises as (
    select *, sum(is_raised::integer) over (partition by hpa_uid order by ts, reconcile_id rows unbounded preceding) as rise
    from risen
), made as (
    -- The most pods since the number of the spec rose last.
    select
        reconcile_id,
        max(status_replicas) over (partition by hpa_uid, rise order by ts, reconcile_id rows unbounded preceding) as made
    from rises
), longest_waits as (
    select
        w.hpa_uid, min(w.ts) as first_at, max(w.ts) as last_at, epoch(max(w.ts) - min(w.ts)) as seconds,
        arg_max(w.spec_replicas, w.ts) as wanted, arg_max(m.made, w.ts) as made
    from waits as w
    join made as m using (reconcile_id)
    -- Pods that were made and ended since are no pods that were not made.
    where m.made < w.spec_replicas
    group by w.hpa_uid, w.wait
    having max(w.ts) - min(w.ts) > interval 2 minutes
    qualify row_number() over (partition by w.hpa_uid order by max(w.ts) - min(w.ts) desc, min(w.ts)) = 1
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
