-- What happened to one HPA, its target and its controller besides reconciles, and when was that not observed?
-- One row per mark, in the order of time. kind: write (of replicas, by somebody else), spec (an edit of the HPA), rollout,
-- restart (a controller process began), lease (somebody else stood in its Lease), divergence or gap. who: who did it, as far as known. until_us: the end, NULL for an instant.
-- after_us: nobody saw it being written: it was after this, and not after at_us.
with edits as (
    select
        valid_from, writer_manager,
        list_filter([
            if(min_replicas is distinct from lag(min_replicas) over past,
                'minReplicas ' || lag(min_replicas) over past || ' -> ' || min_replicas, null),
            if(max_replicas is distinct from lag(max_replicas) over past,
                'maxReplicas ' || lag(max_replicas) over past || ' -> ' || max_replicas, null),
            if(metrics::varchar is distinct from lag(metrics::varchar) over past, 'metrics', null),
            if(behavior::varchar is distinct from lag(behavior::varchar) over past, 'behavior', null),
            if((target_kind, target_name) is distinct from (lag(target_kind) over past, lag(target_name) over past),
                'scaleTargetRef', null)
        ], lambda what: what is not null) as edited,
        row_number() over past as nth
    from hpa_specs
    where namespace = $namespace and name = $name
    window past as (partition by hpa_uid order by valid_from)
)
select epoch_us(ts) as at_us, null::bigint as until_us, epoch_us(written_after(at_lo, ts)) as after_us, 'write' as kind,
    coalesce(nullif(writer_name, ''), 'somebody unknown') as who,
    from_replicas || ' -> ' || to_replicas || if(is_remade, ', as the target was made again', '') as what
from foreign_writes
where namespace = $namespace and name = $name
union all
select epoch_us(valid_from), null, null, 'spec', writer_manager, array_to_string(edited, ', ')
from edits
where nth > 1 and len(edited) > 0
union all
select distinct epoch_us(started_at), null, null, 'rollout', '', revision
from rollouts
where namespace = $namespace and name = $name
union all
-- The first process that is known is no other one, and one that began with the recording is no event in it.
select epoch_us(e.acquired_at), null, null, 'restart', coalesce(e.holder, ''),
    if(e.is_other, 'another', 'a') || ' controller process'
    || if(e.decided_as <> e.decided_before, ' of release ' || e.decided_as, '') || ' began'
from (
    select
        *, coalesce(lag(decided_as) over (order by epoch_id), decided_as, '') as decided_before,
        epoch_id > min(least(epoch_id, (select min(epoch_id) from reconciles))) over () as is_other
    from controller_epochs
) as e
cross join recordings as o
where e.epoch_id > 0 and (e.is_other or e.acquired_at > o.started_at + interval 1 second)
union all
select h.from_us, h.until_us, null, 'lease', h.holder, 'the Lease of the controller, which went on and forgot nothing'
from (
    select unnest(from_json(other_holders, '[{"holder": "varchar", "from_us": "bigint", "until_us": "bigint"}]')) as h
    from controller_epochs
)
union all
select epoch_us(opened_at), nullif(epoch_us(closed_at), epoch_us(opened_at)), null, 'divergence', '', class
from divergences
where namespace = $namespace and name = $name and not starts_with(class, 'external_write.')
union all
select distinct epoch_us(g.gap_from), epoch_us(g.gap_to), null, 'gap', g.stream, g.cause
from coverage_gaps as g
where g.stream in ('everything', 'hpas', 'metrics', 'pods', 'targets')
    and exists (
        from hpa_specs as s
        where s.namespace = $namespace and s.name = $name
            and s.valid_from < g.gap_to
            and coalesce(s.valid_to > g.gap_from, true)
            and gap_hides(g.prefix, s.namespace, metric_names(s.metrics))
            and gap_of_object(g.prefix, s.name, s.target_name)
    )
order by at_us, kind, who, what;
