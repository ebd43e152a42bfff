-- Which HPAs could not read the scale of their target?
-- One row per HPA: at least twice.
-- Needs: gate.target_unreadable
with unread as (
    select
        r.hpa_uid, r.ts, r.until_next_s, r.error, t.target_kind, t.target_name,
        begins_stretch(r.ts, lag(r.ts) over one, lag(r.until_next_s) over one) as is_first
    from ran as r
    -- The target of that time: scaleTargetRef may have been edited.
    asof join tenures as t on t.hpa_uid = r.hpa_uid and t.valid_from <= coalesce(r.began_at, r.ts)
    where r.reason_code = 'gate.target_unreadable'
    window one as (partition by r.hpa_uid, t.target_kind, t.target_name order by r.ts)
), told as (
    -- Kept whatever the replay keeps of its own texts.
    select hpa_uid, bool_or(message ilike '%forbidden%') as is_forbidden
    from runs.hpa_conditions
    where type = 'AbleToScale' and reason = 'FailedGetScale'
    group by hpa_uid
), by_target as (
    select
        hpa_uid, target_kind, target_name, min(ts) as first_at, max(ts) as last_at, count(*) as reconciles,
        sum(until_next_s) as seconds, sum(is_first::integer) as stretches,
        any_value(nullif(error, '') order by ts) as error
    from unread
    group by hpa_uid, target_kind, target_name
)
select
    hpa_uid, min(first_at) as first_at, max(last_at) as last_at, cost_severity(0, 0, sum(seconds)) as severity,
    'the scale of ' || string_agg(
        format('{} {} could not be read {}', target_kind, target_name, lasting(seconds, stretches)), ', and that of '
        order by first_at, target_kind, target_name
    ) as verdict,
    json_object(
        'reconciles', sum(reconciles)::bigint, 'seconds', round(sum(seconds), 6),
        'error', any_value(error order by first_at, target_kind, target_name)
    ) as evidence,
    if(
        coalesce(bool_or(is_forbidden), false),
        'give the service account horizontal-pod-autoscaler of kube-system permission to get this scale',
        'correct scaleTargetRef; a custom resource needs the scale subresource and its labelSelectorPath'
    ) as next_step
from by_target
left join told using (hpa_uid)
group by hpa_uid
having sum(reconciles) >= 2;
