-- Which HPAs have writes that admission changes or refuses?
-- One row per HPA.
-- Needs: write_mutated.admission write_failed.denied
select
    hpa_uid, min(opened_at) as first_at, max(coalesce(closed_at, opened_at)) as last_at, 'high' as severity,
    format(
        '{} {}: the HPA wanted {}, and {} was stored', counted(sum(reconciles)::bigint, 'write'),
        if(mode(class order by class) = 'write_mutated.admission', 'changed by admission', 'refused'),
        arg_min(predicted, opened_at), coalesce(arg_min(actual, opened_at)::varchar, 'nothing')
    ) as verdict,
    json_object(
        'writes', sum(reconciles), 'pods', sum(abs(predicted::bigint - actual)), 'class', mode(class order by class)
    ) as evidence,
    'exempt the HPA from the webhook or policy that matches the scale subresource, or align minReplicas and maxReplicas'
        as next_step
from runs.divergences
where class in ('write_mutated.admission', 'write_failed.denied')
group by hpa_uid;
