-- How severe is a finding, by what it cost?
-- high, medium or low. short_s: pods that were missing, times the seconds; spare_s: pods too many, times the seconds;
-- blind_s: seconds in which nothing could scale.
create macro main.cost_severity(short_s, spare_s, blind_s) as
    case
        when coalesce(short_s, 0) >= 600 or coalesce(blind_s, 0) >= 600 then 'high'
        when coalesce(short_s, 0) >= 60 or coalesce(spare_s, 0) >= 3600 or coalesce(blind_s, 0) >= 120 then 'medium'
        else 'low'
    end;
