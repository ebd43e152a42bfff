-- Which end of an interval, such as `4.8s to 5s`, would somebody rather give?
-- The shorter one of its texts, the first of equal ones. A single value is itself.
create macro main.rounder_end(interval_found) as list_reduce(
    string_split(interval_found, ' to '), lambda one, other: if(len(other) < len(one), other, one)
);
