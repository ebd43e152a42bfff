-- When did prediction and reality differ, how severe is it, how certain is the class, and what should be done?
-- One row per episode, as in runs.divergences, described by its first reconcile. The explanation is shown beside each of its reconciles:
-- a number that was not the same in all of them is a range, and what belongs to one of several says so.
insert into runs.divergences by name
with classes as (
    select *
    from (values
        ('external_write.manual', 3, 'let only the HPA write spec.replicas; pause it by minReplicas = maxReplicas instead'),
        ('external_write.gitops', 3, 'leave spec.replicas out of the manifests, or ignore that field in the sync'),
        ('external_write.deploy_tool', 3, 'remove spec.replicas from the chart or manifest that this tool applies'),
        ('external_write.autoscaler', 3, 'let only one autoscaler scale this target'),
        ('external_write.operator', 3, 'find out why this operator writes spec.replicas, and stop it'),
        ('external_write.unknown', 3, 'record the workload itself (managedFields) or import an audit log to learn who wrote'),
        ('write_failed.conflict', 1, 'nothing if it is rare: the next reconcile tries again (from 1.34 on the same one)'),
        ('write_failed.denied', 3, 'look for the webhook, quota or RBAC rule that refuses updates of the scale subresource'),
        ('write_failed.api_error', 2, 'look at the API server at this time: the write failed'),
        ('write_mutated.admission', 3, 'look for the admission webhook or policy that changes updates of the scale subresource'),
        ('no_data.recording_gap', 0, 'nothing can be said about this time: the explanation says what was not recorded'),
        ('no_data.warmup', 0, 'start the recording earlier, by the longest stabilization window'),
        ('no_data.object_unseen', 0, 'record what was not observed: the explanation names it'),
        ('not_run.controller_down', 3, 'find out why kube-controller-manager did not run: its Lease was not renewed'),
        ('not_run.controller_hung', 3, 'look at kube-controller-manager at this time: it renewed its Lease and reconciled no HPA'),
        ('not_run.controller_restart', 1, 'nothing if it is rare; else find out why kube-controller-manager restarts'),
        ('not_run.missed_reconcile', 2, 'look at the depth of the workqueue horizontalpodautoscaler and at slow metrics APIs'),
        ('timing.late_reconcile', 0, 'nothing if it is rare; else look at the workqueue horizontalpodautoscaler'),
        ('timing.sampling_skew', 0, 'nothing: it is unknown which of two samples was read, or on which side of a window''s edge it was'),
        ('input.metric_value_skew', 1, 'record with a shorter --interval; look for two replicas of the metrics source'),
        ('config.tolerance', 2, 'look at the flags of the controller'),
        ('config.downscale_stabilization', 2, 'look at the flags of the controller'),
        ('config.initial_readiness_delay', 2, 'look at the flags of the controller'),
        ('config.cpu_initialization_period', 2, 'look at the flags of the controller'),
        ('config.upscale_delay', 2, 'look at the flags of the controller'),
        ('config.downscale_delay', 2, 'look at the flags of the controller'),
        ('config.sync_period', 2, 'look at the flags of the controller'),
        ('config.feature_gate', 2, 'look at the feature gates of the controller'),
        ('config.release', 2, 'find out which release the controller is'),
        ('memory.controller_restart', 1, 'look when kube-controller-manager was restarted, and record its Lease'),
        ('memory.other_lease', 1, 'look which program holds this Lease'),
        ('unexplained', 3, 'compare both sides with the command explain at this time; look for flags that were assumed')
    ) as classes(class, level, next_step)
), runs_of as (
    select
        e.divergence_id,
        any_value(e.episode_class) as class,
        min(v.ts) as opened_at,
        max(v.nth) as last_nth,
        count(*) as reconciles,
        min_by(v.reconcile_id, (v.ts, v.reconcile_id)) as reconcile_id,
        any_value(v.hpa) as hpa,
        list_filter(
            [
                if(bool_or(v.also_band), 'band', null),
                if(bool_or(v.also_external_write), 'external_write', null),
                if(bool_or(v.also_recording_gap), 'recording_gap', null),
                if(bool_or(v.also_write_failed), 'write_failed', null)
            ],
            lambda test: test is not null
        ) as contributing
    from episodes as e
    join verdicts as v using (reconcile_id)
    group by e.divergence_id
), numbers as (
    -- Of undecidable reconciles between them nothing is told.
    select
        e.divergence_id,
        range_in_words(min(r.desired), max(r.desired)) as desired,
        range_in_words(min(r.decided), max(r.decided)) as decided,
        range_in_words(min(coalesce(r.decided, r.actual)), max(coalesce(r.decided, r.actual))) as decided_or_actual,
        range_in_words(min(r.actual), max(r.actual)) as actual,
        count(*) as reconciles,
        -- Several may have written between two reconciles. The last of them is told.
        sum(v.foreign_writes) as writes,
        string_agg(distinct missing_in_words(v.missing_input), ', or ' order by missing_in_words(v.missing_input)) as missing
    from episodes as e
    join verdicts as v using (reconcile_id)
    join runs.reconciles as r using (reconcile_id)
    where v.class = e.episode_class
    group by e.divergence_id
), closed as (
    select o.divergence_id, s.ts as closed_at
    from runs_of as o
    -- It may begin at the same instant (1.2 to 1.5).
    join compared as s on s.hpa = o.hpa and s.nth = o.last_nth + 1
), told as (
    select
        o.divergence_id, o.class, o.opened_at, o.reconciles, o.reconcile_id, o.contributing,
        r.replay_id, r.hpa_uid, r.namespace, r.name, r.spec_replicas, r.desired, r.status_desired, r.decided, r.actual,
        v.missing_input, v.failed_with, v.refused_with, v.gap_cause, v.writer_name, v.evidence_level, v.written_at, v.written_after,
        v.from_replicas, v.to_replicas, v.renewed_at,
        c.closed_at, n as told,
        y.sync
    from runs_of as o
    join runs.reconciles as r using (reconcile_id)
    join verdicts as v using (reconcile_id)
    left join closed as c on c.divergence_id = o.divergence_id
    join numbers as n on n.divergence_id = o.divergence_id
    cross join sync as y
), weighed as (
    select
        t.*, c.next_step,
        c.level
        + (c.level > 0 and t.desired::bigint - t.actual > 0.2 * t.desired
            and coalesce(t.closed_at > t.opened_at + interval 5 minutes, t.reconciles * t.sync > interval 5 minutes))::integer
        -- A foreign write always closes at once, because the replay follows the cluster. That does not lower its severity.
        - (c.level > 0 and t.class not like 'external_write.%' and coalesce(t.closed_at <= t.opened_at + 1.5 * t.sync, false))::integer
            as level
    from told as t
    join classes as c using (class)
)
select
    replay_id, hpa_uid, namespace, name, divergence_id, reconcile_id, class,
    case
        when class like 'no_data.%' then null
        when actual is null or actual = desired then 'report'
        when desired = spec_replicas then 'phantom'
        when actual = spec_replicas then 'missing'
        when sign(actual::bigint - spec_replicas) <> sign(desired::bigint - spec_replicas) then 'direction'
        else 'size'
    end as shape,
    ['info', 'low', 'medium', 'high', 'critical'][level + 1] as severity,
    case
        when class like 'no_data.%' then 'undecidable'
        when class like 'write_failed.%' or class like 'write_mutated.%' then 'proven'
        when evidence_level in ('audit', 'managed_fields') and class like 'external_write.%' then 'proven'
        when class like 'not_run.%' or class in ('timing.sampling_skew', 'timing.late_reconcile', 'input.metric_value_skew')
            then 'likely'
        else 'possible'
    end as confidence,
    desired as predicted,
    decided, actual, opened_at, closed_at, reconciles, contributing,
    case
        when class like 'external_write.%' then format(
            '{} wrote {} -> {} {}; the HPA wanted {}{}',
            coalesce(nullif(writer_name, ''), 'somebody'), from_replicas, to_replicas,
            -- As in the headline: where nobody saw it being written, both ends are told.
            if(
                written_after(written_after, written_at) is not null,
                format('between {} and {}', time_beside(written_after, opened_at), time_beside(written_at, opened_at)),
                'at ' || time_beside(written_at, opened_at)
            ),
            desired, if(told.writes > 1, format('; one of {} writes', told.writes), '')
        )
        when class like 'write_failed.%' then format(
            'the HPA decided {}, but its {}: {}', told.desired,
            if(told.reconciles > 1, format('{} writes were refused, the first with', told.reconciles), 'write was refused'),
            coalesce(failed_with, 'HTTP ' || refused_with, 'FailedUpdateScale')
        )
        when class = 'write_mutated.admission' then format(
            'the HPA wrote {}, and {} was stored: admission changed the number', told.desired, told.actual
        )
        when class = 'no_data.recording_gap' then 'not observed: ' || coalesce(gap_cause, 'unknown')
        when missing_input = 'scale.write' then format(
            'the HPA wrote {}, and the target has {}; unknown: {}', told.desired, told.actual, told.missing
        )
        when class like 'no_data.%' then 'unknown: ' || coalesce(told.missing, 'what the controller decided')
        when class = 'not_run.controller_down' then format(
            'no controller ran: its Lease was last renewed at {}; the replay wanted {}',
            time_beside(renewed_at, opened_at), coalesce(told.desired, 'no number')
        )
        when class = 'not_run.controller_restart' then format(
            'the controller was restarting, and a new process took over soon after; the replay wanted {}',
            coalesce(told.desired, 'no number')
        )
        when class like 'not_run.%' then format(
            'no reconcile took place, although the status would have changed; the replay wanted {}',
            coalesce(told.desired, 'no number')
        )
        when class = 'timing.late_reconcile' then
            'no status was written at this inferred time: the reconcile came later, or read other values'
        when class = 'timing.sampling_skew' and told.decided is null then format(
            'the target had {} afterwards, which the possible inputs allow', told.actual
        )
        when class = 'timing.sampling_skew' then format('the controller decided {}, which its possible inputs allow', told.decided_or_actual)
        when class = 'input.metric_value_skew' and told.decided is null then
            'what the controller published follows from no recorded answer: one of its reads may have failed'
        when class = 'input.metric_value_skew' then format(
            'the controller decided {} from a published value that no recorded answer has', told.decided_or_actual
        )
        else format(
            'replay {}, controller {}, replicas then {}',
            coalesce(told.desired, '-'), coalesce(told.decided, '-'), coalesce(told.actual, '-')
        )
    end as explanation,
    next_step
from weighed
order by divergence_id;
