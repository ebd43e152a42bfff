-- Until when did the decision of each reconcile of some HPAs hold, and what came next?
-- One row per reconcile, as in spans.
insert into spans by name
with needed as (
    select
        r.reconcile_id, h.hpa, r.ts, r.began_at, r.spec_replicas, r.desired, r.status_desired,
        -- Until 1.15 a number may be wanted and not written: then the replicas stay what they were.
        if(getvariable('texts').action[r.action + 1] = 'hold' and r.desired is not null, r.spec_replicas, r.desired) as expected,
        r.able, r.active,
        case
            when not coalesce(r.band_lo < r.band_hi, false) then 0
            when split_part(r.missing_input, '.', 1)
                in ('metric', 'pod', 'scale', 'instant') then 1
            else 2
        end::tinyint as open,
        -- Its inputs would have changed the status, and none was written.
        getvariable('texts').at_source[r.at_source + 1] = 'grid' and getvariable('texts').evidence[r.evidence + 1] = 'assumed'
            as is_silent,
        getvariable('texts').reason_code[r.reason_code + 1] = 'act.write_failed' as is_refused
    from staged.replayed as r
    join replayed_hpas as h on h.place = r.object
    where h.hpa between $first and $last
), neighbours as (
    select
        * exclude (is_silent),
        (row_number() over later)::integer as nth,
        lead(ts) over later as next_ts,
        lead(began_at) over later as next_began,
        lead(is_silent) over later as next_is_silent,
        lead(spec_replicas) over later as next_spec_replicas
    from needed
    window later as (partition by hpa order by ts, reconcile_id)
), leaving as (
    select distinct n.reconcile_id
    from tenures as t
    join replayed_hpas as h using (hpa_uid)
    join neighbours as n on n.hpa = h.hpa and t.valid_from > n.ts and t.valid_from <= n.next_ts
    where not t.is_first
    union
    -- A target that is deleted and made again between two reconciles is another one.
    select n.reconcile_id
    from remakes as t
    join replayed_hpas as h using (hpa_uid)
    join neighbours as n on n.hpa = h.hpa and t.observed_at > n.ts and t.observed_at <= n.next_ts
)
select
    n.* exclude (next_began) replace (
        -- The next reconcile reads another target: it shows nothing of this one.
        if(c.reconcile_id is null, n.next_spec_replicas, null) as next_spec_replicas
    ),
    c.reconcile_id is not null as is_target_left,
    coalesce(n.next_began, greatest(n.ts, h.ended_at) + interval 1 microsecond) as until
from neighbours as n
join replayed_hpas as h using (hpa)
left join leaving as c using (reconcile_id);
