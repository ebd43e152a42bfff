-- Which unexplained divergences does another setting explain, or do two?
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
        format('{} {}', replace(key, '-', ' '), alternative) as setting,
        format('{} {}', replace(also_key, '-', ' '), also_alternative) as also_setting,
        if(
            also_key is null,
            format('{} explains {} of {} that {} does not', setting, explained, counted(differing, 'reconcile'), value),
            format(
                '{} and {} together explain {} of {} that {} and {} do not',
                setting, also_setting, explained, counted(differing, 'reconcile'), value, also_value
            )
        ) as explanation,
        case key
            when 'release' then 'find out which release the controller is'
            when 'feature-gate' then 'look at the feature gates of the controller'
            else 'look at the flags of the controller'
        end as look,
        concat_ws(
            ' ', look || '; replay with', setting_as_option(key, alternative), setting_as_option(also_key, also_alternative)
        ) as next_step
    from runs.sensitivity
) as s
where d.hpa_uid = s.hpa_uid and d.divergence_id = s.divergence_id;
