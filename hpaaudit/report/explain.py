"""Words one reconcile line by line: its inputs, the steps to its number, and what the cluster did."""

import textwrap
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import chain, repeat
from math import isfinite

from hpaaudit.model.account import Change, Hidden, Metric, ReconcileAccount, StepLine
from hpaaudit.model.counted import counted
from hpaaudit.model.flips import PolicyBudget
from hpaaudit.model.units import Micros
from hpaaudit.report.codes import codes_in, legend, missing_in_words
from hpaaudit.report.flip import NAMED, flip_lines, some
from hpaaudit.report.reasons import measure, sentence
from hpaaudit.report.settings import setting_words, what_if_words
from hpaaudit.report.text import Clock, duration, one_line, page_width, paragraph, printable
from hpaaudit.report.told_times import explanation

_LABEL = 15
"""So wide are the labels of the lines."""

_NARROW = 60
"""On a screen of fewer columns labels stand above their texts."""

_SOURCES = {
    "reconcile": "the capture's own line",
    "audit": "the audit log",
    "controller_log": "the controller's log",
    "status_write": "a status write",
    "scale_write": "a write of the scale",
    "watch": "a change of the HPA",
    "event": "an Event",
    "grid": "the sync period",
}
_INFERRED = ("grid",)
"""Sources of a time that is computed, not recorded."""

HEADING = "#"
"""In place of a label: the text is the heading of what follows."""

_GAP = "no_data.recording_gap"
"""The class of a reconcile whose inputs were not recorded."""

_NOT_RUN = "not_run."
"""The classes of reconciles that did not take place begin so."""

_FAILED = "conditions"
"""The source of what the controller decided if it published that it could not."""

_TEXT_ONLY = ("api-server", "release")


def explain_text(account: ReconcileAccount, named: int | None = NAMED) -> str:
    """The whole page: the answer, then what was recorded, what follows from it by the rules, and what is not known.

    named   so many pods of each kind are named, None: all
    """
    blocks = [
        [one_line(_headline(account))],
        [one_line(text) for text in _what_if(account)],
        [paragraph(text) for text in _first_instead(account)],
        [paragraph(text) for text in _answer(account)],
        *(_block(heading, lines) for heading, lines in _kinds(account, named)),
        [paragraph(text) for text in _next_step(account)],
    ]
    page = "\n\n".join("\n".join(block) for block in blocks if block) + "\n"
    verdict = () if account.verdict == "match" else (account.verdict,)
    words = legend([*codes_in(page), *verdict])
    return f"{page}\n{words}\n" if words else page


def explain_rows(account: ReconcileAccount) -> list[tuple[str, str]]:
    """The same, without a layout: a label, empty in front of sentences, and a text. The headline comes first.

    The label of a heading is HEADING.
    """
    rows = [
        ("", text) for text in (_headline(account), *_what_if(account), *_first_instead(account), *_answer(account))
    ]
    for heading, lines in _kinds(account, NAMED):
        shown = list(lines)
        rows += [(HEADING, heading), *shown] if shown else []
    if account.divergence:
        rows += [(HEADING, "next step"), ("", account.divergence.next_step)]
    return [(label, printable(text)) for label, text in rows]


def _kinds(account: ReconcileAccount, named: int | None) -> Iterator[tuple[str, Iterator[tuple[str, str]]]]:
    """The three kinds of statements, each below its heading."""
    yield "recorded", _recorded(account)
    yield f"computed, by the rules of {account.release}", _computed(account, named)
    yield "unknown", _unknown(account)


def _next_step(account: ReconcileAccount) -> Iterator[str]:
    if account.divergence:
        yield f"next step: {account.divergence.next_step}"


def _block(heading: str, lines: Iterable[tuple[str, str]]) -> list[str]:
    """Lines below what kind of statements they are; nothing if there is none."""
    shown = [_line(label, text) for label, text in lines]
    return [f"  {heading}", *shown] if shown else []


