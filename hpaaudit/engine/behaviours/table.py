"""Every rule that changed between Kubernetes releases, and every feature gate that changes a decision: one table."""

from dataclasses import dataclass
from typing import NamedTuple

from hpaaudit.api.selector import BadSelector

Version = tuple[int, int, int]


def parsed(text: str) -> Version:
    """A release as numbers: major, minor, patch."""
    parts = [int(part) for part in text.split(".")]
    return (parts[0], parts[1], parts[2] if len(parts) > 2 else 0)  # noqa: PLR2004 (major, minor, patch)


@dataclass(frozen=True, slots=True, kw_only=True)
class Behaviour:
    """One rule that changed.

    name       as `--with` and `--without` take it
    since      the first release that has it, and the patches of older releases that got it too
    until      the first release that has it no more
    reference  upstream's pull request or KEP;  known_by   how we know: `harness`, `vectors` or `read`
    """

    name: str
    since: tuple[str, ...]
    until: str = ""
    reference: str
    known_by: str = "harness"
    what: str

    def holds(self, version: Version) -> bool:
        """Whether a release has it."""
        if self.until and version >= parsed(self.until):
            return False
        first, *picks = (parsed(text) for text in self.since)
        return version >= first or any(version[:2] == pick[:2] and version >= pick for pick in picks)


@dataclass(frozen=True, slots=True, kw_only=True)
class Gate:
    """A feature gate that changes decisions.

    known   from which release the controller asks it;  on   from which it is on unless said otherwise
    locked  from which release it cannot be switched off any more, empty while it can
    """

    name: str
    rule: str
    known: str
    on: str
    locked: str = ""
    reference: str


