"""Words what another release would have decided otherwise."""

from collections.abc import Iterator, Mapping
from dataclasses import asdict
from typing import Any

from hpaaudit.model.account import ReplayAccount
from hpaaudit.model.counted import counted
from hpaaudit.model.difference import Cause, ComparedHpa, Difference, Episode, Wanted
from hpaaudit.report.codes import codes_in, legend
from hpaaudit.report.reasons import measure
from hpaaudit.report.text import Clock, paragraph, printable
from hpaaudit.report.text_table import page_table

LINES = 20
"""The most episodes that are listed of one HPA."""


def replay_fields(account: ReplayAccount, difference: Difference | None) -> Mapping[str, Any]:
    """All fields of the outcome of a replay, and what it differs in from the audit."""
    return {**asdict(account), "difference": None if difference is None else asdict(difference)}


def difference_text(difference: Difference, *, known: str = "") -> str:
    """What differs, HPA by HPA, and which changes between the releases make it.

    known   a text above this one, whose codes are explained there
    """
    parts = [_headline(difference)]
    for hpa in difference.hpas:
        parts += _one(hpa, difference)
    if difference.episodes:
        if not difference.causes_searched:
            parts.append(paragraph("Which rules make the difference was not tried: there are too many reconciles."))
        parts.append(paragraph(_FOLLOWS))
    explained = codes_in(known)
    if words := legend(code for code in codes_in("\n\n".join(parts)) if code not in explained):
        parts.append(words)
    return "\n\n".join(parts) + "\n"


_FOLLOWS = (
    "Every reconcile starts from what the cluster really was: what the other release would have changed is not "
    "played on."
)


def _headline(difference: Difference) -> str:
    """In how many of the reconciles that can be compared they differ, and how many cannot."""
    differing, unknown, all_of_them = (
        sum(getattr(hpa, name) for hpa in difference.hpas) for name in ("differing", "unknown", "reconciles")
    )
    releases = f"{difference.own_release} (the audit) and {difference.other_release}"
    compared = counted(all_of_them - unknown, "reconcile")
    if unknown:
        compared += f" that can be compared; {unknown} cannot"
    if not all_of_them:
        text = f"{releases} have no reconcile in common."
    elif unknown == all_of_them:
        text = f"{releases} cannot be compared in any of {counted(all_of_them, 'reconcile')}."
    elif differing:
        text = f"{releases} want different numbers in {differing} of {compared}."
    else:
        text = f"{releases} want the same number in all {compared}."
    return paragraph(text, indent="")


def _one(hpa: ComparedHpa, difference: Difference) -> Iterator[str]:
    """The episodes of one HPA; nothing if there is nothing to say of it."""
    episodes = [episode for episode in difference.episodes if episode.hpa == hpa.hpa]
    if not episodes and not hpa.unknown:
        return
    yield printable(hpa.hpa)
    if hpa.unknown:
        yield paragraph(
            f"{counted(hpa.unknown, 'reconcile')} cannot be compared: it did not take place, one of the releases "
            "would have read something that was not recorded, or several numbers are possible."
        )
    if not episodes:
        return
    clock = Clock(difference.started_us, difference.ended_us)
    rows = [
        (clock(one.first_us), clock(one.last_us), one.replicas, one.own.replicas, _why(one.own), one.other.replicas,
         _why(one.other))
        for one in episodes
    ]  # fmt: skip
    columns = ("from", "to", "has", difference.own_release, "why", difference.other_release, "why")
    text = page_table(columns, rows[:LINES])
    if len(rows) > LINES:
        text += f"\n  {len(rows) - LINES} more: -o json has all"
    yield text
    if difference.causes_searched:
        yield from _causes(episodes, difference, clock)


def _why(wanted: Wanted) -> str:
    return wanted.reason_code + (f" {measure(wanted.metric)}" if wanted.metric is not None else "")


def _causes(episodes: list[Episode], difference: Difference, clock: Clock) -> Iterator[str]:
    """Each change that alone makes an episode, with the times at which it does, then the times without one."""
    times: dict[str, list[str]] = {}
    causes: dict[str, Cause] = {}
    for episode in episodes:
        for cause in episode.causes:
            times.setdefault(cause.change.name, []).append(clock(episode.first_us))
            causes.setdefault(cause.change.name, cause)
    for name, cause in causes.items():
        change = cause.change
        proof = " and ".join(_proofs(cause, difference))
        yield "\n".join([
            f"  {printable(name)}  ({change.release}; {printable(change.reference)})",
            paragraph(f"{change.description}", indent="    "),
            paragraph(f"at {', '.join(dict.fromkeys(times[name]))}: {proof}", indent="    "),
        ])  # fmt: skip
    unproven = [clock(episode.first_us) for episode in episodes if not episode.causes]
    if unproven:
        both = f"hpaaudit releases --between {difference.own_release} {difference.other_release}"
        yield paragraph(
            f"at {', '.join(dict.fromkeys(unproven))}: no single rule makes it; {both} lists all that changed"
        )


def _proofs(cause: Cause, difference: Difference) -> Iterator[str]:
    """How a cause is proven."""
    own, other = difference.own_release, difference.other_release
    if cause.own_decides_so:
        yield f"{own} with only this rule as in {other} decides as {other}"
    if cause.other_decides_so:
        yield f"{other} with only this rule as in {own} decides as {own}"
