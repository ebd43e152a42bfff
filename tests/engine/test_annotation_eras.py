"""What old controllers decide where the given worlds do not look: zero, oldest samples, empty annotations."""

import json
from dataclasses import replace
from typing import Any

import pytest

from hpaaudit.api import times
from hpaaudit.api.client_errors import Server
from hpaaudit.engine.behaviours.release import behaviours_of
from hpaaudit.engine.controller.own_reads import OwnReads
from hpaaudit.engine.eras.custom_metrics import published, targets_of
from hpaaudit.engine.eras.pod_averages import Average, AveragesContext, cpu_utilization, custom_average
from hpaaudit.engine.eras.reconcile import reconcile
from hpaaudit.model.decision import Decision
from hpaaudit.model.facts import HeapsterRead
from hpaaudit.model.flags import Flags
from hpaaudit.model.hpa import Hpa
from hpaaudit.model.memory import EMPTY
from hpaaudit.model.observation import Observation
from hpaaudit.model.units import SECOND, Micros
from tests.engine.scenes import BLANK, Crowd, at, cpu, external, hpa_of, listed, observation, per_pod, pods

SERVER = Server(url="https://10.0.0.1:443", quoted=False)
CUSTOM = json.dumps({"items": [{"name": "qps", "value": "10"}]})


def heapster(body: Any) -> HeapsterRead:
    """An answer of Heapster, whatever was asked."""
    return HeapsterRead(
        at_us=at(1000), took_us=Micros(0), namespace="shop", path="/api/v1/model/", status=200, error="", by="",
        body=json.dumps(body),
    )  # fmt: skip


def series(*ages_and_values: tuple[float, int]) -> HeapsterRead:
    """One point of each pod: how many seconds old, and its value."""
    return heapster(
        {
            "items": [
                {"metrics": [{"timestamp": times.precise(Micros(at(1000) - round(age * SECOND))), "value": value}]}
                for age, value in ages_and_values
            ]
        }
    )


def usage(release: str, *milli: int, age: float = 10) -> HeapsterRead:
    """The cpu usage of pods `web-0`, `web-1` …, as Heapster answered the controller of this release."""
    if release == "1.2":
        return series(*((age, used) for used in milli))
    items = [
        {
            "metadata": {"name": f"web-{number}", "namespace": "shop"},
            "timestamp": times.precise(Micros(at(1000) - round(age * SECOND))),
            "window": "60s",
            "containers": [{"name": "app", "usage": {"cpu": f"{used}m"}}],
        }
        for number, used in enumerate(milli)
    ]
    return heapster(items if release == "1.3" else {"items": items})


def decide(release: str, seen: Observation, hpa: Hpa, *answers: HeapsterRead) -> Decision:
    """What a controller decides that got these answers of Heapster."""
    return reconcile(replace(seen, hpa=hpa, own_reads=answers), EMPTY, Flags(release=release))[0]


def averages(release: str, crowd: Crowd, *answers: HeapsterRead) -> AveragesContext:
    """What the averages of one reconcile read."""
    return AveragesContext(
        reads=OwnReads(replace(observation(cpu(50), crowd=crowd), own_reads=answers)),
        watched=listed(crowd),
        selector="app=web",
        namespace="shop",
        server=SERVER,
        behaviours=behaviours_of(Flags(release=release)),
    )


def test_an_empty_annotation_asks_for_no_metric() -> None:
    assert targets_of("") == ()


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (100_000_000_000_000.125, "100000000000000.125"),  # 18 digits are still kept as they are written
        (1_000_000_000_000_000.125, "1000000000000000125m"),
        (1e30, "9223372036854775807"),
        (-1e30, "-9223372036854775807"),
    ],
)
def test_a_published_quantity_keeps_18_digits_of_text_and_64_bits_of_value(value: float, text: str) -> None:
    assert published(value, keeps_text=True) == text


@pytest.mark.parametrize("release", ["1.1", "1.2"])
def test_an_average_is_as_old_as_its_oldest_sample(release: str) -> None:
    context = averages(release, pods("2@500", request=1000), series((40, 500), (10, 700)))
    average = cpu_utilization(context)
    assert average == Average(value=60, pods=2, measured_us=at(960))


def test_a_custom_average_is_as_old_as_its_oldest_sample() -> None:
    assert custom_average("qps", averages("1.4", pods("2@1"), series((10, 20), (40, 10)))) == Average(
        value=15.0, pods=2, measured_us=at(960)
    )


