"""All metrics of an HPA to one recommendation: upstream's `computeReplicasForMetrics`."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from hpaaudit.api import selector as selectors
from hpaaudit.engine.behaviours.in_force import Behaviours
from hpaaudit.engine.controller.compute_metric import Answer, InvalidMetric, ValidMetric, compute_replicas_for_metric
from hpaaudit.engine.controller.metric_context import MetricContext
from hpaaudit.engine.controller.metrics_client import ZERO_TIME_US
from hpaaudit.engine.rules import compute_replicas as rules
from hpaaudit.engine.rules.go_numbers import NONE
from hpaaudit.engine.rules.reason_codes import CODES
from hpaaudit.model.decision import MetricProposal, PostedEvent
from hpaaudit.model.hpa import Hpa, MetricStatus
from hpaaudit.model.observation import Observation
from hpaaudit.model.target import Pod, Scale
from hpaaudit.model.units import Micros

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
"""The entry of `currentMetrics` for an invalid metric."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricsRecommendation:
    """The recommendation of all metrics, or why there is none.

    replicas          the recommendation, None without one: then `reason` and `message` are those of ScalingActive=False
    name              the winning metric, as messages call it
    current_metrics   one entry for each metric, None if the selector cannot be used
    error             the error of the first invalid metric, also if other metrics gave the recommendation
    is_inactive_first ScalingActive was False within this reconcile before it became True (1.15)
    measured_us       the time in the answer of the winning metric (asked until 1.11)
    other             the recommendation that missing and unready pods, or a metric that failed, may have held; None if
                      no metric gave one
    """

    replicas: int | None
    code: str
    name: str
    reason: str
    message: str
    current_metrics: tuple[MetricStatus, ...] | None
    error: str
    events: tuple[PostedEvent, ...]
    views: tuple[MetricProposal, ...]
    is_inactive_first: bool = False
    measured_us: Micros = ZERO_TIME_US
    other: int | None = None


def select_pods(
    hpa: Hpa, scale: Scale, pods: tuple[Pod, ...], rivals: tuple[tuple[str, str], ...], behaviours: Behaviours
) -> tuple[tuple[Pod, ...], MetricsRecommendation | None]:
    """The pods that the scale's selector matches, or why the selector cannot be used.

    rivals   the other HPAs of the namespace, each with the selector that it used last

    Two HPAs that select the same pods would work against each other, so such a selector is refused (1.26, #112011).
    Upstream: `validateAndParseSelector`.
    """
    if not scale.selector:
        message = "the HPA target's scale is missing a selector"
        return (), _invalid_selector(
            "gate.selector_missing", "InvalidSelector", message, "SelectorRequired", "selector is required"
        )
    try:
        # The scale client makes label selectors of it, which know fewer operators than its text does.
        read = selectors.scale_selector if behaviours.scale_client else selectors.parse
        selector = read(scale.selector)
    except selectors.BadSelector as bad:
        # Since 1.9 the scale client refuses it; before, the calculation of the first metric did.
        text = (
            f"couldn't convert selector into a corresponding internal selector object: {behaviours.selector_error(bad)}"
        )
        invalid = _invalid_selector(
            "gate.selector_invalid", "InvalidSelector", sprintf_without_arguments(text), "InvalidSelector", text
        )
        return (), replace(invalid, error=sprintf_without_arguments(text))
    winner = _matching(selector, pods)
    if not behaviours.ambiguous_selector:
        return winner, None
    labels = {pod.labels for pod in winner}
    others = [
        key for key, text in rivals if any(selectors.scale_selector(text).matches_pairs(label) for label in labels)
    ]
    if others:
        if behaviours.few_names_when_ambiguous:
            holders = " ".join(sorted([hpa.key, others[0]]))
            text = f"pods by selector {selector} are controlled by more than one HPA (e.g. [{holders}])"
        else:
            holders = " ".join(sorted([hpa.key, *others]))
            text = f"pods by selector {selector} are controlled by multiple HPAs: [{holders}]"
        code = "gate.selector_ambiguous"
        return (), _invalid_selector(code, "AmbiguousSelector", text, "AmbiguousSelector", text)
    return winner, None


def _matching(selector: selectors.Selector, pods: tuple[Pod, ...]) -> tuple[Pod, ...]:
    pairs = selectors.equalities(selector)
    if pairs is not None and len(pairs) == 1:
        pair = pairs[0]
        return tuple(pod for pod in pods if pair in pod.labels)
    return tuple(pod for pod in pods if selector.matches_pairs(pod.labels))


