-- How often do replay and reality agree, and how much could not be decided?
-- One row per HPA of the current replay. match_pct is the share of the decidable reconciles that match.
-- comparable: decidable reconciles of which it is known what the controller decided: it published that, or the next
-- reconcile read what became of the scale. agree: those in which replay and
-- controller decided the same, whatever others wrote afterwards, or however the write ended. A reconcile that did not
-- take place decided nothing.
create view main.agreement as
with doubts as (
    select replay_id, hpa_uid, reconcile_id, ts
    from main.reconciles
    where decided_source is null and action = 'hold'
), shown as (
    -- A hold shows itself in what the next reconcile read. A last one is compared with the number that it read itself.
    select d.reconcile_id
    from doubts as d
    asof join main.reconciles as n on d.hpa_uid = n.hpa_uid and d.replay_id = n.replay_id and d.ts < n.ts
    where n.spec_replicas is not null
), known as (
    select
        *,
        decided_source is not null
        or actual is not null and action <> 'hold'
        or reconcile_id in (select reconcile_id from shown)
            as is_known
    from main.reconciles
)
select
    replay_id, hpa_uid, namespace, name,
    count(*) as reconciles,
    count(*) filter (verdict = 'match') as "match",
    count(*) filter (verdict = 'skew') as skew,
    count(*) filter (verdict = 'divergent') as divergent,
    count(*) filter (verdict = 'undecidable') as undecidable,
    round(100.0 * count(*) filter (verdict = 'match') / nullif(count(*) filter (verdict <> 'undecidable'), 0), 1) as match_pct,
    sum(lasted_s) filter (verdict = 'undecidable') as undecidable_s,
    count(*) filter (
        verdict in ('match', 'skew') and is_known
        or verdict = 'divergent' and not starts_with(class, 'not_run.')
        and (decided is not null or not regexp_matches(class, '^(external_write|write_failed)\.'))
    ) as comparable,
    count(*) filter (
        verdict = 'match' and is_known
        or verdict = 'divergent' and decided is not null and regexp_matches(class, '^(external_write|write_failed)\.')
    ) as agree,
    count(*) filter (evidence = 'proven') as proven
from known
group by replay_id, hpa_uid, namespace, name;
