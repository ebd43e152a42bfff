"""Words what happened to an HPA in a few sentences: the controller or somebody else, and how much of it is unknown."""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from math import inf

from hpaaudit.model.account import Divergence, ForeignWrite, Hold, HpaAccount, Otherwise, Outage
from hpaaudit.model.counted import counted
from hpaaudit.report.at_zero import zeros_in_words
from hpaaudit.report.codes import missing_in_words
from hpaaudit.report.foreign_write import TOLD, foreign_writes_in_words
from hpaaudit.report.hold import HOLDERS, cost_in_words, during, held_in_words, how_long
from hpaaudit.report.text import Clock
from hpaaudit.report.told_times import explanation, verdict_of

_OUTAGE, _UNMADE, _LOOP = "metrics_api_down", "pods_not_created", "gitops_selfheal_loop"
_LOUDEST = "critical"
"""The severity of findings that a headline begins with, as it does with an outage, and with pods that never came."""

_TOLD = 2
"""So many holds have a sentence of their own. The rest is named."""

_NO_RECONCILE = "No reconcile can be shown: in this time none took place, none was seen, or none could be replayed."

_NOT_THE_HPA = ("not_run.", "config.", "memory.")
"""Divergences of a controller that did not run, runs with other settings than assumed, or remembers something else."""

_NOT_RUN = {
    "not_run.controller_down": "No controller ran {span}: its Lease had run out",
    "not_run.controller_hung": "The controller renewed its Lease but reconciled no HPA {span}",
    "not_run.controller_restart": "The controller was restarting {span}",
    "not_run.missed_reconcile": "The controller did not reconcile this HPA {span}",
}


def verdict(hpa: HpaAccount, clock: Clock) -> str:
    """A few sentences: whether it was the controller or somebody else, and how much of that is unknown.

    `sql/account/moments.sql` orders the causes in the same way, so that the next command explains the first.
    """
    return " ".join([*only_shown([hpa], clock), _told(hpa, clock)])


def only_shown(hpas: Sequence[HpaAccount], clock: Clock) -> Iterator[str]:
    """A sentence that names the time of a narrowed replay: `this time` in the sentences after it."""
    if any(hpa.is_narrowed for hpa in hpas):
        yield f"Only {clock(clock.first_us)} to {clock(clock.last_us)} is shown."


def in_this_time(hpa: HpaAccount) -> str:
    """What limits a sentence to the time of a narrowed replay; empty where the whole recording is told."""
    return " in this time" if hpa.is_narrowed else ""


def _told(hpa: HpaAccount, clock: Clock) -> str:
    """The sentences of a headline that tell what happened."""
    if not hpa.reconciles:
        return " ".join([_NO_RECONCILE, *_besides(hpa, [], hpa.holds, clock)])
    shown = [divergence for divergence in hpa.divergences if not divergence.divergence_class.startswith("no_data.")]
    loud = list(gravest_in_words(hpa, clock))
    if hpa.otherwise is None and any(one.divergence_class.startswith(_NOT_THE_HPA) for one in shown):
        return _about_controller(hpa, shown, clock)
    open_questions = [divergence for divergence in shown if divergence.divergence_class == "unexplained"]
    if hpa.otherwise is not None:
        sentences = [*_what_if(hpa, hpa.otherwise, clock), *loud]
    elif open_questions:
        sentences = [*loud, _unexplained(open_questions, hpa, clock), *_share(hpa)]
    else:
        is_alone = not (loud or hpa.divergent or hpa.foreign_writes)
        sentences = [*loud, _faith(hpa, is_alone=is_alone)]
    # What the outage says already is not said again.
    outage = any(finding.pattern == _OUTAGE for finding in hpa.findings)
    holds = [hold for hold in hpa.holds if not (outage and hold.cause == "no_metric")]
    return " ".join([*sentences, *_besides(hpa, shown, holds, clock)])


