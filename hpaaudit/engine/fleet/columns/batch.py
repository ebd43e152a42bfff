"""The input batch: every column that the kernel reads to decide one slice of a recording.

A column is an int64 array, or a list where nothing is compiled. A table whose columns are equally long is one array of
records there (`batch.records`). `…_from` and `…_to` are the first row and the row after the last in another table. A
`seq` is the number of a fact; a row with one holds from that fact on. Times are microseconds. NONE means no row.
"""

from typing import Any, NamedTuple, TypeAlias

from hpaaudit.engine.behaviours.in_force import Behaviours
from hpaaudit.engine.rules.forbidden_windows import ForbiddenWindows
from hpaaudit.engine.rules.go_numbers import NONE as NONE  # noqa: PLC0414 (the one NONE of rules and columns)

Ints: TypeAlias = Any
"""An array of int64 or a list of int."""

Floats: TypeAlias = Any
"""An array of float64 or a list of float."""

# What a sample says of one quantity.
MEASURED = 0
ABSENT = 1
NO_CONTAINER = 2


class Settings(NamedTuple):
    """What is in force in the controller process: the behaviours of its release, and the flags that the kernel asks.

    windows         the forbidden windows (to 1.11);  uses_heapster   metrics come from Heapster (to 1.11)
    """

    behaviours: Behaviours
    downscale_stabilization_us: int
    cpu_initialization_period_us: int
    initial_readiness_delay_us: int
    windows: ForbiddenWindows
    uses_heapster: bool


class ResolvedSpecs(NamedTuple):
    """HPA specs, each with one selector of its target. A spec whose target had several selectors has a row for each.

    selector          the selector;  selector_problem   reason code of why it cannot be used, NONE if it can
    next_selector     row of the same spec with another selector, NONE after the last
    minimum, has_minimum   minReplicas, 1 by default, and whether the spec says it
    rises_from_zero   it has an Object or External metric, which can rise while there are no pods
    has_behavior, up_window_us, down_window_us   as in `rules.normalize.Limits`
    up_longest_us, down_longest_us   the longest period of the policies of each direction
    longest_window_us   how long a recommendation can matter
    age_from, age_to  in `expiry_ages_us`: the ages at which something that is remembered stops counting
    request_count     how many distinct requests the metrics make
    pod_from, pod_to  in `selected_pods`: the pods that the selector matches at some time of the slice
    """

    selector: Ints
    next_selector: Ints
    selector_problem: Ints
    minimum: Ints
    has_minimum: Ints
    maximum: Ints
    rises_from_zero: Ints
    has_behavior: Ints
    up_window_us: Ints
    down_window_us: Ints
    up_longest_us: Ints
    down_longest_us: Ints
    up_select: Ints
    up_from: Ints
    up_to: Ints
    down_select: Ints
    down_from: Ints
    down_to: Ints
    longest_window_us: Ints
    age_from: Ints
    age_to: Ints
    tolerance_down: Floats
    tolerance_up: Floats
    request_count: Ints
    metric_from: Ints
    metric_to: Ints
    pod_from: Ints
    pod_to: Ints


class ScalingPolicies(NamedTuple):
    """The scaling policies of all specs."""

    kind: Ints
    value: Ints
    period_us: Ints


class Metrics(NamedTuple):
    """The metrics of all specs.

    how       how it is computed, a constant of `controller.metric_target`
    problem   code of the problem where its target cannot be computed (`how` is NOTHING)
    reason    code of the reason of ScalingActive=False if it fails
    quantity  which quantity of a sample, and of a pod's requests, it measures
    request   the request whose answers it reads;  fallback   the request that serves it before the first answer
    request_rank   number of the request among the distinct ones of the spec
    status_key     what its entry of currentMetrics shows besides its numbers
    turn, uses     of the `uses` metrics of a reconcile that make one request, the n-th gets the n-th answer
    source_from, source_to   where it finds samples
    """

    how: Ints
    problem: Ints
    reason: Ints
    target: Ints
    is_cpu: Ints
    quantity: Ints
    request: Ints
    fallback: Ints
    request_rank: Ints
    status_key: Ints
    turn: Ints
    uses: Ints
    source_from: Ints
    source_to: Ints


