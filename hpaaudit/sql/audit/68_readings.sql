-- What did each metric say, and which readings can be compared?
-- One row per metric of a reconcile of `ran`. metric: the same for readings of one metric with one target. Once `metrics` of the spec
-- is edited, its place may hold another metric, or the same one with another selector, container or target; once scaleTargetRef is
-- edited, it measures other pods.
create temp view readings as
with edited as (
    select *, row_number() over (partition by hpa_uid order by valid_from) as nth
    from runs.hpa_specs
    -- What nobody edited begins nothing anew.
    where hpa_uid in (
        select hpa_uid
        from runs.hpa_specs
        group by hpa_uid
        having count(distinct (metrics::varchar, target_kind, target_name)) > 1
    )
), places as (
    select hpa_uid, nth, valid_from, target_kind, target_name, metrics, unnest(range(json_array_length(metrics)::bigint))::integer as metric_idx
    from edited
), compared as (
    select
        hpa_uid, valid_from, metric_idx,
        (json_extract(metrics, format('$[{}]', metric_idx))::varchar, target_kind, target_name) as told,
        lag(told) over one is distinct from told or lag(nth) over one < nth - 1 as is_new
    from places
    window one as (partition by hpa_uid, metric_idx order by valid_from)
), begun as (
    -- With its end, so that no reading needs to be sorted.
    select
        hpa_uid, metric_idx, valid_from,
        lead(valid_from, 1, 'infinity') over (partition by hpa_uid, metric_idx order by valid_from) as next_from
    from compared
    where is_new
), told as (
    select
        p.*, r.lasted_s, r.until_next_s, r.spec_replicas, r.min_replicas, r.max_replicas, r.raw_desired, r.desired, r.action, r.is_raised,
        r.reason_code,
        coalesce(r.began_at, r.ts) as read_at
    from runs.metric_proposals as p
    join ran as r using (reconcile_id)
)
select
    -- An average of a total of zero over zero replicas is no number, which DuckDB sorts above every other.
    t.* exclude (read_at) replace (if(isnan(t.ratio), null, t.ratio) as ratio),
    {
        'since': b.valid_from, 'type': t.metric_type, 'name': t.metric_name, 'target_type': t.target_type, 'target': t.target
    } as metric
from told as t
left join begun as b
    on b.hpa_uid = t.hpa_uid
    and b.metric_idx = t.metric_idx
    and b.valid_from <= t.read_at
    and b.next_from > t.read_at;
