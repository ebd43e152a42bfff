-- Which known patterns does the recording show?
-- One row per HPA and pattern, as in runs.findings. Each `with` query is one pattern and can be read on its own.
insert into runs.findings by name
with pinned_at_max as (
    select
        hpa_uid, 'pinned_at_max' as pattern, min(ts) as first_at, max(ts) as last_at,
        case when sum(lasted_s) >= 600 then 'high' else 'medium' end as severity,
        format(
            'metrics asked for {} replicas, maxReplicas was {}',
            arg_max(raw_desired, raw_desired::bigint - max_replicas),
            arg_max(max_replicas, raw_desired::bigint - max_replicas)
        ) as verdict,
        json_object(
            'seconds', sum(lasted_s),
            'wanted', arg_max(raw_desired, raw_desired::bigint - max_replicas),
            'max_replicas', arg_max(max_replicas, raw_desired::bigint - max_replicas)
        ) as evidence,
        'raise maxReplicas, or accept it: the question pinned_at_max counts the missing pods' as next_step
    from runs.reconciles
    -- What memory alone asks for beyond maxReplicas, for example after maxReplicas was lowered, is no missing pod.
    -- A reconcile that did not take place asked for nothing.
    where reason_code = 'bound.max' and raw_desired > max_replicas and coalesce(class, '') not like 'not@_run.%' escape '@'
    group by hpa_uid
), apply_resets_replicas as (
    select
        hpa_uid, 'apply_resets_replicas' as pattern, min(at_hi) as first_at, max(at_hi) as last_at, 'high' as severity,
        format('{} set the replica count {}', arg_max(writer_name, at_hi), counted(count(*), 'time')) as verdict,
        json_object('writes', count(*), 'pods', sum(abs(to_replicas - from_replicas))) as evidence,
        'remove spec.replicas from the chart or manifest' as next_step
    from runs.scale_events
    where source = 'actual' and writer_class = 'deploy_tool'
        and at_hi between (select started_at from runs.recordings) and (select ended_at from runs.recordings)
    group by hpa_uid
), two_autoscalers as (
    select
        a.hpa_uid, 'two_autoscalers' as pattern, greatest(a.seen_at, min(b.seen_at)) as first_at,
        coalesce(least(a.deleted_at, max(b.deleted_at)), (select max(ended_at) from runs.recordings)) as last_at,
        'high' as severity,
        format('{} is scaled by {} too', a.target_name, string_agg(b.name, ', ' order by b.name)) as verdict,
        json_object('others', list(b.name order by b.name)) as evidence,
        'merge the metrics into one HPA' as next_step
    from runs.hpas as a
    join runs.hpas as b
        on b.namespace = a.namespace
        and b.target_kind = a.target_kind
        and b.target_name = a.target_name
        and b.hpa_uid <> a.hpa_uid
        and b.seen_at < coalesce(a.deleted_at, 'infinity')
        and a.seen_at < coalesce(b.deleted_at, 'infinity')
    group by a.hpa_uid, a.seen_at, a.deleted_at, a.target_name
), metrics_api_down as (
    select
        r.hpa_uid, 'metrics_api_down' as pattern, min(r.ts) as first_at, max(r.ts) as last_at,
        case when max(r.ts) - min(r.ts) >= interval 2 minutes then 'high' else 'medium' end as severity,
        format('the metrics API failed in {}, so that no metric was usable and nothing could scale', counted(count(distinct r.reconcile_id), 'reconcile')) as verdict,
        json_object(
            'reconciles', count(distinct r.reconcile_id),
            'error', any_value(coalesce(p.invalid_text, p.invalid_code) order by r.ts)
        ) as evidence,
        'look at the metrics API at this time: its APIService, its pods, its certificate' as next_step
    from runs.reconciles as r
    -- Without any ready pod no metric is usable either, but then the API did answer.
    join runs.metric_proposals as p
        on p.reconcile_id = r.reconcile_id
        and p.invalid_code in (
            'metric.invalid.api_unavailable', 'metric.invalid.forbidden', 'metric.invalid.not_registered'
        )
    -- Of what was not recorded nothing is known.
    where r.reason_code = 'gate.all_metrics_invalid' and r.verdict <> 'undecidable'
    group by r.hpa_uid
), raised as (
    select s.reconcile_id
    from runs.decision_steps as s
    where s.code = 'stabilize.legacy_raise' and s.binding
    union
    -- With `numbers` there are no steps, but the numbers show it: no behavior, and without memory the number would differ.
    select r.reconcile_id
    from runs.reconciles as r
    join runs.replays as p on p.replay_id = r.replay_id and p.detail = 'numbers'
    join runs.hpa_specs as h
        on h.hpa_uid = r.hpa_uid
        and h.behavior is null
        and r.ts >= h.valid_from
        and r.ts < coalesce(h.valid_to, 'infinity')
    where r.stabilized > r.spec_replicas
        and r.desired <> greatest(least(r.raw_desired, r.max_replicas), r.min_replicas)
), windows as (
    select replay_id, rtrim(value, 's')::double as seconds
    from runs.assumptions
    where key = 'downscale-stabilization'
), blank_reason as (
    select
        r.hpa_uid, 'blank_reason' as pattern, min(r.ts) as first_at, max(r.ts) as last_at, 'low' as severity,
        format('an earlier recommendation, not load, raised the replicas {}: the Event names no reason', counted(count(*), 'time'))
            as verdict,
        json_object('reconciles', count(*)) as evidence,
        -- Without another writer it was a limit that kept the replicas below what was recommended.
        case
            when bool_or(w.at_hi >= r.ts - to_seconds(n.seconds)) then 'find out who lowered the replicas before: the question what_happened lists it'
            else 'nothing: the replicas became what was recommended before, when a limit or policy allowed fewer'
        end as next_step
    from raised
    join runs.reconciles as r using (reconcile_id)
    asof left join (
        from runs.scale_events
        where source = 'actual' and writer_class <> 'hpa' and to_replicas < from_replicas
    ) as w
        on w.hpa_uid = r.hpa_uid
        and w.at_hi <= r.ts
    left join windows as n on n.replay_id = r.replay_id
    -- A memory that only keeps the current number raises nothing.
    where r.raw_desired <= r.spec_replicas and r.desired > r.spec_replicas
    group by r.hpa_uid
), update_conflict as (
    select
        hpa_uid, 'update_conflict' as pattern, min(opened_at) as first_at, max(opened_at) as last_at, 'low' as severity,
        format('{} lost to a conflict with another writer', counted(count(*), 'write')) as verdict,
        json_object('writes', count(*)) as evidence,
        'nothing if it is rare; releases from 1.34 on try again at once' as next_step
    from runs.divergences
    where class = 'write_failed.conflict'
    group by hpa_uid
), lacking as (
    select
        *,
        coalesce(lag(ts + to_microseconds((1e6 * lasted_s)::bigint)) over one < ts - interval 1 second, true) as is_first
    from runs.reconciles
    -- What was not observed, and what did not take place, shows no pods.
    where status_replicas < spec_replicas
        and coalesce(class, '') not in ('no_data.recording_gap', 'no_data.object_unseen')
        and coalesce(class, '') not like 'not@_run.%' escape '@'
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
), pods_not_created as (
    select
        w.hpa_uid, 'pods_not_created' as pattern, w.first_at, w.last_at, 'high' as severity,
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
    ) as q on q.namespace = h.namespace
), patterns as (
    from pinned_at_max
    union all by name from apply_resets_replicas
    union all by name from two_autoscalers
    union all by name from metrics_api_down
    union all by name from blank_reason
    union all by name from update_conflict
    union all by name from pods_not_created
)
select
    h.replay_id, h.hpa_uid, h.namespace, h.name,
    row_number() over (
        order by list_position(['critical', 'high', 'medium', 'low', 'info'], p.severity), p.first_at, h.name, p.pattern,
            h.namespace, h.hpa_uid
    ) as finding_id,
    p.pattern, p.first_at, p.last_at, p.severity, p.verdict, p.evidence, p.next_step
from patterns as p
join replayed_hpas as h using (hpa_uid)
order by finding_id;