def _invalid_selector(code: str, reason: str, message: str, event: str, error: str) -> MetricsRecommendation:
    return MetricsRecommendation(
        replicas=None,
        code=code,
        name="",
        reason=reason,
        message=message,
        current_metrics=None,
        error=error,
        events=(PostedEvent(type="Warning", reason=event, message=error),),
        views=(),
    )


def compute_replicas_for_metrics(hpa: Hpa, observation: Observation, context: MetricContext) -> MetricsRecommendation:
    """The recommendation of all metrics. Upstream: `computeReplicasForMetrics`."""
    outcomes: list[ValidMetric | InvalidMetric] = []
    choice = rules.NOTHING_COMPUTED
    for index, metric in enumerate(hpa.spec.metrics):
        outcome = compute_replicas_for_metric(index, metric, _answer(observation, index), context)
        outcomes.append(outcome)
        if isinstance(outcome, ValidMetric):
            choice = rules.with_proposal(choice, outcome.replicas)
        else:
            choice = rules.with_invalid(choice)
        if rules.is_over(choice, context.behaviours):
            break
    invalid = [outcome for outcome in outcomes if isinstance(outcome, InvalidMetric)]
    events = tuple(PostedEvent(type="Warning", reason=o.reason, message=o.text) for o in invalid if o.reason)
    current_metrics = tuple(o.status if isinstance(o, ValidMetric) else EMPTY_STATUS for o in outcomes)
    error = _error(invalid, len(hpa.spec.metrics), context.behaviours)
    failure = rules.failure(choice, len(hpa.spec.metrics), context.current, context.behaviours)
    if failure != rules.NO_FAILURE:
        named = outcomes[rules.named_invalid(choice, context.behaviours)]
        return MetricsRecommendation(
            replicas=None,
            code=CODES[failure],
            name="",
            reason=named.reason if isinstance(named, InvalidMetric) else "",
            message=_message(named, context.behaviours) if isinstance(named, InvalidMetric) else "",
            current_metrics=current_metrics if context.behaviours.partial_metrics else None,
            error=error,
            events=events,
            views=tuple(outcome.view for outcome in outcomes),
            other=None if choice.winner == NONE else rules.recommended(choice),
        )
    winner = outcomes[choice.winner]
    name = winner.name if isinstance(winner, ValidMetric) else ""
    spelled = "successfully" if context.behaviours.metric_apis_named else "succesfully"
    return MetricsRecommendation(
        replicas=rules.recommended(choice),
        code="",
        name=name,
        reason="ValidMetricFound",
        message=f"the HPA was able to {spelled} calculate a replica count from {name}",
        current_metrics=current_metrics,
        error=error,
        events=events,
        views=tuple(replace(outcome.view, is_winner=index == choice.winner) for index, outcome in enumerate(outcomes)),
        measured_us=winner.measured_us if isinstance(winner, ValidMetric) else ZERO_TIME_US,
        is_inactive_first=bool(invalid) and not context.behaviours.first_invalid_told,
        other=max(0, *(outcome.alike for outcome in outcomes if isinstance(outcome, ValidMetric))),
    )


def _error(invalid: Sequence[InvalidMetric], metrics: int, behaviours: Behaviours) -> str:
    """The error of the computation as a whole, empty without invalid metrics."""
    if not invalid:
        return ""
    if not behaviours.partial_metrics:
        return invalid[0].error
    if not behaviours.first_invalid_told:
        return f"Invalid metrics ({len(invalid)} invalid out of {metrics}), last error was: {invalid[-1].error}"
    return f"invalid metrics ({len(invalid)} invalid out of {metrics}), first error is: {invalid[0].error}"


def _message(named: InvalidMetric, behaviours: Behaviours) -> str:
    """The message of ScalingActive=False. Before 1.32 upstream passed it to `Sprintf` as a format a second time."""
    if not named.reason:
        return ""
    text = f"the HPA was unable to compute the replica count: {named.text}"
    return text if behaviours.plain_messages else sprintf_without_arguments(text)


_VERB = re.compile(r"%[+\-# 0]*\d*(?:\.\d*)?(.?)", re.DOTALL)


def sprintf_without_arguments(text: str) -> str:
    """What Go's `Sprintf` makes of a format without arguments: each verb is reported as missing."""

    def missing(match: re.Match[str]) -> str:
        verb = match[1]
        if verb == "%":
            return "%"
        return f"%!{verb}(MISSING)" if verb else "%!(NOVERB)"

    return _VERB.sub(missing, text)


def _answer(observation: Observation, index: int) -> Answer:
    read = observation.metrics[index] if index < len(observation.metrics) else None
    at_us = observation.metric_us[index] if index < len(observation.metric_us) else observation.decided_us
    return Answer(read=read, at_us=at_us)