BEHAVIOURS = (
    Behaviour(
        name="ObjectAverage",
        since=("1.14",),
        reference="#72872",
        what="an Object metric may have an average value as its target",
    ),
    Behaviour(
        name="ObjectAverageTolerance",
        since=("1.15",),
        reference="1.15 source",
        what="an Object average is divided by the replicas; in 1.14 by zero",
    ),
    Behaviour(
        name="SpecReplicasAreCurrent",
        since=("1.16", "1.15.2", "1.14.5", "1.13.9"),
        reference="#79035",
        what="current replicas are those of the scale's spec, not of its status",
    ),
    Behaviour(
        name="UtilizationGuard",
        since=("1.18", "1.17.5", "1.16.9", "1.15.12"),
        reference="#85027",
        what="a refilled utilization never moves against its ratio",
    ),
    Behaviour(
        name="PartialMetrics",
        since=("1.15",),
        reference="#78503",
        what="the first invalid metric no longer ends the computation",
    ),
    Behaviour(
        name="FirstInvalidTold",
        since=("1.16",),
        reference="1.16 source",
        what="of several invalid metrics the first is told, not the last",
    ),
    Behaviour(
        name="PodsErrorNamed",
        since=("1.16",),
        reference="1.16 source",
        what="a failed Pods metric is no longer called an object metric",
    ),
    Behaviour(
        name="RequirementsPrinted",
        since=("1.16",),
        reference="protobuf of 1.16",
        what="the requirements of a selector are printed with their type",
    ),
    Behaviour(
        name="PendingIsUnready",
        since=("1.16",),
        reference="1.16 source",
        what="a pending pod is unready; before it was missing",
    ),
    Behaviour(
        name="ScalesFromZero",
        since=("1.16",),
        reference="#74526, KEP-2021",
        what="minReplicas 0 keeps the HPA at work at zero replicas",
    ),
    Behaviour(
        name="MinLimitSaysSo",
        since=("1.16",),
        reference="1.16 source",
        what="TooFewReplicas has its own message",
    ),
    Behaviour(
        name="ValueBeforePods",
        since=("1.16",),
        reference="1.16 source",
        what="an External value tests the tolerance before it looks for pods",
    ),
    Behaviour(
        name="QuotedUrls",
        since=("1.19",),
        reference="net/url of Go 1.14",
        what='a request that failed is quoted: Get "https://…"',
    ),
    Behaviour(
        name="IgnoredSamplesRemoved",
        since=("1.20", "1.19.4", "1.18.12"),
        reference="#95560, #95650, #95651",
        what="samples of terminating and failed pods leave the averages",
    ),
    Behaviour(
        name="MinPolicyMoves",
        since=("1.20", "1.19.4", "1.18.12"),
        reference="#95647",
        what="selectPolicy Min lets something move",
    ),
    Behaviour(
        name="PrefixedResourceError",
        since=("1.20",),
        reference="1.20 source",
        what="the event of a failed resource metric says what could not be had",
    ),
    Behaviour(
        name="SelectorErrorsAggregated",
        since=("1.21",),
        reference="between 1.20 and 1.23",
        what="every error of a selector is told, each with its path",
    ),
    Behaviour(
        name="SelectorErrorNamesKey",
        since=("1.15",),
        reference="1.15 source",
        what="a bad value of a selector is told with its key",
    ),
    Behaviour(
        name="PartialBlocksDown",
        since=("1.21", "1.15.0"),
        reference="#78503, lost in 1.16, #99514",
        what="while a metric is invalid nothing scales down",
    ),
    Behaviour(
        name="Envelope",
        since=("1.21",),
        reference="#97348",
        what="both stabilization windows hold around the current replicas",
    ),
    Behaviour(
        name="PlainGuard",
        since=("1.21",),
        reference="#89465",
        what="a refilled plain metric never moves against its ratio",
    ),
    Behaviour(
        name="ReadsV2",
        since=("1.23",),
        reference="#102534",
        what="the controller reads and writes autoscaling/v2, not v1 with annotations",
    ),
    Behaviour(
        name="OuterPrefix",
        since=("1.25",),
        reference="#109480",
        what="errors of Resource, ContainerResource and External metrics get one more prefix",
    ),
    Behaviour(
        name="UsageNamed",
        since=("1.25",),
        reference="between 1.23 and 1.26",
        what="a failed average value is called usage, not utilization",
    ),
    Behaviour(
        name="AmbiguousSelector",
        since=("1.26",),
        reference="#112011",
        what="several HPAs that select the same pods are refused",
    ),
    Behaviour(
        name="BothDirectionsCount",
        since=("1.26",),
        reference="#109058",
        what="a period starts before the scale events of both directions",
    ),
    Behaviour(
        name="MissingUpToTarget",
        since=("1.26",),
        reference="#112178",
        what="on the way down a missing pod counts as max(100 %, target) of its request",
    ),
    Behaviour(
        name="SamplesBeforeRequests",
        since=("1.26",),
        reference="1.26 source",
        what="no samples is found before a missing request is",
    ),
    Behaviour(
        name="NamedMissingRequest",
        since=("1.26",),
        reference="1.26 source",
        what="a missing request names container and pod",
    ),
    Behaviour(
        name="StatusErrorTold",
        since=("1.26",),
        reference="1.26 source",
        what="where the scale could not be read, a status that cannot be written is told to the error handler",
    ),
    Behaviour(
        name="PartialErrorReturned",
        since=("1.27",),
        reference="#116010",
        what="the error of a metric that others made up for is returned after scaling",
    ),
    Behaviour(
        name="ContainerMetricName",
        since=("1.27",),
        reference="#116046",
        what="a container's metric is called so in messages",
    ),
    Behaviour(
        name="TextPodsMightBeUnready",
        since=("1.27",),
        reference="#114740",
        what="no samples are said to be of pods that might be unready",
    ),
    Behaviour(
        name="ExactRatioFillsNothing",
        since=("1.28",),
        reference="#117845",
        what="at a ratio of exactly one a plain metric fills nothing in",
    ),
    Behaviour(
        name="MetricsRenewedOnFailure",
        since=("1.29",),
        reference="1.29 source",
        what="a failure, too, replaces status.currentMetrics",
    ),
    Behaviour(name="SidecarsCount", since=("1.29",), reference="1.29 source", what="sidecars are containers"),
    Behaviour(
        name="PlainMessages",
        since=("1.32", "1.31.5", "1.30.9", "1.29.11", "1.15.0", "1.14.0", "1.13.0", "1.12.0"),
        reference="1.32 source; lost in 1.16",
        what="a condition's message is no format: a percent sign stays one",
    ),
    Behaviour(
        name="InclusiveTolerance",
        since=("1.33",),
        reference="#130797",
        what="the tolerance has two bounds, both included",
    ),
    Behaviour(
        name="MissingContainerIsMissingPod",
        since=("1.33",),
        reference="#127193",
        what="a sample without the container is none, not an error",
    ),
    Behaviour(
        name="ObjectAverageDescribed",
        since=("1.33",),
        reference="1.33 source",
        what="the status of an Object average names the object",
    ),
    Behaviour(
        name="ConflictRetry",
        since=("1.34",),
        reference="#132007",
        what="a conflict is tried again with the same number, up to five times",
    ),
    Behaviour(
        name="BinaryMemory",
        since=("1.34",),
        reference="#132351",
        what="memory is published in powers of 1024",
    ),
    Behaviour(
        name="ExternalAverageClamped",
        since=("1.34",),
        reference="#127050",
        what="an External average beyond int32 or int64 is cut to the largest",
    ),
    Behaviour(
        name="ValueClamped",
        since=("1.35",),
        reference="#126979",
        what="a Value target's replicas beyond int32, or sum beyond int64, are cut to the largest",
    ),
    Behaviour(
        name="AbsentContainerFails",
        since=("1.35",),
        reference="#133128",
        what="a container that a pod does not have makes the metric invalid",
    ),
    Behaviour(
        name="ScaledToZeroCondition",
        since=("1.36",),
        reference="#135118, KEP-2021",
        what="the condition ScaledToZero decides whether zero is left again",
    ),
    Behaviour(
        name="ObjectErrorInOrder",
        since=("1.37",),
        reference="#139029",
        what="the words of an Object metric's error stand in order",
    ),
    Behaviour(
        name="FewNamesWhenAmbiguous",
        since=("1.37",),
        reference="#139142",
        what="AmbiguousSelector names at most two HPAs",
    ),
    Behaviour(
        name="SucceededIgnored",
        since=("1.38",),
        reference="#141302; merged without a release note",
        known_by="read",
        what="a Succeeded pod is ignored like a Failed one; before it was missing",
    ),
    Behaviour(
        name="OverheadExcluded",
        since=("1.38",),
        reference="#142154, CHANGELOG-1.38",
        known_by="read",
        what="a request of the pod level no longer includes the pod's overhead",
    ),
    Behaviour(
        name="ReplicasCapped",
        since=("1.38",),
        reference="#141397, CHANGELOG-1.38",
        known_by="read",
        what="every number of replicas beyond int32 is cut to the largest",
    ),
    Behaviour(
        name="TotalAtZero",
        since=("1.38",),
        reference="#140958, CHANGELOG-1.38",
        known_by="read",
        what="at zero replicas the status of an average is the total, which before was divided by zero",
    ),
)

