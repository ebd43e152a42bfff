"""One metric of 1.1 to 1.5 over columns: CPU, or a custom metric that an annotation asks for.

The same steps as `eras.pod_averages`, `eras.float_calculator` and `eras.annotation_metrics`; the arithmetic is theirs
as well, from `rules.pod_average` and `rules.replica_calculator`.
"""

import math
from typing import NamedTuple

from hpaaudit.engine.controller.metric_target import CPU_OF_REQUESTS
from hpaaudit.engine.controller.metrics_client import ZERO_TIME_US
from hpaaudit.engine.fleet.columns.batch import MEASURED, NONE
from hpaaudit.engine.fleet.columns.column_codes import (
    MISSING_REQUEST,
    NO_HEAPSTER_METRICS,
    NO_MATCHING_PODS,
    NO_PODS,
    NO_READY_METRICS,
    NOT_ANSWERED,
    UNSEEN_HEAPSTER,
)
from hpaaudit.engine.fleet.columns.kernel_state import Run
from hpaaudit.engine.fleet.kernel.metrics import Context, is_failed, next_list, pod_facts, pod_state
from hpaaudit.engine.rules.go_numbers import divide_float, divide_int, wrap64
from hpaaudit.engine.rules.group_pods import IGNORED, MISSING, UNREADY, group_by_readiness
from hpaaudit.engine.rules.pod_average import (
    FloatTally,
    average_request,
    averaged_replicas,
    float_replicas,
    is_collected,
    multiplied_pods,
    percent_of_request,
    polled_percent,
    utilization,
)
from hpaaudit.engine.rules.replica_calculator import (
    BAD_REQUEST,
    NO_PROBLEM,
    NO_REQUESTS,
    NO_SAMPLES,
    Tally,
    Target,
    missing_utilization,
    resource_replicas,
)
from hpaaudit.engine.rules.tolerance import Tolerance, tolerance_of

# In place of a problem: how a reconcile ends that is not explained by a metric.
PANIC = -2
UNPUBLISHED = -3
"""The average is no quantity that the status could show."""


class OldProposal(NamedTuple):
    """What a metric proposes.

    problem    why it proposes nothing, NONE if it does, PANIC or UNPUBLISHED
    percent    the utilization;  measured_us   when the metric was measured
    """

    problem: int
    replicas: int
    ratio: float
    percent: int
    measured_us: int


class Collected(NamedTuple):
    """The pods that must have a sample.

    problem   why they cannot be asked for, NONE if they can
    facts     how many facts come before the list of pods;  listed   how many pods it has
    pods      how many must have a sample;  requested   what these request;  lacks_request   one requests nothing
    """

    problem: int
    facts: int
    listed: int
    pods: int
    requested: int
    lacks_request: bool


def compute_old_metric(run: Run, context: Context, metric: int) -> OldProposal:
    """What a metric proposes, or why it proposes nothing."""
    calculates = run.settings.behaviours.replica_calculator
    if run.batch.metrics.how[metric] == CPU_OF_REQUESTS:
        return _calculated_cpu(run, context, metric) if calculates else _averaged_cpu(run, context, metric)
    return _calculated_custom(run, context, metric) if calculates else _averaged_custom(run, context, metric)


def _without(problem: int) -> OldProposal:
    return OldProposal(problem, 0, math.nan, 0, ZERO_TIME_US)


def _tolerance(run: Run, context: Context) -> Tolerance:
    specs, spec = run.batch.specs, context.spec
    return tolerance_of(specs.tolerance_down[spec], specs.tolerance_up[spec], run.settings.behaviours)


