-- Which codes, writers and relations occur in this replay?
-- One row per sign. A pattern without any of the signs that its query needs was not met: the query is not run.
create temp table signs as
select distinct reason_code as sign from runs.reconciles
union
select distinct class from runs.reconciles where class is not null
union
select class from runs.divergences
union
select distinct invalid_code from runs.metric_proposals where not valid
union
select distinct adjust_code from runs.metric_proposals
union
select distinct metric_type from runs.metric_proposals
union
select 'metric.overflow' from runs.metric_proposals
where proposal in (-2147483648, 2147483647) or ratio >= 1e6 or ratio < 0
union
select 'writer.' || writer_class from runs.scale_events where source = 'actual'
union
select class from runs.effects
union
select class from runs.reports
union
select 'relation.rollouts' from runs.rollouts
union
select 'relation.reconcile_pods' from runs.reconcile_pods
union
select 'relation.scaled_objects' from runs.scaled_objects
union
select 'relation.surroundings' from runs.surroundings
union
select 'relation.api_services' from runs.api_services where service <> ''
union
select 'pods.removed' from runs.effects where removed > 0
union
select 'spec.changed' from (select 1 from runs.hpa_specs group by hpa_uid having count(*) > 1)
union
select 'hpas.shared' from (
    select 1 from runs.hpa_specs group by namespace, target_kind, target_name having count(distinct name) > 1
)
union
select 'process.restarted' from runs.controller_epochs where epoch_id > 0
union
select 'action.' || action from runs.reconciles
union
select 'scale_up.from_three_numbers' from (
    select 1 from runs.reconciles where action = 'scale_up' group by hpa_uid having count(distinct spec_replicas) >= 3
)
union
select 'scale_up.by_memory' from runs.reconciles
where action = 'scale_up' and raw_desired <= spec_replicas
union
select 'hold.half_an_hour' from (
    select 1 from runs.reconciles where action = 'hold' group by hpa_uid having sum(lasted_s) >= 1800
)
union
select 'bounds.outside_thrice' from (
    select 1 from runs.reconciles where reason_code in ('gate.above_max', 'gate.below_min') group by hpa_uid having count(*) >= 3
)
union
select 'hpa.wrote_four_times' from (
    select 1 from runs.scale_events where source = 'actual' and writer_class = 'hpa' group by hpa_uid having count(*) >= 4
);
