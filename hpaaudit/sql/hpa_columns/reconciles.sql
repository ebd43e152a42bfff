-- What did the reconciles of some HPAs read and decide, as columns?
-- One row per HPA, with a list for each column in the order of time. state: it was `decided`, its controller published
-- `no_number`, its inputs are `unknown`, or it was `not_run`. What was not recorded proves no input. Pods are those of the metric that decided, else of the first
-- one that sorted pods; of a reconcile that did not take place none were counted.
with counting as (
    select reconcile_id, ready_pods, unready_pods, missing_pods, ignored_pods
    from metric_proposals
    where namespace || '/' || name in (select unnest($hpas)) and ready_pods is not null
    qualify row_number() over (
        partition by reconcile_id
        order by coalesce(is_winner, false) desc, coalesce(valid, false) desc, metric_idx
    ) = 1
), joined as (
    select r.*, c.ready_pods, c.unready_pods, c.missing_pods, c.ignored_pods
    from reconciles as r
    left join counting as c
        on c.reconcile_id = r.reconcile_id and not did_not_run(r.class)
    where r.namespace || '/' || r.name in (select unnest($hpas))
)
select
    namespace, name,
    list(epoch_us(ts) order by ts, reconcile_id) as times_us,
    list(reconcile_id order by ts, reconcile_id) as reconcile_ids,
    list(spec_replicas order by ts, reconcile_id) as replicas,
    list(desired order by ts, reconcile_id) as replay,
    list(decided order by ts, reconcile_id) as decided,
    list(actual order by ts, reconcile_id) as actual,
    list(min_replicas order by ts, reconcile_id) as min,
    list(max_replicas order by ts, reconcile_id) as max,
    list(raw_desired order by ts, reconcile_id) as raw,
    list(stabilized order by ts, reconcile_id) as stabilized,
    list(ready_pods order by ts, reconcile_id) as ready,
    list(unready_pods order by ts, reconcile_id) as unready,
    list(missing_pods order by ts, reconcile_id) as missing,
    list(ignored_pods order by ts, reconcile_id) as ignored,
    list(verdict order by ts, reconcile_id) as verdict,
    list(reason_code order by ts, reconcile_id) as reason,
    list(if(has_inputs(class), evidence, 'assumed') order by ts, reconcile_id) as evidence,
    list(
        case
            when did_not_run(class) then 'not_run'
            when class = 'no_data.recording_gap' and evidence <> 'proven' then 'unknown'
            when decided_source = 'conditions' then 'no_number'
            else 'decided'
        end
        order by ts, reconcile_id
    ) as state
from joined
group by namespace, name;
