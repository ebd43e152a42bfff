-- How often do replay and reality agree, and how much could not be decided?
-- One row per HPA of the current replay. match_pct is the share of the decidable reconciles that match. A reconcile that
-- did not take place decided nothing.
-- Columns:
--   reconciles: all of them
--   match: agree
--   skew: differ by what could not be told apart: two samples, two sides of a window's edge
--   divergent: differ
--   undecidable: nothing can be said
--   match_pct: matches among the decidable, in percent: 100.0 is all of them, 0.0 none
--   undecidable_s: seconds of which nothing can be said
--   comparable: decidable and not `not_run.*`, and what the controller decided is known
--   agree: replay and controller decided the same, whatever others wrote afterwards, or however the write ended
--   proven: reconciles whose inputs are proven
--   seen: reconciles whose inputs are those that the controller itself was answered, as a capture records them
create view main.agreement as
select
    replay_id, hpa_uid, namespace, name,
    count(*) as reconciles,
    count(*) filter (verdict = 'match') as "match",
    count(*) filter (verdict = 'skew') as skew,
    count(*) filter (verdict = 'divergent') as divergent,
    count(*) filter (verdict = 'undecidable') as undecidable,
    percent_of(count(*) filter (verdict = 'match'), count(*) filter (verdict <> 'undecidable')) as match_pct,
    round(sum(lasted_s) filter (verdict = 'undecidable'), 6) as undecidable_s,
    count(*) filter (
        verdict in ('match', 'skew') and is_known
        or verdict = 'divergent' and not starts_with(class, 'not_run.')
        and (decided is not null or not changed_afterwards(class))
    ) as comparable,
    count(*) filter (verdict = 'match' and is_known or decided_alike(verdict, class, decided)) as agree,
    count(*) filter (evidence = 'proven' and has_inputs(class)) as proven,
    count(*) filter (evidence = 'seen' and has_inputs(class)) as seen
from main.reconciles
group by replay_id, hpa_uid, namespace, name;
