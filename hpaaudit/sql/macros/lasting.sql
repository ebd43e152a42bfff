-- How is a time said that lasted in one stretch or in several?
-- A text: `for 270 s`, `for 270 s in 2 stretches`.
create macro main.lasting(seconds, stretches) as
    format('for {} s{}', round(seconds)::bigint, if(stretches > 1, format(' in {} stretches', stretches), ''));
