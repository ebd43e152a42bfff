-- Which numbers did a target have that no look at it may show, but what others told of it?
-- One row per such state of an HPA's target. The controller tells in its status and in an Event that it wrote a number. If
-- the next look shows that number, or nobody looked for a while, the target had it from then on (is_actual). If somebody else
-- wrote next, it had both numbers in turn. Nothing of a watched target is unseen. reconcile_id: whose write it was, NULL for that of somebody else;
-- is_seen: a look before the next reconcile shows the number too; unchanged_at: it was not yet so then.
create temp table unseen_scales as
with unwatched as (
    select h.hpa, h.hpa_uid
    from replayed_hpas as h
    where not exists (from runs.scale_states as t where t.hpa_uid = h.hpa_uid and t.source = 'watch')
), scalings as (
    select hpa_uid, observed_at, desired_replicas as replicas
    from runs.hpa_status
    window one as (partition by hpa_uid order by observed_at, last_scale_time nulls first)
    qualify able_reason = 'SucceededRescale'
        and row_number() over one > 1
        and last_scale_time is distinct from lag(last_scale_time) over one
), told as (
    select u.hpa, u.hpa_uid, s.observed_at as told_at, s.replicas
    from unwatched as u
    join scalings as s using (hpa_uid)
    union all
    select u.hpa, u.hpa_uid, e.observed_at as told_at, e.replicas
    from unwatched as u
    join rescale_events as e using (hpa)
), placed as (
    select s.reconcile_id, t.hpa_uid, s.ts, s.next_ts, s.until, s.spec_replicas as read_replicas, arg_max(t.replicas, (t.told_at, t.replicas)) as replicas
    from told as t
    join spans as s on s.hpa = t.hpa and t.told_at >= s.began_at and t.told_at < s.until
    where t.replicas is not null
    group by all
), following as (
    select
        p.*,
        -- After the last reconcile perhaps nobody looked any more.
        coalesce(n.spec_replicas = p.replicas and n.unchanged_at <= p.ts, n.hpa_uid is null and p.next_ts is null) as is_actual,
        exists (
            from runs.scale_states as t
            where t.hpa_uid = p.hpa_uid
                and t.spec_replicas = p.replicas
                and t.observed_at >= p.ts
                and t.observed_at <= coalesce(p.next_ts, p.until)
        ) as is_seen
    from placed as p
    asof left join runs.scale_states as n on n.hpa_uid = p.hpa_uid and p.ts < n.observed_at
), overwritten as (
    select f.reconcile_id, f.hpa_uid, w.ts as observed_at, w.spec_replicas
    from following as f
    join runs.scale_writes as w
        on w.hpa_uid = f.hpa_uid
        and w.ts > f.ts
        and w.ts <= coalesce(f.next_ts, f.until)
        and w.http_status between 200 and 299
        and w.spec_replicas is not null
        and writer_class(w.audit_user, w.user_agent, w.manager, '', w.subresource) <> 'hpa'
    where not f.is_seen
), after_gap as (
    -- Nobody looked at the target from the next reconcile on: it had the number that was told, and another one when somebody
    -- looked again.
    select f.reconcile_id, f.hpa_uid, f.ts as unchanged_at, arg_min(s.began_at, s.nth) as observed_at, arg_min(s.spec_replicas, s.nth) as spec_replicas
    from following as f
    join spans as own using (reconcile_id)
    join spans as following_one on following_one.hpa = own.hpa and following_one.nth = own.nth + 1
    join reconciles_in_gaps as g on g.reconcile_id = following_one.reconcile_id and g.hides_target
    join spans as s on s.hpa = own.hpa and s.nth > own.nth
    left join reconciles_in_gaps as b on b.reconcile_id = s.reconcile_id
    where not f.is_actual
        and not f.is_seen
        and f.reconcile_id not in (select reconcile_id from overwritten)
        and b.hides_target is not true
    group by f.reconcile_id, f.hpa_uid, f.ts, f.replicas
    having arg_min(s.spec_replicas, s.nth) <> f.replicas
), states as (
    select
        hpa_uid, reconcile_id, ts as observed_at, ts as unchanged_at, replicas as spec_replicas, read_replicas,
        is_actual or reconcile_id in (select reconcile_id from after_gap) as is_actual, is_seen
    from following
    where is_actual
        or reconcile_id in (select reconcile_id from overwritten)
        or reconcile_id in (select reconcile_id from after_gap)
    union all
    select
        hpa_uid, null as reconcile_id, observed_at, observed_at as unchanged_at, spec_replicas, null as read_replicas,
        false as is_actual, false as is_seen
    from overwritten
    union all
    select hpa_uid, null, observed_at, unchanged_at, spec_replicas, null, false, false
    from after_gap
), read_first as (
    -- What a reconcile read may be seen a moment after the time of the reconcile, and is older than what it wrote.
    select s.reconcile_id, max(t.seq) as seq
    from states as s
    join runs.scale_states as t
        on t.hpa_uid = s.hpa_uid
        and t.spec_replicas = s.read_replicas
        and t.observed_at between s.observed_at and s.observed_at + interval 1 second
    group by s.reconcile_id
)
select
    s.* exclude (read_replicas),
    case when s.reconcile_id is not null then 'told' when s.unchanged_at < s.observed_at then 'read' else 'written' end as source,
    -- They come after what was seen until then.
    coalesce(f.seq, b.seq, 0) as seq, b.target_since, b.replay_id, b.namespace, b.name
from states as s
left join read_first as f using (reconcile_id)
asof left join runs.scale_states as b on b.hpa_uid = s.hpa_uid and s.observed_at >= b.observed_at;
