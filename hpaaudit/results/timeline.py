"""Reads one HPA over time from a results file."""

from hpaaudit.model.timeline import Absence, Mark, MarkKind, Scale, Timeline, TimelinePoint
from hpaaudit.model.units import Micros
from hpaaudit.results import sql
from hpaaudit.results.moments import account_sql
from hpaaudit.results.read import Results


def timeline(results: Results, hpa: str, moment_us: Micros) -> Timeline:
    """The timeline of `namespace/name`, which the results hold; `moment_us` is the moment that matters most."""
    namespace, _, name = hpa.partition("/")
    head = results.rows(
        """
        select
            epoch_us(r.started_at) as started_us, epoch_us(r.ended_at) as ended_us,
            case when p.mode = 'what_if' then coalesce(p.options, '') else '' end as what_if,
            (
                select target_kind || '/' || target_name
                from hpas
                where namespace = $namespace and name = $name
                order by seen_at desc, hpa_uid
                limit 1
            ) as target
        from recordings as r
        join replays as p using (replay_id)
        """,
        namespace=namespace,
        name=name,
    )[0]
    replayed = results.rows(account_sql("replay"))[0]
    rows = {part: results.rows(text, namespace=namespace, name=name) for part, text in sql.folder("timeline").items()}
    return Timeline(
        file=str(results.path),
        recording=results.recording,
        namespace=namespace,
        name=name,
        target=head["target"] or "",
        what_if=head["what_if"],
        release=replayed["release"],
        later_releases=tuple(replayed["later_releases"] or ()),
        started_us=head["started_us"],
        ended_us=head["ended_us"],
        moment_us=moment_us,
        points=tuple(TimelinePoint(**{**row, "failed": tuple(row["failed"])}) for row in rows["points"]),
        scales=tuple(Scale(**row) for row in rows["scales"]),
        absences=tuple(Absence(**row) for row in rows["absences"]),
        marks=tuple(Mark(**{**row, "kind": MarkKind(row["kind"])}) for row in rows["marks"]),
    )
