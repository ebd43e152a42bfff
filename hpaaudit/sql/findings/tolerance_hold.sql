-- Which HPAs stood above their target for long, inside the tolerance, so that nothing happened?
-- One row per HPA: for half an hour, where without the tolerance there would be a pod more.
-- Needs: tolerance.hold
select
    r.hpa_uid, min(r.ts) as first_at, max(r.ts) as last_at, 'info' as severity,
    format(
        '{} stood at {:.0f} % of its target for {:.0f} min: the tolerance of {:.0f} % holds up to there', mode(p.metric_name order by p.metric_name),
        100 * avg(p.ratio), sum(r.lasted_s) / 60, 100 * max(p.tolerance)
    ) as verdict,
    json_object('seconds', round(sum(r.lasted_s), 6), 'mean_ratio', round(avg(p.ratio), 9), 'tolerance', max(p.tolerance)) as evidence,
    'lower the target, or set behavior.scaleUp.tolerance where the release has it' as next_step
from ran as r
join runs.metric_proposals as p on p.reconcile_id = r.reconcile_id and p.is_winner
where r.reason_code = 'tolerance.hold'
    and p.ratio > 1.02
    and r.spec_replicas < r.max_replicas
    and ceil(p.ratio * p.ready_pods) > r.spec_replicas
group by r.hpa_uid
having sum(r.lasted_s) >= 1800;
