-- Why does a reconcile not match what the controller published and what the cluster did?
-- One row per reconcile that does not match. Every column of `tests` can be read on its own. The first true condition
-- decides the class: positive evidence, then gaps in the recording, then skew, then unexplained.
-- also_…: other tests that were true.
create temp table verdicts as
with unseen_answers as (
    -- Reconciles that were seen themselves, but not an answer that they read.
    select distinct reconcile_id
    from runs.metric_proposals
    where invalid_code = 'metric.invalid.unseen'
), without_pods as (
    -- They counted pods, and it was not seen which pods there were. A metric that could not be read counts none, and an
    -- average of one that no pod has is divided by the replicas that the scale shows. 1.1 does not say why its only metric
    -- could not be used.
    select b.reconcile_id
    from reconciles_in_gaps as b
    join staged.replayed as r using (reconcile_id)
    left join runs.metric_proposals as p using (reconcile_id)
    where b.lacks_pods
    group by b.reconcile_id, r.reason_code
    having coalesce(
        bool_or(
            (p.metric_type not in ('Object', 'External') or p.target_type <> 'AverageValue')
            and (
                p.valid
                or p.invalid_code in (
                    'metric.invalid.container_missing', 'metric.invalid.missing_request', 'metric.invalid.no_pods',
                    'metric.invalid.no_ready_metrics'
                )
                or coalesce(p.invalid_text like '%metrics obtained for %', false)
            )
        ),
        getvariable('texts').reason_code[r.reason_code + 1] = 'gate.all_metrics_invalid'
    )
), filled_in as (
    -- Which pods were not ready or not measured made the number, and it was not seen which pods there were: that the number is
    -- right proves nothing of them.
    select distinct b.reconcile_id
    from reconciles_in_gaps as b
    join runs.metric_proposals as p using (reconcile_id)
    where b.lacks_pods and b.is_long and p.is_winner and p.adjust_code <> ''
), in_long_gaps as (
    select
        b.reconcile_id, b.hides_reconcile, b.cause,
        -- The controller's own answers tell nothing of the pods that it knew.
        n.reconcile_id is not null and getvariable('texts').evidence[r.evidence + 1] = 'seen' as is_seen_without_pods,
        getvariable('texts').evidence[r.evidence + 1] = 'assumed' or u.reconcile_id is not null or is_seen_without_pods
            as is_assumed,
        getvariable('texts').at_source[r.at_source + 1] = 'grid' as is_inferred
    from reconciles_in_gaps as b
    join staged.replayed as r using (reconcile_id)
    left join unseen_answers as u using (reconcile_id)
    left join without_pods as n using (reconcile_id)
    -- What was never recorded is missing from the beginning to the end.
    where b.is_long or b.is_unrecorded or is_seen_without_pods
), relisted as (
    -- The first status after a gap is one that a list showed: its reconcile was at some time in the gap.
    select arg_min(b.reconcile_id, r.ts) as reconcile_id
    from reconciles_in_gaps as b
    join staged.replayed as r using (reconcile_id)
    where b.listed_after is not null and getvariable('texts').at_source[r.at_source + 1] = 'status_write'
    group by r.object, b.listed_after
), unanswered as (
    -- Nobody had seen an answer that they read, and they told nothing of their decision.
    select u.reconcile_id
    from unseen_answers as u
    join compared as c using (reconcile_id)
    join staged.replayed as r using (reconcile_id)
    where c.decision_agrees is null and getvariable('texts').evidence[r.evidence + 1] = 'assumed'
), unproven as (
    -- Inputs that were only assumed: that the numbers are equal proves nothing. Or nobody saw whether it took place.
    select reconcile_id
    from in_long_gaps
    where is_assumed or is_inferred and hides_reconcile
    union
    -- Or when.
    from relisted
    union
    from filled_in
    union
    from unanswered
), unread as (
    -- Nobody had looked at its target until then: that no scale was recorded does not say that it could not be read.
    select c.reconcile_id
    from compared as c
    join staged.replayed as r using (reconcile_id)
    join replayed_hpas as h using (hpa)
    asof join runs.hpa_specs as a on a.hpa_uid = h.hpa_uid and c.ts >= a.valid_from
    left join scale_looks as l on l.namespace = a.namespace and l.name = a.target_name
    where getvariable('texts').reason_code[r.reason_code + 1] = 'gate.target_unreadable'
        -- Or it was looked at, and its watch was late: what is unreadable says so in the conditions, where there are any.
        and (
            coalesce(l.first_at > c.ts, true)
            or h.hpa_uid in (select hpa_uid from runs.hpa_status where able_reason is not null)
        )
        -- Unless the controller says so itself.
        and getvariable('texts').evidence[r.evidence + 1] <> 'proven'
        and not coalesce(c.decided_source = 3 and c.decision_agrees, false)
), otherwise_told as (
    -- Its Event tells of another number than the replay writes, or the replay writes none: the status that stood then is of
    -- another reconcile.
    select c.reconcile_id
    from compared as c
    join staged.replayed as r using (reconcile_id)
    join rescale_events as e on e.hpa = c.hpa and e.at between c.ts - interval 1 second and c.ts + interval 1 second
    -- Unless a reconcile beside it wrote that number.
    left join compared as o
        on o.hpa = c.hpa
        and o.reconcile_id <> c.reconcile_id
        and o.desired = e.replicas
        and o.desired <> o.spec_replicas
        and o.ts between e.at - interval 1 second and e.at + interval 2 second
    where getvariable('texts').at_source[r.at_source + 1] = 'event' and o.reconcile_id is null
    group by c.reconcile_id, r.desired, c.spec_replicas
    having not coalesce(bool_or(e.replicas = r.desired and r.desired <> c.spec_replicas), false)
), odd as (
    select c.*, h.hpa_uid
    from compared as c
    join replayed_hpas as h using (hpa)
    where not c.agrees
        or c.reconcile_id in (select reconcile_id from not_run)
        or c.reconcile_id in (select reconcile_id from unproven)
        or c.reconcile_id in (select reconcile_id from unread)
        or c.reconcile_id in (select reconcile_id from otherwise_told)
        -- Its write failed, and somebody else wrote the same number just then.
        or c.reconcile_id in (select reconcile_id from failed_rescales where sent = c.desired and sent <> c.spec_replicas)
), said_of_failure as (
    -- Without its Event the status says why the write failed.
    select s.reconcile_id, arg_max(split_part(o.message, 'update the target scale: ', 2), o.observed_at) as message
    from runs.hpa_conditions as o
    join replayed_hpas as h using (hpa_uid)
    join spans as s on s.hpa = h.hpa and o.observed_at >= s.began_at and o.observed_at < s.until
    where o.type = 'AbleToScale' and o.reason = 'FailedUpdateScale'
    group by s.reconcile_id
), refusals as (
    select
        s.reconcile_id,
        -- The last answer counts: a conflict whose retry succeeded is not a failure.
        arg_max(w.http_status, w.ts) as http_status,
        arg_max(w.spec_replicas, w.ts) filter (w.http_status between 200 and 299) as stored
    from runs.scale_writes as w
    join replayed_hpas as h using (hpa_uid)
    join spans as s
        on s.hpa = h.hpa
        and w.ts >= s.began_at
        and w.ts < s.until
    left join shared_targets as o on o.hpa_uid = w.hpa_uid and w.ts >= o.since and w.ts < coalesce(o.until, 'infinity')
    -- Of several HPAs with one target, the one that wanted this number sent it.
    where (o.hpa_uid is null or w.sent in (s.desired, s.status_desired))
        and writer_class(w.audit_user, w.user_agent, w.manager, '', w.subresource) = 'hpa'
    group by s.reconcile_id
), next_writes as (
    -- Of several changes at one instant the last one counts.
    select
        reconcile_id,
        arg_max(writer_class, (at_hi, scale_event_id)) as writer_class,
        arg_max(writer_name, (at_hi, scale_event_id)) as writer_name,
        arg_max(evidence_level, (at_hi, scale_event_id)) as evidence_level,
        max(at_hi) as written_at,
        arg_max(at_lo, (at_hi, scale_event_id)) as written_after,
        arg_max(from_replicas, (at_hi, scale_event_id)) as from_replicas,
        arg_max(to_replicas, (at_hi, scale_event_id)) as to_replicas,
        bool_or(writer_class = 'hpa') as has_own,
        count(*) filter (writer_class <> 'hpa') as foreign_writes
    from runs.scale_events
    where source = 'actual' and reconcile_id is not null
    group by reconcile_id
), watched as (
    select distinct hpa_uid from runs.scale_states where source = 'watch'
), shown_late as (
    -- The target had the number that the HPA wanted, just then, by the controller's hand: a watch showed it too late, or
    -- the HPA's status. managedFields have whole seconds, or no time at all.
    select distinct c.reconcile_id
    from odd as c
    join spans as s using (reconcile_id)
    cross join sync as y
    join runs.scale_states as t
        on t.hpa_uid = c.hpa_uid
        and t.spec_replicas = c.desired
        and writer_class('', '', t.replicas_manager, t.replicas_operation, t.replicas_subresource) = 'hpa'
        and t.observed_at > s.began_at - least(interval 5 second, y.sync / 2)
        and t.observed_at < s.until + greatest(interval 5 second, y.sync)
        and coalesce(t.replicas_written_at, t.observed_at - interval 3 second)
            >= s.began_at - least(interval 5 second, y.sync / 2)
        and coalesce(t.replicas_written_at, t.observed_at - interval 3 second)
            < s.until - if(y.sync > interval 5 second, interval 1 second, interval 0 second)
    where c.replicas_agree is false
), guesses as (
    -- What was decided from assumed inputs in a gap is remembered, and counts as long as a window reaches back to it.
    select c.hpa, c.ts as guessed_at, c.ts + w.longest as counts_until, g.cause
    from in_long_gaps as g
    join compared as c using (reconcile_id)
    join memory_windows as w using (hpa)
    where g.is_assumed or g.hides_reconcile
    union all
    -- Nor is known what it recommended of a target that nobody had seen; the reconcile after it is not the first one.
    select s.hpa, s.ts, s.until + w.longest, null
    from unread
    join spans as s using (reconcile_id)
    join staged.replayed as r using (reconcile_id)
    join memory_windows as w on w.hpa = s.hpa
    where getvariable('texts').at_source[r.at_source + 1] <> 'grid'
), tests as (
    select
        c.reconcile_id, c.hpa, c.nth, c.ts, r.desired, r.missing_input,
        c.decision_agrees, c.replicas_agree,
        coalesce(f.message, nullif(e.message, '')) as failed_with,
        f.message is not null as t_told_by_event,
        x.http_status as refused_with,
        coalesce(f.message is not null or x.http_status not between 200 and 299 or c.told_of_failure, false)
            as t_write_failed,
        n.writer_class as next_writer,
        n.writer_name, n.evidence_level, n.written_at, n.written_after, n.from_replicas, n.to_replicas, n.foreign_writes,
        coalesce(n.writer_class not in ('hpa', 'unknown'), false) as t_foreign,
        coalesce(n.writer_class = 'unknown', false) as t_nameless,
        -- Its own status tells that it wrote this number; an older one says nothing of this write. Where the number itself was
        -- stored, only the next reconcile, which nobody saw, seems to have found another one: the watch showed it later.
        coalesce(
            n.writer_class = 'hpa' and n.evidence_level in ('audit', 'managed_fields') and n.to_replicas <> r.desired, false
        )
            and c.told_of_success and l.reconcile_id is null
            or l.reconcile_id is null and n.reconcile_id is null and c.told_of_success and w.hpa_uid is not null and b.reconcile_id is null
            and c.ts <= i.ended_at - interval 2 second
            and c.reconcile_id not in (select reconcile_id from spans where is_target_left)
            or coalesce(x.stored <> r.desired, false) as t_rewritten,
        -- The recording may end before the watch of the target shows the number.
        l.reconcile_id is not null
            or coalesce(n.writer_class = 'hpa' and n.to_replicas = r.desired, false)
            or n.reconcile_id is null and c.ts > i.ended_at - interval 2 second as t_late,
        coalesce(n.writer_class = 'hpa', false) and not c.told_of_success as t_untold,
        c.reconcile_id in (select reconcile_id from unread) as t_unread,
        c.reconcile_id in (select reconcile_id from relisted) as t_relisted,
        c.reconcile_id in (select reconcile_id from unanswered) and b.reconcile_id is null as t_unanswered,
        o.reconcile_id is not null as is_otherwise_told,
        c.agrees and is_otherwise_told as t_otherwise_told,
        -- It tells of a write that nobody saw: what stood then may be its own number, changed on its way, or that of another.
        c.told_of_success and if(n.writer_class = 'unknown', not n.has_own, n.reconcile_id is null and w.hpa_uid is null)
            as t_replaced,
        m.class as not_run, m.renewed_at,
        getvariable('texts').at_source[r.at_source + 1] = 'grid' as t_inferred,
        b.reconcile_id is not null as t_gap,
        getvariable('texts').at_source[r.at_source + 1] = 'grid'
            and c.desired <> c.spec_replicas
            and c.hpa_uid not in (select hpa_uid from runs.hpa_status where able_reason is not null) as t_may_be_refused,
        coalesce(b.hides_reconcile, false) as t_hpa_unseen,
        coalesce(b.hides_status, false) as t_status_unseen,
        coalesce(c.ts <= g.counts_until, false) as t_memory_guessed,
        coalesce(c.ts <= g.counts_until and g.cause is null, false) as t_memory_unread,
        coalesce(b.hides_target, false) as t_target_unseen,
        coalesce(b.hides_pods, false) and c.decision_agrees is false
            or c.reconcile_id in (select reconcile_id from filled_in) as t_pods_unseen,
        -- Published values that an old answer has as well do not say of which pods they are.
        coalesce(b.hides_metrics, false) and c.decision_agrees is false as t_metrics_unseen,
        if(
            u.reconcile_id is not null and b.reconcile_id is not null
                or coalesce(p.is_seen_without_pods, false)
                or (c.told_late or is_otherwise_told) and getvariable('texts').evidence[r.evidence + 1] = 'proven',
            'assumed',
            getvariable('texts').evidence[r.evidence + 1]
        ) as evidence,
        coalesce(b.is_unrecorded, false) as t_unrecorded,
        coalesce(b.cause, g.cause) as gap_cause,
        c.open > 0 as t_band,
        c.open = 1 as t_sampling,
        coalesce(if(c.decided_source in (1, 2), c.decided, c.actual) between r.band_lo and r.band_hi, false) as t_in_band
    from odd as c
    join staged.replayed as r using (reconcile_id)
    cross join runs.recordings as i
    left join refusals as x using (reconcile_id)
    left join failed_rescales as f using (reconcile_id)
    left join said_of_failure as e using (reconcile_id)
    left join next_writes as n using (reconcile_id)
    left join watched as w on w.hpa_uid = c.hpa_uid
    left join shown_late as l using (reconcile_id)
    left join not_run as m using (reconcile_id)
    left join reconciles_in_gaps as b using (reconcile_id)
    left join unseen_answers as u using (reconcile_id)
    left join in_long_gaps as p using (reconcile_id)
    left join otherwise_told as o using (reconcile_id)
    asof left join guesses as g on g.hpa = c.hpa and c.ts > g.guessed_at
), classes as (
    select
        *,
        case
            -- The controller decided what was predicted, as far as it published that: the difference arose afterwards.
            when decision_agrees is not false and t_write_failed
                and (t_told_by_event or coalesce(not replicas_agree, decision_agrees, refused_with not between 200 and 299)) then case
                when refused_with = 409 or failed_with like '%object has been modified%' then 'write_failed.conflict'
                when refused_with = 403 or failed_with like '%denied%' or failed_with like '%forbidden%' then 'write_failed.denied'
                else 'write_failed.api_error'
            end
            -- What it would have decided with inputs that were never recorded is unknown, whoever wrote afterwards.
            when t_unrecorded and evidence = 'assumed' then 'no_data.recording_gap'
            when (t_unread or t_otherwise_told) and not_run is null then 'no_data.object_unseen'
            when decision_agrees is not false and replicas_agree is false and t_foreign then class_of_writer(next_writer)
            when t_unanswered and not_run is null then 'no_data.object_unseen'
            -- The controller wrote, and published another number than was stored: the API server changed it on the way.
            when decision_agrees and replicas_agree is false and t_rewritten then 'write_mutated.admission'
            -- Or somebody wrote it just afterwards: only who watches the workload can tell.
            when decision_agrees and replicas_agree is false and (t_replaced or t_late or t_untold) then 'no_data.object_unseen'
            when decision_agrees and replicas_agree is false and t_nameless and t_status_unseen then 'no_data.recording_gap'
            -- Where its inputs are not recorded, the HPA itself may have written it, in a reconcile that was not seen.
            when decision_agrees and replicas_agree is false and t_nameless and not (t_gap and evidence = 'assumed')
                then 'external_write.unknown'
            when t_relisted and not_run is null then 'no_data.recording_gap'
            when not_run is not null then not_run
                -- From here on the verdict depends on what was recorded, so gaps come first. A proven input has no gap.
                -- If the HPA was not seen, its spec may have changed. The scale is an input, and shows what became of the decision.
                -- How many pods are ready is an input that no published value proves. A reconcile that was seen itself may have
                -- read an answer that was not.
            when t_gap and (
                t_band or decision_agrees is null or evidence = 'assumed' or t_hpa_unseen or t_target_unseen or t_pods_unseen
                or t_metrics_unseen
            )
                then 'no_data.recording_gap'
            when t_memory_guessed and evidence = 'proven'
                then if(t_memory_unread, 'no_data.warmup', 'no_data.recording_gap')
            when t_band and not t_sampling and (t_in_band or decision_agrees is null and replicas_agree is null) then
                case when missing_input like 'memory%' then 'no_data.warmup' else 'no_data.object_unseen' end
            when decision_agrees is null and replicas_agree is null then 'no_data.object_unseen'
            when t_band and t_in_band then 'timing.sampling_skew'
                -- No recorded answer leads to what the controller published: it read another one.
            -- Until 1.5 a refused write leaves no trace at all, unless an Event was recorded.
            when t_may_be_refused and evidence = 'assumed' and decision_agrees is false then 'no_data.object_unseen'
            when evidence = 'assumed' and decision_agrees is false and t_inferred then 'timing.late_reconcile'
            when evidence = 'assumed' and decision_agrees is false then 'input.metric_value_skew'
            -- What it read follows from no status: nobody knows why it decided otherwise.
            when is_otherwise_told then 'no_data.object_unseen'
            else 'unexplained'
        end as class
    from tests
)
select
    reconcile_id, hpa, nth, ts,
    case
        when class like 'no_data.%' then 'undecidable'
        when class in ('timing.sampling_skew', 'timing.late_reconcile', 'input.metric_value_skew') then 'skew'
        else 'divergent'
    end as verdict,
    class, is_otherwise_told,
    t_band as also_band,
    t_foreign and not starts_with(class, 'external_write') as also_external_write,
    t_gap as also_recording_gap,
    t_write_failed and not starts_with(class, 'write_failed') as also_write_failed,
    case
        when not_run = class and class = 'no_data.object_unseen' then 'reconcile.unseen'
        when t_unread and class = 'no_data.object_unseen' then 'scale.read'
        when t_unanswered and class = 'no_data.object_unseen' then 'metric.answer'
        when t_may_be_refused and not t_band and class = 'no_data.object_unseen' and decision_agrees is false
            then 'write.refused'
        when is_otherwise_told and class = 'no_data.object_unseen' then 'status.late'
        when t_late and decision_agrees and class = 'no_data.object_unseen' then 'scale.late'
        when t_untold and decision_agrees and class = 'no_data.object_unseen' then 'status.late'
        when t_replaced and decision_agrees and class = 'no_data.object_unseen' then 'scale.write'
        when t_memory_unread and class = 'no_data.warmup' then coalesce(nullif(missing_input, ''), 'memory.before_recording')
        else missing_input
    end as missing_input,
    failed_with, refused_with, gap_cause,
    writer_name, evidence_level, written_at, written_after, from_replicas, to_replicas, foreign_writes, renewed_at
from classes;

-- They are not needed from here on, and the following rows need the memory.
drop table spans;