def _headline(account: ReconcileAccount) -> str:
    desired = None if _lacks_inputs(account) else account.desired
    published = "no number" if account.decided_source == _FAILED else _number(account.decided)
    clock = Clock(account.started_us, account.ended_us)
    at = clock(account.at_us)
    if account.before_asked_s is not None and account.asked_us is not None:
        earlier = duration(account.before_asked_s) if account.before_asked_s >= 1 else "less than 1s"
        at += f", the last reconcile until {clock(account.asked_us)} ({earlier} earlier)"
    if _did_not_run(account):
        published = "none"
    return (
        f"{account.namespace}/{account.name} at {at}: {_move(account)}. Replay {_number(desired)}, "
        f"controller {published}, replicas then {_number(account.actual)}: {account.verdict}."
    )


def _what_if(account: ReconcileAccount) -> Iterator[str]:
    if account.what_if:
        yield what_if_words(account.what_if)


def _first_instead(account: ReconcileAccount) -> Iterator[str]:
    """That another reconcile is shown than the one that was asked for, because that one does not exist."""
    clock = Clock(account.started_us, account.ended_us)
    if account.asked_us is not None and account.deleted_us is not None:
        deleted, asked = clock(account.deleted_us), clock(account.asked_us)
        yield f"The HPA was deleted at {deleted}, before {asked}: this is its last reconcile."
    if account.asked_us is None or account.before_asked_s is not None:
        return
    asked = clock(account.asked_us)
    if account.seen_us is not None:
        yield f"The HPA was first seen at {clock(account.seen_us)}, after {asked}: this is its first reconcile."
    else:
        yield f"No reconcile of this HPA was seen until {asked}: this is the first one after that."


def _move(account: ReconcileAccount) -> str:
    """What the replay decided: `kept 6`, `4 -> 6`, or that it is not known."""
    spec, desired = account.spec_replicas, account.desired
    if _did_not_run(account):
        return "did not take place"
    if _lacks_inputs(account):
        return "not known"
    if desired is None:
        return "no decision"
    return f"kept {spec}" if desired == spec or _is_of_pods(account) else f"{_number(spec)} -> {desired}"


def _is_of_pods(account: ReconcileAccount) -> bool:
    """True if nothing is scaled and the number is that of the pods, from which a controller up to 1.15 starts."""
    is_held = bool(account.steps) and not any(step.stage == "write" for step in account.steps)
    return is_held and account.desired == account.status_replicas != account.spec_replicas


def _did_not_run(account: ReconcileAccount) -> bool:
    """True if the reconcile was due and did not take place, as its class says."""
    return account.divergence is not None and account.divergence.divergence_class.startswith(_NOT_RUN)


def _lacks_inputs(account: ReconcileAccount) -> bool:
    """True if inputs were not recorded: what the rules make of the others says nothing of the controller."""
    divergence = account.divergence
    return divergence is not None and divergence.divergence_class == _GAP and account.evidence != "proven"


def _number(value: int | None) -> str:
    return "?" if value is None else str(value)


_LONG = 60
"""An Event's message of at most this many characters is printed again: naming the Event saves nothing."""

_UNREMEMBERED = "memory.before_recording"


def _answer(account: ReconcileAccount) -> Iterator[str]:
    divergence = account.divergence
    is_open = account.verdict == "undecidable"
    if account.verdict == "match" and account.missing_input == _UNREMEMBERED:
        yield f"From what was remembered since the recording began: {sentence(account)}"
        yield "Something from before then, or from a gap, may have made the number instead: see what Kubernetes said."
    elif not is_open and not _did_not_run(account):
        yield sentence(account)
    if _is_of_pods(account) and not _lacks_inputs(account):
        there = counted(account.desired or 0, "pod")
        yield f"There were {there}: until 1.15 a reconcile that scales nothing gives the number of pods."
    if divergence is not None:
        words = f"{divergence.divergence_class} ({divergence.severity}, {divergence.confidence})"
        yield f"{words}: {explanation(divergence)}."
    if _did_not_run(account):
        yield f"A reconcile then would have said: {sentence(account)}"
    if is_open:
        yield f"From what was recorded alone: {sentence(account)}"


