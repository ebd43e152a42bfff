-- Did the controller decide as the replay did, although the reconcile is divergent?
-- True or false. What became of the number is another matter: the write failed or was changed, or somebody else wrote.
create macro main.decided_alike(verdict, class, decided) as
    verdict = 'divergent'
    and decided is not null
    and regexp_matches(class, '^(external_write|write_failed|write_mutated)\.');