GATES = (
    Gate(
        name="HPAContainerMetrics",
        rule="ContainerMetrics",
        known="1.27",
        on="1.27",
        locked="1.30",
        reference="KEP-1610, #116043",
    ),
    Gate(
        name="HPAScaleToZero",
        rule="ScaleToZero",
        known="1.36",
        on="1.37",
        reference="KEP-2021; before 1.36 only the API server asks it",
    ),
    Gate(
        name="HPAConfigurableTolerance",
        rule="ConfigurableTolerance",
        known="1.33",
        on="1.35",
        locked="1.37",
        reference="KEP-4951, #140107",
    ),
    Gate(
        name="PodLevelResources",
        rule="PodLevelResources",
        known="1.34",
        on="1.34",
        reference="KEP-2837, #132430",
    ),
    Gate(
        name="StaleControllerConsistencyHPA",
        rule="StaleCacheSkips",
        known="1.37",
        on="1.37",
        reference="#139025: a cache older than the controller's own last write is not acted on",
    ),
    Gate(
        name="HPAGeneration",
        rule="Generation",
        known="1.37",
        on="1.37",
        locked="1.38",
        reference="#138228; #142386: GA in 1.38-alpha.2",
    ),
)


class Rules(NamedTuple):
    """The behaviours in force for one controller process, a field each: what a rule asks to know its release.

    A tuple, because the compiled rules read it as it is.
    """

    spec_replicas_are_current: bool
    utilization_guard: bool
    partial_metrics: bool
    first_invalid_told: bool
    pods_error_named: bool
    requirements_printed: bool
    pending_is_unready: bool
    scales_from_zero: bool
    min_limit_says_so: bool
    value_before_pods: bool
    object_average: bool
    object_average_tolerance: bool
    quoted_urls: bool
    ignored_samples_removed: bool
    min_policy_moves: bool
    prefixed_resource_error: bool
    partial_blocks_down: bool
    envelope: bool
    plain_guard: bool
    reads_v2: bool
    inclusive_tolerance: bool
    configurable_tolerance: bool
    ambiguous_selector: bool
    both_directions_count: bool
    missing_up_to_target: bool
    samples_before_requests: bool
    named_missing_request: bool
    partial_error_returned: bool
    status_error_told: bool
    container_metrics: bool
    container_metric_name: bool
    text_pods_might_be_unready: bool
    exact_ratio_fills_nothing: bool
    metrics_renewed_on_failure: bool
    sidecars_count: bool
    plain_messages: bool
    missing_container_is_missing_pod: bool
    object_average_described: bool
    pod_level_resources: bool
    conflict_retry: bool
    binary_memory: bool
    external_average_clamped: bool
    value_clamped: bool
    absent_container_fails: bool
    scaled_to_zero_condition: bool
    scale_to_zero: bool
    generation: bool
    stale_cache_skips: bool
    object_error_in_order: bool
    outer_prefix: bool
    few_names_when_ambiguous: bool
    succeeded_ignored: bool
    overhead_excluded: bool
    replicas_capped: bool
    total_at_zero: bool
    selector_errors_aggregated: bool
    selector_error_names_key: bool
    usage_named: bool

    def told(self, error: BadSelector) -> str:
        """What is wrong with a selector, in the words of this release."""
        if self.selector_errors_aggregated:
            return str(error)
        return error.old if self.selector_error_names_key else error.oldest
