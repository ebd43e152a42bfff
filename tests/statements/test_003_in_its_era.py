"""Document 003, the design proposal of release 1.1, in the releases that did as it says: 1.1 to 1.11.

Where the document and the real controller differ, the controller is right; the test says so.
"""

import json
from pathlib import Path
from typing import Any

import pytest

from hpaaudit.api import to_facts
from hpaaudit.api.conversion import to_internal
from hpaaudit.api.decode import decode_hpa
from hpaaudit.api.refusals import refusals
from hpaaudit.flows.importing import import_capture
from hpaaudit.flows.replay import replay
from hpaaudit.importers.documents import documents
from hpaaudit.model.decision import Decision
from hpaaudit.model.facts import HpaGone, HpaSeen
from hpaaudit.model.hpa import ObjectRef
from hpaaudit.model.units import Micros
from tests.engine.scenes import cpu, hpa_of
from tests.importers.lines import CONTROLLER, HPAS, get_line, hpa, items, read, saw, write
from tests.statements.old_worlds import SCALE, Look, heapster, minor_of, old_hpa, old_scale, old_world
from tests.statements.replaying import replayed

OLD = ("1.1", "1.2", "1.3", "1.4", "1.5", "1.6", "1.7", "1.8", "1.9", "1.10", "1.11")
eras = pytest.mark.parametrize("release", OLD)
until_1_8 = pytest.mark.parametrize("release", OLD[:8])


def decided(folder: Path, release: str, *looks: Look, **scene: Any) -> list[Decision]:
    """Replays a world of the era."""
    return replayed(folder, release, *old_world(release, *looks, **scene))


@until_1_8
def test_s003_02_the_scale_is_virtual_below_extensions(release: str, tmp_path: Path) -> None:
    lines = old_world(release, Look(at_s=0, replicas=3, usage=(160, 160, 160)))
    assert SCALE == "/apis/extensions/v1beta1/namespaces/shop/deployments/web/scale"
    (made,) = replayed(tmp_path, release, *lines)
    assert (made.spec_replicas, made.desired) == (3, 6)


@pytest.mark.parametrize(("labels", "desired"), [({"app": "web", "tier": "fe"}, 4), ({"app": "web"}, 2)])
@until_1_8
def test_s003_03_the_map_of_a_scale_selects_the_pods_with_all_its_labels(
    release: str, labels: dict[str, str], desired: int, tmp_path: Path
) -> None:
    shown = old_scale(release, Look(at_s=0, replicas=2))
    shown["status"]["selector"] = {"tier": "fe", "app": "web"}
    look = Look(at_s=0, replicas=2, usage=(160, 160), scale=shown, labels=tuple(labels.items()))
    lines = [
        {**line, "get": line["get"].replace("app%3Dweb", "app%3Dweb%2Ctier%3Dfe")} if "get" in line else line
        for line in old_world(release, look)
    ]
    (made,) = replayed(tmp_path, release, *lines)
    assert made.desired == desired


def test_s003_05_extensions_v1beta1_says_the_same_in_other_fields() -> None:
    shown = old_hpa("1.1", Look(at_s=0, replicas=3), 60, 2, 9)
    assert set(shown["spec"]) == {"scaleRef", "minReplicas", "maxReplicas", "cpuUtilization"}
    spec = decode_hpa(to_facts.hpa_seen(Micros(0), shown)).spec
    assert spec.target == ObjectRef(kind="Deployment", name="web", api_version="extensions/v1beta1")
    assert (spec.min_replicas, spec.max_replicas, spec.metrics) == (2, 9, hpa_of(cpu(60)).spec.metrics)


def test_s003_06_without_a_target_it_is_80_percent_and_one_replica() -> None:
    spec = decode_hpa(to_facts.hpa_seen(Micros(0), old_hpa("1.1", Look(at_s=0, replicas=3), None, None, 9))).spec
    assert (spec.min_replicas, spec.metrics) == (1, hpa_of(cpu(80)).spec.metrics)


def test_s003_06_a_maximum_below_the_minimum_is_refused() -> None:
    shown = old_hpa("1.1", Look(at_s=0, replicas=3), 80, 4, 3)
    assert refusals(to_internal(shown)) == (
        "spec.maxReplicas: Invalid value: 3: must be greater than or equal to `minReplicas`",
    )


