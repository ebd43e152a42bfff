"""One metric of one reconcile over columns: its answer, its pods counted and summed, and its proposal.

The same steps as `controller.compute_metric` and `controller.replica_calculator`; the arithmetic is theirs as well,
from `rules.replica_calculator` and `rules.group_pods`.
"""

from typing import NamedTuple

from hpaaudit.engine.controller.metric_target import (
    AVERAGE,
    EXTERNAL_AVERAGE,
    EXTERNAL_VALUE,
    NOTHING,
    OBJECT_AVERAGE,
    OBJECT_VALUE,
    UTILIZATION,
)
from hpaaudit.engine.controller.metrics_client import ZERO_TIME_US
from hpaaudit.engine.fleet.columns.batch import MEASURED, NO_CONTAINER, NONE, Ints, PodLists, SampleSeries
from hpaaudit.engine.fleet.columns.column_codes import (
    CONTAINER_MISSING,
    EMPTY_EXTERNAL,
    NO_HEAPSTER_METRICS,
    NO_MATCHING_PODS,
    NO_METRICS,
    NO_PODS,
    NO_READY_METRICS,
    NOT_ANSWERED,
    NOT_OF_HEAPSTER,
    UNSEEN,
    UNSEEN_HEAPSTER,
)
from hpaaudit.engine.fleet.columns.kernel_state import ReadInputs, Run
from hpaaudit.engine.rules.current_replicas import current_replicas
from hpaaudit.engine.rules.go_numbers import wrap64
from hpaaudit.engine.rules.group_pods import (
    IGNORED,
    MISSING,
    READY,
    UNREADY,
    Readiness,
    ReadinessPeriods,
    Sampled,
    group,
    group_by_readiness,
    group_cpu,
)
from hpaaudit.engine.rules.pod_average import PENDING
from hpaaudit.engine.rules.replica_calculator import (
    BAD_REQUEST,
    NO_PROBLEM,
    NO_REQUESTS,
    NO_SAMPLES,
    PodCount,
    Proposal,
    Tally,
    Target,
    missing_utilization,
    per_pod_replicas,
    plain_metric_replicas,
    refused,
    resource_replicas,
    usage_ratio,
    usage_ratio_replicas,
)
from hpaaudit.engine.rules.tolerance import tolerance_of, within

NO_TALLY = Tally(NONE, NONE, NONE, NONE, NONE, 0, 0, 0, 0, 0, 0, 0, 0)
"""The tally of a metric that looks at no pods."""


class Context(NamedTuple):
    """What every metric of a reconcile shares, as `controller.metric_context`.

    spec     row of the resolved spec;  current   current replicas
    facts    how many facts come before the reconcile `at`, which is at `now_us`
    inputs   which inputs it read
    """

    spec: int
    current: int
    at: int
    facts: int
    now_us: int
    inputs: ReadInputs


def compute_metric(run: Run, context: Context, metric: int) -> tuple[int, Proposal, Tally, int]:
    """The problem of a metric, NONE if it is valid, its proposal, the tally of its pods, and when it was measured."""
    metrics, reads = run.batch.metrics, run.batch.reads
    if metrics.how[metric] == NOTHING:
        return metrics.problem[metric], refused(NO_PROBLEM), NO_TALLY, ZERO_TIME_US
    uses_heapster = run.settings.uses_heapster
    if uses_heapster and metrics.how[metric] >= OBJECT_VALUE:
        return NOT_OF_HEAPSTER, refused(NO_PROBLEM), NO_TALLY, ZERO_TIME_US
    read, by_controller = _answer(run, context, metric)
    if read == NONE:
        return UNSEEN_HEAPSTER if uses_heapster else UNSEEN, refused(NO_PROBLEM), NO_TALLY, ZERO_TIME_US
    if reads.problem[read] != NONE:
        return reads.problem[read], refused(NO_PROBLEM), NO_TALLY, ZERO_TIME_US
    if metrics.how[metric] >= OBJECT_VALUE:
        problem, proposal = _from_sum(run, context, metric, read)
        # The client of an Object average hands no time on.
        measured_us = ZERO_TIME_US if metrics.how[metric] == OBJECT_AVERAGE else reads.first_us[read]
        return problem, proposal, NO_TALLY, measured_us
    # Only an answer to the controller itself tells exactly when it looked at the pods.
    at_us = reads.at_us[read] if by_controller else context.now_us
    problem, proposal, tally = _from_pods(run, context, metric, read, at_us)
    return problem, proposal, tally, reads.first_us[read]


