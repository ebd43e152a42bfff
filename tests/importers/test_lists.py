"""Lists and watches of a capture: objects that are new, changed or gone, and what nobody saw."""

from pathlib import Path
from typing import Any

import pytest

from hpaaudit.model.facts import Fact, Gap, HpaSeen, LeaseSeen, PodSeen
from tests.importers.lines import (
    DEPLOYMENT,
    HPA,
    HPAS,
    PODS,
    Line,
    at,
    described,
    get_line,
    hpa,
    items,
    line,
    pod,
    read,
    saw,
)

NOT_FOUND = {"kind": "Status", "message": "not found"}


def test_a_list_replaces_what_was_known_of_its_collection(tmp_path: Path) -> None:
    facts = read(tmp_path, get_line(0, PODS, items(pod("a"), pod("b"))), get_line(15, PODS, items(pod("b"), pod("c"))))
    assert described(facts) == ["PodSeen a", "PodSeen b", "PodSeen b", "PodSeen c", "PodGone a"]


def test_a_list_replaces_within_its_namespace_only(tmp_path: Path) -> None:
    facts = read(
        tmp_path,
        get_line(0, "/api/v1/pods", items(pod("a"), pod("b", namespace="kitchen"))),
        get_line(15, PODS, items()),
        get_line(30, "/api/v1/pods", items()),
    )
    assert described(facts)[2:] == ["PodGone a", "PodGone b"]


def test_an_empty_or_null_list_leaves_nothing(tmp_path: Path) -> None:
    facts = read(tmp_path, get_line(0, PODS, items(pod("a"))), get_line(15, PODS, {"metadata": {}, "items": None}))
    assert described(facts) == ["PodSeen a", "PodGone a"]


def test_a_list_with_a_selector_speaks_of_what_matched_it(tmp_path: Path) -> None:
    """One whose last labels match and that is absent is gone; others are untouched."""
    other = pod("b", labels={"app": "api"})
    facts = read(
        tmp_path, get_line(0, PODS, items(pod("a"), other)), get_line(15, f"{PODS}?labelSelector=app%3Dweb", items())
    )
    assert described(facts) == ["PodSeen a", "PodSeen b", "PodGone a"]


def test_a_list_with_a_field_selector_removes_nobody(tmp_path: Path) -> None:
    facts = read(
        tmp_path,
        get_line(0, PODS, items(pod("a"))),
        get_line(15, f"{PODS}?fieldSelector=status.phase%3DRunning", items()),
    )
    assert described(facts) == ["PodSeen a"]


def test_pages_are_one_list_complete_with_its_last(tmp_path: Path) -> None:
    facts = read(
        tmp_path,
        get_line(0, PODS, items(pod("a"), pod("b"), pod("c"))),
        get_line(15, f"{PODS}?limit=1", items(pod("a"), **{"continue": "x"})),
        get_line(15.1, f"{PODS}?limit=1&continue=x", items(pod("c"), **{"continue": "y"})),
        get_line(15.2, f"{PODS}?limit=1&continue=y", items(pod("d"))),
    )
    assert described(facts)[3:] == ["PodSeen a", "PodSeen c", "PodSeen d", "PodGone b"]


def test_a_list_that_was_broken_off_removes_nobody(tmp_path: Path) -> None:
    facts = read(
        tmp_path,
        get_line(0, PODS, items(pod("a"), pod("b"))),
        get_line(15, f"{PODS}?limit=1", items(pod("a"), **{"continue": "x"})),
        get_line(30, f"{PODS}?limit=1", items(pod("a"), **{"continue": "z"})),
        get_line(30.1, f"{PODS}?limit=1&continue=z", items()),
    )
    assert described(facts)[2:] == ["PodSeen a", "PodSeen a", "PodGone b"]


