"""Sums up a replay of many HPAs: in a sentence, in totals, by the problems they share, and those that matter most."""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Sequence

from hpaaudit.model.account import Finding, HpaAccount
from hpaaudit.model.counted import counted
from hpaaudit.report.codes import WORDS
from hpaaudit.report.incident import standing_out
from hpaaudit.report.text import Clock, duration, one_line, paragraph, pasteable, side_by_side
from hpaaudit.report.text_table import page_table
from hpaaudit.report.verdict import asked_in_words, only_shown

WORST = 10
"""So many HPAs are rows of the table."""

_SEVERITIES = ("critical", "high", "medium", "low", "info")
_GRAVE = _SEVERITIES[:3]
"""Those that the headline names."""

_PATTERNS = 3
"""The headline names at most so many patterns of the gravest findings, the most frequent ones."""


def fleet_headline(hpas: Sequence[HpaAccount], clock: Clock) -> str:
    """A few sentences: what cost most by far, how many decided as the replay does, outages, other writers, findings."""
    incident = standing_out(hpas, clock)
    besides = (*_outages(hpas), *_writers(hpas), *_gravest(hpas))
    return " ".join([*only_shown(hpas, clock), *incident, *_faith(hpas), *besides])


def _within(hpas: Sequence[HpaAccount]) -> str:
    """What limits a sentence to the time of a narrowed replay, which the first sentence names."""
    return " in this time" if any(hpa.is_narrowed for hpa in hpas) else ""


def _what_if(hpas: Sequence[HpaAccount], asked: str) -> str:
    """What the settings of a what-if would change, in all."""
    comparable = sum(hpa.comparable for hpa in hpas)
    changed = [hpa.otherwise.reconciles for hpa in hpas if hpa.otherwise is not None and hpa.otherwise.reconciles]
    within = _within(hpas)
    which = "" if comparable == sum(hpa.reconciles for hpa in hpas) else " that can be compared"
    if not comparable:
        return f"{asked} nothing can be compared{within}: of no HPA is it known what the controller decided."
    if not changed:
        return f"{asked} every reconcile{which} decides the same{within}, {comparable:,} in all."
    return (
        f"{asked}, {sum(changed):,} of {comparable:,} reconciles{which} would decide otherwise, "
        f"of {len(changed)} of {counted(len(hpas), 'HPA')}{within}."
    )


def _faith(hpas: Sequence[HpaAccount]) -> Iterator[str]:
    otherwise = next((hpa.otherwise for hpa in hpas if hpa.otherwise is not None), None)
    if otherwise is not None:
        yield _what_if(hpas, asked_in_words(otherwise))
        return
    compared = [hpa for hpa in hpas if hpa.comparable]
    apart = [hpa for hpa in compared if hpa.agree < hpa.comparable]
    reconciles = sum(hpa.reconciles for hpa in hpas)
    comparable = sum(hpa.comparable for hpa in compared)
    which = "each reconcile" if comparable == reconciles else "each reconcile that can be compared"
    within = _within(hpas)
    if not compared:
        yield f"Nothing can be compared{within}: of no HPA is it known what the controller decided."
    elif not apart:
        every = "The" if len(compared) == 1 else "All"
        which += within
        is_both = len(hpas) == len(compared) == 2  # noqa: PLR2004 two are both
        whole = "Both HPAs" if is_both else f"{every} {counted(len(compared), 'HPA')}"
        yield f"{whole} decided as the replay does in {which}, {comparable:,} in all."
    else:
        same = len(compared) - len(apart)
        yield (
            f"{same} of {counted(len(compared), 'HPA')} decided as the replay does in {which}; {len(apart)} did not, "
            f"in {sum(hpa.comparable - hpa.agree for hpa in apart):,} of {comparable:,} reconciles{within}."
        )
        yield from _settings(apart)
    if compared and len(compared) < len(hpas):
        yield f"Of {counted(len(hpas) - len(compared), 'more HPA')} nothing can be compared{within}."


def _settings(hpas: Sequence[HpaAccount]) -> Iterator[str]:
    """In how many reconciles other settings of the controller explain the difference, and the step for most of them."""
    steps = Counter[str]()
    for hpa in hpas:
        for divergence in hpa.divergences:
            if divergence.divergence_class.startswith("config."):
                steps[divergence.next_step] += divergence.reconciles
    if steps:
        [(step, _)] = steps.most_common(1)
        yield f"Settings of the controller other than the assumed ones explain {steps.total():,} of these: {step}."


def _outages(hpas: Sequence[HpaAccount]) -> Iterator[str]:
    """How many HPAs the controller did not reconcile for a time. A what-if tells of decisions alone."""
    missed = [sum(outage.missed for outage in hpa.outages) for hpa in hpas if hpa.otherwise is None]
    if of_hpas := sum(map(bool, missed)):
        yield (
            f"For a time the controller did not reconcile {of_hpas} of {counted(len(hpas), 'HPA')}{_within(hpas)}: "
            f"{counted(sum(missed), 'reconcile')} did not take place."
        )


