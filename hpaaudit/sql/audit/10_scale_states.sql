-- Which scales did each HPA's target have?
-- One row per HPA and observed change, as in runs.scale_states. An older object that a slower source showed later, by its
-- resource version, is not a change. Of a target that an HPA gets later, and of that of an HPA that is made anew under its
-- name, the state that stands then is a row too.
insert into runs.scale_states by name
with mine as (
    select
        s.replay_id, s.hpa_uid, s.namespace, s.name, s.target, s.valid_from as target_since, s.is_first,
        t.* exclude (target_group, target_resource, target_namespace, target_name, gone_at),
        -- What becomes of a target that the HPA scales no more is another matter.
        if(t.gone_at < coalesce(s.next_from, s.valid_to, 'infinity'), t.gone_at, null) as gone_at,
        max(try_cast(t.resource_version as ubigint)) over (
            partition by s.hpa_uid, s.valid_from
            order by t.seq
            rows between unbounded preceding and 1 preceding
        ) as newest_version,
        -- When this state was last seen, before it changed.
        lead(t.unchanged_at) over (partition by s.hpa_uid, s.valid_from order by t.seq) as last_seen_at,
        -- Lists arrive in any order: of the first target all observations count.
        if(s.is_first or t.observed_at >= s.valid_from, t.seq, null) as own_seq
    from observed_targets as t
    join tenures as s
        on s.namespace = t.target_namespace
        and s.target_name = t.target_name
        and scales(s.target_kind, s.target_api_version, t.target_group, t.target_resource)
        -- What the HPA wrote to its target at last may be seen just after it got another one.
        and t.observed_at < coalesce(s.next_from + interval 2 seconds, s.valid_to, 'infinity')
), newest as (
    select
        * replace (
            if(own_seq is null, target_since, observed_at) as observed_at,
            if(own_seq is null, target_since, unchanged_at) as unchanged_at
        )
    from mine
    where coalesce(try_cast(resource_version as ubigint) >= newest_version, true)
    -- Of the time before an HPA got this target only what stood then: a watch shows every change until then, else the
    -- state was seen again.
    qualify own_seq is not null
        or (source = 'watch' or last_seen_at >= target_since)
        and coalesce(gone_at > target_since, true)
        and seq = max(seq) filter (own_seq is null) over (partition by hpa_uid, target_since)
)
select * exclude (newest_version, own_seq, is_first, last_seen_at)
from newest
order by hpa_uid, seq;
