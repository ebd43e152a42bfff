"""A story of fourteen reconciles of one HPA, told by hand: what was recorded, and what a replay makes of it.

Everything that an audit can meet happens once: a deploy by helm, a refused write, a metric that fails, a gap in the
recording, a decision that we cannot explain, one that sampling explains, maxReplicas in the way, a memory that holds.
"""

import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from hpaaudit.model.audit import Assumption, ReconcileTime, RecordingInfo, Replay, ReplayedReconcile
from hpaaudit.model.decision import Decision, MetricProposal, PodBucket, PostedEvent, ScaleAttempt, Step
from hpaaudit.model.facts import (
    ControllerSeen,
    Ended,
    Fact,
    Gap,
    PodSeen,
    ResourceMetricsRead,
)
from hpaaudit.model.hpa import Condition, HpaStatus
from hpaaudit.model.memory import Memory, Recommendation
from hpaaudit.model.metrics import MetricsRequest
from hpaaudit.model.units import SECOND, Micros, Milli
from hpaaudit.recording.reading.recording import Recording, open_recording
from hpaaudit.recording.writing.writer import Writer
from hpaaudit.results.read import Results
from hpaaudit.results.write import ResultsWriter
from tests.results.things import START, at, event_about, event_seen, hpa_seen, pod, target_seen

