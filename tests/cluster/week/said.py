"""What hpaaudit says of a recording: each class, finding, reason and mark is a statement with an HPA and its time."""

import datetime as dt
from collections.abc import Iterator
from dataclasses import dataclass

from hpaaudit.model.units import SECOND
from hpaaudit.results.read import Results

APART_US = 5 * SECOND
"""Reconciles of one word that are nearer together are one statement."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """A word of hpaaudit about an HPA (namespace/name, `*` for all), from its first to its last instant."""

    hpa: str
    word: str
    first_us: int
    last_us: int
    is_proven: bool = False
    text: str = ""


STATEMENTS = {
    "divergences": """
        select d.namespace || '/' || d.name as hpa, d.class as word, min(r.ts) as first_at, max(r.ts) as last_at,
            any_value(d.confidence) = 'proven' as is_proven, any_value(d.explanation) as text
        from divergences as d
        join reconciles as r using (divergence_id)
        where not starts_with(d.class, 'no_data.')
            and d.class not in ('timing.late_reconcile', 'timing.sampling_skew', 'input.metric_value_skew')
        group by d.divergence_id, d.namespace, d.name, d.class
    """,
    "findings": """
        select namespace || '/' || name as hpa, pattern as word, first_at, last_at, false as is_proven, verdict as text
        from findings
    """,
    "effects": """
        select namespace || '/' || name as hpa, class as word, ts as first_at, until as last_at, false as is_proven,
            coalesce(cause, '') as text
        from effects
        where class not in ('effect.none', 'effect.unknown')
    """,
    "hpas": """
        select namespace || '/' || name as hpa, 'hpas.deleted_at' as word, deleted_at as first_at,
            deleted_at as last_at, false as is_proven, 'deleted' as text
        from hpas
        where deleted_at is not null
    """,
    "controller_epochs": """
        select '*' as hpa, 'restart' as word, e.acquired_at as first_at, e.acquired_at as last_at, false as is_proven,
            coalesce(e.holder, '') as text
        from controller_epochs as e
        cross join recordings as i
        where e.epoch_id > 0 and e.acquired_at > i.started_at + interval 1 second
    """,
    "other_holders": """
        select '*' as hpa, 'other_holders' as word, make_timestamp(o.from_us) as first_at,
            make_timestamp(coalesce(o.until_us, o.from_us)) as last_at, false as is_proven, o.holder as text
        from (
            select unnest(from_json(
                other_holders, '[{"holder": "varchar", "from_us": "bigint", "until_us": "bigint"}]'
            )) as o
            from controller_epochs
        )
    """,
}
REASONS = """
    select namespace || '/' || name as hpa, reason_code as word, ts as first_at, ts as last_at, false as is_proven,
        '' as text
    from reconciles
    where verdict <> 'undecidable' and class is distinct from 'not_run.controller_down'
        and not coalesce(starts_with(class, 'not_run.'), false)
    union all
    select r.namespace || '/' || r.name, p.invalid_code, r.ts, r.ts, false, ''
    from metric_proposals as p
    join reconciles as r using (reconcile_id)
    where p.invalid_code is not null and r.verdict <> 'undecidable'
        and not coalesce(starts_with(r.class, 'not_run.'), false)
    order by hpa, word, first_at
"""


def statements(results: Results, reasons: frozenset[str]) -> list[Statement]:
    """All that is said by class, finding, effect and mark; of reasons those that are asked for."""
    said = [one for sql in STATEMENTS.values() for one in _asked(results, sql)]
    return sorted([*said, *_joined(_asked(results, REASONS), reasons)], key=lambda one: (one.first_us, one.hpa))


def _asked(results: Results, sql: str) -> Iterator[Statement]:
    for row in results.rows(sql):
        yield Statement(
            hpa=row["hpa"], word=row["word"], first_us=_micros(row["first_at"]), last_us=_micros(row["last_at"]),
            is_proven=bool(row["is_proven"]), text=row["text"] or "",
        )  # fmt: skip


def _joined(reconciles: Iterator[Statement], words: frozenset[str]) -> list[Statement]:
    """One statement for reconciles of one word that follow each other."""
    joined: list[Statement] = []
    for one in sorted(
        (one for one in reconciles if one.word in words), key=lambda one: (one.hpa, one.word, one.first_us)
    ):
        last = joined[-1] if joined else None
        if last and (last.hpa, last.word) == (one.hpa, one.word) and one.first_us - last.last_us <= APART_US:
            joined[-1] = Statement(hpa=last.hpa, word=last.word, first_us=last.first_us, last_us=one.last_us)
        else:
            joined.append(one)
    return joined


def _micros(at: dt.datetime) -> int:
    return round(at.replace(tzinfo=dt.UTC).timestamp() * 1_000_000)
