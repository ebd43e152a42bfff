-- After what was a change written that nobody saw being written, only its number afterwards?
-- at_lo, where the change lies between at_lo and at_hi; NULL where both are one time but for two seconds, since managedFields
-- have whole seconds.
create macro main.written_after(at_lo, at_hi) as
    if(at_hi - at_lo > interval 2 second, at_lo, null);
