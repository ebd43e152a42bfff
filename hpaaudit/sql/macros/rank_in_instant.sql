-- Which of several reconciles of one HPA at one instant (up to 1.5) is told, where one can be told?
-- The greatest: one that diverged, else one that scaled, else the last.
create macro main.rank_in_instant(verdict, action, reconcile_id) as
    (verdict = 'divergent', action in ('scale_up', 'scale_down'), reconcile_id);
