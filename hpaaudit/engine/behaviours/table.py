"""The rules that changed between Kubernetes releases, a row each."""

from dataclasses import dataclass

from hpaaudit.engine.behaviours.release_number import Version, parsed
from hpaaudit.model.history import KnownBy


@dataclass(frozen=True, slots=True, kw_only=True)
class Behaviour:
    """One rule that changed.

    name       as `--with` and `--without` take it
    since      the first release that has it, then the patch releases of older ones that got it too
    before     the releases before this one had it as well, and lost it in this one
    until      the first release that does not have it any more
    reference  upstream's pull request or KEP
    known_by   how we know
    """

    name: str
    since: tuple[str, ...]
    before: str = ""
    until: str = ""
    reference: str
    known_by: KnownBy = KnownBy.EXECUTED
    description: str

    def holds(self, version: Version) -> bool:
        """True if a release has it."""
        if self.until and version >= parsed(self.until):
            return False
        if self.before and version < parsed(self.before):
            return True
        first, *picks = (parsed(text) for text in self.since)
        return version >= first or any(version[:2] == pick[:2] and version >= pick for pick in picks)


BEHAVIOURS = (
    Behaviour(
        name="Polls",
        since=("1.1",),
        until="1.2",
        reference="1.1 source; #19954 watches",
        description="every HPA is listed and reconciled each period, by CPU alone, and copied first",
    ),
    Behaviour(
        name="MetricsAnnotation",
        since=("1.2",),
        until="1.6",
        reference="#18315; #36033 replaced it by spec.metrics",
        description="custom metrics are in an annotation; a reconcile follows each change of the HPA at once",
    ),
    Behaviour(
        name="ForbiddenWindows",
        since=("1.1",),
        until="1.12",
        reference="#66615, #68122",
        description="after a change of the scale nothing moves for a while, instead of stabilization",
    ),
    Behaviour(
        name="DelayFlags",
        since=("1.7",),
        reference="#42101",
        description="the forbidden windows are flags; before, 3 and 5 minutes",
    ),
    Behaviour(
        name="Conditions",
        since=("1.7",),
        reference="#46550",
        description="the status has conditions, and is written where the scale could not be read or written",
    ),
    Behaviour(
        name="UnchangedStatusKept",
        since=("1.7",),
        reference="#47078",
        description="a status that did not change is not written",
    ),
    Behaviour(
        name="ScaledToBoundAtOnce",
        since=("1.5",),
        reference="commit 1ef7fd36fb",
        description="outside minReplicas and maxReplicas the forbidden windows do not count",
    ),
    Behaviour(
        name="ZeroDisables",
        since=("1.4",),
        reference="#29212",
        description="a scale whose spec has zero replicas is left alone",
    ),
    Behaviour(
        name="UpRateLimited",
        since=("1.4.4",),
        reference="#34955",
        description="one change at most doubles the replicas, or goes to 4",
    ),
    Behaviour(
        name="UpRateFirst",
        since=("1.7",),
        until="1.9",
        reference="#46550; commit e74838b6ab",
        description="of rate, bounds and zero only the first that applies limits a number",
    ),
    Behaviour(
        name="MinBeforeOne",
        since=("1.7.2",),
        reference="#48997",
        description="zero replicas become minReplicas; before, one",
    ),
    Behaviour(
        name="UpRateWithinMax",
        since=("1.9", "1.8.2", "1.7.9"),
        reference="#53690",
        description="the limit of the rate does not exceed maxReplicas",
    ),
    Behaviour(
        name="BoundsAsRules",
        since=("1.9",),
        reference="commit e74838b6ab",
        description="rate and maxReplicas are one bound, in other words",
    ),
    Behaviour(
        name="RunningPodsAlone",
        since=("1.4.1",),
        reference="#33735",
        description="a cpu utilization is of the Running pods; before, Pending pods made the average request smaller",
    ),
    Behaviour(
        name="RunningPodsMultiplied",
        since=("1.4.4",),
        reference="#34955",
        description="a cpu utilization multiplies the Running pods; before, the current replicas",
    ),
    Behaviour(
        name="CpuFromMetricsApi",
        since=("1.3",),
        reference="commit 26ad827893",
        description="cpu comes from Heapster's metrics API; before, from its model, averaged over a minute",
    ),
    Behaviour(
        name="HeapsterStatusRead",
        since=("1.4",),
        reference="#28910; 1.4 source",
        description="the HTTP status of Heapster's answer is looked at",
    ),
    Behaviour(
        name="FullIntegers",
        since=("1.1",),
        until="1.3",
        reference="1.3 source",
        description="numbers of replicas have 64 bits",
    ),
    Behaviour(
        name="CpuAlwaysAsked",
        since=("1.1",),
        until="1.3",
        reference="1.2 and 1.3 source",
        description="HPAs are read as extensions/v1beta1, where a missing cpu target is 80 %: cpu always counts",
    ),
    Behaviour(
        name="ZeroCpuShown",
        since=("1.4",),
        reference="1.4 source",
        description="a status without a computed cpu utilization says zero instead of nothing",
    ),
    Behaviour(
        name="FirstMinutesForgiven",
        since=("1.5",),
        reference="#33593",
        description="metrics that fail within three minutes of a change or of creation are Normal, not Warning",
    ),
    Behaviour(
        name="ReplicaCalculator",
        since=("1.5",),
        reference="#33593",
        description="pods that are not ready or have no sample are filled in; before, each pod had to have a sample",
    ),
    Behaviour(
        name="ReadinessByTime",
        since=("1.12",),
        reference="#68068",
        description="readiness counts for cpu alone, by its time; before, for all metrics",
    ),
    Behaviour(
        name="FailedPodsSkipped",
        since=("1.10",),
        reference="#60648",
        description="a failed pod is not unready for a utilization",
    ),
    Behaviour(
        name="ReadyPodsMultiplied",
        since=("1.11",),
        reference="#60886",
        description="Object and External values multiply the ready pods; before, the current replicas",
    ),
    Behaviour(
        name="ExternalMetrics",
        since=("1.10",),
        reference="#60096",
        description="metrics of type External are known",
    ),
    Behaviour(
        name="ContainerResourceMetrics",
        since=("1.20",),
        reference="KEP-1610, #90691",
        known_by=KnownBy.READ,
        description="metrics of type ContainerResource are known",
    ),
    Behaviour(
        name="RestClients",
        since=("1.9",),
        reference="#53205",
        description="metrics come from the metrics APIs by default; before, from Heapster",
    ),
    Behaviour(
        name="ScaleClient",
        since=("1.9",),
        reference="#53743",
        description="scales are read in their own group; before, by kind in extensions/v1beta1",
    ),
    Behaviour(
        name="ScaleReadsNamed",
        since=("1.10",),
        until="1.11",
        reference="1.10 source",
        description="the error of a scale that could not be read names the target",
    ),
    Behaviour(
        name="ScaleWritesNamed",
        since=("1.9",),
        until="1.11",
        reference="1.9 source",
        description="the error of a scale that could not be written names the target",
    ),
    Behaviour(
        name="MetricApisNamed",
        since=("1.10",),
        reference="#60096",
        description="errors name the metrics API that failed, and are spelled right",
    ),
    Behaviour(
        name="ReceiveSpelled",
        since=("1.7",),
        reference="1.7 source",
        description="did not recieve metrics is spelled right",
    ),
    Behaviour(
        name="MissingRequestNamesPod",
        since=("1.5",),
        until="1.12",
        reference="#33593",
        description="a missing request names container and pod",
    ),
    Behaviour(
        name="ObjectAverage",
        since=("1.14",),
        reference="#72872",
        description="an Object metric may have an average value as its target",
    ),
    Behaviour(
        name="ObjectAverageTolerance",
        since=("1.15",),
        reference="1.15 source",
        description="an Object average is divided by the replicas; in 1.14 by zero",
    ),
    Behaviour(
        name="SpecReplicasAreCurrent",
        since=("1.16", "1.15.2", "1.14.5", "1.13.9"),
        reference="#79035",
        description="current replicas are those of the scale's spec, not of its status",
    ),
    Behaviour(
        name="UtilizationGuard",
        since=("1.18", "1.17.5", "1.16.9", "1.15.12"),
        reference="#85027",
        description="a refilled utilization never moves against its ratio",
    ),
    Behaviour(
        name="PartialMetrics",
        since=("1.15",),
        reference="#78503",
        description="the first invalid metric no longer ends the computation",
    ),
    Behaviour(
        name="FirstInvalidTold",
        since=("1.16",),
        reference="1.16 source",
        description="of several invalid metrics the first is named, not the last",
    ),
    Behaviour(
        name="PodsErrorNamed",
        since=("1.16",),
        before="1.12",
        reference="1.16 source",
        description="a failed Pods metric is called a pods metric, not an object metric",
    ),
    Behaviour(
        name="RequirementsPrinted",
        since=("1.16",),
        reference="protobuf of 1.16",
        description="the requirements of a selector are printed with their type",
    ),
    Behaviour(
        name="PendingIsUnready",
        since=("1.16",),
        reference="1.16 source",
        description="a pending pod is unready; before it was missing",
    ),
    Behaviour(
        name="ScalesFromZero",
        since=("1.16",),
        reference="#74526, KEP-2021",
        description="minReplicas 0 keeps the HPA at work at zero replicas",
    ),
    Behaviour(
        name="MinLimitSaysSo",
        since=("1.16",),
        reference="1.16 source",
        description="TooFewReplicas has its own message",
    ),
    Behaviour(
        name="ValueBeforePods",
        since=("1.16",),
        reference="1.16 source",
        description="an External value tests the tolerance before it looks for pods",
    ),
    Behaviour(
        name="QuotedUrls",
        since=("1.19",),
        reference="net/url of Go 1.14",
        description='a request that failed is quoted: Get "https://…"',
    ),
    Behaviour(
        name="IgnoredSamplesRemoved",
        since=("1.20", "1.19.4", "1.18.12"),
        before="1.12",
        reference="#95560, #95650, #95651",
        description="samples of terminating and failed pods leave the averages",
    ),
    Behaviour(
        name="MinPolicyMoves",
        since=("1.20", "1.19.4", "1.18.12"),
        reference="#95647",
        description="selectPolicy Min lets something move",
    ),
    Behaviour(
        name="PrefixedResourceError",
        since=("1.20",),
        reference="1.20 source",
        description="the event of a failed resource metric says what could not be had",
    ),
    Behaviour(
        name="SelectorErrorsAggregated",
        since=("1.21",),
        reference="between 1.20 and 1.23",
        description="every error of a selector is reported, each with its path",
    ),
    Behaviour(
        name="SelectorErrorNamesKey",
        since=("1.15",),
        reference="1.15 source",
        description="a bad value of a selector is reported with its key",
    ),
    Behaviour(
        name="PartialBlocksDown",
        since=("1.21", "1.15.0"),
        reference="#78503, lost in 1.16, #99514",
        description="while a metric is invalid nothing scales down",
    ),
    Behaviour(
        name="Envelope",
        since=("1.21",),
        reference="#97348",
        description="both stabilization windows hold around the current replicas",
    ),
    Behaviour(
        name="PlainGuard",
        since=("1.21",),
        reference="#89465",
        description="a refilled plain metric never moves against its ratio",
    ),
    Behaviour(
        name="ReadsV2",
        since=("1.23",),
        reference="#102534",
        description="the controller reads and writes autoscaling/v2, not v1 with annotations",
    ),
    Behaviour(
        name="OuterPrefix",
        since=("1.25",),
        reference="#109480",
        description="errors of Resource, ContainerResource and External metrics get one more prefix",
    ),
    Behaviour(
        name="UsageNamed",
        since=("1.25",),
        reference="between 1.23 and 1.26",
        description="a failed average value is called usage, not utilization",
    ),
    Behaviour(
        name="AmbiguousSelector",
        since=("1.26",),
        reference="#112011",
        description="several HPAs that select the same pods are refused",
    ),
    Behaviour(
        name="BothDirectionsCount",
        since=("1.26",),
        reference="#109058",
        description="a period starts before the scale events of both directions",
    ),
    Behaviour(
        name="MissingUpToTarget",
        since=("1.26",),
        reference="#112178",
        description="on the way down a missing pod counts as max(100 %, target) of its request",
    ),
    Behaviour(
        name="SamplesBeforeRequests",
        since=("1.26",),
        reference="1.26 source",
        description="no samples is found before a missing request is",
    ),
    Behaviour(
        name="NamedMissingRequest",
        since=("1.26",),
        reference="1.26 source",
        description="a missing request names container and pod",
    ),
    Behaviour(
        name="StatusErrorTold",
        since=("1.26",),
        reference="1.26 source",
        description="where the scale could not be read, the error of a failed status write goes to the error handler",
    ),
    Behaviour(
        name="PartialErrorReturned",
        since=("1.27",),
        reference="#116010",
        description="the error of a metric that others made up for is returned after scaling",
    ),
    Behaviour(
        name="ContainerMetricName",
        since=("1.27",),
        reference="#116046",
        description="a container's metric is called so in messages",
    ),
    Behaviour(
        name="TextPodsMightBeUnready",
        since=("1.27",),
        reference="#114740",
        description="no samples are said to be of pods that might be unready",
    ),
    Behaviour(
        name="ExactRatioFillsNothing",
        since=("1.28",),
        reference="#117845",
        description="at a ratio of exactly one a plain metric fills nothing in",
    ),
    Behaviour(
        name="MetricsRenewedOnFailure",
        since=("1.29",),
        reference="1.29 source",
        description="a failure, too, replaces status.currentMetrics",
    ),
    Behaviour(name="SidecarsCount", since=("1.29",), reference="1.29 source", description="sidecars are containers"),
    Behaviour(
        name="PlainMessages",
        since=("1.32", "1.31.5", "1.30.9", "1.29.11", "1.15.0", "1.14.0", "1.13.0", "1.12.0"),
        before="1.12",
        reference="1.32 source; lost in 1.16",
        description="a condition's message is no format: a percent sign stays one",
    ),
    Behaviour(
        name="InclusiveTolerance",
        since=("1.33",),
        reference="#130797",
        description="the tolerance has two bounds, both included",
    ),
    Behaviour(
        name="MissingContainerIsMissingPod",
        since=("1.33",),
        reference="#127193",
        description="a sample without the container is none, not an error",
    ),
    Behaviour(
        name="ObjectAverageDescribed",
        since=("1.33",),
        reference="1.33 source",
        description="the status of an Object average names the object",
    ),
    Behaviour(
        name="ConflictRetry",
        since=("1.34",),
        reference="#132007",
        description="a conflict is tried again with the same number, up to five times",
    ),
    Behaviour(
        name="BinaryMemory",
        since=("1.34",),
        reference="#132351",
        description="memory is published in powers of 1024",
    ),
    Behaviour(
        name="ExternalAverageClamped",
        since=("1.34",),
        reference="#127050",
        description="an External average beyond int32 or int64 is cut to the largest",
    ),
    Behaviour(
        name="ValueClamped",
        since=("1.35",),
        reference="#126979",
        description="a Value target's replicas beyond int32, or sum beyond int64, are cut to the largest",
    ),
    Behaviour(
        name="AbsentContainerFails",
        since=("1.35",),
        reference="#133128",
        description="a container that a pod does not have makes the metric invalid",
    ),
    Behaviour(
        name="ScaledToZeroCondition",
        since=("1.36",),
        reference="#135118, KEP-2021",
        description="the condition ScaledToZero decides whether zero is left again",
    ),
    Behaviour(
        name="ObjectErrorInOrder",
        since=("1.37",),
        reference="#139029",
        description="the words of an Object metric's error stand in order",
    ),
    Behaviour(
        name="FewNamesWhenAmbiguous",
        since=("1.37",),
        reference="#139142",
        description="AmbiguousSelector names at most two HPAs",
    ),
    Behaviour(
        name="SucceededIgnored",
        since=("1.38",),
        reference="#141302; merged without a release note",
        known_by=KnownBy.READ,
        description="a Succeeded pod is ignored like a Failed one; before it was missing",
    ),
    Behaviour(
        name="OverheadExcluded",
        since=("1.38",),
        reference="#142154, CHANGELOG-1.38",
        known_by=KnownBy.READ,
        description="a request of the pod level no longer includes the pod's overhead",
    ),
    Behaviour(
        name="ReplicasCapped",
        since=("1.38",),
        reference="#141397, CHANGELOG-1.38",
        known_by=KnownBy.READ,
        description="every number of replicas beyond int32 is cut to the largest",
    ),
    Behaviour(
        name="TotalAtZero",
        since=("1.38",),
        reference="#140958, CHANGELOG-1.38",
        known_by=KnownBy.READ,
        description="at zero replicas the status of an average is the total, which before was divided by zero",
    ),
)
