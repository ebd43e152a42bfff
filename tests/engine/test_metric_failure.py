"""What the message of ScalingActive=False proves about the reads: a candidate that fails otherwise does not fit."""

import pytest

from hpaaudit.engine.controller import metric_failure as failures
from hpaaudit.engine.controller.metric_failure import failure_of
from hpaaudit.engine.fleet.columns import column_codes
from hpaaudit.model.hpa import Condition

PREFIX = "the HPA was unable to compute the replica count: "


def condition(message: str, kind: str = "ScalingActive", status: str = "False") -> Condition:
    """A condition with this message."""
    return Condition(
        type=kind, status=status, reason="FailedGetResourceMetric", message=message, last_transition_us=None
    )


@pytest.mark.parametrize(
    ("message", "failure"),
    [
        (
            "unable to get metrics for resource cpu: no metrics returned from resource metrics API",
            failures.NONE_RETURNED,
        ),
        (
            "unable to fetch metrics from resource metrics API: the server is currently unable to handle the request",
            failures.READ_FAILED,
        ),
        (
            "failed to get cpu utilization: did not receive metrics for targeted pods (pods might be unready)",
            failures.NO_SAMPLES,
        ),
        ("failed to get cpu utilization: did not receive metrics for any ready pods", failures.NO_SAMPLES),
        ("failed to get cpu utilization: missing request for cpu", failures.REQUEST_MISSING),
        (
            "failed to get cpu utilization: missing request for cpu in container app of Pod web-1",
            failures.REQUEST_MISSING,
        ),
        ("no metrics returned matched known pods", failures.NONE_MATCHED),
        (
            "the custom metrics API server returned 0 results when we asked for exactly one",
            failures.NONE_RETURNED,
        ),
        ("no pods returned by selector while calculating replica count", failures.OTHER),
        ("", failures.OTHER),
    ],
)
def test_the_message_tells_which_step_failed(message: str, failure: int) -> None:
    assert failure_of(condition(PREFIX + message)) == failure


def test_only_scaling_active_tells_of_a_failure_and_only_while_it_is_false() -> None:
    text = PREFIX + "no metrics returned from resource metrics API"
    assert failure_of(condition(text, status="True")) == failures.OTHER
    assert failure_of(condition(text, kind="AbleToScale")) == failures.OTHER


def test_every_problem_has_what_its_message_tells_and_every_failed_condition_a_code_of_its_own() -> None:
    assert len(column_codes.FAILURES) == len(column_codes.PROBLEMS)
    assert set(column_codes.FAILURES) == set(range(failures.KINDS))
    assert len(set(column_codes.CONDITIONS)) == len(column_codes.CONDITIONS)
    for kind in range(1, failures.KINDS):
        for reason in range(column_codes.FAILED_RESOURCE, column_codes.BAD_SOURCE):
            code = (
                column_codes.FIRST_FAILURE
                + (kind - 1) * column_codes.FAILED_REASONS
                + reason
                - column_codes.FAILED_RESOURCE
            )
            assert column_codes.CONDITIONS[code] == (*column_codes.CONDITIONS[reason][:2], kind)
