-- What did this reconcile read, decide and cause, and by the rules of which release?
-- One row. api_server: the last other version than the first that it had said, if nothing tells the controller's release.
-- what_if: the options that made the replay a what-if, empty where it is of what was recorded.
with upgrades as (
    select list_sort(from_json(k8s_version_changes, '[{"at_us": "bigint", "version": "varchar"}]')) as api_server
    from recordings
    where not exists (from controller_epochs where coalesce(release, '') <> '' or coalesce(version, '') <> '')
        and not exists (from assumptions where key = 'release' and source in ('user', 'declared'))
)
select
    r.*, epoch_us(r.ts) as at_us, p.path, coalesce(e.decided_as, p.release) as release,
    list_filter(u.api_server, lambda said: said.at_us <= epoch_us(r.ts))[-1].version as api_server,
    epoch_us(o.started_at) as started_us, epoch_us(o.ended_at) as ended_us,
    case when p.mode = 'what_if' then coalesce(p.options, '') else '' end as what_if
from reconciles as r
join replays as p using (replay_id)
join recordings as o using (replay_id)
left join controller_epochs as e using (epoch_id)
left join upgrades as u on true
where r.reconcile_id in ($reconcile_ids)
order by r.ts, r.reconcile_id;
