-- Which moment is this text, in UTC?
-- A timestamp without zone: an offset is honoured (a plain timestamp literal drops it), no offset means UTC.
create macro main.utc(written) as
    case
        when regexp_matches(written, ':\d\d(\.\d+)?\s*(Z|z|[+-]\d\d(:?\d\d)?)$')
            then make_timestamp(epoch_us(written::timestamptz))
        else written::timestamp
    end;