def _averaged_cpu(  # noqa: PLR0911 (each problem is a return, in upstream's order)
    run: Run, context: Context, metric: int
) -> OldProposal:
    """What CPU proposes by the average of its pods (1.1 to 1.4)."""
    batch, behaviours = run.batch, run.settings.behaviours
    collected = _collected(run, context, metric, is_cpu=True)
    if collected.problem != NONE:
        return _without(collected.problem)
    if collected.lacks_request or collected.requested == 0:
        return _without(MISSING_REQUEST)
    request = average_request(collected.requested, collected.pods, collected.listed, behaviours)
    is_series = not behaviours.cpu_from_metrics_api
    answer, problem = _next_answer(run, context, is_series)
    if problem != NONE:
        return _without(problem)
    answers = batch.own_answers
    if answers.measured[answer] != collected.pods:
        return _without(NO_HEAPSTER_METRICS)
    if not is_series and (answers.lacks_cpu[answer] or not _has_each(run, context, answer, collected.facts)):
        return _without(NO_HEAPSTER_METRICS)
    if behaviours.polls:
        percent = polled_percent(answers.exact[answer], request)
    elif request == 0:
        return _without(PANIC)
    else:
        whole = answers.whole[answer]
        percent = percent_of_request(whole if is_series else divide_int(whole, answers.items[answer]), request)
    used = utilization(percent, behaviours)
    ratio = divide_float(float(used), float(batch.metrics.target[metric]))
    multiplied = multiplied_pods(collected.pods, context.current, behaviours)
    averaged = averaged_replicas(ratio, context.current, multiplied, _tolerance(run, context), behaviours)
    return OldProposal(NONE, averaged.replicas, averaged.ratio, used, answers.measured_us[answer])


def _averaged_custom(run: Run, context: Context, metric: int) -> OldProposal:
    """What a custom metric proposes by the average of its pods (1.2 to 1.4)."""
    collected = _collected(run, context, metric, is_cpu=False)
    if collected.problem != NONE:
        return _without(collected.problem)
    answer, problem = _next_answer(run, context, is_series=True)
    if problem != NONE:
        return _without(problem)
    answers = run.batch.own_answers
    if answers.measured[answer] != collected.pods:
        return _without(NO_HEAPSTER_METRICS)
    average = answers.exact[answer]
    if not math.isfinite(average):
        return _without(UNPUBLISHED)
    ratio = divide_float(average, float(run.batch.metrics.target[metric]) / 1000.0)
    averaged = averaged_replicas(
        ratio, context.current, context.current, _tolerance(run, context), run.settings.behaviours
    )
    return OldProposal(NONE, averaged.replicas, averaged.ratio, 0, answers.measured_us[answer])


def _collected(run: Run, context: Context, metric: int, is_cpu: bool) -> Collected:
    """The pods of the next list that must have a sample."""
    batch, lists = run.batch, run.batch.pod_lists
    pod_list = next_list(run.decisions.pod_lists, context)
    facts = pod_facts(lists, pod_list, context.inputs.pod_facts)
    listed, pods, requested, lacks_request = 0, 0, 0, False
    for pod in range(batch.specs.pod_from[context.spec], batch.specs.pod_to[context.spec]):
        state = pod_state(run, context, pod, facts)
        if state == NONE:
            continue
        listed += 1
        if is_collected(batch.pods.phase[state], is_cpu, run.settings.behaviours):
            index = state * batch.quantities + batch.metrics.quantity[metric]
            pods, requested = pods + 1, wrap64(requested + batch.pod_requests.request[index])
            lacks_request = lacks_request or batch.pod_requests.problem[index] != NONE
    problem = NONE
    if is_failed(lists, pod_list):
        problem = NOT_ANSWERED
    elif pods == 0 and listed > 0:
        problem = NO_PODS
    return Collected(problem, facts, listed, pods, requested, lacks_request)


def _next_answer(run: Run, context: Context, is_series: bool) -> tuple[int, int]:
    """The next answer that the controller got in this reconcile, and what is wrong with it, NONE if nothing is."""
    answers, decisions = run.batch.own_answers, run.decisions
    answer = context.inputs.answer_from + decisions.own_answers[context.at]
    if answer >= context.inputs.answer_to:
        return NONE, UNSEEN_HEAPSTER
    decisions.own_answers[context.at] += 1
    if answers.problem[answer] != NOT_ANSWERED and (answers.is_series[answer] != 0) != is_series:
        decisions.is_other_answer[context.at] = 1
        return NONE, NO_HEAPSTER_METRICS
    return answer, answers.problem[answer]


