"""Finds gaps between two reads of a scale: those that are far apart and show different numbers."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from hpaaudit.model.facts import Fact, Gap, ScaleRead, ScaleWritten, TargetRef
from hpaaudit.model.units import SECOND, Micros

_PERIOD_US = Micros(15 * SECOND)


@dataclass(slots=True)
class SeldomLooks:
    """The last look at each scale.

    active      nothing else tells of scales: no watch of workloads, no reconcile
    period_us   the sync period: who looks as often as the controller misses as little as it
    """

    active: bool = False
    period_us: Micros = _PERIOD_US
    last: dict[TargetRef, tuple[Micros, int]] = field(default_factory=dict)

    def gap(self, fact: Fact) -> Iterable[Gap]:
        """The gap between two looks that are far apart and show different numbers."""
        if not self.active or not isinstance(fact, ScaleRead | ScaleWritten) or fact.scale is None:
            return
        since_us, before = self.last.get(fact.target, (fact.at_us, fact.scale.spec_replicas))
        self.last[fact.target] = (fact.at_us, fact.scale.spec_replicas)
        if isinstance(fact, ScaleWritten) or before == fact.scale.spec_replicas:
            return
        if 2 * (fact.at_us - since_us) > 3 * self.period_us:
            yield Gap(
                at_us=since_us,
                until_us=fact.at_us,
                prefix=fact.path.partition("?")[0],
                cause="the scale of the target was only read now and then, and changed in between",
            )