def _recorded(account: ReconcileAccount) -> Iterator[tuple[str, str]]:
    """What was seen: when, the numbers that were read, who wrote before, and what Kubernetes said."""
    if account.at_source not in _INFERRED:
        yield "when", f"{_when(account)}; input {_evidence(account)}"
    yield "input", "; ".join(_inputs(account))
    if account.before is not None:
        yield "before", _before(account.before, Clock(account.at_us, account.at_us))
    yield from _said(account)


def _inputs(account: ReconcileAccount) -> Iterator[str]:
    """The numbers that were read: those that were seen then, and those that are known as of an earlier time only."""
    hidden = account.hidden
    of_target = f"spec {_number(account.spec_replicas)}, status {_number(account.status_replicas)}"
    of_hpa = f"min {_number(account.min_replicas)}, max {_number(account.max_replicas)}"
    if hidden is None:
        yield f"{of_target}, {of_hpa}"
        return
    if not hidden.hides_target:
        yield of_target
    if not hidden.hides_hpa:
        yield of_hpa
    unseen = [text for text, is_hidden in ((of_target, hidden.hides_target), (of_hpa, hidden.hides_hpa)) if is_hidden]
    since = Clock(account.at_us, account.at_us)(hidden.since_us)
    yield f"not recorded, until {since} it was {', '.join(unseen)}"


def _evidence(account: ReconcileAccount) -> str:
    """How certain the input is."""
    return "not recorded" if account.hidden is not None and account.evidence != "proven" else account.evidence


def _when(account: ReconcileAccount) -> str:
    about = f" +- {duration(account.uncertainty_s)}" if account.uncertainty_s else ""
    return _SOURCES.get(account.at_source, account.at_source) + about


def _said(account: ReconcileAccount) -> Iterator[tuple[str, str]]:
    """The conditions and Events that were seen."""
    lines = [f"{kind}={status} {reason}" for kind, status, reason in account.conditions]
    if account.hidden is not None and account.hidden.hides_hpa:
        # What it said last is no word on this reconcile.
        since = Clock(account.at_us, account.at_us)(account.hidden.since_us)
        lines = [f"nothing that was recorded; until {since} it had said", *lines] if lines else []
    elif _did_not_run(account):
        lines = ["nothing then; it had said before", *lines] if lines else []
    lines += [f'Event {reason} "{message}"' for reason, message in account.events]
    yield from zip(chain(["Kubernetes said"], repeat("")), lines or ["nothing that was recorded"], strict=False)


def _computed(account: ReconcileAccount, named: int | None) -> Iterator[tuple[str, str]]:
    """What follows: the pods by bucket, each metric's proposal, every step, the budget of policies, the flips."""
    if _did_not_run(account):
        yield "when", f"due by {_when(account)}; from what was recorded then"
    elif account.at_source in _INFERRED:
        yield "when", f"{_when(account)}; input {_evidence(account)}"
    for index, metric in enumerate(account.metrics):
        yield from _group(account, index, metric, named)
        yield "measure", _unrepeated(_measured(metric), account)
    for step in account.steps:
        yield step.stage, _step(step, account)
    if not account.steps:
        yield "steps", f"not kept; {account.recording} is needed to compute them again"
    if account.error:
        yield "its error", _unrepeated(account.error, account)
    for policy in account.budget:
        yield "budget", _budget(policy, Clock(account.at_us, account.at_us))
    yield from zip(chain(["would say"], repeat("")), _other_texts(account), strict=False)
    yield from zip(chain(["nearest change"], repeat("")), flip_lines(account, named), strict=False)


