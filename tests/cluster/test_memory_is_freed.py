"""What is deleted takes no memory: after thousands of namespaces came and went it is as before."""

from typing import Any

from hpaaudit.api.selector import parse
from hpaaudit.cluster.stores.pods import UNWANTED_US, PodStore
from hpaaudit.model.facts import PodGone, PodSeen
from hpaaudit.model.units import SECOND, Micros

NAMESPACES = 10_000
WEB = parse("app=web")


def pod(namespace: str, name: str = "web-0", version: int = 1) -> dict[str, Any]:
    """A pod as a watch tells it."""
    meta = {"namespace": namespace, "name": name, "uid": f"{namespace}-{name}", "resourceVersion": str(version)}
    return {"metadata": {**meta, "labels": {"app": "web"}}, "spec": {"containers": []}, "status": {}}


def test_selectors_and_labels_of_namespaces_that_are_gone_are_freed() -> None:
    facts: list[Any] = []
    pods = PodStore(facts.append)
    for number in range(NAMESPACES):
        now, space = Micros(number * SECOND), f"space-{number}"
        pods.select({(space, WEB)})
        pods.update(pod(space), now)
        pods.delete(pod(space), now)
        pods.expire({(space, WEB)}, now)
        assert len(pods.namespaces) <= 2 * UNWANTED_US // SECOND + 2
    assert len(facts) == 2 * NAMESPACES
    assert not pods.versions
    for times in (1, 2, 3, 4):
        pods.expire(set(), Micros(NAMESPACES * SECOND + times * UNWANTED_US))
    assert not pods.namespaces


def test_selectors_of_hpas_that_are_gone_are_freed_in_a_namespace_that_stays() -> None:
    pods = PodStore([].append)
    for number in range(5000):
        wanted = {("shop", WEB), ("shop", parse(f"app=app-{number}")), ("shop", parse(f"app!=app-{number}"))}
        now = Micros(number * SECOND)
        pods.select(wanted)
        pods.expire(wanted, now)
    chosen = pods.namespaces["shop"]
    bound = 2 * UNWANTED_US // SECOND + 5
    sizes = (len(chosen.selectors), len(chosen.by_pair), len(chosen.others), len(chosen.unwanted_us))
    assert max(sizes) <= bound, sizes
    assert WEB in chosen.selectors


def test_a_target_that_is_away_for_a_moment_costs_nothing() -> None:
    """A selector that is wanted again in time was never freed, so that nothing is read anew."""
    facts: list[Any] = []
    pods = PodStore(facts.append)
    pods.select({("shop", WEB)})
    pods.expire(set(), Micros(0))
    pods.expire(set(), Micros(UNWANTED_US - 1))
    assert pods.select({("shop", WEB)}) == set()
    pods.expire({("shop", WEB)}, Micros(UNWANTED_US))
    pods.expire(set(), Micros(UNWANTED_US + 1))
    pods.update(pod("shop"), Micros(UNWANTED_US + 2))
    assert len(facts) == 1


def test_a_pod_that_was_told_of_is_followed_to_its_end_though_nobody_asks_for_it() -> None:
    facts: list[Any] = []
    pods = PodStore(facts.append)
    pods.select({("shop", WEB)})
    pods.update(pod("shop"), Micros(0))
    for at in (0, UNWANTED_US, 2 * UNWANTED_US):
        pods.expire(set(), Micros(at))
    pods.update(pod("shop", "web-1"), Micros(3 * UNWANTED_US))
    pods.delete(pod("shop"), Micros(3 * UNWANTED_US))
    assert [type(fact) for fact in facts] == [PodSeen, PodGone]
    assert not pods.versions
    # Whoever asks again has them read again.
    assert pods.select({("shop", WEB)}) == {("shop", WEB)}
