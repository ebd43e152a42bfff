"""All metrics to one recommendation, the highest, or to the failure of the whole."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from hpaaudit.api import selector as selectors
from hpaaudit.engine.behaviours.table import Rules
from hpaaudit.engine.controller.compute_metric import Answer, Proposed, Refused, propose
from hpaaudit.engine.controller.metric_context import Sight
from hpaaudit.engine.rules import compute_replicas as combine
from hpaaudit.engine.rules.reason_codes import CODES
from hpaaudit.model.decision import MetricProposal, PostedEvent
from hpaaudit.model.hpa import Hpa, MetricStatus
from hpaaudit.model.observation import Observation
from hpaaudit.model.target import Pod, Scale

EMPTY_STATUS = MetricStatus(
    type="",
    name="",
    container="",
    selector=None,
    described=None,
    value=None,
    average_value=None,
    average_utilization=None,
)
"""What stands in `currentMetrics` for a metric that failed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Recommended:
    """What the metrics came to.

    replicas   None: the computation failed as a whole, and `reason`, `message` make ScalingActive=False
    name       of the winner, in messages
    statuses   one entry per metric; None where the selector already failed
    error      of the first invalid metric; present also where others carried the decision
    flickers   ScalingActive was False for a moment of this pass (1.15)
    """

    replicas: int | None
    code: str
    name: str
    reason: str
    message: str
    statuses: tuple[MetricStatus, ...] | None
    error: str
    events: tuple[PostedEvent, ...]
    views: tuple[MetricProposal, ...]
    flickers: bool = False


def select(
    hpa: Hpa, scale: Scale, pods: tuple[Pod, ...], rivals: tuple[tuple[str, str], ...], rules: Rules
) -> tuple[tuple[Pod, ...], Recommended | None]:
    """The pods of the scale's selector, or why the selector cannot be used (`validateAndParseSelector`).

    rivals   the other HPAs of the namespace, with the selector that each last used
    """
    if not scale.selector:
        message = "the HPA target's scale is missing a selector"
        return (), _refused_selector(
            "gate.selector_missing", "InvalidSelector", message, "SelectorRequired", "selector is required"
        )
    selector = selectors.scale_selector(scale.selector)
    chosen = _chosen(selector, pods)
    if not rules.ambiguous_selector:
        return chosen, None
    labels = {pod.labels for pod in chosen}
    others = [
        key for key, text in rivals if any(selectors.scale_selector(text).matches_pairs(label) for label in labels)
    ]
    if others:
        if rules.few_names_when_ambiguous:
            holders = " ".join(sorted([hpa.key, others[0]]))
            text = f"pods by selector {selector} are controlled by more than one HPA (e.g. [{holders}])"
        else:
            holders = " ".join(sorted([hpa.key, *others]))
            text = f"pods by selector {selector} are controlled by multiple HPAs: [{holders}]"
        code = "gate.selector_ambiguous"
        return (), _refused_selector(code, "AmbiguousSelector", text, "AmbiguousSelector", text)
    return chosen, None


def _chosen(selector: selectors.Selector, pods: tuple[Pod, ...]) -> tuple[Pod, ...]:
    pairs = selectors.equalities(selector)
    if pairs is not None and len(pairs) == 1:
        pair = pairs[0]
        return tuple(pod for pod in pods if pair in pod.labels)
    return tuple(pod for pod in pods if selector.matches_pairs(pod.labels))


def _refused_selector(code: str, reason: str, message: str, event: str, error: str) -> Recommended:
    return Recommended(
        replicas=None,
        code=code,
        name="",
        reason=reason,
        message=message,
        statuses=None,
        error=error,
        events=(PostedEvent(type="Warning", reason=event, message=error),),
        views=(),
    )


def recommend(hpa: Hpa, seen: Observation, sight: Sight) -> Recommended:
    """All metrics, as `computeReplicasForMetrics`."""
    outcomes: list[Proposed | Refused] = []
    choice = combine.UNASKED
    for index, metric in enumerate(hpa.spec.metrics):
        outcome = propose(index, metric, _answer(seen, index), sight)
        outcomes.append(outcome)
        if isinstance(outcome, Proposed):
            choice = combine.with_proposal(choice, outcome.replicas)
        else:
            choice = combine.with_invalid(choice)
        if combine.is_over(choice, sight.rules):
            break
    refused = [outcome for outcome in outcomes if isinstance(outcome, Refused)]
    events = tuple(PostedEvent(type="Warning", reason=o.reason, message=o.text) for o in refused if o.reason)
    statuses = tuple(o.status if isinstance(o, Proposed) else EMPTY_STATUS for o in outcomes)
    error = _error(refused, len(hpa.spec.metrics), sight.rules)
    failure = combine.failure(choice, sight.current, sight.rules)
    if failure != combine.NO_FAILURE:
        told = outcomes[combine.told_invalid(choice, sight.rules)]
        return Recommended(
            replicas=None,
            code=CODES[failure],
            name="",
            reason=told.reason if isinstance(told, Refused) else "",
            message=_message(told, sight.rules) if isinstance(told, Refused) else "",
            statuses=statuses if sight.rules.partial_metrics else None,
            error=error,
            events=events,
            views=tuple(outcome.view for outcome in outcomes),
        )
    chosen = outcomes[choice.winner]
    name = chosen.name if isinstance(chosen, Proposed) else ""
    return Recommended(
        replicas=combine.recommended(choice),
        code="",
        name=name,
        reason="ValidMetricFound",
        message=f"the HPA was able to successfully calculate a replica count from {name}",
        statuses=statuses,
        error=error,
        events=events,
        views=tuple(replace(outcome.view, is_winner=index == choice.winner) for index, outcome in enumerate(outcomes)),
        flickers=bool(refused) and not sight.rules.first_invalid_told,
    )


def _error(refused: Sequence[Refused], metrics: int, rules: Rules) -> str:
    """What the computation as a whole says of its invalid metrics."""
    if not refused:
        return ""
    if not rules.partial_metrics:
        return refused[0].error
    if not rules.first_invalid_told:
        return f"Invalid metrics ({len(refused)} invalid out of {metrics}), last error was: {refused[-1].error}"
    return f"invalid metrics ({len(refused)} invalid out of {metrics}), first error is: {refused[0].error}"


def _message(told: Refused, rules: Rules) -> str:
    """The condition's message; before 1.32 it went through a format once more."""
    if not told.reason:
        return ""
    text = f"the HPA was unable to compute the replica count: {told.text}"
    return text if rules.plain_messages else sprintf_without_arguments(text)


_VERB = re.compile(r"%[+\-# 0]*\d*(?:\.\d*)?(.?)", re.DOTALL)


def sprintf_without_arguments(text: str) -> str:
    """What Go makes of a format that gets no arguments: every verb is told to be missing."""

    def told(match: re.Match[str]) -> str:
        verb = match[1]
        if verb == "%":
            return "%"
        return f"%!{verb}(MISSING)" if verb else "%!(NOVERB)"

    return _VERB.sub(told, text)


def _answer(seen: Observation, index: int) -> Answer:
    read = seen.metrics[index] if index < len(seen.metrics) else None
    at_us = seen.metric_us[index] if index < len(seen.metric_us) else seen.decided_us
    return Answer(read=read, at_us=at_us)
