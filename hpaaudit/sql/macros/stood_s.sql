-- For how long did the number stand that a reconcile left, if somebody else wrote the replicas at written_at?
-- Seconds, at most lasted_s, which is how long it was until the next reconcile.
create macro main.stood_s(ts, lasted_s, written_at) as
    round(greatest(least(epoch(written_at - ts), lasted_s), 0), 6);
