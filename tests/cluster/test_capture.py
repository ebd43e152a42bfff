"""The ground truth of a cluster: which reads of a scale begin a reconcile."""

import pytest

from tests.cluster.capture import CONTROLLER, Line, first_reads, reconciles, seconds

SCALE = "/apis/apps/v1/namespaces/shop/deployments/web/scale"


def read(at: float) -> Line:
    """The controller reads the scale."""
    return {"at": f"2026-03-02T14:00:{at:06.3f}Z", "get": SCALE, "by": CONTROLLER, "status": 200}


def write(at: float, status: int, by: str = CONTROLLER) -> Line:
    """Somebody writes it."""
    return {"at": f"2026-03-02T14:00:{at:06.3f}Z", "put": SCALE, "by": by, "status": status}


def begun(*lines: Line) -> list[float]:
    """The seconds at which a reconcile begins."""
    return [round(at % 60, 3) for at in first_reads(SCALE, list(lines))]


def test_every_read_begins_a_reconcile() -> None:
    assert begun(read(1), write(1.01, 200), read(2), read(3)) == [1, 2, 3]


def test_the_read_after_a_conflict_belongs_to_the_same_reconcile() -> None:
    assert begun(read(1), write(1.01, 409), read(1.03), write(1.04, 409), read(1.06), write(1.07, 200), read(2)) == [
        1,
        2,
    ]


def test_after_a_refusal_or_somebody_elses_conflict_nothing_is_tried_again() -> None:
    assert begun(read(1), write(1.01, 403), read(1.3), write(1.31, 409, by="alice"), read(1.6)) == [1, 1.3, 1.6]


def test_one_read_is_tried_again_for_a_conflict_and_the_next_begins_a_reconcile_however_soon() -> None:
    assert begun(read(1), write(1.01, 409), read(1.03), write(1.04, 200), read(1.3), write(1.31, 200)) == [1, 1.3]


STATUS = "/apis/autoscaling/v2/namespaces/shop/horizontalpodautoscalers/web/status"
HPA: Line = {
    "at": "2026-03-02T14:00:00Z",
    "object": {
        "kind": "HorizontalPodAutoscaler",
        "metadata": {"namespace": "shop", "name": "web"},
        "spec": {"scaleTargetRef": {"apiVersion": "apps/v1", "kind": "Deployment", "name": "web"}},
    },
}


def instant(at: float) -> str:
    """A second of that minute."""
    return f"2026-03-02T14:00:{at:09.6f}Z"


@pytest.mark.parametrize(
    ("decided_at", "status_ended", "whole"),
    [(2.5, 2.6, [1.5, 2.5]), (2.5, 3.1, [1.5]), (2.9, None, [1.5]), (2.5, None, [1.5, 2.5])],
    ids=["before the end", "after it", "not any more", "nothing to say"],
)
@pytest.mark.parametrize("cut", ["by a restart", "by the end"])
def test_a_reconcile_that_was_cut_off_before_its_status_has_no_line(
    cut: str, decided_at: float, status_ended: float | None, whole: list[float]
) -> None:
    """Two reconciles decide; the second one's status is answered in time or late, or is not sent."""
    seen: list[Line] = [HPA, {"at": instant(3), "controller": "started"}]
    if cut == "by a restart":
        seen.append({"at": instant(9), "watch": "/api/v1/pods"})
    status = {"put": STATUS, "by": CONTROLLER, "status": 200}
    audit: list[Line] = [read(1), {**status, "begun": instant(1.5), "at": instant(1.6)}, read(2)]
    if status_ended is not None:
        audit.append({**status, "begun": instant(decided_at), "at": instant(status_ended)})
    decided = {"Deployment/shop/web": [seconds(instant(decided_at))]}
    assert [seconds(line["at"]) % 60 for line in reconciles(seen, audit, decided)] == whole
