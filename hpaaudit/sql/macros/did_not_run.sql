-- Did a reconcile that was due not take place?
-- True or false, by its class.
create macro main.did_not_run(class) as coalesce(starts_with(class, 'not_run.'), false);