def _unrepeated(text: str, account: ReconcileAccount) -> str:
    """The text; if it ends with the message of an Event that is printed above, the Event is named instead."""
    reasons = Counter(reason for reason, _ in account.events)
    for reason, message in sorted(account.events, key=lambda event: len(event[1]), reverse=True):
        if len(message) > _LONG and reasons[reason] == 1 and text.endswith(message):
            before = text.removesuffix(message).rstrip()
            return f"{before}{' ' if before.endswith(':') else ', '}as Event {reason} says"
    return text


def _other_texts(account: ReconcileAccount) -> Iterator[str]:
    """The conditions that the replay would have published otherwise, with both texts where only these differ."""
    published = {condition.type: condition for condition in account.published}
    for ours in account.computed:
        theirs = published.get(ours.type)
        if theirs is None or (theirs.status, theirs.reason, theirs.message) == (ours.status, ours.reason, ours.message):
            continue
        text = f"{ours.type}={ours.status} {ours.reason}"
        is_same_reason = (theirs.status, theirs.reason) == (ours.status, ours.reason)
        yield f'{text} "{ours.message}"; Kubernetes: "{theirs.message}"' if is_same_reason else text


def _budget(policy: PolicyBudget, clock: Clock) -> str:
    """`scale up by 4 pods in 1m 00s: from 4 to 8; used by +2 at 14:05:10Z, until 14:06:10Z`."""
    amount = f"{policy.value} %" if policy.type == "Percent" else counted(policy.value, "pod")
    text = f"scale {policy.direction} by {amount} in {duration(policy.period_seconds)}"
    text += f": from {policy.start} to {policy.allowed}"
    used = [f"{one.change:+d} at {clock(one.at_us)}, until {clock(one.frees_us)}" for one in policy.used_by]
    if policy.unseen_us is None:
        return f"{text}; used by {'; '.join(used)}" if used else f"{text}; nothing used"
    parts = [f"{text} by what is known", *([f"used by {'; '.join(used)}"] if used else [])]
    if policy.scaled_us is not None:
        parts.append(f"the status tells of a scale at {clock(policy.scaled_us)}, not by how many")
    parts.append(f"what {'else ' if parts[1:] else ''}was used before {clock(policy.unseen_us)} is not known")
    return "; ".join(parts)


def _unknown(account: ReconcileAccount) -> Iterator[tuple[str, str]]:
    """What was not recorded and may matter; what was assumed instead."""
    if account.band is not None and account.band[0] < account.band[1]:
        yield "possible", f"{account.band[0]} to {account.band[1]}{_missing(account)}"
    if account.decided is None and account.decided_source != _FAILED and not _did_not_run(account):
        yield "controller", "what it decided was not recorded"
    if account.hidden is not None:
        clock = Clock(account.at_us, account.at_us)
        what = " and ".join(_hidden_objects(account.hidden))
        yield (
            "input",
            f"{what}: nobody looked from {clock(account.hidden.since_us)} until {clock(account.hidden.until_us)}",
        )
    elif account.evidence == "assumed" and not _did_not_run(account):
        yield "input", "which values the controller read: nothing that it published follows from those that were seen"
    if account.api_server:
        yield "release", f"of the controller; the API server had said {account.api_server} by then"
    unmeasured = [index for index, metric in enumerate(account.metrics) if metric.missing_pods]
    for index in unmeasured:
        metric = account.metrics[index]
        yield "usage", f"of {counted(metric.missing_pods or 0, 'pod')} ({metric.label}): no sample"
    assumed = [setting_words(one) for one in account.assumed if one.key not in _TEXT_ONLY]
    if assumed:
        yield "assumed", ", ".join(assumed)


def _hidden_objects(hidden: Hidden) -> Iterator[str]:
    if hidden.hides_target:
        yield "the scale"
    if hidden.hides_hpa:
        yield "the HPA"


def _missing(account: ReconcileAccount) -> str:
    """Why more than one number is possible."""
    if account.divergence is not None and account.divergence.divergence_class == "no_data.recording_gap":
        return f"; {explanation(account.divergence)}"
    return f"; unknown: {missing_in_words(account.missing_input)}" if account.missing_input else ""


