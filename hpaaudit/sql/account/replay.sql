-- What was replayed, as which release, and what was not observed?
-- One row. later_releases: those of later controller processes, from when on. api_server: other versions than the first
-- that it said, if nothing tells the controller's release. lease_holders: who else held the controller's Lease for a while.
-- options: what made it a what-if, as a command has them; empty: it is of what was recorded.
-- other_what_ifs: the options of earlier what-ifs that the file keeps beside this one, the last one first.
with epochs as (
    select e.*, coalesce(lag(e.decided_as) over (order by e.epoch_id), p.release) as release_before
    from controller_epochs as e
    join replays as p using (replay_id)
)
select
    p.path, p.release, coalesce(p.options, '') as options, coalesce(p.detail, '') as detail,
    epoch_us(r.started_at) as started_us, epoch_us(r.ended_at) as ended_us,
    (
        select list((epoch_us(acquired_at), decided_as) order by acquired_at)
        from epochs
        where decided_as <> release_before and acquired_at <= r.ended_at
    ) as later_releases,
    (
        select list((said.at_us, said.version) order by said.at_us)
        from (select unnest(from_json(r.k8s_version_changes, '[{"at_us": "bigint", "version": "varchar"}]')) as said)
        where said.at_us <= epoch_us(r.ended_at)
            and not exists (from controller_epochs where coalesce(release, '') <> '' or coalesce(version, '') <> '')
            and not exists (from assumptions where key = 'release' and source in ('user', 'declared'))
    ) as api_server,
    (
        select list((h.holder, h.from_us, h.until_us) order by h.from_us)
        from (
            select unnest(from_json(other_holders, '[{"holder": "varchar", "from_us": "bigint", "until_us": "bigint"}]')) as h
            from controller_epochs
        )
        where h.from_us <= epoch_us(r.ended_at)
    ) as lease_holders,
    (select list((stream, seconds) order by stream) from gap_time) as gaps,
    (
        select list(e.options order by e.ran_at desc)
        from runs.replays as e
        where e.replay_id <> p.replay_id and e.mode = 'what_if' and p.mode = 'what_if'
    ) as other_what_ifs
from replays as p
join recordings as r using (replay_id);
