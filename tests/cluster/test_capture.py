"""The ground truth of a cluster: which reads of a scale begin a reconcile."""

from tests.cluster.capture import CONTROLLER, Line, first_reads

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
