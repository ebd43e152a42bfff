-- Which targets were to have more pods, and did not get them?
-- One row per HPA, of its longest wait. It begins with the scale-up, where that was seen.
with lacking as (
    select
        r.hpa_uid, r.reconcile_id, r.ts, r.spec_replicas, r.status_replicas, t.valid_from as target_since,
        coalesce(lag(r.ts + to_microseconds((1e6 * r.lasted_s)::bigint)) over one < r.ts - interval 1 second, true)
        -- What was asked for before was made: these are other pods.
        or r.status_replicas >= lag(r.spec_replicas) over one as is_first
    from runs.reconciles as r
    -- The target of that time: scaleTargetRef may have been edited.
    asof left join tenures as t on t.hpa_uid = r.hpa_uid and t.valid_from <= coalesce(r.began_at, r.ts)
    -- What was not observed, and what did not take place, shows no pods.
    where r.status_replicas < r.spec_replicas and has_inputs(r.class)
    window one as (partition by r.hpa_uid, t.valid_from order by r.ts)
), waits as (
    select
        *, sum(is_first::integer) over (partition by hpa_uid, target_since order by ts rows unbounded preceding) as wait
    from lacking
), risen as (
    -- Few HPAs wait for long: only their other reconciles are asked what was made before.
    select
        r.hpa_uid, r.reconcile_id, r.ts, r.spec_replicas, r.status_replicas, t.valid_from as target_since,
        coalesce(r.spec_replicas > lag(r.spec_replicas) over one, true) as is_raised
    from runs.reconciles as r
    asof left join tenures as t on t.hpa_uid = r.hpa_uid and t.valid_from <= coalesce(r.began_at, r.ts)
    where has_inputs(r.class)
        and r.hpa_uid in (
            select hpa_uid from waits group by hpa_uid, target_since, wait having max(ts) - min(ts) > interval 2 minutes
        )
    window one as (partition by r.hpa_uid, t.valid_from order by r.ts, r.reconcile_id)
), rises as (
    select
        *,
        sum(is_raised::integer)
            over (partition by hpa_uid, target_since order by ts, reconcile_id rows unbounded preceding) as rise
    from risen
), made as (
    -- The most pods since the number of the spec rose last.
    select
        reconcile_id,
        max(status_replicas)
            over (partition by hpa_uid, target_since, rise order by ts, reconcile_id rows unbounded preceding) as made
    from rises
), longest_waits as (
    select
        w.hpa_uid, min(w.ts) as first_at, max(w.ts) as last_at,
        arg_max(w.spec_replicas, w.ts) as wanted, arg_max(m.made, w.ts) as made
    from waits as w
    join made as m using (reconcile_id)
    -- Pods that were made and ended since are no pods that were not made.
    where m.made < w.spec_replicas
    group by w.hpa_uid, w.target_since, w.wait
    having max(w.ts) - min(w.ts) > interval 2 minutes
    qualify row_number() over (partition by w.hpa_uid order by max(w.ts) - min(w.ts) desc, min(w.ts)) = 1
), numbers as (
    select *, scale_event_id is not null and wanted > from_replicas as is_scaled_up
    from runs.effects
    -- Of numbers that were seen at one instant the last one is there afterwards.
    qualify row_number() over (partition by hpa_uid, ts order by scale_event_id desc nulls last) = 1
), begun as (
    -- The number may have been so when the recording began, or when the HPA turned to this target: then nobody scaled it. The
    -- reconcile before read another number: else the pods were there for a while.
    select
        w.* replace (if(b.is_scaled_up and coalesce(r.spec_replicas < b.wanted, true), b.ts, w.first_at) as first_at),
        coalesce(l.is_scaled_up and l.wanted = w.wanted, false) as is_scaled_up
    from longest_waits as w
    asof left join numbers as b on b.hpa_uid = w.hpa_uid and b.ts < w.first_at
    asof left join numbers as l on l.hpa_uid = w.hpa_uid and l.ts <= w.last_at
    asof left join risen as r on r.hpa_uid = w.hpa_uid and r.ts < w.first_at
), refused as (
    select
        w.hpa_uid, round(sum(e.pod_seconds_missing), 6) as missing_s,
        arg_min(e.cause, e.ts) filter (e.cause is not null) as cause,
        enumerated(list_sort(list(distinct regexp_extract(e.cause, 'exceeded quota: ([^,]+)', 1))
            filter (contains(e.cause, 'exceeded quota: ')))) as quotas
    from begun as w
    join runs.effects as e
        on e.hpa_uid = w.hpa_uid
        and e.ts <= w.last_at
        and e.until > w.first_at
        and e.class in ('effect.quota', 'effect.not_created')
    group by w.hpa_uid
)
select
    w.hpa_uid, w.first_at, w.last_at, 'high' as severity,
    format(
        if(
            w.is_scaled_up, 'the target was scaled to {}, and only {} were made{}',
            'the target asked for {} replicas, and had at most {}{}'
        ),
        w.wanted, counted(w.made, 'pod'),
        if(
            r.cause is null, '',
            format(
                ': {} refused more; {:.0f} pod-minutes missing', coalesce('quota ' || r.quotas, 'the API server'),
                r.missing_s / 60
            )
        )
    ) as verdict,
    json_object(
        'seconds', epoch(w.last_at - w.first_at), 'wanted', w.wanted, 'made', w.made, 'quotas', coalesce(q.names, []),
        'cause', r.cause, 'pod_seconds_missing', r.missing_s
    ) as evidence,
    case
        when r.quotas is not null then 'raise this quota, or lower maxReplicas to what it allows'
        when r.cause is not null then 'see `cause` in the evidence: it names what refuses the pods'
        else 'look at the Events of the ReplicaSet: FailedCreate names the quota or the admission rule that refuses pods'
    end as next_step
from begun as w
join replayed_hpas as h using (hpa_uid)
left join refused as r using (hpa_uid)
left join (
    select namespace, list_sort(list(distinct name)) as names
    from runs.surroundings
    where resource = 'resourcequotas'
    group by namespace
) as q on q.namespace = h.namespace;
