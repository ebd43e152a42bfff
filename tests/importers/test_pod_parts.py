"""A capture that lists or watches some pods only: of which targets it shows all."""

from pathlib import Path

import pytest

from hpaaudit.importers.pod_parts import PodPart
from hpaaudit.model.facts import Gap
from tests.importers.lines import (
    CONTROLLER,
    HPAS,
    PODS,
    SCALE,
    Line,
    at,
    get_line,
    hpa,
    items,
    line,
    pod,
    read,
    saw,
    scale,
)

ALL_PODS = "/api/v1/pods"
PARTIAL = ("fieldSelector=spec.nodeName%3Dn1", "labelSelector=app%3Dweb%2Ctrack%3Dstable", "labelSelector=app%3Dapi")
WHOLE = (
    "labelSelector=app%3Dweb",
    "labelSelector=app%3D%3Dweb",
    "labelSelector=app",
    "labelSelector=app+in+(api%2Cweb)",
    "labelSelector=app!%3Dapi",
    "fieldSelector=metadata.namespace%3Dshop",
    "fieldSelector=status.phase!%3DFailed",
    "limit=500",
)


def _gaps(folder: Path, *lines: Line) -> list[tuple[str, int, int]]:
    """The gaps of the pods: prefix, begin and end in seconds."""
    facts = read(
        folder, get_line(0, HPAS, items(hpa())), *lines, saw(900, HPAS, "MODIFIED", hpa()), line(900, end=True)
    )
    pods = (fact for fact in facts if isinstance(fact, Gap) and "/pods" in fact.prefix)
    return [(gap.prefix, (gap.at_us - at(0)) // 1_000_000, (gap.until_us - at(0)) // 1_000_000) for gap in pods]


def _scales() -> list[Line]:
    return [get_line(15 * nth, SCALE, scale(3)) for nth in range(60)]


def _lines(*lines: Line) -> list[Line]:
    return sorted([*lines, *_scales()], key=lambda one: str(one["at"]))


UNSEEN = f"{PODS}#deployments/web"


@pytest.mark.parametrize("query", PARTIAL)
def test_who_lists_some_pods_has_not_seen_those_of_a_target(query: str, tmp_path: Path) -> None:
    lines = _lines(get_line(0, f"{ALL_PODS}?{query}", items(pod("a"))))
    assert _gaps(tmp_path, *lines) == [(UNSEEN, 0, 900)]


@pytest.mark.parametrize("query", PARTIAL)
def test_who_watches_some_pods_has_not_seen_those_of_a_target(query: str, tmp_path: Path) -> None:
    lines = _lines(saw(0, f"{ALL_PODS}?{query}", "ADDED", pod("a")), saw(60, f"{ALL_PODS}?{query}", "ADDED", pod("b")))
    assert _gaps(tmp_path, *lines) == [(UNSEEN, 0, 900)]


@pytest.mark.parametrize("query", WHOLE)
def test_a_selector_that_lets_all_pods_of_the_target_through_hides_none(query: str, tmp_path: Path) -> None:
    assert _gaps(tmp_path, *_lines(get_line(0, f"{ALL_PODS}?{query}", items(pod("a"))))) == []


def test_a_list_of_another_namespace_says_nothing_of_this_one(tmp_path: Path) -> None:
    other = get_line(0, f"{ALL_PODS}?fieldSelector=metadata.namespace%3Dkitchen", items(pod("a", namespace="kitchen")))
    assert _gaps(tmp_path, *_lines(other)) == [(UNSEEN, 0, 900)]


def test_one_pod_that_is_read_alone_tells_nothing_of_the_others(tmp_path: Path) -> None:
    assert (UNSEEN, 0, 900) in _gaps(tmp_path, *_lines(get_line(0, f"{PODS}/a", pod("a"))))


def test_the_first_page_of_a_list_is_not_the_list(tmp_path: Path) -> None:
    page = get_line(0, f"{PODS}?limit=1", items(pod("a"), **{"continue": "x"}))
    assert _gaps(tmp_path, *_lines(page)) == [(UNSEEN, 0, 900)]


def test_a_watch_that_goes_on_from_a_list_of_some_pods_shows_only_new_ones(tmp_path: Path) -> None:
    lines = _lines(
        get_line(0, f"{PODS}?fieldSelector=spec.nodeName%3Dn1", items(pod("a"))), saw(60, PODS, "ADDED", pod("b"))
    )
    assert _gaps(tmp_path, *lines) == [(UNSEEN, 0, 900)]


def test_a_full_list_afterwards_ends_the_gap(tmp_path: Path) -> None:
    part = get_line(0, f"{PODS}?fieldSelector=spec.nodeName%3Dn1", items(pod("a")))
    lines = _lines(part, get_line(300, PODS, items(pod("a"), pod("b"))))
    assert _gaps(tmp_path, *lines) == [(UNSEEN, 0, 300)]


def test_a_part_after_a_full_list_takes_nothing_away(tmp_path: Path) -> None:
    full = get_line(0, PODS, items(pod("a"), pod("b")))
    lines = _lines(full, get_line(300, f"{PODS}?fieldSelector=status.phase%3DFailed", items()))
    assert _gaps(tmp_path, *lines) == []


def test_only_the_target_is_hidden_that_the_selector_leaves_out(tmp_path: Path) -> None:
    api = SCALE.replace("/web/", "/api/")
    other = scale(3) | {"status": {"replicas": 3, "selector": "app=api"}}
    lines = _lines(
        get_line(0, HPAS, items(hpa(), hpa("api"))),
        get_line(0, f"{PODS}?labelSelector=app%3Dweb", items(pod("a"))),
        get_line(1, api, other),
    )
    assert _gaps(tmp_path, *lines) == [(f"{PODS}#deployments/api", 0, 900)]


def test_a_controller_that_lists_the_pods_of_each_target_itself_leaves_no_gap(tmp_path: Path) -> None:
    own = get_line(0, f"{PODS}?labelSelector=app%3Dapi", items(pod("a", labels={"app": "api"})), by=CONTROLLER)
    assert _gaps(tmp_path, *_lines(own)) == []


def test_failed_pods_may_be_missing_since_they_are_ignored() -> None:
    running = PodPart("", fields="status.phase!=Failed")
    assert running.covers("shop", "app=web", ignores_failed=True)
    assert not running.covers("shop", "app=web", ignores_failed=False)


@pytest.mark.parametrize("fields", ["status.phase=Running", "status.phase!=Succeeded", "metadata.name=a"])
def test_pods_that_count_may_not_be_missing(fields: str) -> None:
    """A pod that succeeded counts as one without a sample, up to 1.37."""
    assert not PodPart("", fields=fields).covers("shop", "app=web", ignores_failed=True)


@pytest.mark.parametrize("labels", ["app notin (web)", "!app", "app=web,tier", "app in (web", "app!=web"])
def test_labels_that_the_target_does_not_promise_are_a_part(labels: str) -> None:
    assert not PodPart("shop", labels).covers("shop", "app=web", ignores_failed=True)
