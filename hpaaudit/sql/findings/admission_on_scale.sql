-- Which HPAs have writes that admission changes, or that it or a missing permission refuses?
-- One row per HPA.
-- Needs: write_mutated.admission write_failed.denied
with by_class as (
    select
        hpa_uid, class, min(ts) as first_at, max(ts) as last_at, count(*) as writes,
        sum(abs(desired::bigint - actual)) as pods,
        range_in_words(min(desired), max(desired)) as wanted,
        range_in_words(min(actual), max(actual)) as stored
    from runs.reconciles
    where class in ('write_mutated.admission', 'write_failed.denied')
    group by hpa_uid, class
), unpermitted as (
    -- Not admission refused it: the controller's own rights did.
    select distinct hpa_uid
    from runs.hpa_conditions
    where type = 'AbleToScale' and reason = 'FailedUpdateScale' and message similar to '.*cannot (update|patch) resource.*'
)
select
    hpa_uid, min(first_at) as first_at, max(last_at) as last_at, 'high' as severity,
    string_agg(
        format(
            '{} {}: the HPA wanted {}, and {} was stored', counted(writes, 'write'),
            if(class = 'write_mutated.admission', 'changed by admission', 'refused'), wanted,
            if(class = 'write_mutated.admission', coalesce(stored, 'nothing'), 'nothing')
        ),
        '; ' order by class desc
    ) as verdict,
    json_object(
        'writes', sum(writes)::bigint, 'pods', sum(pods), 'class', arg_max(class, (writes, class))
    ) as evidence,
    if(
        bool_and(class = 'write_failed.denied') and hpa_uid in (from unpermitted),
        'give the service account horizontal-pod-autoscaler of kube-system permission to update this scale',
        'exempt the HPA from the webhook or policy that matches the scale subresource, or align minReplicas and maxReplicas'
    ) as next_step
from by_class
group by hpa_uid;