def test_a_mixed_list_of_kubectl_is_sorted_by_kind_and_removes_nobody(tmp_path: Path) -> None:
    mixed = {
        "kind": "List",
        "items": [
            hpa(),
            {"apiVersion": "v1"} | pod("a"),
            {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "s"}},
        ],
    }
    facts = read(tmp_path, get_line(0, PODS, items(pod("b"))), get_line(15, PODS, mixed))
    assert described(facts) == ["PodSeen b", "HpaSeen web", "PodSeen a"]


def test_items_of_a_list_have_the_version_of_its_path(tmp_path: Path) -> None:
    bare = {key: value for key, value in hpa().items() if key not in ("apiVersion", "kind")}
    (one, other) = read(
        tmp_path,
        get_line(0, HPAS, items(bare)),
        get_line(1, "/apis/autoscaling/v1/horizontalpodautoscalers", items(bare)),
    )
    assert isinstance(one, HpaSeen)
    assert isinstance(other, HpaSeen)
    assert (one.api_version, other.api_version) == ("autoscaling/v2", "autoscaling/v1")


def test_a_watch_brings_what_came_changed_and_went(tmp_path: Path) -> None:
    facts = read(
        tmp_path,
        saw(0, PODS, "ADDED", pod("a", phase="Pending")),
        saw(1, PODS, "MODIFIED", pod("a")),
        saw(2, PODS, "BOOKMARK", {"kind": "Pod", "metadata": {"resourceVersion": "12"}}),
        saw(3, PODS, "DELETED", pod("a")),
    )
    assert described(facts) == ["PodSeen a", "PodSeen a", "PodGone a"]
    phases = [fact.pod.phase for fact in facts if isinstance(fact, PodSeen)]
    assert phases == ["Pending", "Running"]
    assert [fact.at_us for fact in facts] == [at(0), at(1), at(3)]


@pytest.mark.parametrize("ended", ["error", "410"])
def test_a_watch_that_broke_is_a_gap_until_the_next_full_list(tmp_path: Path, ended: str) -> None:
    broke = (
        saw(10, PODS, "ERROR", {"kind": "Status", "code": 410})
        if ended == "error"
        else get_line(10, f"{PODS}?watch=1&resourceVersion=3", None, 410)
    )
    facts = read(tmp_path, get_line(0, PODS, items(pod("a"))), broke, get_line(40, PODS, items(pod("a"))))
    gap = next(fact for fact in facts if isinstance(fact, Gap))
    assert (gap.at_us, gap.until_us, gap.prefix) == (at(10), at(40), PODS)
    assert described(facts)[-1] == "PodSeen a"


def test_404_on_an_object_deletes_it_and_other_failures_do_not(tmp_path: Path) -> None:
    facts = read(
        tmp_path,
        get_line(0, HPA, hpa()),
        get_line(15, HPA, None, 503),
        get_line(30, HPA, NOT_FOUND, 404),
        get_line(45, f"{PODS}/a", NOT_FOUND, 404),
    )
    assert described(facts) == ["HpaSeen web", "HpaGone web", "PodGone a"]


def test_a_failed_list_changes_nothing(tmp_path: Path) -> None:
    facts = read(
        tmp_path, get_line(0, PODS, items(pod("a"))), get_line(15, PODS, None, 403), get_line(30, PODS, "gateway", 504)
    )
    assert described(facts) == ["PodSeen a"]


def test_a_group_that_is_not_served_is_a_failure_and_no_empty_list(tmp_path: Path) -> None:
    facts = read(tmp_path, get_line(0, HPAS, items(hpa())), get_line(15, HPAS, "404 page not found\n", 404))
    assert described(facts) == ["HpaSeen web"]


