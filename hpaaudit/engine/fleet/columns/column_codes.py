"""The codes in the columns: problems of metrics, conditions, evidence, and which currentMetrics are published."""

from hpaaudit.engine.controller import metric_failure as failures
from hpaaudit.engine.rules import candidates
from hpaaudit.engine.rules import published_status as published

NULL = candidates.UNKNOWN
"""No number."""

NO_STATUS = 2
"""In `Reconciles.unwritten`: nobody saw a status of this reconcile, which was refused or hidden by a gap."""

# Why a metric has no proposal. PROBLEMS has the code that results show for each.
UNSEEN = 0
API_UNAVAILABLE = 1
FORBIDDEN = 2
NOT_REGISTERED = 3
NO_METRICS = 4
EMPTY_EXTERNAL = 5
CONTAINER_MISSING = 6
BAD_SPEC = 7
NO_PODS = 8
NO_READY_METRICS = 9
NO_MATCHING_PODS = 10
MISSING_REQUEST = 11
ABSENT_CONTAINER = 12
NOT_ANSWERED = 13
NO_HEAPSTER_METRICS = 14
UNSEEN_HEAPSTER = 15
NOT_OF_HEAPSTER = 16
PROBLEMS = (
    "metric.invalid.unseen",
    "metric.invalid.api_unavailable",
    "metric.invalid.forbidden",
    "metric.invalid.not_registered",
    "metric.invalid.no_metrics",
    "metric.invalid.empty_external",
    "metric.invalid.container_missing",
    "metric.invalid.bad_spec",
    "metric.invalid.no_pods",
    "metric.invalid.no_ready_metrics",
    "metric.invalid.no_pods",
    "metric.invalid.missing_request",
    "metric.invalid.container_missing",
    "metric.invalid.api_unavailable",
    "metric.invalid.no_metrics",
    "metric.invalid.unseen",
    "metric.invalid.not_registered",
)
FAILURES = (
    failures.READ_FAILED,
    failures.READ_FAILED,
    failures.READ_FAILED,
    failures.READ_FAILED,
    failures.NONE_RETURNED,
    failures.NONE_RETURNED,
    failures.OTHER,
    failures.OTHER,
    failures.OTHER,
    failures.NO_SAMPLES,
    failures.NONE_MATCHED,
    failures.REQUEST_MISSING,
    failures.OTHER,
    failures.OTHER,
    failures.OTHER,
    failures.OTHER,
    failures.OTHER,
)
"""What the message of ScalingActive tells of each problem."""

# What a reconcile sets the conditions AbleToScale, ScalingActive and ScalingLimited to; KEPT: it leaves one as it was.
KEPT = 0
GET_FAILED = published.UNREAD
GOT = 2
READY = 3
UP_STABILIZED = 4
DOWN_STABILIZED = 5
RESCALED = published.RESCALED
UPDATE_FAILED = 7
DISABLED = 8
NO_SELECTOR = 9
VALID = 10
IN_RANGE = 11
TOO_FEW = 12
TOO_MANY = 13
UP_LIMIT = 14
DOWN_LIMIT = 15
FAILED_RESOURCE = 16
FAILED_CONTAINER = 17
FAILED_PODS = 18
FAILED_OBJECT = 19
FAILED_EXTERNAL = 20
BAD_SOURCE = 21
BACKOFF = 22
"""The first of the codes of AbleToScale that tell which forbidden windows are closed (to 1.11)."""
_REASONS = (
    ("", ""),
    ("False", "FailedGetScale"),
    ("True", "SucceededGetScale"),
    ("True", "ReadyForNewScale"),
    ("True", "ScaleUpStabilized"),
    ("True", "ScaleDownStabilized"),
    ("True", "SucceededRescale"),
    ("False", "FailedUpdateScale"),
    ("False", "ScalingDisabled"),
    ("False", "InvalidSelector"),
    ("True", "ValidMetricFound"),
    ("False", "DesiredWithinRange"),
    ("True", "TooFewReplicas"),
    ("True", "TooManyReplicas"),
    ("True", "ScaleUpLimit"),
    ("True", "ScaleDownLimit"),
    ("False", "FailedGetResourceMetric"),
    ("False", "FailedGetContainerResourceMetric"),
    ("False", "FailedGetPodsMetric"),
    ("False", "FailedGetObjectMetric"),
    ("False", "FailedGetExternalMetric"),
    ("False", "InvalidMetricSourceType"),
    ("False", "BackoffDownscale"),
    ("False", "BackoffUpscale"),
    ("False", "BackoffBoth"),
)
_FAILED = _REASONS[FAILED_RESOURCE:BAD_SOURCE]
CONDITIONS = (
    *((*reason, failures.OTHER) for reason in _REASONS),
    *((*reason, failure) for failure in range(1, failures.KINDS) for reason in _FAILED),
)
"""Status and reason of a condition by its code, and what its message tells of a failure."""

FIRST_FAILURE, FAILED_REASONS = len(_REASONS), len(_FAILED)
"""The code from which on conditions tell of a failure, and how many reasons have one."""

# How sure it is what a reconcile read.
SEEN = 0
PROVEN = 1
ASSUMED = 2
EVIDENCE = ("seen", "proven", "assumed")

# Which currentMetrics a reconcile publishes.
NO_METRICS_SHOWN = 0
OWN_METRICS_SHOWN = 1
OLD_METRICS_SHOWN = 2
