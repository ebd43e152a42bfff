-- How is a count written?
-- A text: `1 time`, `3 times`.
create macro main.counted(number, noun) as
    number || ' ' || noun || case when number = 1 then '' else 's' end;