INFO = RecordingInfo(
    path="recordings/web",
    manifest_sha256="5f" * 32,
    format_version=1,
    source="record",
    cluster="prod",
    recorder_version="0.1.0",
    started_us=START,
    ended_us=Micros(START + 210 * SECOND),
)
REPLAY = Replay(
    replay_id="r1",
    mode="audit",
    release="1.31",
    engine_version="0.1.0",
    detail="moved",
    assumptions=(
        Assumption(key="release", value="1.31", source="observed"),
        Assumption(key="tolerance", value="0.1", source="default"),
    ),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    """One reconcile: what it read, what the replay says, what the controller published (None: as we say)."""

    spec: int
    desired: int
    raw: int | None
    code: str
    percent: int | None = 60
    stabilized: int | None = None
    published_desired: int | None = None
    able: str = "ReadyForNewScale"
    active: str = "ValidMetricFound"
    limited: str = "DesiredWithinRange"
    band: tuple[int, int] | None = None
    missing: str = ""
    http: int = 200


SCENES = (
    Scene(spec=4, desired=4, raw=4, code="metric.on_target", band=(4, 8), missing="memory.before_recording"),
    Scene(spec=4, desired=4, raw=4, code="tolerance.hold", percent=63),
    Scene(
        spec=4,
        desired=8,
        raw=12,
        code="policy.legacy_up_limit",
        percent=171,
        able="SucceededRescale",
        limited="ScaleUpLimit",
    ),
    Scene(spec=8, desired=8, raw=8, code="metric.on_target"),
    Scene(
        spec=3,
        desired=6,
        raw=3,
        stabilized=8,
        code="policy.legacy_up_limit",
        able="SucceededRescale",
        limited="ScaleUpLimit",
    ),
    Scene(spec=6, desired=8, raw=8, code="act.write_failed", percent=80, able="FailedUpdateScale", http=409),
    Scene(spec=6, desired=8, raw=8, code="metric.above_target", percent=80, able="SucceededRescale"),
    Scene(spec=8, desired=8, raw=None, code="gate.all_metrics_invalid", percent=None, active="FailedGetResourceMetric"),
    Scene(spec=8, desired=8, raw=8, code="metric.on_target", band=(8, 9), missing="metric.sample"),
    Scene(spec=8, desired=8, raw=8, code="metric.on_target", band=(8, 9), missing="metric.sample"),
    Scene(spec=8, desired=8, raw=8, code="metric.on_target", published_desired=10, able="SucceededRescale"),
    Scene(
        spec=10,
        desired=9,
        raw=9,
        code="metric.below_target",
        percent=53,
        published_desired=10,
        band=(9, 10),
        missing="metric.sample",
    ),
    Scene(spec=10, desired=10, raw=12, code="bound.max", percent=72, limited="TooManyReplicas"),
    Scene(
        spec=10, desired=10, raw=6, stabilized=10, code="stabilize.down_hold", percent=36, able="ScaleDownStabilized"
    ),
)


def reconciles() -> Iterator[ReplayedReconcile]:
    """What a replay of the recording says."""
    remembered: list[Recommendation] = []
    written = 4
    for index, scene in enumerate(SCENES):
        at_us = at(15 * index)
        recommendation = scene.raw if scene.code != "bound.max" else 10
        if recommendation is not None:
            remembered.append(Recommendation(replicas=recommendation, at_us=at_us))
        refused = scene.http != 200 or scene.raw is None
        status_desired = written if refused else scene.desired
        written = written if refused else scene.published_desired or scene.desired
        yield ReplayedReconcile(
            reconcile_id=index + 1,
            instant=ReconcileTime(began_us=at_us, at_us=at_us, source="status_write", uncertainty_us=Micros(0)),
            epoch_id=1,
            decision=_decision(scene, at_us, status_desired),
            memory=Memory(recommendations=tuple(remembered), selector="app=web"),
            band_lo=scene.band[0] if scene.band else scene.desired,
            band_hi=scene.band[1] if scene.band else scene.desired,
            evidence="assumed" if scene.band else "proven",
            missing_input=scene.missing,
            metric_labels=("cpu",),
        )


def metrics_read() -> ResourceMetricsRead:
    """An answer of the metrics API, so that the recording holds one."""
    request = MetricsRequest(
        api="metrics.k8s.io",
        namespace="shop",
        resource="pods",
        object="",
        metric="",
        selector="app=web",
        metric_selector="",
    )
    return ResourceMetricsRead(
        at_us=START, took_us=Micros(0), request=request, path="/asked", status=200, error="", by="", samples=()
    )


def facts() -> Iterator[Fact]:
    """What was recorded, in the order in which it was seen."""
    yield ControllerSeen(at_us=START, state="started", release="1.31", version="v1.31.4", flags=(), gates=())
    for name in ("web-a", "web-b"):
        yield PodSeen(at_us=START, pod=pod(name))
    yield metrics_read()
    yield target_seen(-5, 4, "kubectl-create", "Update", "", 1)
    rv = 100
    published = _status(4, 4, SCENES[0])
    yield hpa_seen(-5, published, rv)
    for index, scene in enumerate(SCENES):
        refused = scene.http != 200 or scene.raw is None
        published_desired = published.desired_replicas if refused else scene.published_desired or scene.desired
        before, published = published, _status(scene.spec, published_desired, scene)
        in_gap = 115 < 15 * index < 145
        if published != before and not in_gap:
            rv += 1
            yield hpa_seen(15 * index + 0.2, published, rv)
        if scene.http != 200:
            yield event_seen(index, "Warning", "FailedRescale", _refusal(scene.desired))
        elif published_desired != scene.spec and scene.raw is not None:
            rv += 1
            yield target_seen(15 * index + 0.1, published_desired, "kube-controller-manager", "Update", "scale", rv)
            yield event_seen(
                index, "Normal", "SuccessfulRescale", f"New size: {published_desired}; reason: cpu above target"
            )
        if index == 3:  # helm upgrade, seven seconds after a quiet reconcile
            rv += 1
            yield target_seen(52, 3, "helm", "Update", "", rv)
        if index == 4:  # the new pods find no place
            yield event_about(62, "ReplicaSet", "web-6f", "FailedCreate", "exceeded quota: compute")
            for name in ("web-6f-b2c4d", "web-6f-x9z7k", "web-api-6f-b2c4d", "website-6f-b2c4d"):
                yield event_about(63, "Pod", name, "FailedScheduling", "0/3 nodes are available")
            yield replace(event_about(64, "Pod", "web-6f-b2c4d", "Killing", "Stopping container app"), type="Normal")
    yield Gap(at_us=at(115), until_us=at(145), prefix="*", cause="recorder restarted")
    yield Ended(at_us=INFO.ended_us)


def results(folder: Path, *, detail: str = "moved") -> Results:
    """The story as a finished results file."""
    return replayed(folder / "web.duckdb", facts(), reconciles(), detail=detail)


def replayed(
    path: Path, facts_in: Iterable[Fact], decided: Iterable[ReplayedReconcile], *, detail: str = "moved"
) -> Results:
    """A finished results file over these facts and reconciles."""
    facts_before = list(facts_in)
    with tempfile.TemporaryDirectory() as folder:
        seen_as = recorded(Path(folder) / "recording", facts_before)
        run = replace(REPLAY, detail=detail)
        with ResultsWriter(path, seen_as.info, run, overwrite=False, recorded=seen_as) as writer:
            writer.add_facts(facts_before)
            writer.add(decided)
            return writer.finish()


def recorded(folder: Path, facts_in: Iterable[Fact]) -> Recording:
    """The facts written as a recording, which goes by the name of the story's."""
    with Writer(folder, source=INFO.source, cluster=INFO.cluster, started_us=INFO.started_us) as writer:
        for fact in facts_in:
            writer.add(fact)
    opened = open_recording(folder)
    return replace(opened, info=replace(INFO, files=opened.info.files))


def _refusal(replicas: int) -> str:
    return (
        f"New size: {replicas}; reason: cpu resource utilization (percentage of request) above target; error: "
        'Operation cannot be fulfilled on deployments.apps "web": the object has been modified'
    )


def _status(current: int, desired: int, scene: Scene) -> HpaStatus:
    return HpaStatus(
        observed_generation=None,
        last_scale_us=None,
        current_replicas=current,
        desired_replicas=desired,
        current_metrics=(),
        conditions=(
            _condition("AbleToScale", scene.able, healthy=scene.able != "FailedUpdateScale"),
            _condition("ScalingActive", scene.active, healthy=scene.active == "ValidMetricFound"),
            _condition("ScalingLimited", scene.limited, healthy=scene.limited != "DesiredWithinRange"),
        ),
    )


def _condition(kind: str, reason: str, *, healthy: bool) -> Condition:
    return Condition(type=kind, status=str(healthy), reason=reason, message="", last_transition_us=START)


def _decision(scene: Scene, at_us: Micros, status_desired: int) -> Decision:
    scales = scene.desired != scene.spec
    stabilized = scene.raw if scene.stabilized is None else scene.stabilized
    return Decision(
        at_us=at_us,
        namespace="shop",
        name="web",
        uid="u-web",
        gone=False,
        spec_replicas=scene.spec,
        status_replicas=scene.spec,
        min_replicas=2,
        max_replicas=10,
        raw_desired=scene.raw,
        stabilized=stabilized,
        rate_limited=None if scene.raw is None else scene.desired,
        unheld=None,
        desired=scene.desired,
        status_desired=status_desired,
        action="hold" if not scales else "scale_up" if scene.desired > scene.spec else "scale_down",
        reason_code=scene.code,
        scale_reason="",
        status=_status(scene.spec, status_desired, scene),
        writes_status=True,
        attempts=(ScaleAttempt(to=scene.desired, status=scene.http),) if scales else (),
        events=(PostedEvent(type="Normal", reason="SuccessfulRescale", message=f"New size: {scene.desired}"),)
        if scales
        else (),
        error="",
        proposals=(_proposal(scene),),
        steps=tuple(_steps(scene)),
    )


def _steps(scene: Scene) -> Iterator[Step]:
    if scene.raw is None:
        yield Step(
            stage="gate",
            code=scene.code,
            before=scene.spec,
            after=scene.spec,
            binding=True,
            detail=(("error", "the server is currently unable to handle the request"),),
        )
        return
    metric_code = scene.code if scene.code.startswith(("metric.", "tolerance.")) else "metric.above_target"
    yield Step(
        stage="propose",
        code=metric_code,
        before=scene.spec,
        after=scene.raw,
        binding=scene.raw != scene.spec,
        detail=(("metric", "cpu"), ("ratio", scene.percent and scene.percent / 60)),
    )
    number = scene.raw
    if scene.stabilized is not None:
        number = scene.stabilized
        yield Step(
            stage="stabilize",
            code="stabilize.down_hold" if scene.stabilized == scene.spec else "stabilize.legacy_raise",
            before=scene.raw,
            after=number,
            binding=True,
            detail=(
                ("recommendation", number),
                ("recommended_us", at(180 if number == 10 else 45)),
                ("window_us", 300 * SECOND),
            ),
        )
    if scene.desired != number and scene.http == 200:
        stage = scene.code.partition(".")[0]
        yield Step(stage=stage, code=scene.code, before=number, after=scene.desired, binding=True)
    if scene.desired != scene.spec:
        if scene.http == 200:
            yield Step(stage="write", code="act.scale_up", before=scene.spec, after=scene.desired, binding=False)
        else:
            error = 'Operation cannot be fulfilled on deployments.apps "web": the object has been modified'
            yield Step(
                stage="write",
                code="act.write_failed",
                before=scene.desired,
                after=scene.spec,
                binding=True,
                detail=(("error", error),),
            )


def _proposal(scene: Scene) -> MetricProposal:
    valid = scene.percent is not None
    ratio = scene.percent / 60 if scene.percent is not None else None
    return MetricProposal(
        metric_idx=0,
        metric_type="Resource",
        metric_name="cpu",
        target_type="Utilization",
        target=60,
        current_milli=None,
        current_utilization=scene.percent,
        ratio=ratio,
        ratio_adjusted=ratio,
        tolerance=0.1,
        proposal=scene.raw,
        valid=valid,
        invalid_code="" if valid else "metric.invalid.api_unavailable",
        invalid_text="" if valid else "the server is currently unable to handle the request",
        adjust_code="adjust.none",
        inside_tolerance=False,
        ready_pods=1,
        unready_pods=1,
        missing_pods=0,
        ignored_pods=0,
        is_winner=valid,
        pods=(
            PodBucket(pod="web-a", uid="p-web-a", bucket="ready", why_code="", value=Milli(600), request=Milli(1000)),
            PodBucket(
                pod="web-b", uid="p-web-b", bucket="unready", why_code="initializing", value=None, request=Milli(1000)
            ),
        ),
    )
