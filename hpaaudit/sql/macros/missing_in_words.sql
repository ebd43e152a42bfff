-- What does a missing input mean, in words?
-- A text, NULL for none. The same as in `report/codes.py`, which a test compares.
create macro main.missing_in_words(missing_input) as
    case missing_input
        when 'metric.sample' then 'which of several samples the controller read'
        when 'metric.answer' then 'what the metrics API answered: no answer had been recorded until then'
        when 'memory.before_recording' then 'what the controller recommended or scaled earlier'
        when 'instant.window_edge' then 'on which side of a window''s edge an earlier recommendation or scale event was'
        when 'scale.write' then 'whether admission changed what the HPA wrote, or somebody wrote afterwards'
        when 'scale.read' then 'which number of replicas the controller read: nobody had looked at the target until then'
        when 'status.late' then 'which reconcile wrote this number: no status of it was seen'
        when 'scale.late' then 'when the target had the number that the HPA wrote: it was seen late'
        when 'reconcile.unseen' then 'whether the HPA was reconciled then, or with other settings: no status was written'
        when 'controller.unseen' then 'what the controller remembered, or with which settings it was started'
        when 'controller.sync_period' then 'how often the controller reconciles'
        when 'write.refused' then 'whether its write was refused: then these releases write no status'
        when 'clock.offset' then 'when it was: the clocks of recorder and API server differ'
        when 'reconcile.unsure' then 'whether earlier reconciles that left no trace took place'
        else nullif(missing_input, '')
    end;