class SampleSources(NamedTuple):
    """Where a metric finds the samples of its pods: a row for each stream of answers to its request.

    is_whole_namespace   the stream answers for a whole namespace, so only the samples of selected pods count
    series_from          in `pod_series`: the series of the selected pods, in their order
    unlisted_from, unlisted_to   in `unlisted_series`: the series of pods that the pod lister never had
    """

    stream: Ints
    is_whole_namespace: Ints
    series_from: Ints
    unlisted_from: Ints
    unlisted_to: Ints


class Ranges(NamedTuple):
    """The rows of each key in a table that is sorted by that key: from `row_from` to before `row_to`."""

    row_from: Ints
    row_to: Ints


class PodStates(NamedTuple):
    """The states of pods. `pod_ranges`: those of one name, as one selector matches it.

    exists           the pod is there and matches
    ignored          it is being deleted or has failed; up to 1.11 only the latter
    phase            code of `rules.pod_average`
    has_readiness    it has a Ready condition and a start time
    is_running       it is Running with Ready=True
    """

    seq: Ints
    exists: Ints
    ignored: Ints
    phase: Ints
    has_readiness: Ints
    ready_false: Ints
    is_running: Ints
    start_us: Ints
    ready_transition_us: Ints


class PodRequests(NamedTuple):
    """For each quantity of each state of a pod: its request, or why there is none."""

    request: Ints
    problem: Ints


class SampleSeries(NamedTuple):
    """The samples of one pod in one stream of answers.

    gone           the answer no longer has the pod
    value, state   one for each row of each quantity; `state` is MEASURED, ABSENT or NO_CONTAINER, in a byte
    """

    row_from: Ints
    row_to: Ints
    seq: Ints
    gone: Ints
    at_us: Ints
    window_us: Ints
    value: Ints
    state: Ints


class MetricReads(NamedTuple):
    """The answers of the metric APIs. `read_ranges`: those to each request.

    problem         code of the problem, NONE where the request was answered
    by_controller   the controller itself read it
    items           how many items the answer has
    first_us        the time of the first of them, Go's zero time without one (asked until 1.11)
    sum_for_average, sum_for_value   the sum of all items, as this release sums up for either kind of target
    """

    seq: Ints
    at_us: Ints
    problem: Ints
    stream: Ints
    by_controller: Ints
    items: Ints
    first_us: Ints
    sum_for_average: Ints
    sum_for_value: Ints


class PodLists(NamedTuple):
    """The lists of pods that the controller itself read (to 1.11), in the order of time; `failed`: it got none."""

    seq: Ints
    failed: Ints


class OwnAnswers(NamedTuple):
    """What Heapster answered to the controller itself, in the order of time, summed up (to 1.5).

    is_series     the answer has a series for each pod, else an item of resource usage
    problem       code of the problem, NONE where it was answered
    items         how many series or items it has;  measured   how many of them have a point
    measured_us   when it was measured, as this release takes it
    lacks_cpu     some container of an item has no usage of cpu
    whole, exact   the average of the series, without and with fractions; `whole` of items is the sum of their cpu
    pod_from, pod_to   in `answered_pods`: the items by the name of their pod, or in 1.5 the series in their order
    """

    is_series: Ints
    problem: Ints
    items: Ints
    measured: Ints
    measured_us: Ints
    lacks_cpu: Ints
    whole: Ints
    exact: Floats
    pod_from: Ints
    pod_to: Ints


class AnsweredPods(NamedTuple):
    """What answers say of each pod: `state` is MEASURED or ABSENT, `name` NONE in a series."""

    name: Ints
    state: Ints
    whole: Ints
    exact: Floats


class ScaleStates(NamedTuple):
    """The answers of scales; `exists`: there is one, `readable`: the scale client accepts it.

    `scale_ranges`: those of each target.
    """

    seq: Ints
    at_us: Ints
    exists: Ints
    readable: Ints
    spec_replicas: Ints
    status_replicas: Ints
    selector: Ints
    by_controller: Ints


