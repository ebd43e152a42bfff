"""What a pod requests of a resource: its containers, its sidecars, its own level, its overhead."""

from typing import Any

import pytest

from hpaaudit.model.decision import MetricProposal
from hpaaudit.model.target import Container
from tests.engine.scenes import RELEASE_1_36, amounts, container, cpu, flags, pods, propose

SIDECAR = Container(name="s", requests=amounts(cpu=100), restart_policy="Always")
INIT = Container(name="i", requests=amounts(cpu=700))
LEVEL = amounts(cpu=900)
TWO = (("a", 300, 10), ("b", 200, 10))
ONE_UNSAID = (("a", 300, 10), ("b", None, 10))


def _asked(name: str, fields: dict[str, Any], *, gate: bool = True) -> MetricProposal:
    metric = container(name, 50) if name else cpu(50)
    controller = RELEASE_1_36 if gate else flags(("PodLevelResources", False))
    return propose(metric, crowd=pods("1@10", **({"containers": TWO} | fields)), flags=controller)


CASES: list[tuple[str, str, dict[str, Any], int]] = [
    # name, container asked for, the pod, request
    ("containers and sidecars, no overhead", "", {"init": (SIDECAR,), "overhead": amounts(cpu=50)}, 600),
    ("an init container that ends is not counted", "", {"init": (INIT,)}, 500),
    ("the pod's own level and overhead", "", {"init": (SIDECAR,), "level": LEVEL, "overhead": amounts(cpu=50)}, 950),
    ("one container alone", "a", {"init": (SIDECAR,), "level": LEVEL}, 300),
    ("a sidecar by its name", "s", {"init": (SIDECAR,), "level": LEVEL}, 100),
    ("what its level does not name: containers, sidecars, overhead", "",
        {"init": (SIDECAR,), "level": amounts(memory=9), "overhead": amounts(cpu=50)}, 650),
    ("or the peak of the init containers, sidecars before them included", "",
        {"init": (SIDECAR, INIT), "level": amounts(memory=9)}, 800),
    ("a container without a request is nothing then", "", {"containers": ONE_UNSAID, "level": amounts(memory=9)}, 300),
    ("a level of huge pages counts as one", "", {"containers": ONE_UNSAID, "level": (("hugepages-2Mi", 9),)}, 300),
    ("a level that names nothing supported is none", "", {"level": (("example.com/gpu", 9),)}, 500),
]  # fmt: skip


@pytest.mark.parametrize(("name", "fields", "asked"), [row[1:] for row in CASES], ids=[row[0] for row in CASES])
def test_a_pod_requests(name: str, fields: dict[str, Any], asked: int) -> None:
    assert [pod.request for pod in _asked(name, fields).pods] == [asked]


PROBLEMS: list[tuple[str, str, dict[str, Any], bool, str]] = [
    ("a container without a request", "", {"containers": ONE_UNSAID}, True,
        "missing request for cpu in container b of Pod web-0"),
    ("a sidecar without one", "", {"init": (Container(name="s", requests=(), restart_policy="Always"),)}, True,
        "missing request for cpu in container s of Pod web-0"),
    ("the gate is off: a level is no help", "", {"containers": ONE_UNSAID, "level": LEVEL}, False,
        "missing request for cpu in container b of Pod web-0"),
    ("nothing at all beside a level", "", {"containers": (("a", None, 10),), "level": amounts(memory=9)}, True,
        "missing pod-level request for cpu in Pod web-0"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("name", "fields", "gate", "text"), [row[1:] for row in PROBLEMS], ids=[row[0] for row in PROBLEMS]
)
def test_the_metric_is_invalid_with(name: str, fields: dict[str, Any], gate: bool, text: str) -> None:
    request = _asked(name, fields, gate=gate)
    assert (request.valid, request.invalid_text) == (False, f"failed to get cpu utilization: {text}")


@pytest.mark.parametrize("state", ["failed", "terminating", "pending", "succeeded"])
def test_every_listed_pod_must_say_its_request_whatever_becomes_of_it(state: str) -> None:
    crowd = pods("2@10") + pods(f"1@10:{state}", request=None)
    assert propose(cpu(50), crowd=crowd, replicas=2).invalid_code == "metric.invalid.missing_request"


def test_an_init_container_that_ends_has_no_name_here() -> None:
    whole = pods("1@10", containers=(("i", 300, 10),))
    for lacking in (pods("1@10", containers=TWO, init=(INIT,)), pods("1@10", containers=TWO)):
        proposal = propose(container("i", 50), crowd=whole + lacking, replicas=2)
        assert proposal.invalid_text.endswith("container i not found in Pod web-1")


def test_a_request_of_zero_is_one() -> None:
    proposal = propose(cpu(50), crowd=pods("1@10", request=0) + pods("1@10", request=100), replicas=2)
    assert ([pod.request for pod in proposal.pods], proposal.current_utilization) == ([0, 100], 20)