def _target(run: Run, context: Context, metric: int) -> Target:
    """The target of a metric, with the tolerance of its HPA."""
    specs, metrics = run.batch.specs, run.batch.metrics
    down, up = specs.tolerance_down[context.spec], specs.tolerance_up[context.spec]
    is_external = metrics.how[metric] >= EXTERNAL_VALUE
    return Target(metrics.target[metric], tolerance_of(down, up, run.settings.behaviours), is_external)


def _from_sum(run: Run, context: Context, metric: int, read: int) -> tuple[int, Proposal]:
    """The problem and the proposal of an Object or External metric, which needs the sum of the answer only."""
    reads, how, behaviours = run.batch.reads, run.batch.metrics.how[metric], run.settings.behaviours
    if how <= OBJECT_AVERAGE and reads.items[read] != 1:
        return NO_METRICS, refused(NO_PROBLEM)
    if reads.items[read] == 0:
        return EMPTY_EXTERNAL, refused(NO_PROBLEM)
    target = _target(run, context, metric)
    if how in (OBJECT_AVERAGE, EXTERNAL_AVERAGE):
        usage = reads.sum_for_average[read] if target.is_external else reads.sum_for_value[read]
        status_replicas = run.batch.scales.status_replicas[context.inputs.scale]
        proposal = per_pod_replicas(usage, target, status_replicas, behaviours)
    else:
        pods = PodCount(context.current, context.current)
        if behaviours.ready_pods_multiplied:
            # In 1.11 the pods of an Object metric were listed only outside the tolerance.
            looks = target.is_external or not within(
                usage_ratio(reads.sum_for_value[read], target.amount), target.tolerance
            )
            pod_list = next_list(run.decisions.pod_lists, context) if looks else NONE
            if is_failed(run.batch.pod_lists, pod_list):
                return NOT_ANSWERED, refused(NO_PROBLEM)
            pods = _pod_count(run, context, pod_facts(run.batch.pod_lists, pod_list, context.inputs.pod_facts))
        proposal = usage_ratio_replicas(reads.sum_for_value[read], target, context.current, pods, behaviours)
    return NONE if proposal.problem == NO_PROBLEM else NO_PODS, proposal


def _from_pods(run: Run, context: Context, metric: int, read: int, at_us: int) -> tuple[int, Proposal, Tally]:
    """The problem, the proposal and the tally of a metric with a sample for each pod.

    at_us   when the controller looked at the pods
    """
    lists_before = run.decisions.pod_lists[context.at]
    pod_list = next_list(run.decisions.pod_lists, context)
    listed_facts = pod_facts(run.batch.pod_lists, pod_list, context.inputs.pod_facts)
    problem, request_problem, tally = _tally(run, context, metric, read, at_us, listed_facts)
    if problem != NONE:
        run.decisions.pod_lists[context.at] = lists_before  # the answer comes first, and then no pods are listed
        return problem, refused(NO_PROBLEM), NO_TALLY
    if is_failed(run.batch.pod_lists, pod_list):
        return NOT_ANSWERED, refused(NO_PROBLEM), NO_TALLY
    target, behaviours = _target(run, context, metric), run.settings.behaviours
    if run.batch.metrics.how[metric] == UTILIZATION:
        proposal = resource_replicas(tally, target, context.current, request_problem != NONE, behaviours)
    else:
        proposal = plain_metric_replicas(tally, target, context.current, behaviours)
    if proposal.problem == NO_PROBLEM:
        return NONE, proposal, tally
    if proposal.problem == BAD_REQUEST:
        return request_problem, proposal, NO_TALLY
    if proposal.problem == NO_SAMPLES:
        return NO_READY_METRICS, proposal, NO_TALLY
    return NO_MATCHING_PODS if proposal.problem == NO_REQUESTS else NO_PODS, proposal, NO_TALLY


