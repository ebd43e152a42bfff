"""Which labels of a pod are kept, and what happens when a selector names another one."""

from typing import Any

from hpaaudit.api.selector import Selector, parse
from hpaaudit.cluster.stores.pods import PodStore
from hpaaudit.model.facts import Fact, PodSeen
from hpaaudit.model.units import Micros

NOW = Micros(1_772_452_800_000_000)
LABELS = {"app": "web", "tier": "front", "owner": "alice@example.org", "cost-centre": "4711"}


def pod(name: str = "web-0", version: int = 7, **labels: str) -> dict[str, Any]:
    """A pod as the API server shows it."""
    meta = {"namespace": "shop", "name": name, "uid": f"uid-{name}", "resourceVersion": str(version)}
    spec = {"containers": [{"name": "app", "env": [{"name": "PASSWORD", "value": "hunter2"}]}]}
    return {"metadata": {**meta, "labels": labels or dict(LABELS)}, "spec": spec, "status": {"phase": "Running"}}


def following(*selectors: str, keep: tuple[str, ...] = ()) -> tuple[PodStore, list[Fact]]:
    """Pods of these selectors, and what is told of them."""
    recorded: list[Fact] = []
    pods = PodStore(recorded.append, keep)
    pods.select({("shop", parsed(text)) for text in selectors})
    return pods, recorded


def parsed(text: str) -> Selector:
    """A selector."""
    return parse(text)


def labels(fact: Fact) -> dict[str, str]:
    """What is recorded of a pod's labels."""
    assert isinstance(fact, PodSeen)
    return dict(fact.pod.labels)


def test_only_labels_that_a_selector_of_the_namespace_names_are_kept() -> None:
    pods, emitted = following("app=web", "tier in (front, back)")
    pods.update(pod(), NOW)
    assert [labels(fact) for fact in emitted] == [{"app": "web", "tier": "front"}]


def test_keep_label_adds_to_them() -> None:
    pods, emitted = following("app=web", keep=("cost-centre", "absent"))
    pods.update(pod(), NOW)
    assert [labels(fact) for fact in emitted] == [{"app": "web", "cost-centre": "4711"}]


def test_a_label_that_nobody_keeps_may_change_unseen() -> None:
    pods, emitted = following("app=web")
    pods.update(pod(), NOW)
    pods.update(pod(version=8, app="web", owner="bob@example.org"), NOW)
    assert len(emitted) == 1


def test_a_selector_of_the_same_labels_reads_its_own_pods() -> None:
    pods, _ = following("app=web")
    assert pods.select({("shop", parsed("app=api"))}) == {("shop", parsed("app=api"))}


def test_a_selector_that_names_a_new_label_reads_all_pods_of_its_namespace_again_with_it() -> None:
    pods, emitted = following("app=web")
    pods.update(pod(), NOW)
    # Its absence counts too: without its label the pod would seem to match.
    assert pods.select({("shop", parsed("app=web,tier!=front"))}) == {("shop", None)}
    pods.update(pod(), NOW)
    assert [labels(fact) for fact in emitted] == [{"app": "web"}, {"app": "web", "tier": "front"}]
    assert pods.select({("shop", parsed("app=web,tier!=front"))}) == set()


def test_other_namespaces_keep_what_their_own_selectors_name() -> None:
    pods, emitted = following("app=web")
    assert pods.select({("bank", parsed("tier=front"))}) == {("bank", parsed("tier=front"))}
    pods.update(pod(), NOW)
    assert [labels(fact) for fact in emitted] == [{"app": "web"}]


def test_a_pod_of_any_kind_of_selector_is_found() -> None:
    for text in ("app=web", "app in (web)", "app!=api", "tier", "!gone", "app=web,tier=front", "owner notin (bob)"):
        pods, emitted = following(text)
        pods.update(pod(), NOW)
        pods.update(pod(name="other", app="api", gone="1"), NOW)
        assert [fact.pod.name for fact in emitted if isinstance(fact, PodSeen)][:1] == ["web-0"], text


def test_an_answer_that_is_older_than_what_is_known_changes_nothing() -> None:
    pods, emitted = following("app=web")
    pods.update(pod(version=9), NOW)
    late = pod(version=8)
    late["status"]["phase"] = "Pending"
    pods._take(late, NOW, fetched=True)
    assert len(emitted) == 1


def test_a_watch_that_is_behind_what_was_fetched_changes_nothing_until_it_has_caught_up() -> None:
    pods, emitted = following("app=web")
    pods._take(pod(version=9), NOW, fetched=True)
    late = pod(version=8)
    late["status"]["phase"] = "Pending"
    pods.update(late, NOW)
    assert len(emitted) == 1
    late["metadata"]["resourceVersion"] = "10"
    pods.update(late, NOW)
    assert len(emitted) == 2


def test_a_pod_of_a_server_that_came_back_from_a_backup_is_told_in_its_older_version() -> None:
    """What the watch says last is what is: only what was fetched beside it may be ahead of it."""
    pods, emitted = following("app=web")
    pods.update(pod(version=9), NOW)
    older = pod(version=7)
    older["status"]["phase"] = "Pending"
    pods.update(older, NOW)
    assert [fact.pod.phase for fact in emitted if isinstance(fact, PodSeen)] == ["Running", "Pending"]
