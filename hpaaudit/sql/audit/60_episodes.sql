-- Which reconciles that do not match belong to one divergence?
-- One row per such reconcile. An undecidable one keeps the episode before it open; a match or another class ends it.
create temp table episodes as
with islands as (
    select
        *,
        nth - row_number() over (partition by hpa order by nth) as matches_before
    from verdicts
), carried as (
    select
        *,
        coalesce(
            last_value(case when verdict <> 'undecidable' then class end ignore nulls) over (
                partition by hpa, matches_before
                order by nth
                rows between unbounded preceding and current row
            ),
            class
        ) as episode_class
    from islands
), starts as (
    select
        *,
        episode_class is distinct from lag(episode_class) over (
            partition by hpa, matches_before
            order by nth
        ) as is_first
    from carried
)
select
    reconcile_id,
    episode_class,
    count(*) filter (is_first) over (order by hpa, nth) as divergence_id
from starts;
