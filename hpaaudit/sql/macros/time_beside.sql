-- How is a time shown beside another one?
-- The time of day, with the date where it lies on another day.
create macro main.time_beside(at_ts, beside) as
    case
        when at_ts::date = beside::date then strftime(at_ts, '%H:%M:%SZ')
        else strftime(at_ts, '%Y-%m-%dT%H:%M:%SZ')
    end;
