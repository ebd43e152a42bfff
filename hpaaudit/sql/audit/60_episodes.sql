-- Which reconciles that do not match belong to one divergence?
-- One row per such reconcile. An undecidable one keeps the episode before it open; a match or another class ends it.
create temp table episodes as
with islands as (
    select
        *,
        count(*) filter (verdict = 'match') over earlier as matches_before
    from verdicts
    window earlier as (partition by hpa_uid order by ts, reconcile_id)
), carried as (
    select
        *,
        coalesce(
            last_value(case when verdict <> 'undecidable' then class end ignore nulls) over (
                partition by hpa_uid, matches_before
                order by ts, reconcile_id
                rows between unbounded preceding and current row
            ),
            class
        ) as episode_class
    from islands
    where verdict <> 'match'
), starts as (
    select
        *,
        episode_class is distinct from lag(episode_class) over (
            partition by hpa_uid, matches_before
            order by ts, reconcile_id
        ) as is_first
    from carried
)
select
    reconcile_id,
    episode_class,
    is_first,
    count(*) filter (is_first) over (order by hpa_uid, ts, reconcile_id) as divergence_id
from starts;
