"""Reads the outcome of a replay from a results file, for its page."""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import Any

from hpaaudit.model.account import Finding, ForeignWrite, Hold, HpaAccount, ReplayAccount
from hpaaudit.results.account_rows import change, divergences
from hpaaudit.results.moments import HELD, LONG_HOLD_S, moments
from hpaaudit.results.read import Results
from hpaaudit.results.timeline import timeline

DRAWN = 3
"""So many HPAs are read over time: the page of a replay describes them in full."""

_ByHpa = Mapping[str, list[dict[str, Any]]]


def replay_account(results: Results) -> ReplayAccount:
    """The current replay of a results file. The HPA that agrees least comes first."""
    head = results.rows("""
        select
            p.path, p.release, epoch_us(r.started_at) as started_us, epoch_us(r.ended_at) as ended_us,
            (select list((stream, seconds) order by stream) from gap_time) as gaps
        from replays as p
        join recordings as r using (replay_id)
    """)[0]
    hpas = tuple(_hpas(results))
    return ReplayAccount(
        file=str(results.path),
        recording=head["path"],
        started_us=head["started_us"],
        ended_us=head["ended_us"],
        release=head["release"],
        assumptions=results.assumptions,
        gaps=tuple(head["gaps"] or ()),
        hpas=hpas,
        timelines=tuple(
            timeline(results, f"{hpa.namespace}/{hpa.name}", hpa.moment_us or head["ended_us"])
            for hpa in hpas[:DRAWN]
            if hpa.changes
        ),
    )


def _hpas(results: Results) -> Iterator[HpaAccount]:
    """Reads every relation once for all HPAs, because a fleet has hundreds of them."""
    divergences_of = defaultdict(list)
    for uid, _, divergence in divergences(results):
        divergences_of[uid].append(divergence)
    changes = _by_hpa(results, "select *, epoch_us(ts) as at_us from changes order by ts")
    foreign_writes = _foreign_writes(results)
    findings = _findings(results)
    holds = _holds(results)
    moment_of = moments(results)
    for row in results.rows("""
        with reasons as (
            -- Where a gap is the cause, what it hid is not asked: its own cause says it.
            select r.hpa_uid, list(distinct why order by why) as why
            from reconciles as r
            left join divergences as d using (divergence_id)
            cross join lateral (select case r.class
                when 'no_data.recording_gap' then substr(d.explanation, length('not observed: ') + 1)
                when 'no_data.object_unseen' then coalesce(nullif(r.missing_input, ''), 'what the controller decided')
                else r.missing_input
            end as why)
            where r.verdict = 'undecidable' and why <> ''
            group by r.hpa_uid
        )
        select
            a.* exclude (replay_id, match_pct), h.target_kind || '/' || h.target_name as target, r.why,
            (
                select count(*)
                from reports as o
                where o.hpa_uid = a.hpa_uid and o.class = 'report.other_reason'
            ) as other_reasons
        from agreement as a
        left join hpas as h using (hpa_uid)
        left join reasons as r using (hpa_uid)
        order by a.match_pct nulls last, a.divergent desc, a.namespace, a.name
    """):
        uid = row["hpa_uid"]
        yield HpaAccount(
            namespace=row["namespace"],
            name=row["name"],
            target=row["target"] or "",
            reconciles=row["reconciles"],
            match=row["match"],
            skew=row["skew"],
            divergent=row["divergent"],
            undecidable=row["undecidable"],
            undecidable_s=row["undecidable_s"] or 0.0,
            undecidable_why=tuple(row["why"] or ()),
            proven=row["proven"],
            changes=tuple(map(change, changes[uid])),
            foreign_writes=tuple(ForeignWrite(**write) for write in foreign_writes[uid]),
            divergences=tuple(divergences_of[uid]),
            findings=tuple(Finding(**finding) for finding in findings[uid]),
            comparable=row["comparable"],
            agree=row["agree"],
            holds=tuple(Hold(**hold) for hold in holds[uid]),
            other_reasons=row["other_reasons"] or 0,
            moment_us=moment_of.get(uid),
        )


def _by_hpa(results: Results, text: str) -> _ByHpa:
    rows_of: defaultdict[str, list[dict[str, Any]]] = defaultdict(list)
    for row in results.rows(text):
        rows_of[row.pop("hpa_uid")].append(row)
    return rows_of


def _foreign_writes(results: Results) -> _ByHpa:
    return _by_hpa(
        results,
        """
        with standing as (
            -- How long each number of replicas stood.
            select
                hpa_uid, to_replicas, at_hi as since,
                lead(at_hi, 1, (select ended_at from recordings)) over (partition by hpa_uid order by at_hi) as until
            from scale_events
            where source = 'actual'
        )
        select
            w.hpa_uid, epoch_us(w.ts) as at_us, w.writer_class, w.writer_name, w.from_replicas, w.to_replicas,
            epoch_us(w.restored_at) as restored_us, w.restored_to,
            coalesce(sum(
                greatest(w.from_replicas - s.to_replicas, 0) * greatest(epoch(s.until - s.since), 0)
            ), 0) as missing_pod_s
        from foreign_writes as w
        left join standing as s
            on s.hpa_uid = w.hpa_uid
            and s.since >= w.ts
            and s.since < coalesce(w.restored_at, 'infinity')
        group by all
        order by at_us
        """,
    )


def _findings(results: Results) -> _ByHpa:
    return _by_hpa(
        results,
        """
        select
            hpa_uid, pattern, epoch_us(first_at) as first_us, epoch_us(last_at) as last_us, severity, verdict, next_step
        from findings
        order by first_at, pattern
        """,
    )


def _holds(results: Results) -> _ByHpa:
    """What held an HPA for a minute or more, the longest first."""
    return _by_hpa(
        results,
        f"""
        select
            hpa_uid, cause, count(*) as reconciles, epoch_us(min(ts)) as first_us, epoch_us(max(ts)) as last_us,
            coalesce(sum(lasted_s), 0) as lasted_s,
            -- Of pods that counted as idle it is known how many they were, of the others what the metrics asked for.
            coalesce(sum(lasted_s * case
                when cause = 'unready' then idle_pods
                when cause in ('memory', 'up_window', 'up_forbidden', 'down_forbidden') then abs(wanted_more)
            end), 0) as pod_s,
            coalesce(max(idle_pods), 0) as idle_pods,
            coalesce(arg_max(pods, idle_pods), 0) as pods
        from ({HELD})
        where cause is not null
        group by hpa_uid, cause
        having sum(lasted_s) >= {LONG_HOLD_S}
        order by sum(lasted_s) desc, cause
        """,  # noqa: S608 our own SQL
    )


def hpa_names(results: Results) -> list[str]:
    """Every HPA of the current replay as `namespace/name`. The first is the one that the page of a replay explains."""
    rows = results.rows("""
        select a.namespace || '/' || a.name as hpa
        from agreement as a
        order by
            a.hpa_uid in (select hpa_uid from changes union all select hpa_uid from divergences) desc,
            a.match_pct nulls last, a.divergent desc, a.namespace, a.name
    """)
    return [row["hpa"] for row in rows]