def _answer(run: Run, context: Context, metric: int) -> tuple[int, bool]:
    """The answer that a metric read, NONE without one, and whether it went to the controller itself.

    As `replay.cluster_state`.
    """
    metrics, reads, inputs = run.batch.metrics, run.batch.reads, context.inputs
    rank = max(metrics.request_rank[metric], 0)
    if inputs.failed_reads >> rank & 1:
        return NONE, False
    newest, request = newest_answer(run, metric, context.facts)
    if run.settings.uses_heapster:
        # The n-th of those that the controller got in this reconcile.
        row, first = newest, run.batch.read_ranges.row_from[request]
        while row >= first and reads.seq[row] > inputs.own_since:
            row -= 1
        row += 1 + metrics.turn[metric]
        return (row if row <= newest else NONE), True
    if inputs.next_answers >> rank & 1:
        return newest + 1, False
    first, uses = run.batch.read_ranges.row_from[request], metrics.uses[metric]
    own_answers, row = 0, newest
    while row >= first and reads.seq[row] >= inputs.since and own_answers < uses:
        own_answers += reads.by_controller[row]
        row -= 1
    if own_answers > 0:
        # The controller asked once for each metric that makes the request: the n-th metric got the n-th answer.
        skip, row = own_answers - 1 - min(metrics.turn[metric], own_answers - 1), newest
        while not reads.by_controller[row] or skip > 0:
            skip -= reads.by_controller[row]
            row -= 1
        return row, True
    return (newest if newest >= first else NONE), False


def newest_answer(run: Run, metric: int, facts: int) -> tuple[int, int]:
    """The newest answer to a metric's request after so many facts, and that request.

    Before the request has any answer, its fallback and the answer to that count. The row is the one before the first
    where that has none either.
    """
    metrics, cursors = run.batch.metrics, run.cursors
    request, fallback = metrics.request[metric], metrics.fallback[metric]
    newest = _newest(run, request, cursors.read[metric], facts)
    cursors.read[metric] = newest
    if newest >= run.batch.read_ranges.row_from[request] or fallback == NONE:
        return newest, request
    newest = _newest(run, fallback, cursors.fallback[metric], facts)
    cursors.fallback[metric] = newest
    return newest, fallback


def spec_with_selector(run: Run, spec: int, scale: int) -> int:
    """The resolved spec with the selector of a readable scale; `spec` is the first row of that spec."""
    specs = run.batch.specs
    while specs.selector[spec] != run.batch.scales.selector[scale]:
        spec = specs.next_selector[spec]
    return spec


def current_of(run: Run, scale: int) -> int:
    """The current replicas of a scale."""
    scales = run.batch.scales
    return int(current_replicas(scales.spec_replicas[scale], scales.status_replicas[scale], run.settings.behaviours))


def _newest(run: Run, request: int, cursor: int, facts: int) -> int:
    """The last answer to a request after so many facts; the search begins at the cursor."""
    reads, end = run.batch.reads, run.batch.read_ranges.row_to[request]
    while cursor + 1 < end and reads.seq[cursor + 1] < facts:
        cursor += 1
    return cursor


def next_list(read: Ints, context: Context) -> int:
    """The next list of pods that the controller read in this reconcile, NONE without one (to 1.11).

    read   how many lists the metrics of each reconcile read
    """
    pod_list = context.inputs.list_from + read[context.at]
    if pod_list >= context.inputs.list_to:
        return NONE
    read[context.at] += 1
    return int(pod_list)


def is_failed(lists: PodLists, pod_list: int) -> bool:
    """True if a list of pods failed."""
    return pod_list != NONE and lists.failed[pod_list] != 0


