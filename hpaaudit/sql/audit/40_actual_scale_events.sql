-- When did spec.replicas actually change, and who changed it?
-- One row per observed change, as in runs.scale_events. The writer is taken, in this order, from an observed write (audit),
-- from managedFields, from the controller's Event, or from an HPA of this target that decided just this change just
-- then (decision); otherwise it is unknown.
-- If several HPAs scale one target, each change has one writer, the same in the rows of all of them.
insert into runs.scale_events by name
with numbered as (
    -- A reconcile reads the number and then writes its own at once: what others told comes after what was looked at.
    -- Of a target that was made again nothing shows the former number until then.
    select
        *, lag(spec_replicas) over one as from_replicas, row_number() over one as place,
        unchanged_at is null and row_number() over one > 1 as is_remade,
        coalesce(unchanged_at, lag(observed_at) over one) as last_at
    from (
        select *, 0 as told
        from runs.scale_states
        union all by name
        select
            replay_id, hpa_uid, namespace, name, target_since, observed_at, seq, source, unchanged_at, spec_replicas,
            if(source = 'told', 1, 2) as told
        from unseen_scales
        where not is_seen
    )
    window one as (partition by hpa_uid, target_since order by seq, observed_at, told, spec_replicas)
), changes as (
    select
        row_number() over (order by hpa_uid, observed_at, seq, place) as change_id,
        replay_id, hpa_uid, namespace, name, target_since, seq, observed_at as at_hi, last_at as seen_at, source,
        case source
            when 'written' then observed_at
            -- A watch shows a change at once; managedFields have whole seconds.
            when 'watch' then greatest(last_at, least(coalesce(replicas_written_at, observed_at), observed_at - interval 1 second))
            else last_at
        end as at_lo,
        is_remade, from_replicas, spec_replicas as to_replicas, resource_version
    from numbered
    where spec_replicas <> from_replicas
), hidden as (
    -- In a long gap several may have written in turn: of the number after it nobody knows who made how much of it.
    select c.change_id, greatest(min(g.gap_from), any_value(c.seen_at)) as since
    from changes as c
    cross join sync as y
    join runs.coverage_gaps as g
        on g.stream in ('everything', 'targets')
        and g.gap_to - g.gap_from > 2 * y.sync
        and g.gap_from < c.at_hi
        and g.gap_to > coalesce(c.seen_at, c.at_lo)
        -- A watch shows what became of it as soon as the gap is over, and what it shows in a gap was not hidden.
        and (c.source <> 'watch' or c.at_hi between g.gap_to - interval 1 second and g.gap_to + interval 5 second)
        -- A workload that cannot be watched may have a scale that is read all the time.
        and c.at_hi - coalesce(c.seen_at, c.at_lo) > 2 * y.sync
    join runs.hpa_specs as a
        on a.hpa_uid = c.hpa_uid
        and a.valid_from <= c.at_hi
        and coalesce(a.valid_to > c.at_lo, true)
    where gap_hides(g.prefix, c.namespace, metric_names(a.metrics))
        and gap_of_object(g.prefix, c.name, a.target_name)
    group by c.change_id
), told_before as (
    -- The HPA's status told of its own write of a number before somebody else was seen to write the same number again.
    select c.change_id, min(s.observed_at) as told_at
    from changes as c
    join runs.hpa_status as s
        on s.hpa_uid = c.hpa_uid
        and s.able_reason = 'SucceededRescale'
        and s.desired_replicas = c.to_replicas
        and s.observed_at between c.at_lo - interval 1 second and c.at_hi
    where c.source = 'written'
    group by c.change_id
), audited as (
    select
        c.change_id,
        writer_class(w.audit_user, w.user_agent, w.manager, '', w.subresource) as writer_class,
        writer_name(w.audit_user, w.user_agent, w.manager) as writer_name,
        w.ts as written_at
    from changes as c
    join runs.scale_writes as w
        on w.hpa_uid = c.hpa_uid
        and w.http_status between 200 and 299
        and coalesce(w.spec_replicas, w.sent) = c.to_replicas
        and w.ts between c.at_lo - interval 1 second and c.at_hi + interval 1 second
        and concat(w.audit_user, w.user_agent, w.manager) <> ''
    left join told_before as t using (change_id)
    where t.told_at is null
        or w.ts <= t.told_at
        or writer_class(w.audit_user, w.user_agent, w.manager, '', w.subresource) = 'hpa'
    qualify row_number() over (
        partition by c.change_id
        order by w.resource_version = c.resource_version desc, abs(epoch_us(w.ts) - epoch_us(c.at_hi)), w.ts,
            writer_name, writer_class
    ) = 1
), managed as (
    select
        c.change_id,
        writer_class('', '', s.replicas_manager, s.replicas_operation, s.replicas_subresource) as writer_class,
        s.replicas_manager as writer_name
    from changes as c
    join (
        select *, lag(replicas_written_at) over one as written_before, lag(replicas_manager) over one as manager_before
        from runs.scale_states
        window one as (partition by hpa_uid, target_since order by seq)
    ) as s
        on s.hpa_uid = c.hpa_uid
        and s.target_since = c.target_since
        and c.change_id not in (select change_id from hidden)
        and s.seq >= c.seq
        and s.observed_at <= c.at_hi + interval 2 seconds
        and s.spec_replicas = c.to_replicas
        and s.replicas_manager <> ''
        -- A write through /scale may leave no time in managedFields. Then the owner of the new number is its writer.
        -- Of a watch that is late the time is too old, and newer than that of the number before.
        and (
            coalesce(s.replicas_written_at >= c.at_lo - interval 1 second, true)
            or s.seq = c.seq and (s.replicas_written_at > s.written_before or s.replicas_manager <> s.manager_before)
        )
    qualify row_number() over (partition by c.change_id order by s.seq) = 1
), told as (
    select distinct c.change_id
    from changes as c
    join runs.k8s_events as e
        on e.reason = 'SuccessfulRescale'
        and e.kind = 'HorizontalPodAutoscaler'
        and e.namespace = c.namespace
        and e.name = c.name
        and uncombined(e.message) like 'New size: ' || c.to_replicas || ';%'
        and coalesce(e.last_ts, e.observed_at) between c.at_lo - interval 2 seconds and c.at_hi + interval 2 seconds
        and c.change_id not in (select change_id from hidden)
        and not c.is_remade
), writers as (
    select
        c.* exclude (at_lo, seen_at, source),
        coalesce(a.written_at, i.since, c.at_lo) as at_lo,
        coalesce(a.writer_class, m.writer_class, case when t.change_id is not null then 'hpa' end, 'unknown') as writer_class,
        coalesce(a.writer_name, m.writer_name, case when t.change_id is not null then 'horizontal-pod-autoscaler' end, '')
            as writer_name,
        case
            when a.change_id is not null then 'audit'
            when m.change_id is not null then 'managed_fields'
            when t.change_id is not null then 'event'
            when i.change_id is not null then 'gap'
            else 'none'
        end as evidence_level
    from changes as c
    left join hidden as i using (change_id)
    left join audited as a using (change_id)
    left join managed as m using (change_id)
    left join told as t using (change_id)
), sharing as (
    -- Every HPA that scales the same target, the one itself among them, and when. Lists arrive in any order: an HPA that was
    -- there before the recording scaled its first target from the beginning.
    select s.*, h.hpa
    from (
        select
            hpa_uid, hpa_uid as writer_uid, namespace || '/' || name as writer,
            if(is_first, '-infinity', valid_from) as since, coalesce(valid_to, 'infinity') as until
        from tenures
        union all
        select hpa_uid, other_uid, other, if(is_from_start, '-infinity', since), coalesce(until, 'infinity')
        from shared_targets
    ) as s
    left join replayed_hpas as h on h.hpa_uid = s.writer_uid
), told_by as (
    -- Whose Event tells of just this change? Of several that of the first.
    select
        c.change_id,
        arg_min(s.writer_uid, (coalesce(e.last_ts, e.observed_at), s.writer)) as writer_uid,
        arg_min(s.writer, (coalesce(e.last_ts, e.observed_at), s.writer)) as writer
    from changes as c
    join sharing as s on s.hpa_uid = c.hpa_uid and c.at_hi >= s.since and c.at_lo < s.until
    join runs.k8s_events as e
        on e.reason = 'SuccessfulRescale'
        and e.kind = 'HorizontalPodAutoscaler'
        and e.namespace || '/' || e.name = s.writer
        and uncombined(e.message) like 'New size: ' || c.to_replicas || ';%'
        and coalesce(e.last_ts, e.observed_at) between c.at_lo - interval 2 seconds and c.at_hi + interval 2 seconds
    where c.change_id not in (select change_id from hidden) and not c.is_remade
    group by c.change_id
), unanswered as (
    -- A write that got no answer in time may have been stored all the same, although its failure still stands.
    select distinct h.hpa
    from runs.hpa_conditions as c
    join replayed_hpas as h using (hpa_uid)
    where c.type = 'AbleToScale'
        and c.reason = 'FailedUpdateScale'
        and regexp_matches(c.message, '(?i)timeout|timed out|deadline|EOF|connection|cancel')
), deciding as (
    select c.hpa, c.ts, c.desired, c.decided, c.spec_replicas, c.told_of_success
    from compared as c
    left join reconciles_in_gaps as g using (reconcile_id)
    where (c.desired <> c.spec_replicas or c.decided <> c.spec_replicas)
        -- Its status says that it wrote nothing, or that its write was refused, or tells perhaps of another reconcile.
        and (not (c.told_of_none or c.told_of_failure) or c.hpa in (from unanswered))
        and (c.told_of_success or g.hides_status is not true)
), as_read as (
    -- Whose change was seen just as it was decided: from the number that was read to the one that was published?
    select distinct c.hpa, c.ts
    from deciding as c
    join sharing as s on s.hpa = c.hpa
    join writers as w
        on w.hpa_uid = s.hpa_uid
        and w.from_replicas = c.spec_replicas
        and w.to_replicas = c.decided
        and c.ts between w.at_lo - interval 1 second and w.at_hi + interval 1 second
), deciders as (
    -- Which HPA decided just this number from just that one, just then? Of several the one whose status tells of a write,
    -- else the first of those that may have written it: the next read the new one.
    -- A write that is known to be the controller's may come from another start: several wrote at one instant.
    select
        w.change_id,
        arg_min(s.writer_uid, (not c.told_of_success, c.spec_replicas <> w.from_replicas, c.ts < w.at_lo - interval 1 second, c.ts, s.writer)) as writer_uid,
        arg_min(s.writer, (not c.told_of_success, c.spec_replicas <> w.from_replicas, c.ts < w.at_lo - interval 1 second, c.ts, s.writer)) as writer,
        arg_min(c.ts, (not c.told_of_success, c.spec_replicas <> w.from_replicas, c.ts < w.at_lo - interval 1 second, c.ts, s.writer)) as decided_at,
        -- Of several that may have written it, only the one that told of it is known.
        bool_or(c.told_of_success) or count(*) = 1 as is_time_known
    from writers as w
    join sharing as s on s.hpa_uid = w.hpa_uid and w.at_hi >= s.since and w.at_lo < s.until
    join deciding as c on c.hpa = s.hpa
    cross join sync as y
    where (
            w.writer_class = 'hpa'
            or w.writer_class = 'unknown' and c.spec_replicas = w.from_replicas
            -- After a conflict it writes over a number that it had not read, and its status tells of that.
            or w.writer_class = 'unknown' and c.told_of_success and (c.hpa, c.ts) not in (from as_read)
        )
        and c.ts between w.at_lo - if(w.writer_class = 'hpa', y.sync, interval 1 second) and w.at_hi + interval 1 second
        and w.to_replicas in (c.desired, c.decided)
        and w.change_id not in (select change_id from hidden)
        and not w.is_remade
    group by w.change_id
), named as (
    -- An Event tells more than a decision does.
    select
        w.change_id,
        coalesce(if(w.writer_class in ('hpa', 'unknown'), t.writer_uid, null), d.writer_uid) as writer_uid,
        coalesce(if(w.writer_class in ('hpa', 'unknown'), t.writer, null), d.writer) as writer
    from writers as w
    left join told_by as t using (change_id)
    left join deciders as d using (change_id)
), others as (
    select w.change_id, any_value(s.writer order by s.writer) as writer
    from writers as w
    join sharing as s on s.hpa_uid = w.hpa_uid and w.at_hi >= s.since and w.at_lo < s.until
    where s.writer_uid <> s.hpa_uid
    group by w.change_id
), timed as (
    -- Where the number is only read now and then, the decision of its writer tells the time better.
    select w.* exclude (at_lo, at_hi), coalesce(d.written_at, w.at_lo) as at_lo, coalesce(d.written_at, w.at_hi) as at_hi
    from writers as w
    left join (
        select w.change_id, greatest(d.decided_at, w.at_lo) as written_at
        from writers as w
        join deciders as d using (change_id)
        join named as n using (change_id)
        where n.writer_uid = d.writer_uid
            and d.is_time_known
            and d.decided_at between w.at_lo - interval 1 second and w.at_hi - interval 2 seconds
    ) as d using (change_id)
), instants as (
    -- From 1.2 to 1.5 an HPA is reconciled several times at one instant: all of these read the same number. Each but the
    -- last one ends as it began.
    select hpa, began_at, min(nth) as first_nth
    from spans
    where until = began_at
    group by hpa, began_at
), blocks as (
    -- A search among every 64th reconcile comes first: it spares sorting all of them.
    select hpa, nth // 64 as block, min(began_at) as began_at
    from spans
    where until > began_at
    group by all
), placed as (
    select w.change_id, coalesce(unaware.reconcile_id, before.reconcile_id, s.reconcile_id) as reconcile_id
    from (
        select w.change_id, h.hpa, w.at_lo, w.at_hi, w.from_replicas, w.to_replicas
        from timed as w
        join replayed_hpas as h using (hpa_uid)
    ) as w
    asof join blocks as b
        on b.hpa = w.hpa and w.at_hi >= b.began_at
    -- An HPA is never reconciled twice at the same time.
    join spans as s
        on s.hpa = b.hpa
        and s.nth // 64 = b.block
        and w.at_hi >= s.began_at
        and w.at_hi < s.until
    -- A reconcile that begins a moment later may have read the old number; then the change comes after it.
    left join spans as unaware
        on unaware.hpa = s.hpa
        and unaware.nth = s.nth + 1
        and unaware.began_at <= w.at_hi + interval 1 second
        and s.next_spec_replicas = w.from_replicas
        and unaware.next_spec_replicas = w.to_replicas
    -- Where the number is only read now and then, the reconcile in which it was seen may have read it already.
    left join instants as i on i.hpa = s.hpa and i.began_at = s.began_at
    left join spans as before
        on before.hpa = s.hpa
        and before.nth = coalesce(i.first_nth, s.nth) - 1
        and w.at_lo <= s.began_at
        and before.next_spec_replicas = w.to_replicas
)
select
    w.replay_id, w.hpa_uid, w.namespace, w.name,
    w.change_id as scale_event_id,
    'actual' as source,
    least(w.at_lo, w.at_hi) as at_lo,
    w.at_hi, w.from_replicas, w.to_replicas, w.is_remade,
    case
        when w.writer_class = 'hpa' and d.writer_uid is null and o.writer is not null then 'autoscaler'
        when d.writer_uid <> w.hpa_uid then 'autoscaler'
        when d.writer_uid is not null then 'hpa'
        else w.writer_class
    end as writer_class,
    case
        when w.writer_class = 'hpa' and d.writer_uid is null and o.writer is not null then o.writer
        when d.writer_uid <> w.hpa_uid then d.writer
        when d.writer_uid is not null and w.writer_name = '' then 'horizontal-pod-autoscaler'
        else w.writer_name
    end as writer_name,
    case
        when w.evidence_level <> 'none' then w.evidence_level
        when t.change_id is not null then 'event'
        when d.writer_uid is not null then 'decision'
        else 'none'
    end as evidence_level,
    p.reconcile_id
from timed as w
left join named as d using (change_id)
left join told_by as t using (change_id)
left join others as o using (change_id)
left join placed as p using (change_id)
order by w.hpa_uid, w.at_hi, w.change_id;
