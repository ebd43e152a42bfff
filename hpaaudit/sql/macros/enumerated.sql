-- How are several names said in a sentence?
-- A text: `a`, `a and b`, `a, b and c`, or with another last word. NULL without a name.
create macro main.enumerated(names, word := 'and') as
    case
        when len(names) > 1 then array_to_string(names[:-2], ', ') || ' ' || word || ' ' || names[-1]
        else names[1]
    end;