def pod_facts(lists: PodLists, pod_list: int, watched: int) -> int:
    """How many facts come before a list of pods; without one, those that the watch had brought count."""
    return int(watched if pod_list == NONE else lists.seq[pod_list])


def pod_state(run: Run, context: Context, pod: int, facts: int) -> int:
    """The state of a selected pod after so many facts, NONE if the pod was not there."""
    pods, cursors = run.batch.pods, run.cursors
    history = run.batch.selected_pods[pod]
    row, ranges = cursors.pod[pod], run.batch.pod_ranges
    first, end = ranges.row_from[history], ranges.row_to[history]
    while row + 1 < end and pods.seq[row + 1] < context.facts:
        row += 1
    cursors.pod[pod] = row
    while facts < context.facts and row >= first and pods.seq[row] >= facts:
        row -= 1
    return row if row >= first and pods.exists[row] else NONE


def _pod_count(run: Run, context: Context, facts: int) -> PodCount:
    """How many pods there are, and how many of them are Running with Ready=True."""
    listed, running = 0, 0
    for pod in range(run.batch.specs.pod_from[context.spec], run.batch.specs.pod_to[context.spec]):
        state = pod_state(run, context, pod, facts)
        if state != NONE:
            listed += 1
            running += run.batch.pods.is_running[state]
    return PodCount(listed, running)


def _newest_sample(series: SampleSeries, number: int, cursor: int, seq: int) -> int:
    """The row of a series that an answer had, or the row before its first; the search begins at the cursor."""
    end = series.row_to[number]
    while cursor + 1 < end and series.seq[cursor + 1] <= seq:
        cursor += 1
    return cursor


def _sample(run: Run, source: int, nth: int, seq: int, keeps_cursor: bool) -> int:
    """The sample of the n-th selected pod in an answer, NONE without one."""
    series, index = run.batch.series, run.batch.sources.series_from[source] + nth
    number = run.batch.pod_series[index]
    if number == NONE:
        return NONE
    row = _newest_sample(series, number, run.cursors.sample[index], seq)
    if keeps_cursor:
        run.cursors.sample[index] = row
    return NONE if row < series.row_from[number] or series.gone[row] else row


def _unlisted_sample(run: Run, index: int, seq: int, keeps_cursor: bool) -> int:
    """The sample of a pod that the pod lister never had, NONE without one."""
    series, number = run.batch.series, run.batch.unlisted_series[index]
    row = _newest_sample(series, number, run.cursors.unlisted[index], seq)
    if keeps_cursor:
        run.cursors.unlisted[index] = row
    return NONE if row < series.row_from[number] or series.gone[row] else row


def _bucket(run: Run, metric: int, state: int, sample: int, at_us: int) -> int:
    """READY, UNREADY, MISSING or IGNORED; `sample` is NONE without a measured one."""
    pods, series, settings = run.batch.pods, run.batch.series, run.settings
    is_ignored, is_pending = pods.ignored[state] != 0, pods.phase[state] == PENDING
    if not settings.behaviours.readiness_by_time:
        skips_failed = settings.behaviours.failed_pods_skipped and run.batch.metrics.how[metric] == UTILIZATION
        return group_by_readiness(pods.is_running[state] != 0, is_ignored, sample != NONE, skips_failed)
    bucket = group(is_ignored, is_pending, sample != NONE, settings.behaviours.pending_is_unready)
    if bucket != READY or not run.batch.metrics.is_cpu[metric]:
        return bucket
    readiness = Readiness(
        pods.has_readiness[state] != 0,
        pods.ready_false[state] != 0,
        pods.start_us[state],
        pods.ready_transition_us[state],
    )
    sampled = Sampled(series.at_us[sample], series.window_us[sample])
    periods = ReadinessPeriods(settings.cpu_initialization_period_us, settings.initial_readiness_delay_us)
    return READY if group_cpu(readiness, sampled, at_us, periods) == READY else UNREADY


def _source(run: Run, metric: int, read: int) -> int:
    """The source that has the samples of an answer."""
    source = run.batch.metrics.source_from[metric]
    while run.batch.sources.stream[source] != run.batch.reads.stream[read]:
        source += 1
    return int(source)


