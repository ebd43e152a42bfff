"""Sums up a replay of many HPAs: totals, the problems that several share, and those that agree least."""

from collections import defaultdict
from collections.abc import Iterator, Sequence

from hpaaudit.model.account import Finding, HpaAccount
from hpaaudit.model.counted import counted
from hpaaudit.report.table import table
from hpaaudit.report.text import pasteable

WORST = 10
"""So many HPAs are rows of the table."""

_SEVERITIES = ("critical", "high", "medium", "low", "info")


def fleet_text(hpas: Sequence[HpaAccount], described: int, file: str) -> str:
    """The paragraphs of a fleet below the HPAs that are described in full.

    hpas        all of them, the one that agrees least first
    described   so many of these stand above
    """
    worst = sorted(hpas[described:], key=_harm, reverse=True)[:WORST]
    parts = ["\n".join(_totals(hpas)), *_by_pattern(hpas), _table(worst)]
    rest = len(hpas) - described - WORST
    if rest > 0:
        parts[-1] += f"\n  {counted(rest, 'more HPA')}: hpaaudit query {pasteable(file)} how_well_does_it_agree"
    return "\n\n".join(parts)


def _totals(hpas: Sequence[HpaAccount]) -> Iterator[str]:
    sums = {name: sum(getattr(hpa, name) for hpa in hpas) for name in ("match", "skew", "divergent", "undecidable")}
    verdicts = "   ".join(f"{number} {name}" for name, number in sums.items())
    yield f"{counted(len(hpas), 'HPA')}   {counted(sum(hpa.reconciles for hpa in hpas), 'reconcile')}   {verdicts}"
    scaled = sum(1 for hpa in hpas if hpa.changes)
    written = sum(1 for hpa in hpas if hpa.foreign_writes)
    divergent = sum(1 for hpa in hpas if hpa.divergent)
    yield f"  {scaled} changed replicas, {written} written to by others, {divergent} with a divergent reconcile"


def _by_pattern(hpas: Sequence[HpaAccount]) -> Iterator[str]:
    """A row for each known problem, the gravest and most frequent first."""
    by_pattern: defaultdict[tuple[str, str], list[tuple[HpaAccount, Finding]]] = defaultdict(list)
    for hpa in hpas:
        for finding in hpa.findings:
            by_pattern[finding.pattern, finding.severity].append((hpa, finding))
    rows = [
        (pattern, severity, len(cases), f"{cases[0][0].namespace}/{cases[0][0].name}")
        for (pattern, severity), cases in by_pattern.items()
    ]
    rows.sort(key=lambda row: (_rank(row[1]), -row[2], row[0]))
    if rows:
        yield table(("finding", "severity", "hpas", "for example"), rows, indent="  ")


def _harm(hpa: HpaAccount) -> tuple[int, ...]:
    """What makes an HPA worth a look, the most telling first."""
    return hpa.divergent, len(hpa.foreign_writes), hpa.undecidable, hpa.skew, len(hpa.findings)


def _rank(severity: str) -> int:
    return _SEVERITIES.index(severity) if severity in _SEVERITIES else len(_SEVERITIES)


def _table(hpas: Sequence[HpaAccount]) -> str:
    columns = ("hpa", "reconciles", "match", "skew", "divergent", "undecidable", "changes", "foreign writes")
    rows = [
        (
            f"{hpa.namespace}/{hpa.name}",
            hpa.reconciles,
            hpa.match,
            hpa.skew,
            hpa.divergent,
            hpa.undecidable,
            len(hpa.changes),
            len(hpa.foreign_writes),
        )
        for hpa in hpas
    ]
    return table(columns, rows, indent="  ")
