-- How many percent of all are these?
-- A number with one decimal, rounded down: 100.0 is all of them. 0.0 is none of them: less than 0.1 is 0.1. NULL of nothing.
create macro main.percent_of(part, whole) as
    if(part > 0, greatest(0.1, floor(1000.0 * part / nullif(whole, 0)) / 10), floor(1000.0 * part / nullif(whole, 0)) / 10);
