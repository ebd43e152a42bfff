"""Writes the page `docs/week.md`: what was done on a real cluster, and what hpaaudit said to it."""

import datetime as dt
from collections.abc import Iterator, Sequence
from pathlib import Path

from tests.cluster import build
from tests.cluster.week import figures
from tests.cluster.week.joined import WORDS, Joined
from tests.cluster.week.said import Statement

TEMPLATE = Path(__file__).with_suffix(".md").read_text(encoding="utf-8")


def page(joined: Joined, counted: Sequence[tuple[str, str, int]], *, seed: int, hpas: int) -> str:
    """The page with the figures of this run."""
    done = figures.played(joined)
    untrue = figures.untrue(joined)
    told = sum(not missing for _, missing in done)
    right = len(joined.statements) - len(untrue)
    begun_us, ended_us = done[0][0].begun_us, max(label.ended_us for label, _ in done)
    return TEMPLATE.format(
        incidents=len(joined.labels), kinds=len({label.kind for label, _ in done}), hpas=hpas, seed=seed,
        release=build.RELEASE, date=dt.datetime.fromtimestamp(begun_us / 1e6, dt.UTC).date(),
        minutes=round((ended_us - begun_us) / 6e7), reconciles=f"{sum(n for *_, n in counted):,}",
        matrix="\n".join(figures.matrix(joined)), told=told, done=len(done), recall=f"{told / len(done):.1%}",
        right=right, said=len(joined.statements), precision=f"{right / max(1, len(joined.statements)):.1%}",
        wrong_proven=sum(one.is_proven for one in untrue),
        mistakes="".join(f"- {line}\n" for line in mistakes(joined)) or "Nothing.\n",
        verdicts="\n".join(f"| {verdict} | {f'`{name}`' if name else ''} | {n} |" for verdict, name, n in counted),
        unexplained=sum(n for _, name, n in counted if name == figures.UNEXPLAINED),
    )  # fmt: skip


def mistakes(joined: Joined) -> Iterator[str]:
    """A line for each incident that was not told, for each statement that is not true, and for what did not happen."""
    for label, missing in joined.labels:
        if label.problem:
            yield f"Not counted: {label.kind} on {', '.join(label.hpas)} did not come about ({label.problem})."
        elif missing:
            yield f"Missed: {label.kind} at {_time(label.begun_us)} on {', '.join(missing)}; no `{WORDS[label.kind]}`."
    for one in figures.untrue(joined):
        yield f"Wrong: {_shown(one)}; then: {', '.join(_meanwhile(joined, one)) or 'nothing'}."


def _shown(one: Statement) -> str:
    proven = ", proven" if one.is_proven else ""
    text = f" ({one.text})" if one.text else ""
    return f"`{one.word}`{proven} of {one.hpa}, {_time(one.first_us)} to {_time(one.last_us)}{text}"


def _meanwhile(joined: Joined, one: Statement) -> list[str]:
    """The kinds of what was done there in that time."""
    return [
        label.kind
        for label, _ in joined.labels
        if (label.hits_all or one.hpa in label.hpas)
        and label.begun_us <= one.last_us
        and label.ended_us >= one.first_us
    ]


def _time(at_us: int) -> str:
    return dt.datetime.fromtimestamp(at_us / 1e6, dt.UTC).strftime("%H:%M:%SZ")
