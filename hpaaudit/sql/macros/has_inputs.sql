-- Is a reconcile known to have taken place, with inputs that were recorded?
-- True or false, by its class. What it decided else is not known, whatever its columns hold.
create macro main.has_inputs(class) as
    class is null
    or class not in ('no_data.recording_gap', 'no_data.object_unseen') and not did_not_run(class);
