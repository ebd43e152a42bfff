"""Words what happened to an HPA in a few sentences: the controller or somebody else, and how much of it is unknown."""

from collections.abc import Iterator, Sequence

from hpaaudit.model.account import Divergence, Hold, HpaAccount, Otherwise, Outage
from hpaaudit.model.counted import counted
from hpaaudit.report.at_zero import zeros_in_words
from hpaaudit.report.codes import missing_in_words
from hpaaudit.report.foreign_write import TOLD, foreign_writes_in_words
from hpaaudit.report.hold import HOLDERS, during, held_in_words, how_long
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
    if not hpa.reconciles:
        return " ".join([_NO_RECONCILE, *_besides(hpa, [], hpa.holds, clock)])
    shown = [divergence for divergence in hpa.divergences if not divergence.divergence_class.startswith("no_data.")]
    loud = list(_loud(hpa, clock))
    if hpa.otherwise is None and any(one.divergence_class.startswith(_NOT_THE_HPA) for one in shown):
        return _about_controller(hpa, shown, clock)
    open_questions = [divergence for divergence in shown if divergence.divergence_class == "unexplained"]
    if hpa.otherwise is not None:
        sentences = [*_what_if(hpa, hpa.otherwise, clock), *loud]
    elif open_questions:
        sentences = [*loud, _unexplained(open_questions, clock), *_share(hpa)]
    else:
        is_alone = not (loud or hpa.divergent or hpa.foreign_writes)
        sentences = [*loud, _faith(hpa, is_alone=is_alone)]
    # What the outage says already is not said again.
    outage = any(finding.pattern == _OUTAGE for finding in hpa.findings)
    holds = [hold for hold in hpa.holds if not (outage and hold.cause == "no_metric")]
    return " ".join([*sentences, *_besides(hpa, shown, holds, clock)])


def _loud(hpa: HpaAccount, clock: Clock) -> Iterator[str]:
    """The gravest findings, an outage of the metrics API among them."""
    for finding in hpa.findings:
        is_unmade = finding.pattern == _UNMADE and finding.severity == "high"
        if finding.pattern == _OUTAGE or finding.severity == _LOUDEST or is_unmade:
            yield f"{_sentence_case(during(finding, clock))} {verdict_of(finding)}."


def asked_in_words(otherwise: Otherwise) -> str:
    """`With tolerance 0.3 and release 1.29`."""
    return f"With {' and '.join(otherwise.settings)}"


def _what_if(hpa: HpaAccount, otherwise: Otherwise, clock: Clock) -> Iterator[str]:
    """What other settings would decide otherwise. That is no fault of the controller: it does not have them."""
    asked = asked_in_words(otherwise)
    which = " that can be compared" if hpa.comparable < hpa.reconciles else ""
    # Where the audit differs too, the setting makes no difference that is known.
    both = max(hpa.comparable - hpa.agree - otherwise.reconciles - otherwise.statuses, 0)
    if hpa.undecidable == hpa.reconciles:
        yield f"{asked} nothing can be decided: every reconcile lacks an input{_unseen(hpa)}."
        return
    if not hpa.comparable:
        yield f"{asked} nothing can be compared: what the controller decided was not recorded."
        return
    if otherwise.first_us is not None:
        first = f"{_replicas(otherwise.first_desired)} in place of {_replicas(otherwise.first_real)}"
        compared = f"{counted(hpa.comparable, 'reconcile')}{which}"
        yield (
            f"{asked}, {otherwise.reconciles:,} of {compared} would decide otherwise; "
            f"{'first ' if otherwise.reconciles > 1 else ''}at {clock(otherwise.first_us)}: {first}."
        )
    else:
        yield f"{asked} every {'other ' if both else ''}reconcile{which} decides the same."
    if otherwise.statuses:
        yield f"{counted(otherwise.statuses, 'reconcile')} would publish another status with the same number."
    if both:
        yield f"{counted(both, 'reconcile')} {'differs' if both == 1 else 'differ'} with the settings of the audit too."
    yield from _share(hpa)