def test_workloads_events_leases_and_api_services_are_read(tmp_path: Path) -> None:
    named: dict[str, Any] = {"metadata": {"name": "x", "namespace": "shop"}}
    facts = read(
        tmp_path,
        get_line(0, DEPLOYMENT, {"metadata": {"name": "web"}, "spec": {"replicas": 2}}),
        saw(1, "/apis/apps/v1/statefulsets", "ADDED", named),
        saw(2, "/apis/apps/v1/replicasets", "ADDED", named),
        saw(3, "/api/v1/replicationcontrollers", "ADDED", named),
        saw(4, "/api/v1/events", "ADDED", named),
        saw(5, "/apis/events.k8s.io/v1/events", "ADDED", named),
        saw(6, "/apis/coordination.k8s.io/v1/leases", "ADDED", named),
        saw(7, "/apis/apiregistration.k8s.io/v1/apiservices", "ADDED", named),
        saw(8, "/apis/apps/v1/statefulsets", "DELETED", named),
    )
    assert described(facts) == [
        *("TargetSeen web", "TargetSeen x", "TargetSeen x", "TargetSeen x", "EventSeen x", "EventSeen x"),
        *("LeaseSeen x", "ApiServiceSeen x", "TargetGone x"),
    ]


def test_of_an_hpa_the_labels_are_kept_and_of_a_lease_how_long_it_lasts(tmp_path: Path) -> None:
    labelled = hpa()
    labelled["metadata"] |= {"labels": {"tier": "web", "team": "shop"}, "annotations": {"secret": "hunter2"}}
    lease = {"metadata": {"name": "x", "namespace": "kube-system"}, "spec": {"leaseDurationSeconds": 30}}
    leases = "/apis/coordination.k8s.io/v1/leases"
    bare: dict[str, Any] = {"metadata": {"name": "x", "namespace": "kube-system"}}
    facts = read(
        tmp_path,
        get_line(0, HPAS, items(labelled)),
        get_line(1, HPA, hpa()),
        saw(2, leases, "ADDED", lease),
        saw(3, leases, "MODIFIED", bare),
    )
    assert [fact.labels_json for fact in facts if isinstance(fact, HpaSeen)] == ['{"team":"shop","tier":"web"}', "{}"]
    assert [fact.duration_seconds for fact in facts if isinstance(fact, LeaseSeen)] == [30, None]
    assert "hunter2" not in repr(facts)


def test_a_gap_says_that_nobody_looked(tmp_path: Path) -> None:
    (gap,) = read(tmp_path, line(5, gap="/apis/metrics.k8s.io", until="2026-03-02T14:01:00Z", cause="restart"))
    assert gap == Gap(at_us=at(5), until_us=at(60), prefix="/apis/metrics.k8s.io", cause="restart")


POLLED = "were only read now and then"


def _unseen(facts: list[Fact]) -> list[tuple[str, int, int]]:
    gaps = [fact for fact in facts if isinstance(fact, Gap) and POLLED in fact.cause]
    return [(gap.prefix, gap.at_us, gap.until_us) for gap in gaps]


def test_between_two_reads_of_what_nobody_watches_is_a_gap(tmp_path: Path) -> None:
    lists = [get_line(seconds, HPAS, items(hpa())) for seconds in (0, 15, 40)]
    assert _unseen(read(tmp_path, *lists)) == [(HPAS, at(0), at(15)), (HPAS, at(15), at(40))]


def test_one_hpa_that_is_read_again_has_a_gap_of_its_own(tmp_path: Path) -> None:
    assert _unseen(read(tmp_path, *(get_line(seconds, HPA, hpa()) for seconds in (0, 15)))) == [(HPA, at(0), at(15))]


@pytest.mark.parametrize(
    "telling",
    [
        line(1, watch=HPAS, type="BOOKMARK", object={}),
        line(1, reconcile="shop/web"),
        line(1, put=f"{HPA}/status", status=200, body=hpa()),
    ],
    ids=["a watch", "a line for each reconcile", "writes of its status"],
)
def test_what_else_tells_of_hpas_leaves_no_gap(tmp_path: Path, telling: Line) -> None:
    lists = [get_line(seconds, HPAS, items(hpa())) for seconds in (0, 15)]
    assert _unseen(read(tmp_path, lists[0], telling, lists[1])) == []
