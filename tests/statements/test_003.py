"""Document 003, the design proposal of release 1.1: what of it later releases still do.

Where the document and the real controller differ, the controller is right; the test says so.
"""

from pathlib import Path
from typing import Any

import pytest

from hpaaudit.engine.behaviours.release import known_release
from hpaaudit.errors import UnknownRelease
from hpaaudit.model.facts import ScaleRead
from hpaaudit.model.target import Scale
from tests.engine.scenes import LEAVING_ZERO, Loop, Metric, asks, cpu, decide, external, flags, per_pod, pods, propose
from tests.importers.lines import SCALE, get_line, read

every = pytest.mark.parametrize("release", ["1.12", "1.19", "1.28", "1.36", "1.37"])


def test_s003_01_release_1_0_has_no_hpa_and_is_refused() -> None:
    with pytest.raises(UnknownRelease, match=r"release 1\.0 .*try --release"):
        known_release("1.0")


def test_s003_03_a_scale_may_have_its_selector_as_a_map(tmp_path: Path) -> None:
    shown = {"spec": {"replicas": 3}, "status": {"replicas": 2, "selector": {"tier": "fe", "app": "web"}}}
    (fact,) = read(tmp_path, get_line(1, SCALE, shown))
    assert isinstance(fact, ScaleRead)
    assert fact.scale == Scale(spec_replicas=3, status_replicas=2, selector="app=web,tier=fe")


def test_s003_04_asked_and_running_replicas_may_differ(tmp_path: Path) -> None:
    (fact,) = read(
        tmp_path, get_line(1, SCALE, {"spec": {"replicas": 3}, "status": {"replicas": 5, "selector": "a=b"}})
    )
    assert isinstance(fact, ScaleRead)
    assert fact.scale == Scale(spec_replicas=3, status_replicas=5, selector="a=b")


CALCULATIONS: list[tuple[str, Metric, str, int | None, int, int]] = [
    # id, metric, pods, request, current, proposal
    ("s003_08 95 % of 80 %, three pods", cpu(80), "1@90 1@95 1@100", 100, 3, 4),
    ("s003_11 d28 percent is cut, then multiplied", cpu(80), "9@97 1@96", 100, 10, 12),
    ("s003_14 72 of 80 holds", cpu(80), "10@72", 100, 10, 10),
    ("s003_14 87 of 80 holds", cpu(80), "10@87", 100, 10, 10),
    ("s003_16 140 % of a small request", cpu(70), "4@140", 100, 4, 8),
    ("s003_16 70 % of one that was doubled", cpu(70), "4@140", 200, 4, 4),
]


@every
@pytest.mark.parametrize(
    ("metric", "crowd", "request_", "replicas", "proposal"),
    [row[1:] for row in CALCULATIONS],
    ids=[row[0] for row in CALCULATIONS],
)
def test_s003_08_to_16(
    release: str, metric: Metric, crowd: str, request_: int | None, replicas: int, proposal: int
) -> None:
    computed = propose(metric, crowd=pods(crowd, request=request_), replicas=replicas, flags=flags(release=release))
    assert computed.proposal == proposal


@every
def test_s003_08_the_result_lies_between_the_bounds(release: str) -> None:
    scene: dict[str, Any] = {"crowd": pods("3@100", request=100), "replicas": 3, "flags": flags(release=release)}
    assert decide(cpu(10), maximum=5, **scene).desired == 5
    assert decide(cpu(1000), minimum=2, **scene).desired == 3  # the recent recommendation holds


@pytest.mark.parametrize(("release", "proposal"), [("1.12", 11), ("1.32", 11), ("1.33", 10), ("1.37", 10)])
def test_s003_14_d11_88_of_80_acts_until_1_32(release: str, proposal: int) -> None:
    crowd = pods("10@88", request=100)
    assert propose(cpu(80), crowd=crowd, replicas=10, flags=flags(release=release)).proposal == proposal


@every
def test_s003_12_and_13_no_window_follows_a_rescale_from_1_12_on(release: str) -> None:
    """The proposal waits 3 min before the next rise; the rule ended with 1.11."""
    loop = Loop(2, flags=flags(release=release))
    for now, running, asked in ((0, 2, 4), (15, 4, 8), (30, 8, 16)):
        assert loop.reconcile(now, asks(asked), status_replicas=running).desired == asked


@every
def test_s003_16_an_absolute_target_does_not_follow_a_request(release: str) -> None:
    for request in (100, 200):
        proposal = propose(per_pod(70), crowd=pods("4@140", request=request), replicas=4, flags=flags(release=release))
        assert proposal.proposal == 8


@every
def test_s003_20_a_planned_aggregate_came_as_an_external_average(release: str) -> None:
    proposal = propose(external(100_000, average=20_000), replicas=3, status_replicas=3, flags=flags(release=release))
    assert proposal.proposal == 5


@pytest.mark.parametrize("release", ["1.16", "1.28", "1.35"])
def test_s003_21_the_planned_start_from_zero_came_without_kube_proxy(release: str) -> None:
    metric = external(35_000, average=10_000)
    assert decide(metric, replicas=0, minimum=0, flags=flags(release=release)).desired == 4


def test_s003_21_from_1_36_on_only_after_the_controllers_own_scale_to_zero() -> None:
    metric = external(35_000, average=10_000)
    assert decide(metric, replicas=0, minimum=0, flags=flags(release="1.36")).desired == 0
    assert decide(metric, minimum=0, **LEAVING_ZERO).desired == 4
