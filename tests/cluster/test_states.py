"""A store emits only states that are wanted and differ from the one before, and every deletion."""

from typing import Any

from hpaaudit.cluster.stores.api_services import DELETED, api_services
from hpaaudit.cluster.stores.scaled_objects import scaled_objects
from hpaaudit.cluster.stores.surroundings import surroundings
from hpaaudit.model.facts import ApiServiceSeen, Fact, ScaledObjectGone, ScaledObjectSeen, SurroundingSeen
from hpaaudit.model.units import Micros

HOOKS = ("admissionregistration.k8s.io", "mutatingwebhookconfigurations")
HERE = ("shop", "one")


def named(uid: str = "u1", **more: Any) -> dict[str, Any]:
    """An object."""
    return {"metadata": {"namespace": "shop", "name": "one", "uid": uid, "resourceVersion": "1"}, **more}


def touching(*resources: str) -> dict[str, Any]:
    """A webhook for these resources."""
    return named(webhooks=[{"name": "hook", "rules": [{"resources": list(resources)}]}])


def at(seconds: int) -> Micros:
    """An instant."""
    return Micros(seconds * 1_000_000)


def test_what_says_nothing_is_not_told_and_what_says_nothing_any_more_has_ended() -> None:
    recorded: list[Fact] = []
    hooks = surroundings(HOOKS, recorded.append)
    hooks.update(touching("secrets"), at(1))
    assert recorded == []
    hooks.update(touching("pods"), at(2))
    hooks.update(touching("pods"), at(3))
    hooks.update(touching("secrets"), at(4))
    assert [(line.at_us, line.gone) for line in recorded if isinstance(line, SurroundingSeen)] == [
        (at(2), False),
        (at(4), True),
    ]


def test_an_object_that_was_made_again_ends_first() -> None:
    recorded: list[Fact] = []
    objects = scaled_objects(recorded.append)
    objects.update(named("u1"), at(1))
    objects.update(named("u2"), at(2))
    assert [type(line) for line in recorded] == [ScaledObjectSeen, ScaledObjectGone, ScaledObjectSeen]
    assert [line.uid for line in recorded if isinstance(line, ScaledObjectGone)] == ["u1"]


def test_what_a_list_lacks_has_ended_and_what_an_earlier_run_saw_is_not_told_again() -> None:
    recorded: list[Fact] = []
    objects = scaled_objects(recorded.append)
    objects.update(named(), at(1))
    again = scaled_objects(recorded.append)
    again.restore(one for one in list(recorded) if isinstance(one, ScaledObjectSeen))
    again.update(named(), at(5))
    again.retain({HERE}, at(5))
    assert len(recorded) == 1
    again.retain(set(), at(6))
    assert recorded[1:] == [ScaledObjectGone(at_us=at(6), namespace="shop", name="one", uid="u1")]


def test_an_api_service_of_another_group_is_none_of_ours_and_one_that_was_deleted_is_served_by_nobody() -> None:
    recorded: list[Fact] = []
    services = api_services(recorded.append, ("metrics.k8s.io",))
    service = {"namespace": "kube-system", "name": "metrics-server"}
    raw = {"metadata": {"name": "v1beta1.metrics.k8s.io"}, "spec": {"group": "metrics.k8s.io", "service": service}}
    services.update({**raw, "spec": {"group": "batch"}}, at(1))
    services.update(raw, at(2))
    services.delete(raw, at(3))
    assert [(line.at_us, line.service, line.reason) for line in recorded if isinstance(line, ApiServiceSeen)] == [
        (at(2), "kube-system/metrics-server", ""),
        (at(3), "", DELETED),
    ]
