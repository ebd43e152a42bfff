"""Words the incident of one HPA that stands out among several: the one that cost most pods by far."""

from collections.abc import Iterator, Sequence

from hpaaudit.model.account import HpaAccount
from hpaaudit.report.foreign_write import foreign_write_in_words
from hpaaudit.report.hold import costs_pods, held_in_words
from hpaaudit.report.text import Clock
from hpaaudit.report.verdict import gravest_in_words

LEAST_POD_S = 60.0
"""The headline of several HPAs begins with an incident only if that cost at least so many pod-seconds."""

_BY_FAR = 2
"""An incident stands out if it cost so many times what any other HPA's did."""

_OTHER_RULES = ("config.", "memory.")
"""Divergences of a controller with other settings or another memory: what held the HPA then is not proven."""


def standing_out(hpas: Sequence[HpaAccount], clock: Clock) -> Iterator[str]:
    """The sentence of the incident that cost by far most missing pods, after its HPA's name; none if none does.

    It is the sentence that the HPA's own headline has. Nothing stands out beside an outage or a grave finding of
    another HPA, whose cost in pods nobody knows.
    """
    if len(hpas) <= 1 or any(hpa.otherwise is not None or hpa.outages for hpa in hpas):
        return
    ranked = sorted(((_cost(hpa), place) for place, hpa in enumerate(hpas)), key=lambda one: (-one[0], one[1]))
    (most, place), (second, _) = ranked[:2]
    others = [hpa for number, hpa in enumerate(hpas) if number != place]
    if most < LEAST_POD_S or most < _BY_FAR * second or any(_is_unknown(hpa, clock) for hpa in others):
        return
    hpa = hpas[place]
    told = [*gravest_in_words(hpa, clock), *_incidents(hpa, clock)]
    yield f"{hpa.namespace}/{hpa.name}: {told[0]}"


def _cost(hpa: HpaAccount) -> float:
    """Pod-seconds that were missing in the incident that cost most."""
    return max((cost for cost, _ in _costs(hpa)), default=0.0)


def _costs(hpa: HpaAccount) -> Iterator[tuple[float, int]]:
    """The pod-seconds of each incident, and its place: writes by others first, then what held the HPA."""
    for place, write in enumerate(hpa.foreign_writes):
        if not write.may_be_hpa and write.since_us is None:
            yield write.missing_pod_s or 0.0, place
    if any(one.divergence_class.startswith(_OTHER_RULES) for one in hpa.divergences):
        return
    for place, hold in enumerate(hpa.holds, len(hpa.foreign_writes)):
        if costs_pods(hold.cause):
            yield hold.pod_s, place


def _incidents(hpa: HpaAccount, clock: Clock) -> Iterator[str]:
    """A sentence for each incident, the one that cost most first."""
    writes = len(hpa.foreign_writes)
    for _, place in sorted(_costs(hpa), key=lambda one: (-one[0], one[1])):
        if place < writes:
            yield foreign_write_in_words(hpa.foreign_writes[place], clock)
        else:
            yield held_in_words(hpa.holds[place - writes], clock)


def _is_unknown(hpa: HpaAccount, clock: Clock) -> bool:
    """True if something grave happened to an HPA of which nobody knows how many pods it cost."""
    return any(gravest_in_words(hpa, clock)) or any(write.missing_pod_s is None for write in hpa.foreign_writes)
