-- Which values of a setting explain the same?
-- The value, or the least and the greatest of several, such as `5s to 10s`. NULL without any.
create macro main.interval_of_values(values_found) as
    if(
        len(values_found) <= 1,
        values_found[1],
        list_min(list_transform(values_found, lambda one: {size: size_of_value(one), v: one})).v
        || ' to '
        || list_max(list_transform(values_found, lambda one: {size: size_of_value(one), v: one})).v
    );
