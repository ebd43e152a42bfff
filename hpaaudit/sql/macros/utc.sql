-- Which time is this text?
-- A timestamp in UTC. An offset is applied (a plain timestamp literal would drop it); without an offset it is UTC.
create macro main.utc(written) as
    case
        when regexp_matches(written, ':\d\d(\.\d+)?\s*(Z|z|[+-]\d\d(:?\d\d)?)$')
            then make_timestamp(epoch_us(written::timestamptz))
        else written::timestamp
    end;