@pytest.mark.parametrize("release", OLD[:2])
def test_s003_06_its_list_is_read_and_its_status_shows_the_percentage(release: str, tmp_path: Path) -> None:
    (made,) = decided(tmp_path, release, Look(at_s=0, replicas=3, usage=(90, 95, 100)))
    assert made.status.current_metrics is not None
    assert (made.status.current_replicas, made.status.desired_replicas) == (3, 4)
    assert [metric.average_utilization for metric in made.status.current_metrics] == [95]
    assert made.status_version == ("extensions/v1beta1" if release == "1.1" else "autoscaling/v1")


@pytest.mark.parametrize(("release", "period"), [*((old, "30s") for old in OLD), ("1.12", "15s"), ("1.36", "15s")])
def test_s003_07_a_period_lasts_30_seconds_until_1_11(release: str, period: str, tmp_path: Path) -> None:
    lines = old_world(release if release in OLD else "1.11", Look(at_s=0, replicas=1, usage=(80,)))
    lines[0] = {**lines[0], "release": release}
    import_capture([write(tmp_path, *lines)], into=tmp_path / "r")
    with replay(tmp_path / "r", into=tmp_path / "r.duckdb") as results:
        told = results.sql("select value, source from assumptions where key = 'sync-period'").fetchall()
    assert told == [(period, "default")]


@eras
def test_s003_08_95_percent_of_80_makes_four_of_three(release: str, tmp_path: Path) -> None:
    (made,) = decided(tmp_path, release, Look(at_s=0, replicas=3, usage=(90, 95, 100)))
    assert made.desired == 4


@eras
def test_s003_08_the_result_lies_between_the_bounds(release: str, tmp_path: Path) -> None:
    busy, idle = Look(at_s=0, replicas=3, usage=(150,) * 3), Look(at_s=0, replicas=5, usage=(1,) * 5)
    assert [made.desired for made in decided(tmp_path, release, busy, maximum=5)] == [5]
    assert [made.desired for made in decided(tmp_path, release, idle, minimum=2)] == [2]


@pytest.mark.parametrize(("release", "percent"), [("1.1", 100), ("1.2", 75)])
def test_s003_09_d27_usage_is_the_last_minutes_in_1_2_and_the_newest_in_1_1(
    release: str, percent: int, tmp_path: Path
) -> None:
    points = ((0, 100), (30, 50), (60, 400), (120, 400))
    (made,) = decided(tmp_path, release, Look(at_s=0, replicas=2, series=(points, points)), target=90)
    assert [proposal.current_utilization for proposal in made.proposals] == [percent]


def test_s003_09_d27_in_1_1_a_pod_without_a_sample_fails_the_metric(tmp_path: Path) -> None:
    (made,) = decided(tmp_path, "1.1", Look(at_s=0, replicas=2, series=(((0, 100),), ())))
    assert made.desired == 2
    assert made.error.endswith("metrics obtained for 1/2 of pods")


@pytest.mark.parametrize("release", OLD[:2])
def test_s003_10_one_request_of_heapsters_model_lists_all_pods(release: str, tmp_path: Path) -> None:
    lines = old_world(release, Look(at_s=0, replicas=2, usage=(160, 160)))
    (path,) = [line["get"] for line in lines if "/model/" in line.get("get", "")]
    assert path.startswith(f"{heapster(release)}/api/v1/model/namespaces/shop/pod-list/web-0,web-1/metrics/cpu-usage?")
    (made,) = replayed(tmp_path, release, *lines)
    assert made.desired == 4


