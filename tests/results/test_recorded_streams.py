"""Recorded tables in the results: views on the recording's own files, and tables that are copied from them."""

from dataclasses import replace
from pathlib import Path

from hpaaudit.api.keda import scaled_object_seen
from hpaaudit.flows.replay import replay
from hpaaudit.model.facts import (
    Fact,
    PodGone,
    PodSeen,
    Refused,
    ResourceMetricsRead,
    ScaledObjectGone,
    ScaleRead,
    TargetGone,
)
from hpaaudit.model.target import Scale
from hpaaudit.model.units import Micros
from hpaaudit.recording.reading.recording import open_recording
from hpaaudit.results.read import Results
from tests.results import story
from tests.results.things import WEB, at, pod, target_seen

ROOT = Path(__file__).parents[2]
RECORDING = ROOT / "recordings" / "metrics-down"


def test_every_state_of_a_pod_is_a_row(tmp_path: Path) -> None:
    pod_facts = [fact for fact in open_recording(RECORDING).facts() if isinstance(fact, PodSeen | PodGone)]
    with replay(RECORDING, into=tmp_path / "r.duckdb") as results:
        rows = results.sql("select epoch_us(observed_at), gone from pod_states").fetchall()
    assert rows == [(fact.at_us, isinstance(fact, PodGone)) for fact in pod_facts]


def test_every_new_sample_is_a_row_with_the_read_that_brought_it(tmp_path: Path) -> None:
    reads = [fact for fact in open_recording(RECORDING).facts() if isinstance(fact, ResourceMetricsRead)]
    new = {
        (sample.pod, container.name, sample.timestamp_us, dict(container.usage)["cpu"])
        for fact in reads
        for sample in fact.samples or ()
        for container in sample.containers
    }
    with replay(RECORDING, into=tmp_path / "r.duckdb") as results:
        rows = results.sql(
            "select pod, container, epoch_us(sample_ts), cpu_milli, epoch_us(observed_at)"
            " from metric_samples where not gone"
        ).fetchall()
    assert {row[:4] for row in rows} == new
    assert {row[4] for row in rows} <= {fact.at_us for fact in reads}


def test_a_recording_without_custom_metrics_has_an_empty_view_of_them(tmp_path: Path) -> None:
    with replay(RECORDING, into=tmp_path / "r.duckdb") as results:
        assert results.sql("select count(*) from metric_values").fetchall() == [(0,)]


def over(folder: Path, recorded: list[Fact]) -> Results:
    """The story's results, with these facts as well."""
    all_facts = sorted([*story.facts(), *recorded], key=lambda fact: fact.at_us)
    return story.replayed(folder / "x.duckdb", all_facts, story.reconciles())


def pod_seen(seconds: float, name: str, ready: str, ready_us: Micros | None) -> PodSeen:
    return PodSeen(at_us=at(seconds), pod=replace(pod(name), ready=ready, ready_transition_us=ready_us))


def test_a_pod_is_a_row_from_its_first_sight_over_its_first_ready_to_its_end(tmp_path: Path) -> None:
    facts_seen: list[Fact] = [
        PodGone(at_us=at(1), namespace="shop", name="late", uid="p-late"),
        pod_seen(2, "late", "False", at(2)),
        pod_seen(3, "late", "True", at(3)),
        pod_seen(4, "late", "False", at(4)),
        pod_seen(5, "late", "True", at(5)),
        pod_seen(6, "brief", "True", None),
        pod_seen(7, "brief", "True", at(7)),
        PodGone(at_us=at(8), namespace="shop", name="brief", uid="p-brief"),
        PodGone(at_us=at(9), namespace="shop", name="never", uid="p-never"),
    ]
    with over(tmp_path, facts_seen) as results:
        rows = results.sql(
            "select pod_uid, owner_name, epoch_us(seen_at), epoch_us(ready_at), epoch_us(deleted_at) from pods"
        ).fetchall()
    assert rows == [
        ("p-web-a", "web-6f", at(0), at(-590), None),
        ("p-web-b", "web-6f", at(0), at(-590), None),
        ("p-late", "web-6f", at(2), at(3), None),
        ("p-brief", "web-6f", at(6), None, at(8)),
    ]


def scale_read(seconds: float, spec: int, selector: str = "app=web") -> ScaleRead:
    return ScaleRead(
        at_us=at(seconds),
        took_us=Micros(0),
        target=WEB,
        path="/apis/apps/v1/namespaces/shop/deployments/web/scale",
        status=200,
        error="",
        by="",
        scale=Scale(spec_replicas=spec, status_replicas=spec, selector=selector),
        resource_version="",
    )


def test_only_a_look_that_differs_from_the_one_before_is_a_state_of_the_scale(tmp_path: Path) -> None:
    """A read says nothing of the owner, so what a watch said of it holds; what comes back after its end is new."""
    facts_seen: list[Fact] = [
        scale_read(-4, 4),
        scale_read(-3, 4, "app=other"),
        target_seen(-2, 4, "kubectl-create", "Update", "", 1),
        scale_read(-1, 4),
        TargetGone(at_us=at(-0.5), target=WEB, uid="d-web"),
        scale_read(-0.4, 4),
        scale_read(-0.3, 4),
    ]
    with over(tmp_path, facts_seen) as results:
        rows = results.sql("""
            select epoch_us(observed_at), source, selector, epoch_us(unchanged_at), replicas_manager
            from scale_states
            where observed_at < make_timestamp(1772460000000000)
            order by seq
        """).fetchall()
    assert rows == [
        (at(-5), "watch", "app=web", None, "kubectl-create"),
        (at(-3), "read", "app=other", at(-4), None),
        (at(-2), "watch", "app=web", at(-3), "kubectl-create"),
        (at(-0.4), "read", "app=web", None, None),
    ]


def test_every_state_of_a_scaled_object_is_a_row_and_so_is_its_end(tmp_path: Path) -> None:
    raw = {
        "metadata": {"namespace": "shop", "name": "web", "uid": "so", "generation": 2},
        "spec": {"scaleTargetRef": {"name": "web"}, "maxReplicaCount": 20, "triggers": [{"type": "rabbitmq"}]},
        "status": {"hpaName": "keda-hpa-web", "conditions": [{"type": "Active", "status": "False"}]},
    }
    gone = ScaledObjectGone(at_us=at(2), namespace="shop", name="web", uid="so")
    with over(tmp_path, [scaled_object_seen(at(1), raw), gone]) as results:
        rows = results.sql("""
            select
                epoch_us(observed_at), name, gone, target_kind, hpa_name, min_replicas, max_replicas, active, triggers
            from scaled_objects
        """).fetchall()
    assert rows == [
        (at(1), "web", False, "Deployment", "keda-hpa-web", None, 20, "False", '[{"type":"rabbitmq"}]'),
        (at(2), "web", True, None, None, None, None, None, None),
    ]


def test_what_was_refused_is_a_row_of_its_own(tmp_path: Path) -> None:
    odd = Refused(
        at_us=at(30),
        path="/apis/autoscaling/v2/horizontalpodautoscalers",
        namespace="shop",
        name="odd",
        uid="u",
        reason="Expected `int`, got `bool` - at `$.object.spec.maxReplicas`",
        object_json='{"spec":{"maxReplicas":true}}',
        bytes=410,
        count=7,
    )
    with over(tmp_path, [odd]) as results:
        rows = results.sql("select name, reason, object, bytes, times from refused").fetchall()
    assert rows == [(odd.name, odd.reason, odd.object_json, odd.bytes, odd.count)]