def _has_each(run: Run, context: Context, answer: int, facts: int) -> bool:
    """True if an answer has an item for each pod of a list that must have a sample."""
    batch, behaviours = run.batch, run.settings.behaviours
    for pod in range(batch.specs.pod_from[context.spec], batch.specs.pod_to[context.spec]):
        state = pod_state(run, context, pod, facts)
        is_needed = state != NONE and is_collected(batch.pods.phase[state], is_cpu=True, behaviours=behaviours)
        if is_needed and _item(run, answer, batch.selected_names[pod]) == NONE:
            return False
    return True


def _item(run: Run, answer: int, name: int) -> int:
    """The row of an answer's item of a pod, NONE without one."""
    first, end = run.batch.own_answers.pod_from[answer], run.batch.own_answers.pod_to[answer]
    names, last = run.batch.answered_pods.name, end
    while first < end:
        middle = (first + end) // 2
        if names[middle] < name:
            first = middle + 1
        else:
            end = middle
    return first if first < last and names[first] == name else NONE


def _calculated_cpu(run: Run, context: Context, metric: int) -> OldProposal:
    """What CPU proposes by the replica calculator (1.5)."""
    batch, behaviours, lists = run.batch, run.settings.behaviours, run.batch.pod_lists
    answer, problem = _next_answer(run, context, is_series=False)
    if problem != NONE:
        return _without(problem)
    pod_list = next_list(run.decisions.pod_lists, context)
    if is_failed(lists, pod_list):
        return _without(NOT_ANSWERED)
    facts = pod_facts(lists, pod_list, context.inputs.pod_facts)
    target = Target(batch.metrics.target[metric], _tolerance(run, context), is_external=False)
    tally, has_bad_request = _tally(run, context, metric, answer, facts)
    proposal = resource_replicas(tally, target, context.current, has_bad_request, behaviours)
    if proposal.problem == NO_PROBLEM:
        measured_us = batch.own_answers.measured_us[answer]
        return OldProposal(NONE, proposal.replicas, proposal.ratio, proposal.percent, measured_us)
    if proposal.problem == BAD_REQUEST:
        return _without(MISSING_REQUEST)
    if proposal.problem == NO_SAMPLES:
        return _without(NO_READY_METRICS)
    return _without(NO_MATCHING_PODS if proposal.problem == NO_REQUESTS else NO_PODS)


def _tally(run: Run, context: Context, metric: int, answer: int, facts: int) -> tuple[Tally, bool]:
    """The pods of a list and their items in an answer, and whether a request is missing."""
    batch, behaviours, target = run.batch, run.settings.behaviours, run.batch.metrics.target[metric]
    answered, has_bad_request = batch.answered_pods, False
    listed, ready, unready, missing, ignored = 0, 0, 0, 0, 0
    own, own_usage, own_requests, missing_requests, missing_usage, unready_requests = 0, 0, 0, 0, 0, 0
    counted = 0
    for item in range(batch.own_answers.pod_from[answer], batch.own_answers.pod_to[answer]):
        counted += answered.state[item] == MEASURED
    for pod in range(batch.specs.pod_from[context.spec], batch.specs.pod_to[context.spec]):
        state = pod_state(run, context, pod, facts)
        if state == NONE:
            continue
        listed += 1
        index = state * batch.quantities + batch.metrics.quantity[metric]
        request = batch.pod_requests.request[index]
        has_bad_request = has_bad_request or batch.pod_requests.problem[index] != NONE
        item = _item(run, answer, batch.selected_names[pod])
        has_sample = item != NONE and answered.state[item] == MEASURED
        is_ignored = batch.pods.ignored[state] != 0
        bucket = group_by_readiness(
            batch.pods.is_running[state] != 0, is_ignored, has_sample, behaviours.failed_pods_skipped
        )
        if bucket == MISSING:
            missing, missing_requests = missing + 1, wrap64(missing_requests + request)
            full = missing_utilization(request, target, behaviours.missing_up_to_target)
            missing_usage = wrap64(missing_usage + full)
        elif bucket == UNREADY:
            unready, unready_requests = unready + 1, wrap64(unready_requests + request)
            counted -= has_sample
        elif bucket == IGNORED:
            ignored += 1
        else:
            ready, own = ready + 1, own + 1
            own_usage, own_requests = wrap64(own_usage + answered.whole[item]), wrap64(own_requests + request)
    # `usage` is of averages, which these releases do not know.
    tally = Tally(
        listed,
        ready,
        unready,
        missing,
        ignored,
        counted,
        own_usage,
        own,
        own_usage,
        own_requests,
        missing_requests,
        missing_usage,
        unready_requests,
    )
    return tally, has_bad_request


