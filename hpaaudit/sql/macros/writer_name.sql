-- What is the name of the writer?
-- The field manager as it is written, else the program of the user agent, else the last part of the user name.
create macro main.writer_name(username, agent, manager) as
    coalesce(
        nullif(manager, ''),
        nullif(split_part(agent, '/', 1), ''),
        nullif(regexp_extract(username, '([^:]*)$', 1), ''),
        'unknown'
    );
