"""Objects that cannot be read: few rows, however often they come; a gap for each, however many; and no secret."""

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from hpaaudit.cluster.decoding import kinds
from hpaaudit.cluster.decoding.unreadable import KEPT_CHARS, Unreadable, of_object, redacted, unreadable
from hpaaudit.cluster.watch.gaps import Gaps
from hpaaudit.cluster.watch.unreadable_objects import MAX_OBJECTS, RELIST_US, ROW_US, UnreadableObjects
from hpaaudit.model.facts import Fact, Gap, Refused
from hpaaudit.model.units import SECOND, Micros
from tests.cluster.mutations import documents
from tests.cluster.small import PATHS, object_of

NOON = 1_772_452_800 * SECOND
HPAS = "/apis/autoscaling/v2/horizontalpodautoscalers"
KINDS: dict[str, Any] = {
    "hpa": kinds.Hpa,
    "pod": kinds.Pod,
    "event": kinds.Event,
    "deployment": kinds.Workload,
    "custom": kinds.Custom,
    "lease": kinds.Lease,
    "api_service": kinds.ApiService,
    "scaled_object": kinds.ScaledObject,
    "quota": kinds.Surrounding,
    "node": kinds.Surrounding,
    "webhook": kinds.Surrounding,
}


def at(seconds: float) -> Micros:
    """An instant so many seconds after noon."""
    return Micros(NOON + round(seconds * SECOND))


def bad(name: str = "odd", namespace: str = "shop") -> Unreadable:
    """An object that cannot be read."""
    return Unreadable(reason="it is odd", namespace=namespace, name=name, bytes=300)


class Page:
    """What was written down of one collection."""

    def __init__(self, path: str = HPAS) -> None:
        self.facts: list[Fact] = []
        self.notes: list[str] = []
        self.gaps = Gaps(self.facts.append)
        self.unread = UnreadableObjects(path, self.gaps, self.facts.append, self.notes.append)

    def rows(self) -> list[Refused]:
        """Of what was refused."""
        return [fact for fact in self.facts if isinstance(fact, Refused)]

    def hidden(self) -> list[str]:
        """The paths of gaps."""
        return [fact.prefix for fact in self.facts if isinstance(fact, Gap)]


def test_an_object_that_comes_a_hundred_times_a_second_has_a_row_a_minute_which_counts() -> None:
    page = Page()
    for number in range(20_000):
        page.unread.add(bad(), at(number / 100))
    page.unread.write_counts(at(200))
    assert len(page.rows()) <= 200 * SECOND / ROW_US + 2
    assert sum(row.count for row in page.rows()) == 20_000
    assert len(page.notes) == 1


def test_its_gap_ends_when_it_can_be_read_or_is_gone() -> None:
    page = Page()
    for name in ("mended", "gone", "odd"):
        page.unread.add(bad(name), at(0))
    page.unread.discard(("shop", "mended"), at(10))
    page.unread.begin_list()
    page.unread.add(bad("odd"), at(20))
    page.unread.end_list(at(20))
    base = "/apis/autoscaling/v2/namespaces/shop/horizontalpodautoscalers"
    assert page.hidden() == [f"{base}/mended", f"{base}/gone"]
    assert list(page.gaps.open) == [f"{base}/odd"]


def test_of_very_many_the_collection_is_the_gap_and_only_a_list_ends_it() -> None:
    page = Page()
    for number in range(5 * MAX_OBJECTS):
        page.unread.add(bad(f"odd-{number}"), at(0))
    assert len(page.rows()) <= MAX_OBJECTS + 1
    assert len(page.notes) <= MAX_OBJECTS + 1
    assert f"{HPAS}/" in page.gaps.open
    assert not page.unread.needs_list(at(1))
    assert page.unread.needs_list(Micros(at(1) + RELIST_US))
    page.unread.begin_list()
    page.unread.end_list(at(30))
    assert page.gaps.open == {}
    assert sum(row.count for row in page.rows()) == 5 * MAX_OBJECTS


def test_what_tells_no_name_is_of_its_namespace_and_what_tells_nothing_of_all() -> None:
    page = Page()
    page.unread.add(bad("", "shop"), at(0))
    page.unread.add(bad("", ""), at(0))
    page.unread.add(bad("a/../b?c#d", "shop"), at(0))
    base = "/apis/autoscaling/v2"
    assert list(page.gaps.open) == [
        f"{base}/namespaces/shop/horizontalpodautoscalers/",
        f"{HPAS}/",
        f"{base}/namespaces/shop/horizontalpodautoscalers/a%2F..%2Fb%3Fc%23d",
    ]


def test_a_collection_of_one_namespace_names_it_once() -> None:
    page = Page("/api/v1/namespaces/shop/pods")
    page.unread.add(bad(), at(0))
    assert list(page.gaps.open) == ["/api/v1/namespaces/shop/pods/odd"]


@given(st.sampled_from(sorted(PATHS)), st.data())
def test_of_no_object_a_secret_is_kept_and_never_much(kind: str, data: st.DataObject) -> None:
    """Whatever one of its values is instead: not even where the secret stands in the place of something else."""
    drawn = data.draw(documents(object_of(kind, "bad")))
    described = unreadable(drawn, KINDS[kind], "it is odd")
    assert "hunter2" not in repr(described.object_json)
    assert len(described.object_json) <= KEPT_CHARS
    assert isinstance(json.loads(described.object_json), dict)


def test_what_has_another_type_is_kept_as_that_type_alone() -> None:
    raw = object_of("pod", "web-1") | {"spec": "hunter2", "status": {"phase": ["hunter2"], "startTime": 5}}
    shown = json.loads(redacted(raw, kinds.Pod))
    assert (shown["spec"], shown["status"]) == ("<string>", {"phase": "<array>", "startTime": 5})
    assert (shown["metadata"]["name"], shown["metadata"]["labels"]) == ("web-1", "<object>")
    assert of_object(raw, kinds.Pod, "odd").key == ("shop", "web-1")
