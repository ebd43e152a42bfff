-- How well does each HPA agree, and what is unknown of it?
-- One row per HPA that was there in the time that is shown, as in `agreement`; some have no reconcile in it. why: the inputs that are unknown. other_reasons: Events of changes that name another
-- reason than the replay. told_scalings: how often `status.lastScaleTime` moved while it was looked at.
with agreed as materialized (
    from agreement
), begun as (
    -- What the status tells at first was before the recording, or before the part of it that is shown.
    select s.hpa_uid, max(s.observed_at) as at_ts
    from hpa_status as s
    cross join recordings as o
    where s.observed_at <= o.started_at
    group by s.hpa_uid
), shown as (
    select
        s.hpa_uid, s.last_scale_time,
        first_value(s.last_scale_time) over (partition by s.hpa_uid order by s.observed_at, s.last_scale_time nulls first)
            as first_time
    from hpa_status as s
    cross join recordings as o
    left join begun as b using (hpa_uid)
    where s.observed_at >= coalesce(b.at_ts, s.observed_at) and s.observed_at <= o.ended_at
), scalings as (
    select hpa_uid, count(distinct last_scale_time) - count(distinct first_time) as scalings
    from shown
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
), turned as (
    -- Which target it had before another, and until when.
    select hpa_uid, list({'target': former, 'until_us': epoch_us(valid_from)} order by valid_from) as former_targets
    from (
        select
            hpa_uid, valid_from, target_kind || '/' || target_name as target,
            lag(target) over (partition by hpa_uid order by valid_from) as former
        from hpa_specs
    ) as spec
    where former <> target
    group by hpa_uid
), there as (
    select a.* exclude (replay_id, match_pct)
    from agreed as a
    union all by name
    select
        h.hpa_uid, h.namespace, h.name,
        0 as reconciles, 0 as "match", 0 as skew, 0 as divergent, 0 as undecidable, 0 as comparable, 0 as agree,
        0 as proven, 0 as seen
    from hpas as h
    cross join recordings as o
    where h.hpa_uid not in (select hpa_uid from agreed)
        and coalesce(h.is_asked, true)
        and h.seen_at <= o.ended_at
        and coalesce(h.deleted_at >= o.started_at, true)
)
select
    a.*,
    if(count(*) over (partition by a.namespace, a.name) > 1, epoch_us(h.seen_at), null) as seen_us,
    epoch_us(h.deleted_at) as deleted_us,
    coalesce(s.scalings, 0) as told_scalings,
    h.target_kind || '/' || h.target_name as target, t.former_targets, r.why,
    (
        select count(*)
        from reports as o
        where o.hpa_uid = a.hpa_uid and o.class = 'report.other_reason'
    ) as other_reasons
from there as a
left join turned as t using (hpa_uid)
left join hpas as h using (hpa_uid)
left join scalings as s using (hpa_uid)
left join reasons as r using (hpa_uid)
order by a.namespace, a.name, h.seen_at, a.hpa_uid;
