-- How is a number said that was not the same each time?
-- A text: `6`, or `6 to 8` for the least and the greatest.
create macro main.range_in_words(least_one, greatest_one) as
    case when least_one = greatest_one then least_one::varchar else least_one || ' to ' || greatest_one end;
