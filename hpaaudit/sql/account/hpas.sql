-- How well does each HPA agree, and what is unknown of it?
-- One row per HPA, as in `agreement`. why: the inputs that are unknown. other_reasons: Events of changes that name another
-- reason than the replay. told_scalings: how often `status.lastScaleTime` moved.
with scalings as (
    -- What the first status tells of was before the recording.
    select hpa_uid, count(distinct last_scale_time) - count(distinct first_time) as scalings
    from (
        select hpa_uid, last_scale_time, first_value(last_scale_time) over (partition by hpa_uid order by observed_at, last_scale_time nulls first) as first_time
        from hpa_status
    ) as one
    group by hpa_uid
), reasons as (
    select
        r.hpa_uid,
        coalesce(
            list(distinct why order by why) filter (why <> ''),
            if(bool_or(why is null), ['something that was not recorded'], null)
        ) as why
    from reconciles as r
    left join divergences as d using (divergence_id)
    cross join lateral (select case r.class
        -- Where a gap is the cause, what it hid is not asked: its own cause says it. A gap during a divergence of another
        -- class is part of that divergence, whose explanation is no cause of a gap.
        when 'no_data.recording_gap'
            then if(d.class = r.class, substr(d.explanation, length('not observed: ') + 1), null)
        when 'no_data.object_unseen' then coalesce(nullif(r.missing_input, ''), 'what the controller decided')
        else coalesce(r.missing_input, '')
    end as why)
    where r.verdict = 'undecidable'
    group by r.hpa_uid
)
select
    a.* exclude (replay_id, match_pct),
    if(count(*) over (partition by a.namespace, a.name) > 1, epoch_us(h.seen_at), null) as seen_us,
    if(count(*) over (partition by a.namespace, a.name) > 1, epoch_us(h.deleted_at), null) as deleted_us,
    coalesce(s.scalings, 0) as told_scalings,
    h.target_kind || '/' || h.target_name as target, r.why,
    (
        select count(*)
        from reports as o
        where o.hpa_uid = a.hpa_uid and o.class = 'report.other_reason'
    ) as other_reasons
from agreement as a
left join hpas as h using (hpa_uid)
left join scalings as s using (hpa_uid)
left join reasons as r using (hpa_uid);