def gravest_in_words(hpa: HpaAccount, clock: Clock) -> Iterator[str]:
    """The gravest findings, an outage of the metrics API among them."""
    for finding in hpa.findings:
        is_unmade = finding.pattern == _UNMADE and finding.severity == "high"
        if finding.pattern == _OUTAGE or finding.severity == _LOUDEST or is_unmade:
            is_beyond = finding.first_us < clock.first_us or finding.last_us > clock.last_us
            beyond = ", some of that outside this time" if hpa.is_narrowed and is_beyond else ""
            yield f"{_sentence_case(during(finding, clock))} {verdict_of(finding)}{beyond}."


def asked_in_words(otherwise: Otherwise) -> str:
    """`With tolerance 0.3 and release 1.29`."""
    return f"With {' and '.join(otherwise.settings)}"


def _what_if(hpa: HpaAccount, otherwise: Otherwise, clock: Clock) -> Iterator[str]:
    """What other settings would decide otherwise. That is no fault of the controller: it does not have them."""
    within = in_this_time(hpa)
    asked = asked_in_words(otherwise)
    which = " that can be compared" if hpa.comparable < hpa.reconciles else ""
    # Where the audit differs too, the setting makes no difference that is known.
    both = max(hpa.comparable - hpa.agree - otherwise.reconciles - otherwise.statuses, 0)
    if hpa.undecidable == hpa.reconciles:
        yield f"{asked} nothing can be decided{within}: every reconcile lacks an input{_unseen(hpa)}."
        return
    if not hpa.comparable:
        yield f"{asked} nothing can be compared{within}: what the controller decided was not recorded."
        return
    if otherwise.first_us is not None:
        first = f"{_replicas(otherwise.first_desired)} in place of {_replicas(otherwise.first_real)}"
        compared = f"{counted(hpa.comparable, 'reconcile')}{which}"
        yield (
            f"{asked}, {otherwise.reconciles:,} of {compared} would decide otherwise{within}; "
            f"{'first ' if otherwise.reconciles > 1 else ''}at {clock(otherwise.first_us)}: {first}."
        )
    else:
        yield f"{asked} every {'other ' if both else ''}reconcile{which} decides the same{within}."
    if otherwise.statuses:
        yield f"{counted(otherwise.statuses, 'reconcile')} would publish another status with the same number{within}."
    if both:
        differs = "differs" if both == 1 else "differ"
        yield f"{counted(both, 'reconcile')} {differs} with the settings of the audit too{within}."
    yield from _share(hpa)


def _replicas(number: int | None) -> str:
    return "no number" if number is None else str(number)


def _besides(hpa: HpaAccount, shown: list[Divergence], holds: Sequence[Hold], clock: Clock) -> Iterator[str]:
    """What happened besides the decisions: writes by others, writes that failed or were changed, holds, and zeros."""
    # A loop is told already: one write shows what it was like.
    is_loop = any(finding.pattern == _LOOP and finding.severity == _LOUDEST for finding in hpa.findings)
    yield from foreign_writes_in_words(hpa.foreign_writes, clock, 1 if is_loop else TOLD)
    if refused := [one for one in shown if one.divergence_class.startswith("write_failed.")]:
        yield _refused(refused, hpa, clock)
    if mutated := [one for one in shown if one.divergence_class.startswith("write_mutated.")]:
        yield _mutated(mutated, hpa, clock)
    told = [held_in_words(hold, clock) for hold in holds[:_TOLD]]
    if told and any(one.divergence_class.startswith(("config.", "memory.")) for one in shown):
        # The rules and the memory of the replay are not the controller's, so what held is not proven.
        told[0] = f"With the settings of this replay, {told[0][:1].lower()}{told[0][1:]}"
    yield from told
    if rest := holds[_TOLD:]:
        causes = ", ".join(f"{HOLDERS[hold.cause]} ({how_long(hold)})" for hold in rest)
        yield f"{counted(len(rest), 'more cause')} held the replicas{in_this_time(hpa)}: {causes}."
    if _is_counted_twice(hpa.foreign_writes, holds[:_TOLD]):
        yield "Some of these pod-minutes may be the same pods, counted twice: what_did_it_cost counts each once."
    yield from zeros_in_words(hpa.zeros, clock)


