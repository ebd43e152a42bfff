"""What a reconcile of a capture read: its own answers first, else the newest; the n-th metric the n-th answer."""

from pathlib import Path

from hpaaudit.engine.replay.plan import plan
from hpaaudit.engine.replay.process import Process, replay
from hpaaudit.model.decision import Decision
from hpaaudit.model.flags import Flags
from tests.importers.lines import (
    CONTROLLER,
    HPAS,
    PODS,
    SCALE,
    USAGE,
    Line,
    get_line,
    hpa,
    items,
    line,
    read,
    running,
    saw,
    scale,
    usage,
)

WHOLE = "/apis/metrics.k8s.io/v1beta1/namespaces/shop/pods"


HEAD = (
    line(0, controller="started", release="1.36"),
    saw(1, HPAS, "ADDED", hpa()),
    get_line(2, PODS, items(running("web-0"), running("web-1"))),
    get_line(3, SCALE, scale(2)),
)


def decided(folder: Path, *lines: Line) -> list[Decision]:
    """Replays a capture."""
    facts = read(folder, *HEAD, *lines)
    laid_out = plan(facts, None)
    flags = Flags(release="1.36")
    process = Process(laid_out, flags, lambda _: flags, keep_pods=False)
    return [reconcile.decision for reconcile in replay(facts, laid_out, process, ())]


def test_without_an_answer_of_its_own_a_reconcile_saw_the_newest(tmp_path: Path) -> None:
    (reconcile,) = decided(
        tmp_path,
        get_line(10, USAGE, usage(web_0=900, web_1=900)),
        get_line(12, USAGE, usage(web_0=500, web_1=500)),
        line(15, reconcile="shop/web"),
    )
    assert reconcile.raw_desired == 2


def test_an_answer_to_the_controller_since_its_last_reconcile_is_what_it_saw(tmp_path: Path) -> None:
    first, second = decided(
        tmp_path,
        get_line(10, USAGE, usage(web_0=900, web_1=900), by=CONTROLLER),
        get_line(12, USAGE, usage(web_0=500, web_1=500)),
        line(15, reconcile="shop/web"),
        line(30, reconcile="shop/web"),
    )
    assert (first.raw_desired, second.raw_desired) == (4, 2)


def test_the_newest_answer_counts_a_failure_included(tmp_path: Path) -> None:
    (reconcile,) = decided(
        tmp_path,
        get_line(10, USAGE, usage(web_0=900, web_1=900)),
        get_line(12, USAGE, None, 503, error="down"),
        line(15, reconcile="shop/web"),
    )
    assert reconcile.raw_desired is None
    assert reconcile.proposals[0].invalid_text.endswith("down")


def test_pods_and_hpas_keep_their_state_while_a_read_of_them_fails(tmp_path: Path) -> None:
    (reconcile,) = decided(
        tmp_path,
        get_line(10, PODS, None, 503),
        get_line(10, HPAS, None, 503),
        get_line(11, USAGE, usage(web_0=900, web_1=900)),
        line(15, reconcile="shop/web"),
    )
    assert reconcile.raw_desired == 4


def test_a_scale_does_not(tmp_path: Path) -> None:
    (reconcile,) = decided(tmp_path, get_line(10, SCALE, None, 503, error="down"), line(15, reconcile="shop/web"))
    assert (reconcile.reason_code, reconcile.desired) == ("gate.target_unreadable", None)


def test_a_write_moves_what_the_next_reconcile_reads(tmp_path: Path) -> None:
    (reconcile,) = decided(
        tmp_path,
        line(9, put=SCALE, status=200, body=scale(20), by="alice"),
        line(10, put=SCALE, status=409, body={"message": "no"}, request=scale(30)),
        line(15, reconcile="shop/web"),
    )
    assert (reconcile.spec_replicas, reconcile.reason_code) == (20, "gate.above_max")


def test_the_list_of_a_namespace_serves_every_selector_in_it(tmp_path: Path) -> None:
    (reconcile,) = decided(
        tmp_path, get_line(10, WHOLE, usage(web_0=900, web_1=900, other=1)), line(15, reconcile="shop/web")
    )
    assert (reconcile.raw_desired, reconcile.proposals[0].current_milli) == (4, 900)


def test_of_several_answers_to_one_request_the_nth_metric_saw_the_nth(tmp_path: Path) -> None:
    source = {"metric": {"name": "q"}, "target": {"type": "AverageValue", "averageValue": "1"}}
    twice = hpa()
    twice["spec"]["metrics"] = [{"type": "External", "external": source}] * 2
    path = "/apis/external.metrics.k8s.io/v1beta1/namespaces/shop/q"
    (reconcile,) = decided(
        tmp_path,
        saw(5, HPAS, "MODIFIED", twice),
        get_line(10, path, {"items": [{"value": "3"}]}, by=CONTROLLER),
        get_line(11, path, {"items": [{"value": "4"}]}, by=CONTROLLER),
        line(15, reconcile="shop/web"),
    )
    assert [proposal.current_milli for proposal in reconcile.proposals] == [1500, 2000]
    assert [proposal.proposal for proposal in reconcile.proposals] == [3, 4]


def test_the_writes_after_a_reconcile_are_its_own(tmp_path: Path) -> None:
    first, second = decided(
        tmp_path,
        get_line(10, USAGE, usage(web_0=900, web_1=900)),
        line(15, reconcile="shop/web"),
        line(15.1, put=SCALE, status=500, body={"message": "no quota"}, request=scale(4), by=CONTROLLER),
        line(30, reconcile="shop/web"),
        line(30.1, put=SCALE, status=200, body=scale(4), by=CONTROLLER),
    )
    assert [(attempt.to, attempt.status) for attempt in first.attempts] == [(4, 500)]
    assert first.events[-1].message.endswith("error: no quota")
    assert [(attempt.to, attempt.status) for attempt in second.attempts] == [(4, 200)]


def test_a_process_that_starts_remembers_nothing(tmp_path: Path) -> None:
    idle = get_line(14, USAGE, usage(web_0=10, web_1=10))
    remembered, forgotten = (
        decided(tmp_path, *before, idle, line(15, reconcile="shop/web"), *between, line(330, reconcile="shop/web"))[-1]
        for before, between in (((), ()), ((), (line(20, controller="started", release="1.36"),)))
    )
    assert (remembered.desired, remembered.raw_desired) == (1, 1)
    assert (forgotten.desired, forgotten.raw_desired) == (2, 1)


def test_a_reconcile_of_an_hpa_that_is_gone_frees_its_memory(tmp_path: Path) -> None:
    idle = usage(web_0=10, web_1=10)
    first, gone, again = decided(
        tmp_path,
        get_line(14, USAGE, idle),
        line(15, reconcile="shop/web"),
        saw(20, HPAS, "DELETED", hpa()),
        line(30, reconcile="shop/web"),
        saw(310, HPAS, "ADDED", hpa()),
        line(330, reconcile="shop/web"),
    )
    assert (first.desired, gone.gone) == (2, True)
    assert (again.desired, again.raw_desired) == (2, 1)


def test_one_made_again_before_its_reconcile_keeps_its_memory(tmp_path: Path) -> None:
    again = decided(
        tmp_path,
        get_line(14, USAGE, usage(web_0=10, web_1=10)),
        line(15, reconcile="shop/web"),
        saw(20, HPAS, "DELETED", hpa()),
        saw(21, HPAS, "ADDED", hpa()),
        line(316, reconcile="shop/web"),
    )[-1]
    assert (again.desired, again.raw_desired) == (1, 1)
