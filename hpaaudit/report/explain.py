"""Words one reconcile line by line: its inputs, the steps to its number, and what the cluster did."""

from collections.abc import Iterator

from hpaaudit.model.account import Change, Metric, ReconcileAccount, StepLine
from hpaaudit.model.counted import counted
from hpaaudit.model.units import Micros
from hpaaudit.report.codes import codes_in, legend, missing_in_words
from hpaaudit.report.flip import flip_text
from hpaaudit.report.reasons import measure, sentence
from hpaaudit.report.text import Clock, duration, paragraph, printable

_LABEL = 12
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


def explain_text(account: ReconcileAccount) -> str:
    """The whole page."""
    blocks = [
        [printable(_headline(account))],
        [paragraph(text) for text in _answer(account)],
        [_line(label, text) for label, text in _chain(account)],
        [_line(label, text, wide=True) for label, text in _world(account)],
    ]
    page = "\n\n".join("\n".join(block) for block in blocks if block) + "\n"
    verdict = () if account.verdict == "match" else (account.verdict,)
    return f"{page}\n{legend([*codes_in(page), *verdict])}\n"


def _headline(account: ReconcileAccount) -> str:
    spec, desired = account.spec_replicas, account.desired
    move = "no decision" if desired is None else f"kept {spec}" if desired == spec else f"{_number(spec)} -> {desired}"
    published = "no number" if account.decided_source == "conditions" else _number(account.decided)
    at = Clock(account.started_us, account.ended_us)(account.at_us)
    return (
        f"{account.namespace}/{account.name} at {at}: {move}. Replay {_number(desired)}, "
        f"controller {published}, cluster {_number(account.actual)}: {account.verdict}."
    )


def _number(value: int | None) -> str:
    return "?" if value is None else str(value)


def _answer(account: ReconcileAccount) -> Iterator[str]:
    yield sentence(account)
    divergence = account.divergence
    if divergence is not None:
        yield (
            f"{divergence.divergence_class} ({divergence.severity}, {divergence.confidence}): {divergence.explanation}."
        )


def _chain(account: ReconcileAccount) -> Iterator[tuple[str, str]]:
    source = _SOURCES.get(account.at_source, account.at_source)
    about = f" +- {duration(account.uncertainty_s)}" if account.uncertainty_s else ""
    numbers = (
        ("spec", account.spec_replicas),
        ("status", account.status_replicas),
        ("min", account.min_replicas),
        ("max", account.max_replicas),
    )
    yield "when", f"{source}{about}; input {account.evidence}"
    yield "input", ", ".join(f"{name} {_number(value)}" for name, value in numbers)
    if account.band is not None and account.band[0] < account.band[1]:
        yield "possible", f"{account.band[0]} to {account.band[1]}{_unknown(account)}"
    for index, metric in enumerate(account.metrics):
        yield from _group(account, index, metric)
        yield "measure", _measured(metric)
    for step in account.steps:
        yield step.stage, _step(step, account)
    if not account.steps:
        yield "steps", f"not kept; {account.recording} is needed to compute them again"


def _unknown(account: ReconcileAccount) -> str:
    """Why more than one number is possible."""
    if account.divergence is not None and account.divergence.divergence_class == "no_data.recording_gap":
        return f"; {account.divergence.explanation}"
    return f"; unknown: {missing_in_words(account.missing_input)}" if account.missing_input else ""


def _group(account: ReconcileAccount, index: int, metric: Metric) -> Iterator[tuple[str, str]]:
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


def _measured(metric: Metric) -> str:
    if not metric.valid:
        return f"{metric.name} unusable: {metric.invalid_code} {metric.invalid_text}".rstrip()
    parts = [measure(metric)]
    if metric.ratio is not None:
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
    if step.stage == "bound":
        words += [f"{name} {detail[name]}" for name in ("min", "max") if detail.get(name) is not None]
    if detail.get("limit") is not None:
        words.append(f"limit {detail['limit']}")
    if detail.get("retries"):
        words.append(f"after {counted(int(detail['retries'] or 0), 'retry')}")
    return ", ".join(words)


def _world(account: ReconcileAccount) -> Iterator[tuple[str, str]]:
    label = "Kubernetes said"
    lines = [f"{kind}={status} {reason}" for kind, status, reason in account.conditions]
    lines += [f'Event {reason} "{message}"' for reason, message in account.events]
    for line in lines or ["nothing that was recorded"]:
        yield label, line
        label = ""
    if account.error:
        yield "its error", account.error
    if account.before is not None:
        yield "before", _before(account.before, Clock(account.at_us, account.at_us))
    flip = flip_text(account)
    if flip:
        yield "nearest change", flip
    if account.divergence is not None:
        yield "next step", account.divergence.next_step


def _before(change: Change, clock: Clock) -> str:
    who = "this HPA" if change.writer_class == "hpa" else change.writer_name or "somebody unknown"
    return f"{clock(change.at_us)} {who} wrote {change.from_replicas} -> {change.to_replicas}"


def _line(label: str, text: str, *, wide: bool = False) -> str:
    width = 17 if wide else _LABEL
    return f"  {label.ljust(width)} {printable(text)}"