def _calculated_custom(  # noqa: PLR0911 (each problem is a return, in upstream's order)
    run: Run, context: Context, metric: int
) -> OldProposal:
    """What a custom metric proposes by the replica calculator, with floats (1.5)."""
    batch, lists = run.batch, run.batch.pod_lists
    first_pod, end_pod = batch.specs.pod_from[context.spec], batch.specs.pod_to[context.spec]
    asked_list = next_list(run.decisions.pod_lists, context)
    if is_failed(lists, asked_list):
        return _without(NOT_ANSWERED)
    asked_facts, asked = pod_facts(lists, asked_list, context.inputs.pod_facts), 0
    for pod in range(first_pod, end_pod):
        asked += pod_state(run, context, pod, asked_facts) != NONE
    if asked == 0:
        return _without(NO_PODS)
    answer, problem = _next_answer(run, context, is_series=True)
    if problem != NONE:
        return _without(problem)
    if batch.own_answers.items[answer] != asked:
        return _without(NO_HEAPSTER_METRICS)
    pod_list = next_list(run.decisions.pod_lists, context)
    if is_failed(lists, pod_list):
        return _without(NOT_ANSWERED)
    facts = pod_facts(lists, pod_list, context.inputs.pod_facts)
    target = float(batch.metrics.target[metric]) / 1000.0
    tally = _float_tally(run, context, answer, asked_facts, facts, target)
    if tally.ready + tally.unready == 0:
        return _without(NO_PODS)
    if tally.counted == 0:
        return _without(NO_READY_METRICS)
    average = float_replicas(tally, target, context.current, _tolerance(run, context))
    if not math.isfinite(average.average):
        return _without(UNPUBLISHED)
    return OldProposal(NONE, average.replicas, average.ratio, 0, batch.own_answers.measured_us[answer])


def _float_tally(run: Run, context: Context, answer: int, asked_facts: int, facts: int, target: float) -> FloatTally:
    """The pods of two lists, in the order of names: the first was asked for values, the second is counted.

    asked_facts, facts   how many facts come before each list
    """
    batch, answered = run.batch, run.batch.answered_pods
    row = batch.own_answers.pod_from[answer]
    ready, unready, missing, counted, usage, filled = 0, 0, 0, 0, 0.0, 0.0
    for pod in range(batch.specs.pod_from[context.spec], batch.specs.pod_to[context.spec]):
        value, has_value = 0.0, False
        if pod_state(run, context, pod, asked_facts) != NONE:
            value, has_value = answered.exact[row], answered.state[row] == MEASURED
            row += 1
        state = pod_state(run, context, pod, facts)
        if state != NONE and batch.pods.is_running[state] == 0:
            unready += 1
            continue
        ready += state != NONE
        if has_value:
            counted, usage, filled = counted + 1, usage + value, filled + value
        elif state != NONE:
            missing, filled = missing + 1, filled + target
    return FloatTally(ready, unready, missing, counted, usage, filled)
