-- Did the controller decide as the replay did, although the reconcile is divergent?
-- True or false. What became of the number is another matter: the write failed or was changed, or somebody else wrote.
create macro main.decided_alike(verdict, class, decided) as
    verdict = 'divergent'
    and decided is not null
    and changed_afterwards(class);
