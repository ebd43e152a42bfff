-- How many percent of all are these?
-- To a tenth: 100.0 is all of them and 0.0 none, so that what is less than a tenth away from these is rounded towards the middle. NULL of none.
create macro main.percent_of(part, whole) as
    case
        when part > 0 and 1000 * part < whole then 0.1
        when whole > 0 then (1000 * part // whole) / 10
    end;
