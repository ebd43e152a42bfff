-- How great is the value of a setting?
-- The number of a tolerance, the seconds of a duration. NULL for a release or a gate.
create macro main.size_of_value(value_found) as try_cast(rtrim(value_found, 's') as double);
