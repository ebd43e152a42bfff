-- What would the settings that were asked for decide in place of what the controller decided?
-- Describes in runs.divergences those that these settings make: they say nothing of the controller.
update runs.divergences as d
set
    severity = 'info',
    confidence = 'proven',
    explanation = format(
        '{}; with {} replay and controller agree',
        if(
            o.desired is not distinct from o.real,
            format('with {} the controller would publish another status', o.words),
            format(
                'with {} the controller would decide {} in place of {}', o.words,
                coalesce(o.desired, 'no number'), coalesce(o.real, 'no number')
            )
        ),
        o.audited_words
    ),
    next_step = 'nothing: the controller has other settings; to judge it, replay without these options'
from (
    select
        r.hpa_uid, r.divergence_id, range_in_words(min(r.desired), max(r.desired)) as desired,
        range_in_words(min(coalesce(r.decided, r.actual)), max(coalesce(r.decided, r.actual))) as real,
        arg_min(s.words, (r.ts, r.reconcile_id)) as words, arg_min(s.audited_words, (r.ts, r.reconcile_id)) as audited_words
    from runs.reconciles as r
    join asked_verdicts as a using (reconcile_id)
    join asked_settings as s using (place)
    where a.is_made
    group by r.hpa_uid, r.divergence_id
) as o
where d.hpa_uid = o.hpa_uid and d.divergence_id = o.divergence_id;