def _writers(hpas: Sequence[HpaAccount]) -> Iterator[str]:
    by_others = [[write for write in hpa.foreign_writes if not write.may_be_hpa] for hpa in hpas]
    written = [len(writes) for writes in by_others if writes]
    if written:
        times = counted(sum(written), "time")
        yield f"Others wrote the replicas of {counted(len(written), 'HPA')} {times}{_within(hpas)}."


def _gravest(hpas: Sequence[HpaAccount]) -> Iterator[str]:
    for severity in _GRAVE:
        patterns = [{one.pattern for one in hpa.findings if one.severity == severity} for hpa in hpas]
        concerned = sum(map(bool, patterns))
        if concerned:
            of_hpas = Counter(pattern for found in patterns for pattern in sorted(found))
            most = [pattern for pattern, _ in of_hpas.most_common(_PATTERNS)]
            names = ", ".join(most) + (" and others" if len(of_hpas) > _PATTERNS else "")
            if len(of_hpas) == 1 and names in WORDS:
                names += f", {WORDS[names]}"
            have = "has" if concerned == 1 else "have"
            yield f"{counted(concerned, 'HPA')} {have} a finding of severity {severity}: {names}."
            return


def fleet_text(hpas: Sequence[HpaAccount], file: str, clock: Clock, most: int | None) -> str:
    """The paragraphs that sum up a fleet.

    hpas   all of them, the one that matters most first;  most   of them that are rows of the table, None: all
    """
    parts = [paragraph(fleet_headline(hpas, clock)), "\n".join(_totals(hpas)), *_by_pattern(hpas)]
    columns, rows = worst_rows(hpas, most)
    parts.append(page_table(columns, rows))
    if len(rows) < len(hpas):
        rest = counted(len(hpas) - len(rows), "more HPA")
        parts[-1] += f"\n  {rest}: hpaaudit query {pasteable(file)} how_well_does_it_agree"
    return "\n\n".join(parts)


def inputs_known(hpas: Collection[HpaAccount]) -> str:
    """Of how many reconciles the inputs are known."""
    proven, seen, reconciles = (sum(getattr(hpa, name) for hpa in hpas) for name in ("proven", "seen", "reconciles"))
    return f"inputs proven: {proven} of {reconciles}" + (f"; answers that the controller had: {seen}" if seen else "")


def _totals(hpas: Sequence[HpaAccount]) -> Iterator[str]:
    sums = {name: sum(getattr(hpa, name) for hpa in hpas) for name in ("match", "skew", "divergent", "undecidable")}
    verdicts = (f"{number} {name}" for name, number in sums.items())
    reconciles = sum(hpa.reconciles for hpa in hpas)
    yield side_by_side((counted(len(hpas), "HPA"), counted(reconciles, "reconcile"), *verdicts), "  ")
    undecidable_s = sum(hpa.undecidable_s for hpa in hpas)
    scaled = sum(1 for hpa in hpas if hpa.changes)
    divergent = sum(1 for hpa in hpas if hpa.divergent)
    yield one_line(
        f"  {scaled} changed replicas, {divergent} with a divergent reconcile; undecidable: "
        f"{f'{duration(undecidable_s)} of HPA time' if undecidable_s >= 1 else sums['undecidable'] or 'none'}"
    )
    yield one_line(f"  {inputs_known(hpas)}")


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
        yield page_table(("finding", "severity", "hpas", "for example"), rows)


def _rank(severity: str) -> int:
    return _SEVERITIES.index(severity) if severity in _SEVERITIES else len(_SEVERITIES)


def worst_rows(
    hpas: Sequence[HpaAccount], most: int | None = WORST
) -> tuple[tuple[str, ...], list[tuple[object, ...]]]:
    """The columns, and a row for each of the HPAs that matter most. A column of zeros alone is left out."""
    hpas = hpas[:most]
    numbers = {
        "changes": [len(hpa.changes) for hpa in hpas],
        "by others": [len(hpa.foreign_writes) for hpa in hpas],
        **{name: [getattr(hpa, name) for hpa in hpas] for name in ("skew", "divergent", "undecidable")},
    }
    shown = {name: column for name, column in numbers.items() if any(column)}
    names = [f"{hpa.namespace}/{hpa.name}" for hpa in hpas]
    return ("hpa", *shown, "worst finding"), list(zip(names, *shown.values(), map(worst_finding, hpas), strict=True))


def worst_finding(hpa: HpaAccount) -> str:
    """`flapping, high`; nothing without a finding."""
    worst = min(hpa.findings, key=lambda finding: _rank(finding.severity), default=None)
    return f"{worst.pattern}, {worst.severity}" if worst else ""
