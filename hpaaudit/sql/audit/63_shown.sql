-- Which reconciles of a replay with --since or --until are shown?
-- Deletes the others, and narrows runs.recordings and the ends of the HPAs to the time that is shown. Every verdict was found before, from the
-- whole recording. It runs only with these options, after the findings, which keep their whole time; divergences, effects and
-- reports are made again from what is left.
update runs.recordings
set
    started_at = greatest(started_at, least(coalesce(getvariable('since'), started_at), ended_at)),
    ended_at = least(ended_at, greatest(coalesce(getvariable('until'), ended_at), started_at));

-- What is told of an HPA ends with the time that is shown.
update replayed_hpas set ended_at = least(ended_at, (select ended_at from runs.recordings));

create temp table left_out as
select reconcile_id
from runs.reconciles
where ts < getvariable('since') or ts > getvariable('until');

delete from runs.encoded_reconciles where reconcile_id in (from left_out);
delete from runs.decision_steps where reconcile_id in (from left_out);
delete from runs.reconcile_pods where reconcile_id in (from left_out);
delete from runs.encoded_metric_proposals where reconcile_id in (from left_out);
delete from runs.stabilization_inputs where reconcile_id in (from left_out);
delete from runs.memories where reconcile_id in (from left_out);
delete from runs.predicted_statuses where reconcile_id in (from left_out);
delete from runs.predicted_events where reconcile_id in (from left_out);
delete from runs.predicted_writes where reconcile_id in (from left_out);
delete from runs.scale_events where source = 'predicted' and reconcile_id in (from left_out);
-- A change that explains a reconcile that is shown is shown with it.
delete from runs.scale_event_matches
where (
        coalesce(actual_at_hi, predicted_at) < getvariable('since')
        or coalesce(actual_at_hi, predicted_at) > getvariable('until')
    )
    and (reconcile_id is null or reconcile_id in (from left_out));
delete from episodes where reconcile_id in (from left_out);
delete from verdicts where reconcile_id in (from left_out);
delete from runs.divergences;
delete from runs.effects;
delete from runs.reports;
