-- How are several names said in a sentence?
-- A text: `a`, `a and b`, `a, b and c`. NULL without a name.
create macro main.enumerated(names) as
    case
        when len(names) > 1 then array_to_string(names[:-2], ', ') || ' and ' || names[-1]
        else names[1]
    end;
