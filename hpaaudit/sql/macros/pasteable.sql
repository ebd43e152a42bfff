-- How is a text written as one word of a shell command?
-- A text, in single quotes unless it is plain.
create macro main.pasteable(word) as
    case
        when regexp_full_match(word, '[A-Za-z0-9_@%+=:,./-]+') then word
        else '''' || replace(word, '''', '''"''"''') || ''''
    end;
