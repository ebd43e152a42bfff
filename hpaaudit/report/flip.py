"""Words the nearest changes of an input that would have changed a decision."""

from collections.abc import Iterator, Sequence

from hpaaudit.model.account import ReconcileAccount
from hpaaudit.model.counted import counted
from hpaaudit.model.flips import ForeignPodFlip, LoadFlip, MemoryFlip, ReadyFlip, TimeFlip, UtilizationFlip
from hpaaudit.model.units import SECOND
from hpaaudit.report.text import Clock, duration

NAMED = 3
"""So many pods are named, the rest is counted."""

_CAUSES = {
    "recommendation": "the recommendation of {since} leaves the window",
    "scale_event": "the scale of {since} leaves the period of a policy",
    "last_scale": "the forbidden window after the scale of {since} ends",
    "pod": "a pod that started at {since} is no longer initializing",
}
"""What is old enough from then on, by the cause of a TimeFlip."""


def flip_lines(account: ReconcileAccount, named: int | None = NAMED) -> Iterator[str]:
    """A sentence for each flip, such as `at cpu 67 % the HPA would want 7 replicas, at 50 % 4 replicas`.

    named   so many pods of each are named, None: all
    """
    clock = Clock(account.at_us, account.at_us)
    utilizations = [flip for flip in account.flips if isinstance(flip, UtilizationFlip)]
    if utilizations:
        yield _utilizations(utilizations)
    for flip in account.flips:
        match flip:
            case MemoryFlip():
                recommended, wanted = clock(flip.recommended_us), counted(flip.desired, "replica")
                yield (
                    f"from {clock(flip.leaves_us)} on the HPA would want {wanted}: "
                    f"the recommendation of {recommended} leaves the window"
                )
            case TimeFlip():
                cause = _CAUSES[flip.cause].format(since=clock(flip.cause_us))
                yield (
                    f"{duration(flip.later_us / SECOND)} later, from {clock(flip.at_us)} on, the same metrics would "
                    f"give {counted(flip.desired, 'replica')}: {cause}"
                )
            case LoadFlip():
                change = f"{abs(flip.permille) / 10:g} % {'more' if flip.permille > 0 else 'less'} load"
                yield f"with {change} the HPA would want {counted(flip.desired, 'replica')}"
            case ReadyFlip():
                these = f"{len(flip.pods)} of {counted(flip.unready, 'unready pod')}"
                wanted = counted(flip.desired, "replica")
                yield f"with {these} counted as ready ({some(flip.pods, named)}) the HPA would want {wanted}"
            case ForeignPodFlip():
                these = f"{len(flip.pods)} of {counted(flip.foreign, 'foreign pod')}"
                wanted = counted(flip.desired, "replica")
                names = f"{some(flip.pods, named)}, of {some(flip.owners, named)}"
                yield f"without {these} ({names}) the HPA would want {wanted}"


def some(names: Sequence[str], most: int | None = NAMED) -> str:
    """The first names, and how many more there are; all where `most` is None."""
    shown = ", ".join(names[:most])
    return shown if most is None or len(names) <= most else f"{shown} and {len(names) - most} more"


def _utilizations(flips: Sequence[UtilizationFlip]) -> str:
    at = [f"{flip.utilization_percent} %" for flip in flips]
    numbers = [counted(flip.desired, "replica") for flip in flips]
    others = [f", at {percent} {number}" for percent, number in zip(at[1:], numbers[1:], strict=True)]
    return f"at {flips[0].metric} {at[0]} the HPA would want {numbers[0]}{''.join(others)}"