def _replicas(number: int | None) -> str:
    return "no number" if number is None else str(number)


def _besides(hpa: HpaAccount, shown: list[Divergence], holds: Sequence[Hold], clock: Clock) -> Iterator[str]:
    """What happened besides the decisions: writes by others, writes that failed or were changed, holds, and zeros."""
    # A loop is told already: one write shows what it was like.
    is_loop = any(finding.pattern == _LOOP and finding.severity == _LOUDEST for finding in hpa.findings)
    yield from foreign_writes_in_words(hpa.foreign_writes, clock, 1 if is_loop else TOLD)
    if refused := [one for one in shown if one.divergence_class.startswith("write_failed.")]:
        yield _refused(refused, clock)
    if mutated := [one for one in shown if one.divergence_class.startswith("write_mutated.")]:
        yield _mutated(mutated, clock)
    told = [held_in_words(hold, clock) for hold in holds[:_TOLD]]
    if told and any(one.divergence_class.startswith(("config.", "memory.")) for one in shown):
        # The rules and the memory of the replay are not the controller's, so what held is not proven.
        told[0] = f"With the settings of this replay, {told[0][:1].lower()}{told[0][1:]}"
    yield from told
    if rest := holds[_TOLD:]:
        causes = ", ".join(f"{HOLDERS[hold.cause]} ({how_long(hold)})" for hold in rest)
        yield f"{counted(len(rest), 'more cause')} held the replicas: {causes}."
    yield from zeros_in_words(hpa.zeros, clock)


def _faith(hpa: HpaAccount, *, is_alone: bool) -> str:
    """Whether the controller decided as the replay did, and in how many reconciles that is known.

    is_alone   nothing else is to be said of the HPA
    """
    if hpa.undecidable == hpa.reconciles:
        return f"Nothing can be decided: every reconcile lacks an input{_unseen(hpa)}."
    if not hpa.comparable:
        return " ".join(["Nothing can be compared: what the controller decided was not recorded.", *_share(hpa)])
    if hpa.other_reasons:
        events = counted(hpa.other_reasons, "Event")
        part = (
            f"The HPA wrote what the replay does, but {events} of it {'names' if hpa.other_reasons == 1 else 'name'} "
        )
        part += "another reason than the replay: it was started with other settings, or read other values."
        return " ".join([part, *_share(hpa)])
    if hpa.agree < hpa.comparable:
        rest = hpa.comparable - hpa.agree
        part = f"The HPA decided as the replay does in {hpa.agree} of {counted(hpa.comparable, 'reconcile')}"
        part += f"; in {rest} it read a value or a time that was not recorded (skew)."
        return " ".join([part, *_share(hpa)])
    if hpa.comparable < hpa.reconciles:
        those = f"in {_all(hpa.comparable, 'reconcile')} that can be compared"
        moves = f", {_moves(hpa)}" if is_alone else ""
        return " ".join([f"The HPA was faithful {those}{moves}.", *_share(hpa)])
    return (
        f"The HPA was faithful: it decided as the replay does, {_moves(hpa)}." if is_alone else "The HPA was faithful."
    )


def _all(number: int, noun: str) -> str:
    """`the 1 reconcile`, `all 3 reconciles`."""
    return f"{'the' if number == 1 else 'all'} {counted(number, noun)}"


def _share(hpa: HpaAccount) -> Iterator[str]:
    """How many reconciles could not be compared, and why."""
    if hpa.undecidable:
        yield f"{hpa.undecidable} of {counted(hpa.reconciles, 'reconcile')} cannot be decided{_unseen(hpa)}."
    missed = sum(one.certain for one in hpa.divergences if one.divergence_class.startswith("not_run."))
    unknown = hpa.reconciles - hpa.undecidable - hpa.comparable - missed
    if unknown > 0 and hpa.comparable:
        yield f"What the controller decided in {unknown} more was not recorded."


