"""Writes the page `docs/truth.md`: what the verdicts are worth, measured on worlds whose truth is known."""

from collections import Counter
from collections.abc import Mapping
from pathlib import Path

from tests.truth.classes import CASES
from tests.truth.judged import UNEXPLAINED, Judged
from tests.truth.produced import RELEASE
from tests.truth.views import VIEWS

TEMPLATE = Path(__file__).with_suffix(".md").read_text(encoding="utf-8")


def page(judged: Mapping[str, Judged], every: int, offset: int = 0) -> str:
    """The page with these figures, by view; of the worlds one in `every` was judged, from number `offset` on."""
    by_view = [_row(view, judgement) for view, judgement in judged.items()]
    class_counts, false = Counter[tuple[str, str]](), Counter[tuple[str, str]]()
    for judgement in judged.values():
        class_counts += judgement.classes
        false += judgement.false
    by_class = [
        f"| {verdict} | {f'`{name}`' if name else ''} | {count} | {false[verdict, name]} |\n"
        for (verdict, name), count in sorted(class_counts.items(), key=lambda item: (-item[1], item[0]))
    ]
    return TEMPLATE.format(
        every=every, offset=offset, by_view="".join(by_view), by_class="".join(by_class), cases=cases()
    )


def cases() -> str:
    """The rows of the table of cases: each class, and where it was produced."""
    return "".join(
        f"| `{name}` | {case.world.parent.name if case.world.parent.parent.name == 'conformance' else RELEASE} "
        f"| {case.happened} | {SHOWN.get(case.shows, case.shows)} |\n"
        for name, case in CASES.items()
    )


def _row(view: str, judgement: Judged) -> str:
    verdicts = Counter[str]()
    for (verdict, _), count in judgement.classes.items():
        verdicts[verdict] += count
    unexplained = sum(count for (_, name), count in judgement.classes.items() if name == UNEXPLAINED)
    false = judgement.false.total()
    figures = (
        judgement.worlds, judgement.reconciles, verdicts["match"], judgement.proven, verdicts["skew"],
        verdicts["undecidable"], verdicts["divergent"], unexplained, false, judgement.named,
        len(judgement.wrong) - false, len(judgement.headlines),
    )  # fmt: skip
    return f"| {SHOWN[view]} | {' | '.join(map(str, figures))} |\n"


SHOWN = {
    "whole": "a capture of the controller itself, with a line for each reconcile",
    "outside": "all that a recorder can see; the scales are polled",
    "watched": "all that a recorder can see; the workloads are watched",
    "from the middle": "the last two thirds",
    "to the middle": "the first two thirds",
    "a hole in the middle": "nothing for a fifth of the time",
    "statuses with a hole": "no HPAs for a fifth of the time",
    "metrics with a hole": "no resource metrics for a fifth of the time",
    "pods with a hole": "no pods for a fifth of the time",
    "minimal rights": "HPAs, pods, scales, metrics and the version of the API server only",
    "no sync period": "all but the sync period",
    "two other flags": "another tolerance and another downscale stabilization than the controller's",
    "nothing of the controller": "neither flags nor restarts",
    "restarts by the Lease": "of restarts only the new holder of the Lease",
    "a strange Lease": "the Lease of another program, which changes its holder",
    "alive": "all, with the Lease",
    "dead": "all, with the Lease; the controller ends in the middle",
    "hung": "all, with the Lease; from the middle on the controller renews it and reconciles nothing",
    "hung while nothing changes": "the same, and the metrics stay as they are",
    "no writers": "neither writes nor Events",
    "no pods": "no pods",
    "no metrics": "no metrics",
    "targets seen late": "the workloads are watched, and seen more than a second late",
    "HPAs seen late": "the HPAs are seen more than a second late",
    "no scales": "no scales: neither numbers nor writes",
}
"""What each view shows, in the words of the page."""

assert SHOWN.keys() == VIEWS.keys()
