-- Which unexplained divergences does another setting explain?
-- Sets their class in runs.divergences, with what explains them.
update runs.divergences as d
set
    class = s.class,
    severity = 'medium',
    confidence = 'likely',
    explanation = s.explanation,
    next_step = s.next_step
from (
    select
        hpa_uid,
        'config.' || replace(key, '-', '_') as class,
        unnest(divergence_ids) as divergence_id,
        format(
            '{} {} explains {} of {} reconciles that {} does not',
            replace(key, '-', ' '), alternative, explained, differing, value
        ) as explanation,
        case
            when key = 'release' then format('find out which release the controller is; replay with --release {}', alternative)
            when key = 'feature-gate' then format('look at the feature gates of the controller; replay with {}', alternative)
            else format('look at the flags of the controller; replay with --flag {}={}', key, alternative)
        end as next_step
    from runs.sensitivity
) as s
where d.hpa_uid = s.hpa_uid and d.divergence_id = s.divergence_id;
