-- Which unexplained divergences does another setting explain, or do several together?
-- Sets their class in runs.divergences, with what explains them.
update runs.divergences as d
set
    class = s.class,
    shape = if(s.is_one, d.shape, null),
    severity = if(s.is_one, 'medium', 'info'),
    confidence = if(s.is_one, 'likely', 'undecidable'),
    explanation = s.explanation,
    next_step = s.next_step
from (
    select
        hpa_uid, divergence_id, class, is_one, missing_input,
        also_key is null as is_alone,
        [
            replace(key, '-', ' ') || ' ' || alternative,
            replace(also_key, '-', ' ') || ' ' || also_alternative,
            replace(third_key, '-', ' ') || ' ' || third_alternative
        ] as settings,
        enumerated(list_filter(settings, lambda one: one is not null)) as setting,
        enumerated(list_filter(settings[2:], lambda one: one is not null)) as further,
        enumerated(list_filter([value, also_value, third_value], lambda one: one is not null)) as used,
        key in ('restart', 'lease') as is_memory,
        if(is_alone, ' explains ', format(' and {} together explain ', further)) || explained as explains,
        case
            when missing_input = 'controller.sync_period' then format(
                'unknown: {}; {}{} of {} that the assumed {} does not',
                missing_in_words(missing_input), settings[1], explains, counted(differing, 'reconcile'), value
            )
            when missing_input = 'reconcile.unsure' then format(
                'unknown: {}, inferred for {}', missing_in_words(missing_input), alternative
            )
            when not is_one then 'unknown: ' || missing_in_words(missing_input)
            when key = 'restart' then format(
                'a restart at about {}, which was not recorded,{} of {}: the controller forgot earlier '
                || 'recommendations and scale events',
                alternative, explains, counted(differing, 'reconcile')
            )
            when key = 'lease' then format(
                'no restart when the Lease changed its holder{} of {}: the controller remembered earlier '
                || 'recommendations and scale events',
                explains, counted(differing, 'reconcile')
            )
            else format(
                '{} {} {} of {} that {} {}',
                setting, if(is_alone, 'explains', 'together explain'), explained, counted(differing, 'reconcile'),
                used, if(is_alone, 'does not', 'do not')
            )
        end as explanation,
        case
            when missing_input = 'controller.sync_period' then 'look at the flags of the controller'
            when missing_input = 'clock.offset' then 'let recorder and API server follow the same time server'
            when missing_input = 'reconcile.unsure' then 'look at the log of kube-controller-manager at these times'
            when not is_one then 'look at the flags of the controller, and when it was restarted'
            when key = 'restart' and not is_alone
                then 'look when kube-controller-manager was restarted, and with which flags'
            when key = 'restart' then 'look when kube-controller-manager was restarted, and record its Lease'
            when key = 'lease' then 'look which program holds this Lease'
            when key = 'release' then 'find out which release the controller is'
            when key = 'feature-gate' then 'look at the feature gates of the controller'
            else 'look at the flags of the controller'
        end as look,
        if(
            not is_one and missing_input <> 'controller.sync_period' or (is_memory and is_alone),
            look,
            concat_ws(
                ' ', look || '; replay with',
                setting_as_option(key, rounder_end(alternative)),
                setting_as_option(also_key, rounder_end(also_alternative)),
                setting_as_option(third_key, rounder_end(third_alternative))
            )
        ) as next_step
    from settled
) as s
where d.hpa_uid = s.hpa_uid and d.divergence_id = s.divergence_id and s.class <> 'unexplained';
-- What would explain those that stay unexplained, because the recording says otherwise?
-- Adds it to their explanation in runs.divergences.
update runs.divergences as d
set explanation = format(
    '{}; {} would explain it, but the recording says {}',
    d.explanation,
    concat_ws(
        ' and ',
        replace(s.key, '-', ' ') || ' ' || s.alternative,
        replace(s.also_key, '-', ' ') || ' ' || s.also_alternative,
        replace(s.third_key, '-', ' ') || ' ' || s.third_alternative
    ),
    concat_ws(' and ', s.value, s.also_value, s.third_value)
)
from settled as s
where d.hpa_uid = s.hpa_uid and d.divergence_id = s.divergence_id and s.class = 'unexplained';
