-- Does a reconcile begin a new stretch, or does it follow the one before without a break?
-- True or false. before: when the last such reconcile was, NULL for none; until_next_s: how long it was from that to the next one
-- of any kind.
create macro main.begins_stretch(ts, before, until_next_s) as
    coalesce(ts > before + to_microseconds((1e6 * until_next_s)::bigint) + interval 1 second, true);