def _sentence_case(text: str) -> str:
    return text[:1].upper() + text[1:]


def _about_controller(hpa: HpaAccount, shown: list[Divergence], clock: Clock) -> str:
    """When the HPA was not reconciled, which setting differs from the assumed one, then what else happened."""
    sentences = [*_outages(hpa.outages, clock)]
    explanations = [explanation(one) for one in shown if one.divergence_class.startswith("config.")]
    sentences += [
        f"The controller seems to have run with another setting than this replay: {text}."
        for text in dict.fromkeys(explanations)
    ]
    remembered = [explanation(one) for one in shown if one.divergence_class.startswith("memory.")]
    sentences += [f"What the controller remembered is not as assumed: {text}." for text in dict.fromkeys(remembered)]
    open_questions = [divergence for divergence in shown if divergence.divergence_class == "unexplained"]
    if open_questions:
        sentences.append(_unexplained(open_questions, clock))
    return " ".join([*sentences, *_share(hpa), *_besides(hpa, shown, hpa.holds, clock)])


def _outages(outages: Sequence[Outage], clock: Clock) -> Iterator[str]:
    """The longest time without a reconcile, and how many others there were."""
    if not outages:
        return
    longest = max(outages, key=lambda outage: outage.missed)
    end = "at least the end of the time that is shown" if longest.is_cut else "the recording ended"
    until = end if longest.until_us is None else f"{'at least ' if longest.is_least else ''}{clock(longest.until_us)}"
    yield f"{_NOT_RUN[longest.divergence_class].format(span=f'from {clock(longest.began_us)} until {until}')}."
    yield f"{counted(longest.missed, 'reconcile')} did not take place."
    if others := len(outages) - 1:
        yield f"There {'was' if others == 1 else 'were'} {counted(others, 'other time')} without reconciles."


def _unexplained(divergences: list[Divergence], clock: Clock) -> str:
    first = divergences[0]
    times = f"{counted(len(divergences), 'time')}, first at" if len(divergences) > 1 else "at"
    what = (
        "The target had another number than both decided" if first.is_decided_alike else "Replay and controller differ"
    )
    return f"{what} {times} {clock(first.opened_us)}, unexplained: {explanation(first)}."


def _refused(divergences: list[Divergence], clock: Clock) -> str:
    first = divergences[0]
    kind = first.divergence_class.removeprefix("write_failed.").replace("_", " ")
    writes = sum(divergence.certain for divergence in divergences)
    times = "A write" if writes == 1 else f"{writes:,} writes"
    return f"{times} of the HPA failed, first at {clock(first.opened_us)} ({kind})."


def _mutated(divergences: list[Divergence], clock: Clock) -> str:
    writes = counted(sum(divergence.certain for divergence in divergences), "write")
    return f"Admission changed the number of {writes} of the HPA, first at {clock(divergences[0].opened_us)}."


def _moves(hpa: HpaAccount) -> str:
    own = sum(1 for change in hpa.changes if change.writer_class == "hpa")
    if not own and hpa.told_scalings:
        return (
            f"and scaled {counted(hpa.told_scalings, 'time')} or more, as its status says; nobody saw to which number"
        )
    if own:
        # What was changed in a gap is told by its status alone.
        is_all = all(change.evidence_level != "gap" for change in hpa.changes)
        return f"and scaled {counted(own, 'time')}{'' if is_all else ' or more'}"
    # Whether it had to is unknown where something held it.
    return "and never scaled" if hpa.holds else "and never had to scale"


def _unseen(hpa: HpaAccount) -> str:
    """The inputs that are unknown, for the end of a sentence."""
    return f" (unknown: {'; '.join(map(missing_in_words, hpa.undecidable_why))})" if hpa.undecidable_why else ""
