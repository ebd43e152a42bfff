"""What is gone takes no memory: after thousands of namespaces came and went it is as before."""

from typing import Any

from hpaaudit.api.selector import parse
from hpaaudit.cluster.stores.pods import UNWANTED_US, Pods
from hpaaudit.model.facts import PodGone, PodSeen
from hpaaudit.model.units import SECOND, Micros

NAMESPACES = 10_000
WEB = parse("app=web")


def pod(namespace: str, name: str = "web-0", version: int = 1) -> dict[str, Any]:
    """A pod as a watch tells it."""
    meta = {"namespace": namespace, "name": name, "uid": f"{namespace}-{name}", "resourceVersion": str(version)}
    return {"metadata": {**meta, "labels": {"app": "web"}}, "spec": {"containers": []}, "status": {}}


def test_selectors_and_labels_of_namespaces_that_are_gone_are_let_go() -> None:
    facts: list[Any] = []
    pods = Pods(facts.append)
    for number in range(NAMESPACES):
        now, space = Micros(number * SECOND), f"space-{number}"
        pods.choose({(space, WEB)})
        pods.changed(pod(space), now)
        pods.gone(pod(space), now)
        pods.let_go({(space, WEB)}, now)
        assert len(pods.chosen) <= 2 * UNWANTED_US // SECOND + 2
    assert len(facts) == 2 * NAMESPACES
    assert not pods.seen
    for times in (1, 2, 3, 4):
        pods.let_go(set(), Micros(NAMESPACES * SECOND + times * UNWANTED_US))
    assert not pods.chosen


def test_selectors_of_hpas_that_are_gone_are_let_go_in_a_namespace_that_stays() -> None:
    pods = Pods([].append)
    for number in range(5000):
        wanted = {("shop", WEB), ("shop", parse(f"app=app-{number}")), ("shop", parse(f"app!=app-{number}"))}
        now = Micros(number * SECOND)
        pods.choose(wanted)
        pods.let_go(wanted, now)
    chosen = pods.chosen["shop"]
    bound = 2 * UNWANTED_US // SECOND + 5
    sizes = (len(chosen.selectors), len(chosen.by_pair), len(chosen.others), len(chosen.unwanted_us))
    assert max(sizes) <= bound, sizes
    assert WEB in chosen.selectors


def test_a_target_that_is_away_for_a_moment_costs_nothing() -> None:
    """A selector that is wanted again in time was never let go, so that nothing is read anew."""
    facts: list[Any] = []
    pods = Pods(facts.append)
    pods.choose({("shop", WEB)})
    pods.let_go(set(), Micros(0))
    pods.let_go(set(), Micros(UNWANTED_US - 1))
    assert pods.choose({("shop", WEB)}) == set()
    pods.let_go({("shop", WEB)}, Micros(UNWANTED_US))
    pods.let_go(set(), Micros(UNWANTED_US + 1))
    pods.changed(pod("shop"), Micros(UNWANTED_US + 2))
    assert len(facts) == 1


def test_a_pod_that_was_told_of_is_followed_to_its_end_though_nobody_asks_for_it() -> None:
    facts: list[Any] = []
    pods = Pods(facts.append)
    pods.choose({("shop", WEB)})
    pods.changed(pod("shop"), Micros(0))
    for at in (0, UNWANTED_US, 2 * UNWANTED_US):
        pods.let_go(set(), Micros(at))
    pods.changed(pod("shop", "web-1"), Micros(3 * UNWANTED_US))
    pods.gone(pod("shop"), Micros(3 * UNWANTED_US))
    assert [type(fact) for fact in facts] == [PodSeen, PodGone]
    assert not pods.seen
    # Whoever asks again has them read again.
    assert pods.choose({("shop", WEB)}) == {("shop", WEB)}