def _tally(  # noqa: C901, PLR0912, PLR0915 (one loop over the pods: the kernel spends its time here)
    run: Run, context: Context, metric: int, read: int, at_us: int, pod_facts: int
) -> tuple[int, int, Tally]:
    """What is wrong with the answer, what is wrong with the requests, NONE where nothing is, and the tally."""
    batch, behaviours = run.batch, run.settings.behaviours
    metrics, sources, series = batch.metrics, batch.sources, batch.series
    quantities, quantity, target = batch.quantities, metrics.quantity[metric], metrics.target[metric]
    has_requests, seq = metrics.how[metric] == UTILIZATION, batch.reads.seq[read]
    # An answer from after the reconcile moves no cursor: later reconciles still need what comes before it.
    keeps_cursor = seq < context.facts
    source = _source(run, metric, read)
    is_whole = sources.is_whole_namespace[source] != 0
    first_pod, first_value = batch.specs.pod_from[context.spec], quantity * len(series.seq)
    listed, ready, unready, missing, ignored, items, without_container = 0, 0, 0, 0, 0, 0, 0
    counted, usage, own, own_usage, own_requests = 0, 0, 0, 0, 0
    missing_requests, missing_usage, unready_requests, request_problem = 0, 0, 0, NONE
    for pod in range(first_pod, batch.specs.pod_to[context.spec]):
        state = pod_state(run, context, pod, pod_facts)
        sample, amount = _sample(run, source, pod - first_pod, seq, keeps_cursor), 0
        if sample != NONE and state == NONE and is_whole:
            sample = NONE
        if sample != NONE:
            items += 1
            without_container += series.state[first_value + sample] == NO_CONTAINER
            amount = series.value[first_value + sample]
            if series.state[first_value + sample] != MEASURED:
                sample = NONE
        if state == NONE:
            if sample != NONE:
                counted, usage = counted + 1, wrap64(usage + amount)
            continue
        listed += 1
        request = 0
        if has_requests:
            request = batch.pod_requests.request[state * quantities + quantity]
            if request_problem == NONE:
                request_problem = batch.pod_requests.problem[state * quantities + quantity]
        bucket = _bucket(run, metric, state, sample, at_us)
        if bucket == UNREADY:
            unready, unready_requests = unready + 1, wrap64(unready_requests + request)
            continue
        if bucket == MISSING:
            missing, missing_requests = missing + 1, wrap64(missing_requests + request)
            full = missing_utilization(request, target, behaviours.missing_up_to_target)
            missing_usage = wrap64(missing_usage + full)
            continue
        if bucket == IGNORED:
            ignored += 1
            if behaviours.ignored_samples_removed or sample == NONE:
                continue
        else:
            ready += 1
        counted, usage = counted + 1, wrap64(usage + amount)
        own, own_usage, own_requests = own + 1, wrap64(own_usage + amount), wrap64(own_requests + request)
    for index in range(sources.unlisted_from[source], sources.unlisted_to[source]):
        sample = _unlisted_sample(run, index, seq, keeps_cursor)
        if sample != NONE:
            items += 1
            without_container += series.state[first_value + sample] == NO_CONTAINER
            if series.state[first_value + sample] == MEASURED:
                counted, usage = counted + 1, wrap64(usage + series.value[first_value + sample])
    problem = NONE
    if items == 0:
        is_resource = metrics.how[metric] in (UTILIZATION, AVERAGE)
        problem = NO_HEAPSTER_METRICS if is_resource and not behaviours.metric_apis_named else NO_METRICS
    elif without_container > 0 and not behaviours.missing_container_is_missing_pod:
        problem = CONTAINER_MISSING
    tally = Tally(
        listed,
        ready,
        unready,
        missing,
        ignored,
        counted,
        usage,
        own,
        own_usage,
        own_requests,
        missing_requests,
        missing_usage,
        unready_requests,
    )
    return problem, request_problem, tally
