"""How a metric failed, as the message of ScalingActive tells it: its read, its answer, its samples or its requests.

The reason of the condition names only the kind of metric. The message tells which step of `GetResourceReplicas` (or
its siblings) failed, and so what the controller had read.
"""

from hpaaudit.model.hpa import Condition

OTHER = 0
READ_FAILED = 1
NONE_RETURNED = 2
NO_SAMPLES = 3
NONE_MATCHED = 4
REQUEST_MISSING = 5
KINDS = 6

_ENDINGS = {
    "metrics API that it can have read was recorded": READ_FAILED,
    "no metrics returned from resource metrics API": NONE_RETURNED,
    "no metrics returned from custom metrics API": NONE_RETURNED,
    "no metrics returned from external metrics API": NONE_RETURNED,
    "results when we asked for exactly one": NONE_RETURNED,
    "did not receive metrics for targeted pods (pods might be unready)": NO_SAMPLES,
    "did not receive metrics for any ready pods": NO_SAMPLES,
    "no metrics returned matched known pods": NONE_MATCHED,
}
_PARTS = {"unable to fetch metrics from ": READ_FAILED, "missing request for ": REQUEST_MISSING}


def failure_of(condition: Condition) -> int:
    """The step that failed, by the message of ScalingActive=False; OTHER for any other condition or message."""
    if condition.type != "ScalingActive" or condition.status != "False":
        return OTHER
    text = condition.message
    kinds_by_ending = (kind for ending, kind in _ENDINGS.items() if text.endswith(ending))
    return next(kinds_by_ending, next((kind for part, kind in _PARTS.items() if part in text), OTHER))
