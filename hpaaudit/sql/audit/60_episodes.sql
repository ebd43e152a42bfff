-- Which reconciles that do not match belong to one divergence?
-- One row per such reconcile. An undecidable reconcile keeps the episode before it open, unless that is a write by somebody
-- else, which is over at once; a match or another class ends it.
create temp table episodes as
with islands as (
    select
        *,
        nth - row_number() over (partition by hpa order by nth) as matches_before
    from verdicts
), numbered as (
    select
        *,
        -- A running count with a filter scans every row again; a running sum does not.
        sum((verdict <> 'undecidable')::integer) over (partition by hpa, matches_before order by nth) as decidable
    from islands
), opened as (
    select *, first_value(class) over (partition by hpa, matches_before, decidable order by nth) as opened_by
    from numbered
), carried as (
    select *, if(decidable = 0 or starts_with(opened_by, 'external_write.'), class, opened_by) as episode_class
    from opened
), starts as (
    select
        *,
        episode_class is distinct from lag(episode_class) over (partition by hpa, matches_before order by nth) as is_first
    from carried
)
select
    reconcile_id, hpa, episode_class,
    sum(is_first::integer) over (order by hpa, nth)::bigint as divergence_id
from starts;