def _is_counted_twice(writes: Sequence[ForeignWrite], holds: Sequence[Hold]) -> bool:
    """Whether who adds up the told costs may count a pod twice: after two writes at once, or in a hold too."""
    costly = [write for write in writes if write.missing_pod_s]
    if not cost_in_words(sum(write.missing_pod_s or 0 for write in costly), "missing"):
        return False
    if any(hold.is_shared and cost_in_words(hold.pod_s, "missing") for hold in holds):
        return True
    return any(_ends_us(first) > later.at_us for first, later in pairwise(sorted(costly, key=lambda one: one.at_us)))


def _ends_us(write: ForeignWrite) -> float:
    """Until when pods may have been missing after a write; infinite if nobody is known to have undone it."""
    ends = (write.restored_us, write.undone_us, write.unseen_us, write.released_us)
    return min((end for end in ends if end is not None), default=inf)


def _faith(hpa: HpaAccount, *, is_alone: bool) -> str:
    """Whether the controller decided as the replay did, and in how many reconciles that is known.

    is_alone   nothing else is to be said of the HPA
    """
    within = in_this_time(hpa)
    faithful = f"The HPA was faithful{within}"
    if hpa.undecidable == hpa.reconciles:
        return f"Nothing can be decided{within}: every reconcile lacks an input{_unseen(hpa)}."
    if not hpa.comparable:
        nothing = f"Nothing can be compared{within}: what the controller decided was not recorded."
        return " ".join([nothing, *_share(hpa)])
    if hpa.other_reasons:
        names = f"{counted(hpa.other_reasons, 'Event')} of it {'names' if hpa.other_reasons == 1 else 'name'}"
        part = f"The HPA wrote what the replay does{within}, but {names} "
        part += "another reason than the replay: it was started with other settings, or read other values."
        return " ".join([part, *_share(hpa)])
    if hpa.agree < hpa.comparable:
        rest = hpa.comparable - hpa.agree
        part = f"The HPA decided as the replay does in {hpa.agree} of {counted(hpa.comparable, 'reconcile')}{within}"
        part += f"; in {rest} it read a value or a time that was not recorded (skew)."
        return " ".join([part, *_share(hpa)])
    if hpa.comparable < hpa.reconciles:
        those = f"in {_all(hpa.comparable, 'reconcile')} that can be compared"
        moves = f", {_moves(hpa)}" if is_alone else within
        return " ".join([f"The HPA was faithful {those}{moves}.", *_share(hpa)])
    return f"The HPA was faithful: it decided as the replay does, {_moves(hpa)}." if is_alone else f"{faithful}."


def _all(number: int, noun: str) -> str:
    """`the 1 reconcile`, `all 3 reconciles`."""
    return f"{'the' if number == 1 else 'all'} {counted(number, noun)}"


def _share(hpa: HpaAccount) -> Iterator[str]:
    """How many reconciles could not be compared, and why."""
    within = in_this_time(hpa)
    if hpa.undecidable:
        yield f"{hpa.undecidable} of {counted(hpa.reconciles, 'reconcile')} cannot be decided{within}{_unseen(hpa)}."
    missed = sum(one.certain for one in hpa.divergences if one.divergence_class.startswith("not_run."))
    unknown = hpa.reconciles - hpa.undecidable - hpa.comparable - missed
    if unknown > 0 and hpa.comparable:
        yield f"What the controller decided in {unknown} more{within} was not recorded."


def _sentence_case(text: str) -> str:
    return text[:1].upper() + text[1:]