class HpaStates(NamedTuple):
    """The states of HPAs. `hpa_ranges`: those of each HPA.

    spec       row of `ResolvedSpecs` with the first selector, NONE where the HPA is gone
    status     row of `PublishedStatuses`
    version    its resource version
    """

    seq: Ints
    spec: Ints
    target: Ints
    status: Ints
    version: Ints


class StatusWrites(NamedTuple):
    """The resource versions that the controller's own status writes gave HPAs. `write_ranges`: those of each HPA."""

    seq: Ints
    version: Ints


class PublishedStatuses(NamedTuple):
    """The distinct statuses of HPAs.

    last_scale_us    lastScaleTime, NULL without one
    scaled_to_zero   the condition ScaledToZero is True, and this release asks it
    able, active, limited   codes of the conditions AbleToScale, ScalingActive and ScalingLimited, NONE without one
    recommendation   what the conditions say about the recommendation, a code of `rules.published_status`
    entry_from, entry_to    its currentMetrics
    """

    desired: Ints
    current: Ints
    last_scale_us: Ints
    scaled_to_zero: Ints
    able: Ints
    active: Ints
    limited: Ints
    recommendation: Ints
    entry_from: Ints
    entry_to: Ints


class CurrentMetrics(NamedTuple):
    """The entries of currentMetrics: what each shows besides its numbers, and the numbers, 0 where there is none."""

    status_key: Ints
    value_milli: Ints
    average_milli: Ints
    percent: Ints


class Reconciles(NamedTuple):
    """The reconciles. `reconcile_ranges`: those of each HPA.

    facts         how many facts come before it;  lagging_facts   how many of them a lagging cache has
    published     row of the status after it, NONE if the reconcile has a line
    unwritten     1 if only an Event tells of it, and the status after it may be of an earlier one; NO_STATUS if it is
    period_us     the sync period of its HPA, 0 if the reconcile has a line
    reach_us      how much later than the reconcile an answer may have been recorded that it read
    unseen_us     the end of the gap since the HPA's previous reconcile, NULL without one
    epoch         the controller process;  epoch_facts   how many facts came before that process began
    written       whether its write of the scale was accepted, NONE if unknown;  written_us   when
    proposal_at   its first row of `Proposals`
    own_since     the fact with which the controller read the last scale before it (to 1.11), NONE without one
    list_from, list_to   in `PodLists`: those after that scale
    answer_from, answer_to   in `OwnAnswers`: those after that scale (to 1.5)
    """

    facts: Ints
    lagging_facts: Ints
    at_us: Ints
    published: Ints
    unwritten: Ints
    period_us: Ints
    reach_us: Ints
    unseen_us: Ints
    epoch: Ints
    epoch_facts: Ints
    written: Ints
    written_us: Ints
    proposal_at: Ints
    own_since: Ints
    list_from: Ints
    list_to: Ints
    answer_from: Ints
    answer_to: Ints


class InputBatch(NamedTuple):
    """Everything that the kernel reads of one slice.

    quantities   how many quantities each sample has
    selected_names   the name of each of `selected_pods`
    """

    quantities: int
    specs: ResolvedSpecs
    expiry_ages_us: Ints
    policies: ScalingPolicies
    metrics: Metrics
    sources: SampleSources
    pod_series: Ints
    unlisted_series: Ints
    selected_pods: Ints
    selected_names: Ints
    pod_ranges: Ranges
    pods: PodStates
    pod_requests: PodRequests
    series: SampleSeries
    read_ranges: Ranges
    reads: MetricReads
    pod_lists: PodLists
    own_answers: OwnAnswers
    answered_pods: AnsweredPods
    scale_ranges: Ranges
    scales: ScaleStates
    hpa_ranges: Ranges
    hpas: HpaStates
    write_ranges: Ranges
    status_writes: StatusWrites
    statuses: PublishedStatuses
    current_metrics: CurrentMetrics
    reconcile_ranges: Ranges
    reconciles: Reconciles
