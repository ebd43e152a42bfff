"""What differs between Kubernetes releases, as one table: behaviour by release."""

import difflib
import re
from dataclasses import dataclass, fields, replace
from functools import lru_cache

from hpaaudit.api.selector import BadSelector
from hpaaudit.errors import BadOption, UnknownRelease
from hpaaudit.model.flags import Flags

Version = tuple[int, int, int]

KNOWN = tuple(f"1.{minor}" for minor in range(12, 38))
"""Releases whose decisions we make, oldest first."""

NEWEST_OLD_PATCH = 999
"""A release without a patch level is taken for its last patch."""


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
        if self.until and version >= _parsed(self.until):
            return False
        first, *picks = (_parsed(text) for text in self.since)
        return version >= first or any(version[:2] == pick[:2] and version >= pick for pick in picks)


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """The behaviours in force for one controller process, a field each."""

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
    container_metrics: bool
    container_metric_name: bool
    text_pods_might_be_unready: bool
    object_target_guard: bool
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
    selector_errors_aggregated: bool
    selector_error_names_key: bool
    usage_named: bool

    def told(self, error: BadSelector) -> str:
        """What is wrong with a selector, in the words of this release."""
        if self.selector_errors_aggregated:
            return str(error)
        return error.old if self.selector_error_names_key else error.oldest


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
        name="ObjectTargetGuard",
        since=("1.29", "1.28.3", "1.27.7"),
        reference="1.29 source",
        known_by="read",
        what="an Object metric without the value that its type names is invalid",
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
)


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
        reference="KEP-4951",
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
    Gate(name="HPAGeneration", rule="Generation", known="1.37", on="1.37", reference="#138228"),
)


def _parsed(text: str) -> Version:
    parts = [int(part) for part in text.split(".")]
    return (parts[0], parts[1], parts[2] if len(parts) > 2 else 0)  # noqa: PLR2004 (major, minor, patch)


def version_of(text: str) -> Version:
    """A release as numbers; without a patch level its last patch is meant.

    UnknownRelease, with the nearest known, for one that the engine does not know.
    """
    match = re.match(r"v?(\d+)\.(\d+)(?:\.(\d+))?", text)
    release = f"{match[1]}.{match[2]}" if match else text
    if match is None or release not in KNOWN:
        raise UnknownRelease(f"release {text} is not known to this engine: try --release {_nearest(release)}")
    return (int(match[1]), int(match[2]), int(match[3]) if match[3] else NEWEST_OLD_PATCH)


def _nearest(release: str) -> str:
    """The known release with the nearest number, else the most similar text."""
    match = re.fullmatch(r"1\.(\d+)", release)
    if match is None:
        return difflib.get_close_matches(release, KNOWN, n=1, cutoff=0.0)[0]
    return min(KNOWN, key=lambda known: abs(int(known.split(".")[1]) - int(match[1])))


def known_release(text: str) -> str:
    """A release as the table names it: `v1.36.3` stays exact as `1.36.3`, `1.36` is its last patch."""
    major, minor, patch = version_of(text)
    return f"{major}.{minor}" if patch == NEWEST_OLD_PATCH else f"{major}.{minor}.{patch}"


def _field(name: str) -> str:
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()


def behaviour_names() -> tuple[str, ...]:
    """Everything that `--with` and `--without` take: behaviours, and gates by either name."""
    return (*(b.name for b in BEHAVIOURS), *(g.name for g in GATES))


@lru_cache(maxsize=64)
def rules_of(flags: Flags) -> Rules:
    """The behaviours that a release has and that these flags switch on or off."""
    version = version_of(flags.release)
    given = dict(flags.gates)
    on = {_field(behaviour.name): behaviour.holds(version) for behaviour in BEHAVIOURS}
    for gate in GATES:
        asked = version >= _parsed(gate.known)
        default = version >= _parsed(gate.on)
        free = not gate.locked or version < _parsed(gate.locked)
        on[_field(gate.rule)] = asked and (given.get(gate.name, default) if free else True)
    # Before the controller asked the gate it computed a container's metric whenever the API let one through.
    on["container_metrics"] = on["container_metrics"] or version < _parsed("1.27")
    rules = Rules(**{field.name: on[field.name] for field in fields(Rules)})
    changes = {_field(name): True for name in flags.with_behaviours}
    changes |= {_field(name): False for name in flags.without_behaviours}
    return replace(rules, **changes)


def behaviour(name: str) -> str:
    """A behaviour or gate by the name that the table gives its rule; BadOption for an unknown one."""
    for gate in GATES:
        if name in (gate.name, gate.rule):
            return gate.rule
    if name in {behaviour.name for behaviour in BEHAVIOURS}:
        return name
    near = difflib.get_close_matches(name, behaviour_names(), n=3, cutoff=0.0)
    raise BadOption(f"{name} is no behaviour that differs between releases: did you mean {', '.join(near)}?")
