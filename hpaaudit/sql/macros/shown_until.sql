-- Until when does what was seen belong to a reconcile after which no other one is shown?
-- A timestamp, before which it was seen. Its time ends when the next one began that is not shown, or with the recording; what
-- was seen at the very end of that belongs to it.
create macro main.shown_until(ts, lasted_s, recorded_until) as
    ts + to_microseconds((1e6 * lasted_s)::bigint)
    + if(ts + to_microseconds((1e6 * lasted_s)::bigint) <= recorded_until, interval 1 microsecond, interval 0 microsecond);
