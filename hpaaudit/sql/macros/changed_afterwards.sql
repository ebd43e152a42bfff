-- Does this class say that only what became of a decided number differs?
-- True or false. Somebody else wrote, the write failed, or it was changed on its way.
create macro main.changed_afterwards(class) as regexp_matches(class, '^(external_write|write_failed|write_mutated)\.');