def _about_controller(hpa: HpaAccount, shown: list[Divergence], clock: Clock) -> str:
    """When the HPA was not reconciled, which setting differs from the assumed one, then what else happened."""
    sentences = [*_outages(hpa, clock)]
    explanations = [explanation(one) for one in shown if one.divergence_class.startswith("config.")]
    sentences += [
        f"The controller seems to have run with another setting than this replay: {text}."
        for text in dict.fromkeys(explanations)
    ]
    remembered = [explanation(one) for one in shown if one.divergence_class.startswith("memory.")]
    sentences += [f"What the controller remembered is not as assumed: {text}." for text in dict.fromkeys(remembered)]
    open_questions = [divergence for divergence in shown if divergence.divergence_class == "unexplained"]
    if open_questions:
        sentences.append(_unexplained(open_questions, hpa, clock))
    return " ".join([*sentences, *_share(hpa), *_besides(hpa, shown, hpa.holds, clock)])


def _outages(hpa: HpaAccount, clock: Clock) -> Iterator[str]:
    """The longest time without a reconcile, and how many others there were."""
    if not hpa.outages:
        return
    longest: Outage = max(hpa.outages, key=lambda outage: outage.missed)
    end = "at least the end of the time that is shown" if longest.is_cut else "the recording ended"
    until = end if longest.until_us is None else f"{'at least ' if longest.is_least else ''}{clock(longest.until_us)}"
    yield f"{_NOT_RUN[longest.divergence_class].format(span=f'from {clock(longest.began_us)} until {until}')}."
    yield f"{counted(longest.missed, 'reconcile')} did not take place{in_this_time(hpa)}."
    if others := len(hpa.outages) - 1:
        were = "was" if others == 1 else "were"
        within = " within this time" if hpa.is_narrowed else ""
        yield f"There {were} {counted(others, 'other time')} without reconciles{within}."


def _unexplained(divergences: list[Divergence], hpa: HpaAccount, clock: Clock) -> str:
    first = divergences[0]
    times = f"{counted(len(divergences), 'time')}{in_this_time(hpa)}, first at" if len(divergences) > 1 else "at"
    what = (
        "The target had another number than both decided" if first.is_decided_alike else "Replay and controller differ"
    )
    return f"{what} {times} {clock(first.opened_us)}, unexplained: {explanation(first)}."


def _refused(divergences: list[Divergence], hpa: HpaAccount, clock: Clock) -> str:
    first = divergences[0]
    kind = first.divergence_class.removeprefix("write_failed.").replace("_", " ")
    writes = sum(divergence.certain for divergence in divergences)
    times = "A write" if writes == 1 else f"{writes:,} writes"
    return f"{times} of the HPA failed{in_this_time(hpa)}, first at {clock(first.opened_us)} ({kind})."


def _mutated(divergences: list[Divergence], hpa: HpaAccount, clock: Clock) -> str:
    writes = counted(sum(divergence.certain for divergence in divergences), "write")
    first = clock(divergences[0].opened_us)
    return f"Admission changed the number of {writes} of the HPA{in_this_time(hpa)}, first at {first}."


def _moves(hpa: HpaAccount) -> str:
    own = sum(1 for change in hpa.changes if change.writer_class == "hpa")
    if not own and hpa.told_scalings:
        return (
            f"and scaled {counted(hpa.told_scalings, 'time')} or more{in_this_time(hpa)}, as its status says; "
            "nobody saw to which number"
        )
    if own:
        # What was changed in a gap is told by its status alone.
        is_all = all(change.evidence_level != "gap" for change in hpa.changes)
        return f"and scaled {counted(own, 'time')}{'' if is_all else ' or more'}{in_this_time(hpa)}"
    # Whether it had to is unknown where something held it.
    if hpa.is_narrowed:
        return "and did not scale in this time" if hpa.holds else "and did not have to scale in this time"
    return "and never scaled" if hpa.holds else "and never had to scale"


def _unseen(hpa: HpaAccount) -> str:
    """The inputs that are unknown, for the end of a sentence."""
    return f" (unknown: {'; '.join(map(missing_in_words, hpa.undecidable_why))})" if hpa.undecidable_why else ""