def test_a_container_that_requests_zero_has_a_request() -> None:
    with_zero = pods("1", containers=(("app", 1000, 500), ("side", 0, 0)))
    average = cpu_utilization(averages("1.4", with_zero, usage("1.4", 500)))
    assert isinstance(average, Average)
    assert (average.value, average.pods) == (50, 1)


def hpa_with_cpu(percent: int, **fields: Any) -> Hpa:
    """An HPA of these releases."""
    return replace(hpa_of(cpu(percent), **fields), cpu_target=percent)


@pytest.mark.parametrize("release", ["1.2", "1.3", "1.4"])
def test_a_cpu_that_asks_for_no_pods_is_not_the_metric_that_decided(release: str) -> None:
    """Only a proposal above zero wins: the window is asked for the time of the scale, not of the samples."""
    just_scaled = replace(BLANK, last_scale_us=at(1000 - 400))
    hpa = hpa_with_cpu(50, status=just_scaled, minimum=1)
    seen = observation(cpu(50), crowd=pods("2@0"), replicas=2)
    decided = decide(release, seen, hpa, usage(release, 0, 0, age=150))
    assert decided.error == ""
    assert (decided.raw_desired, decided.desired) == (0, 1)


@pytest.mark.parametrize(("release", "writes"), [("1.4", [0]), ("1.5", [])])
def test_a_scale_of_zero_with_pods_left_is_written_again_in_1_4(release: str, writes: list[int]) -> None:
    seen = observation(cpu(50), crowd=pods("3@500"), replicas=0, status_replicas=3)
    decided = decide(release, seen, hpa_with_cpu(50))
    assert [attempt.to for attempt in decided.attempts] == writes
    assert decided.error == ""


@pytest.mark.parametrize(("release", "reason"), [("1.4", "window.down_forbidden"), ("1.5", "gate.disabled_at_zero")])
def test_no_window_is_asked_about_a_scale_of_zero_from_1_5_on(release: str, reason: str) -> None:
    just_scaled = replace(BLANK, last_scale_us=at(1000 - 30))
    seen = observation(cpu(50), crowd=pods("3@500"), replicas=0, status_replicas=3)
    decided = decide(release, seen, hpa_with_cpu(50, status=just_scaled))
    assert (decided.attempts, decided.reason_code) == ((), reason)


def test_a_custom_metric_of_1_5_leaves_out_pods_that_do_not_run_and_is_as_old_as_its_oldest_sample() -> None:
    crowd = pods("2@1 1@1:failed")  # the failed one is still called Ready
    hpa = replace(hpa_of(cpu(50)), cpu_target=None, custom_metrics=CUSTOM)
    forbidden_for_the_oldest = replace(hpa, status=replace(BLANK, last_scale_us=at(1000 - 200)))
    answers = series((30, 30), (10, 30), (5, 1000))
    seen = observation(cpu(50), crowd=crowd, replicas=3)
    decided = decide("1.5", seen, hpa, answers)
    assert (decided.raw_desired, decided.desired) == (6, 6)
    held = decide("1.5", seen, forbidden_for_the_oldest, answers)
    assert (held.raw_desired, held.desired) == (6, 3)


def test_a_negative_recommendation_counts_as_zero() -> None:
    decided = decide("1.10", observation(external(-50, value=10), replicas=2), hpa_of(external(-50, value=10)))
    assert (decided.raw_desired, decided.desired) == (0, 1)


def test_what_the_metrics_asked_for_is_kept_beside_the_bounded_number() -> None:
    metric = per_pod(10_000)
    seen = observation(metric, crowd=pods("2@30"), replicas=2, maximum=3)
    decided = decide("1.8", seen, hpa_of(metric, maximum=3), series((10, 30), (10, 30)))
    assert (decided.raw_desired, decided.desired) == (6, 3)


def test_a_selector_that_is_no_map_selects_every_pod_in_1_1() -> None:
    crowd = (*pods("1@500"), *pods("1@700", labels=(("app", "shop"),)))
    seen = observation(cpu(50), crowd=crowd, replicas=2, selector="app in (web)")
    decided = decide("1.1", seen, hpa_with_cpu(50), series((10, 500), (10, 700)))
    assert decided.error == ""
    assert decided.raw_desired == 3