@eras
def test_s003_11_the_formula_of_the_document_with_its_three_pods(release: str, tmp_path: Path) -> None:
    """TargetNumOfPods = ceil(sum(CurrentPodsCPUUtilization) / Target): ceil(285 / 80) is 4."""
    (made,) = decided(tmp_path, release, Look(at_s=0, replicas=3, usage=(90, 95, 100)))
    assert made.desired == -(-285 // 80)


@eras
def test_s003_11_d28_the_controller_cuts_the_percentage_first(release: str, tmp_path: Path) -> None:
    """Nine pods at 97 % and one at 96 %: the formula says 13, the controller 12."""
    usage = (97,) * 9 + (96,)
    assert -(-sum(usage) // 80) == 13
    (made,) = decided(tmp_path, release, Look(at_s=0, replicas=10, usage=usage))
    assert made.desired == 12


@pytest.mark.parametrize(("now", "desired"), [(180, 2), (180.001, 4), (179, 2), (210, 4)])
@eras
def test_s003_12_it_rises_only_three_minutes_after_the_last_rescale(
    release: str, now: float, desired: int, tmp_path: Path
) -> None:
    """Strictly later, by the time of the oldest sample."""
    look = Look(at_s=now, replicas=2, usage=(160, 160), last_scale_s=0)
    assert [made.desired for made in decided(tmp_path, release, look)] == [desired]


@pytest.mark.parametrize(("now", "desired"), [(300, 4), (300.001, 2), (299, 4), (330, 2)])
@eras
def test_s003_13_it_falls_only_five_minutes_after_the_last_rescale(
    release: str, now: float, desired: int, tmp_path: Path
) -> None:
    look = Look(at_s=now, replicas=4, usage=(40, 40, 40, 40), last_scale_s=0)
    assert [made.desired for made in decided(tmp_path, release, look)] == [desired]


@pytest.mark.parametrize("release", ["1.7", "1.11"])
def test_s003_12_and_13_since_1_7_both_windows_are_flags(release: str, tmp_path: Path) -> None:
    flags = {"horizontal-pod-autoscaler-upscale-delay": "1m0s", "horizontal-pod-autoscaler-downscale-delay": "2m0s"}
    up = Look(at_s=61, replicas=2, usage=(160, 160), last_scale_s=0)
    down = Look(at_s=61, replicas=4, usage=(40,) * 4, last_scale_s=0)
    assert [made.desired for made in decided(tmp_path, release, up, flags=flags)] == [4]
    assert [made.desired for made in decided(tmp_path, release, down, flags=flags)] == [4]


@pytest.mark.parametrize(("usage", "desired"), [(72, 10), (87, 10), (88, 11)])
@eras
def test_s003_14_it_rescales_only_outside_0_9_to_1_1(release: str, usage: int, desired: int, tmp_path: Path) -> None:
    """d11: 88 of 80, a ratio of 1.1, is outside."""
    (made,) = decided(tmp_path, release, Look(at_s=0, replicas=10, usage=(usage,) * 10))
    assert made.desired == desired


@eras
def test_s003_15_it_rises_fast_and_falls_slowly(release: str, tmp_path: Path) -> None:
    """A load that doubles is followed at once, one that halves a minute later only after five minutes."""
    looks = [
        Look(at_s=0, replicas=2, usage=(160,) * 2),
        *(Look(at_s=at, replicas=4, usage=(40,) * 4, last_scale_s=0) for at in range(60, 331, 30)),
    ]
    made = decided(tmp_path, release, *looks)
    assert [decision.desired for decision in made] == [4] + [4] * 9 + [2]


@eras
def test_s003_16_a_percentage_survives_the_edit_of_a_request(release: str, tmp_path: Path) -> None:
    small, large = (Look(at_s=0, replicas=4, usage=(140,) * 4, request=request) for request in (100, 200))
    assert [made.desired for made in decided(tmp_path, release, small, target=70)] == [8]
    assert [made.desired for made in decided(tmp_path, release, large, target=70)] == [4]


def test_s003_18_created_updated_listed_and_deleted(tmp_path: Path) -> None:
    """We only read: each of these is seen, and several objects in one file are converted one by one."""
    seen = read(
        tmp_path,
        get_line(1, HPAS, items(hpa())),
        saw(2, HPAS, "ADDED", hpa("api")),
        saw(3, HPAS, "MODIFIED", hpa(maximum=4)),
        saw(4, HPAS, "DELETED", hpa("api")),
    )
    assert [(type(fact), fact.name) for fact in seen if isinstance(fact, HpaSeen | HpaGone)] == [
        (HpaSeen, "web"),
        (HpaSeen, "api"),
        (HpaSeen, "web"),
        (HpaGone, "api"),
    ]
    text = "kind: A\n---\nkind: List\nitems: [{kind: B}, {kind: C}]\n"
    assert [found["kind"] for found in documents(text, "file")] == ["A", "B", "C"]


QPS = '{"items":[{"name":"qps","value":"10"}]}'
CUSTOM = (("alpha/target.custom-metrics.podautoscaler.kubernetes.io", QPS),)


@pytest.mark.parametrize("release", ["1.3", "1.4", "1.5"])
def test_s003_19_other_metrics_came_in_an_annotation(release: str, tmp_path: Path) -> None:
    """Where the annotation asks for a metric, cpu is not looked at unless it is asked for too (1.3 to 1.5)."""
    look = Look(at_s=0, replicas=2, usage=(160, 160), annotations=CUSTOM)
    lines = old_world(release, look, target=None)
    path = f"{heapster(release)}/api/v1/model/namespaces/shop/pod-list/web-0,web-1/metrics/custom/qps?start=x"
    point = {"timestamp": "2026-03-02T14:00:00Z", "value": 25}
    series = {"items": [{"metrics": [point], "latestTimestamp": point["timestamp"]}] * 2}
    lines[-2] = get_line(0, path, series, by=CONTROLLER)  # cpu is not asked for
    (made,) = replayed(tmp_path, release, *lines)
    assert json.loads(made.status.custom_metrics)["items"][0]["name"] == "qps"
    assert made.desired in (4, 5)  # twice the replicas, or four, is the most since 1.4.4


def _as(release: str, folder: Path, recorded: str = "1.5", annotations: tuple[tuple[str, str], ...] = ()) -> Decision:
    """Decides as a release what another one recorded: an HPA without a cpu target, and Heapster's answers of 1.2."""
    look = Look(at_s=0, replicas=2, usage=(160, 160), annotations=annotations)
    shown = old_hpa(recorded, look, None, 1, 20)
    lines = old_world("1.2", look, target=None)
    if minor_of(release) > 2 and annotations:
        del lines[-2]  # cpu is not asked for
    lines[1] = get_line(-20, f"/apis/{shown['apiVersion']}/horizontalpodautoscalers", items(shown))
    path = f"{heapster('1.2')}/api/v1/model/namespaces/shop/pod-list/web-0,web-1/metrics/custom/qps?start=x"
    point = {"timestamp": "2026-03-02T14:00:00Z", "value": 5}
    series = {"items": [{"metrics": [point], "latestTimestamp": point["timestamp"]}] * 2}
    (made,) = replayed(folder, release, *lines[:-1], get_line(0, path, series, by=CONTROLLER), lines[-1])
    return made


@pytest.mark.parametrize(
    ("release", "recorded", "desired"),
    [("1.1", "1.2", 4), ("1.1", "1.5", 4), ("1.2", "1.2", 4), ("1.2", "1.5", 4), ("1.3", "1.5", 1), ("1.5", "1.5", 1)],
)
def test_s003_06_until_1_2_cpu_counts_at_80_percent_whatever_version_was_recorded(
    release: str, recorded: str, desired: int, tmp_path: Path
) -> None:
    """1.1 and 1.2 read `extensions/v1beta1`, where no target means 80; `autoscaling/v1` can say that there is none.

    So an HPA of 1.5 that asks for a custom metric alone, decided as 1.2, is decided by cpu too.
    """
    made = _as(release, tmp_path, recorded, CUSTOM)
    assert (made.desired, [proposal.target for proposal in made.proposals if proposal.metric_name == "cpu"]) == (
        desired,
        [80] if desired == 4 else [],
    )


@pytest.mark.parametrize(("release", "told"), [("1.1", False), ("1.2", False), ("1.4", True), ("1.5", True)])
def test_s003_06_only_a_missing_target_is_said_to_be_a_default_policy(release: str, told: bool, tmp_path: Path) -> None:
    made = _as(release, tmp_path)
    assert ("DefaultPolicy" in [event.reason for event in made.events]) is told


@pytest.mark.parametrize("release", ["1.6", "1.11"])
def test_s003_19_since_1_6_the_annotation_means_nothing(release: str, tmp_path: Path) -> None:
    look = Look(at_s=0, replicas=2, usage=(160, 160), annotations=CUSTOM)
    (made,) = decided(tmp_path, release, look)
    assert [proposal.metric_name for proposal in made.proposals] == ["cpu"]


def test_s003_19_the_usage_api_came_with_1_3() -> None:
    paths = {
        release: [line["get"] for line in old_world(release, Look(at_s=0, replicas=1, usage=(1,))) if "get" in line][-1]
        for release in ("1.2", "1.3", "1.8")
    }
    assert "/api/v1/model/" in paths["1.2"]
    assert all("/apis/metrics/v1alpha1/namespaces/shop/pods?" in paths[release] for release in ("1.3", "1.8"))