def _group(account: ReconcileAccount, index: int, metric: Metric, named: int | None) -> Iterator[tuple[str, str]]:
    counts = (
        ("ready", metric.ready_pods),
        ("unready", metric.unready_pods),
        ("missing", metric.missing_pods),
        ("ignored", metric.ignored_pods),
    )
    if all(count is None for _, count in counts):
        return
    parts = []
    for bucket, count in counts:
        causes = [line.why_code for line in account.pods if (line.metric_idx, line.bucket) == (index, bucket)]
        listed = ", ".join(cause.replace("_", " ") for cause in causes if cause not in ("", "measured"))
        parts.append(f"{count or 0} {bucket}" + (f" ({listed})" if listed else ""))
    yield "group", ", ".join(parts)
    for bucket in ("unready", "missing", "ignored"):
        names = [pod.pod for pod in account.members if (pod.metric_idx, pod.bucket) == (index, bucket)]
        if names:
            yield "", f"{bucket}: {some(names, named)}"


def _measured(metric: Metric) -> str:
    if not metric.valid:
        return f"{metric.label} unusable: {metric.invalid_code} {metric.invalid_text}".rstrip()
    parts = [measure(metric)]
    if metric.ratio is not None and isfinite(metric.ratio):  # over no pods it is infinite, and says nothing
        parts.append(f"ratio {metric.ratio:.4g}")
    if metric.ratio_adjusted is not None and metric.ratio_adjusted != metric.ratio:
        parts.append(f"{metric.ratio_adjusted:.4g} with the others filled in ({metric.adjust_code})")
    parts.append(f"asks for {_number(metric.proposal)}")
    return ", ".join(parts)


def _step(step: StepLine, account: ReconcileAccount) -> str:
    mark = ""
    if step.binding:
        mark = "   <- binding" if step.code == account.reason_code else "   <- moved it"
    move = _number(step.after) if step.before == step.after else f"{_number(step.before)} -> {_number(step.after)}"
    detail = _detail(step, Clock(account.at_us, account.at_us))
    return f"{move}  {step.code}" + (f" ({detail})" if detail else "") + mark


def _detail(step: StepLine, clock: Clock) -> str:
    detail = dict(step.detail)
    words = []
    recommended, window = detail.get("recommended_us"), detail.get("window_us")
    if isinstance(recommended, int):
        words.append(f"{detail.get('recommendation')} of {clock(Micros(recommended))}")
    if isinstance(window, int):
        words.append(f"window {duration(window / 1e6)}")
    if isinstance(recommended, int) and isinstance(window, int):
        words.append(f"until {clock(Micros(recommended + window))}")
    if step.stage == "bound":
        words += [f"{name} {detail[name]}" for name in ("min", "max") if detail.get(name) is not None]
    if detail.get("limit") is not None:
        words.append(f"limit {detail['limit']}")
    if detail.get("retries"):
        words.append(f"after {counted(int(detail['retries'] or 0), 'retry')}")
    return ", ".join(words)


def _before(change: Change, clock: Clock) -> str:
    who = "this HPA" if change.writer_class == "hpa" else change.writer_name or "somebody unknown"
    return f"{clock.seen(change.at_us, change.after_us)} {who} wrote {change.from_replicas} -> {change.to_replicas}"


def _line(label: str, text: str) -> str:
    """A line with its label in front, wrapped below its text; on a narrow screen the label stands above it."""
    if page_width() < _NARROW:
        told = textwrap.fill(
            printable(text),
            page_width(),
            initial_indent=" " * 6,
            subsequent_indent=" " * 8,
            break_long_words=False,
            break_on_hyphens=False,
        )
        return f"    {label}\n{told}" if label else told
    return textwrap.fill(
        printable(text),
        page_width(),
        initial_indent=f"    {label.ljust(_LABEL)}  ",
        subsequent_indent=" " * (_LABEL + 6),
        break_long_words=False,
        break_on_hyphens=False,
    )
