"""The kinds of incidents: what is done, and the one word that hpaaudit must say of it.

Words were chosen from docs/results.md and docs/findings.md before anything was replayed. `also` lists what is true of
such an incident beside its word, by the meaning of the words, whether or not the audit says it.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from tests.cluster.kube import ApiError
from tests.cluster.manifests import ADMISSION, STORES_FIVE, WRITES_OF_SCALES, cpu, deployment, hpa
from tests.cluster.scenes import ARGO_CD, HELM, UNAVAILABLE
from tests.cluster.week.stage import SHAPES, STEPS, Stage, Workload

STANDS_SECONDS = 6
"""A state that is to be seen stands for so long: five reconciles."""
FALLS_BACK = frozenset({"blank_reason"})
"""What somebody lowered, or a limit cut off, comes by an earlier recommendation: the Event then names no reason."""
BLIND = frozenset({"misleading_status", "events_lost"})
"""Without a usable metric the status keeps its old value, and so many Warnings use up what an object may post."""

Play = Callable[[Stage, Workload], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind:
    """An incident that can happen to one workload of some shapes."""

    word: str
    play: Play
    shapes: tuple[str, ...] = ("plain", "alone")
    also: frozenset[str] = frozenset()
    others: tuple[str, ...] = ()
    """What the names of other HPAs that it hits end with, after the workload's."""
    is_lasting: bool = False
    """It leaves pods or objects behind that are new: an HPA meets one such incident."""
    moves: bool = False
    """The HPA scales up and down by its load: an HPA that does so more often flaps."""


def foreign_write(agent: str, replicas: int, *, in_scale: bool, user: str = "admin") -> Play:
    """Another program writes the number; the HPA puts it right."""

    def play(stage: Stage, workload: Workload) -> None:
        client = stage.cluster.client(user, agent)
        client.patch(workload.scale if in_scale else workload.deployment, {"spec": {"replicas": replicas}})
        stage.wait_replicas(workload, SHAPES[workload.shape].replicas)

    return play


def scaled_by_hand(stage: Stage, workload: Workload) -> None:
    """Somebody scales with kubectl."""
    stage.alice.patch(workload.scale, {"spec": {"replicas": 2}})
    stage.wait_replicas(workload, 4)


def gitops_syncs(stage: Stage, workload: Workload) -> None:
    """Argo CD puts back the replicas of its manifest three times."""
    argo_cd = stage.cluster.client("admin", ARGO_CD)
    for _ in range(3):
        argo_cd.patch(workload.deployment, {"spec": {"replicas": 2}})
        stage.wait_replicas(workload, 4)
        time.sleep(3)


def scaled_to_zero(stage: Stage, workload: Workload) -> None:
    """Somebody scales to 0, and back later."""
    stage.alice.patch(workload.scale, {"spec": {"replicas": 0}})
    stage.condition(workload, "ScalingActive", "ScalingDisabled")
    time.sleep(STANDS_SECONDS)
    stage.alice.patch(workload.scale, {"spec": {"replicas": 4}})


def second_hpa(stage: Stage, workload: Workload) -> None:
    """Somebody makes a second HPA of the same target."""
    second = hpa(f"{workload.name}-2", cpu(60), low=2, high=10)
    second["spec"]["scaleTargetRef"]["name"] = workload.name
    stage.helm.post(workload.hpas, second)
    stage.condition(workload, "ScalingActive", "AmbiguousSelector")
    time.sleep(STANDS_SECONDS)
    stage.helm.delete(f"{workload.hpa}-2")
    stage.condition(workload, "ScalingActive", "ValidMetricFound")


def metrics_down(stage: Stage, workload: Workload) -> None:
    """The resource metrics API fails for the namespace."""
    fault = f"metrics.k8s.io/{workload.namespace}"
    stage.set("faults", fault, UNAVAILABLE)
    stage.condition(workload, "ScalingActive", "FailedGetResourceMetric")
    time.sleep(STANDS_SECONDS)
    stage.set("faults", fault)
    stage.condition(workload, "ScalingActive", "ValidMetricFound")


def one_metric_lost(stage: Stage, workload: Workload) -> None:
    """The metric that asks for more pods goes missing; the other one would scale down."""
    stage.cluster.state["pods"][workload.key] = {"cpu": SHAPES[workload.shape].cpu, "memory": 64}
    time.sleep(18)  # longer than any earlier recommendation counts
    stage.load(workload)


def external_lost(stage: Stage, workload: Workload) -> None:
    """The external metric has no series for a while."""
    stage.queue(workload)
    stage.condition(workload, "ScalingActive", "FailedGetExternalMetric")
    time.sleep(STANDS_SECONDS)
    stage.load(workload)
    stage.condition(workload, "ScalingActive", "ValidMetricFound")


def negative_metric(stage: Stage, workload: Workload) -> None:
    """The source of the external metric answers with a negative value, which the controller takes for a huge one."""
    stage.queue(workload, "-5")
    stage.wait_replicas(workload, 10)
    time.sleep(STANDS_SECONDS)
    stage.load(workload)


def sidecar_without_request(stage: Stage, workload: Workload) -> None:
    """A rollout adds a container without a request, and the next one takes it away."""
    template = deployment(workload.name)["spec"]["template"]["spec"]["containers"]
    for containers in ([*template, {"name": "proxy", "image": "none"}], template):
        stage.helm.patch(workload.deployment, {"spec": {"template": {"spec": {"containers": containers}}}})
        if len(containers) > 1:
            stage.condition(workload, "ScalingActive", "FailedGetResourceMetric")
            time.sleep(STANDS_SECONDS)
    stage.condition(workload, "ScalingActive", "ValidMetricFound")


def never_ready(stage: Stage, workload: Workload) -> None:
    """New pods do not become ready for more than a minute, while the load is high."""
    stage.set("slow", workload.key, 600)
    stage.load(workload, 1.73)
    stage.wait_replicas(workload, 6, 9)
    time.sleep(75)
    stage.set("slow", workload.key)
    world = stage.cluster.world
    assert world
    for pod in stage.own_pods(workload):
        if not all(one["ready"] for one in pod["status"]["containerStatuses"]):
            world.make_ready((workload.namespace, pod["metadata"]["name"]), pod, pod["status"]["startTime"])
    time.sleep(STANDS_SECONDS)
    stage.load(workload)


def quota(stage: Stage, workload: Workload) -> None:
    """A quota allows no more pods, while the load doubles."""
    path = f"/api/v1/namespaces/{workload.namespace}/resourcequotas"
    hard = {"hard": {"pods": "4"}}
    stage.kube.post(path, {"metadata": {"name": "few"}, "spec": hard})
    stage.kube.patch(f"{path}/few/status", {"status": {**hard, "used": {"pods": "4"}}})
    stage.load(workload, 2)
    stage.wait_replicas(workload, 7, 9)
    time.sleep(135)
    stage.kube.delete(f"{path}/few")
    stage.load(workload)
    # Its controller tries again ever later; a change of the ReplicaSet lets it try at once.
    sets = f"/apis/apps/v1/namespaces/{workload.namespace}/replicasets"
    for one in stage.kube.get(sets)["items"]:
        stage.kube.patch(f"{sets}/{one['metadata']['name']}", {"metadata": {"annotations": {"again": "now"}}})


def rollout_with_surge(stage: Stage, workload: Workload) -> None:
    """A rollout whose surge pods the metric is divided by: the tolerance covers it for the pods that there are."""
    stage.load(workload, 1.08)
    time.sleep(STANDS_SECONDS)
    stage.set("slow", workload.key, 5)
    annotations = {"metadata": {"annotations": {"rolled": f"{time.time():.0f}"}}}
    stage.helm.patch(workload.deployment, {"spec": {"template": annotations}})
    stage.wait_replicas(workload, 11, 20)
    stage.wait("all pods are new", lambda: _is_rolled_out(stage, workload), 90)
    stage.set("slow", workload.key)
    stage.load(workload)
    stage.wait_replicas(workload, 10)


def _is_rolled_out(stage: Stage, workload: Workload) -> bool:
    target = stage.kube.get(workload.deployment)
    status, replicas = target["status"], target["spec"]["replicas"]
    counts = {status.get(key, 0) for key in ("replicas", "updatedReplicas", "readyReplicas")}
    return counts == {replicas} and status["observedGeneration"] == target["metadata"]["generation"]


def foreign_pod(stage: Stage, workload: Workload) -> None:
    """A pod of somebody else has the labels that the target selects."""
    template = deployment(workload.name)["spec"]["template"]
    name = f"debug-{workload.name}"
    stage.alice.post(workload.pods, {**template, "metadata": {**template["metadata"], "name": name}})
    stage.wait(f"{name} runs", lambda: bool(stage.kube.get(f"{workload.pods}/{name}").get("status", {}).get("podIP")))
    time.sleep(2 * STANDS_SECONDS)
    stage.alice.delete(f"{workload.pods}/{name}")


def target_deleted(stage: Stage, workload: Workload) -> None:
    """The Deployment is deleted, and made again."""
    stage.helm.delete(workload.deployment, propagationPolicy="Background")
    stage.condition(workload, "AbleToScale", "FailedGetScale")
    time.sleep(STANDS_SECONDS)
    stage.create_target(workload)


def pods_evicted(stage: Stage, workload: Workload) -> None:
    """All pods end, twice, as on nodes that are drained."""
    for _ in range(2):
        for pod in stage.own_pods(workload):
            stage.kube.delete(f"{workload.pods}/{pod['metadata']['name']}")
        stage.settle(workload)


def hpa_edited(before: dict[str, Any], after: dict[str, Any], replicas: int) -> Play:
    """Somebody edits bounds, and puts them back later."""

    def play(stage: Stage, workload: Workload) -> None:
        stage.alice.patch(workload.hpa, {"spec": before})
        stage.wait_replicas(workload, replicas)
        time.sleep(STANDS_SECONDS)
        stage.alice.patch(workload.hpa, {"spec": after})
        stage.wait_replicas(workload, 4)

    return play


def behavior_removed(stage: Stage, workload: Workload) -> None:
    """Somebody removes the behavior, and puts it back later."""
    stage.alice.patch(workload.hpa, {"spec": {"behavior": None}})
    time.sleep(STANDS_SECONDS)
    stage.alice.patch(workload.hpa, {"spec": {"behavior": STEPS}})


def hpa_made_again(stage: Stage, workload: Workload) -> None:
    """The HPA is deleted, and made again."""
    old = stage.kube.get(workload.hpa)
    stage.helm.delete(workload.hpa)
    time.sleep(STANDS_SECONDS)
    shape = SHAPES[workload.shape]
    stage.helm.post(workload.hpas, hpa(workload.name, *shape.metrics(workload.name), **shape.options))
    stage.condition(workload, "ScalingActive", "ValidMetricFound")
    assert stage.kube.get(workload.hpa)["metadata"]["uid"] != old["metadata"]["uid"]


def load_beyond_max(stage: Stage, workload: Workload) -> None:
    """The load would need more replicas than maxReplicas."""
    stage.load(workload, 4)
    stage.wait_replicas(workload, 10)
    time.sleep(STANDS_SECONDS)
    stage.load(workload)
    stage.wait_replicas(workload, 4)


def load_moves(factor: float, seconds: float) -> Play:
    """The load changes for a while."""

    def play(stage: Stage, workload: Workload) -> None:
        stage.load(workload, factor)
        time.sleep(seconds)
        stage.load(workload)
        stage.wait_replicas(workload, 4, seconds=120)

    return play


def load_flaps(stage: Stage, workload: Workload) -> None:
    """The load doubles and halves, four times."""
    for _ in range(4):
        stage.load(workload, 2)
        stage.wait_replicas(workload, 7, 9)
        stage.load(workload)
        stage.wait_replicas(workload, 4)


def admission_changes(stage: Stage, workload: Workload) -> None:
    """A policy changes what is written to the scale, while the load doubles."""
    spec = {"reinvocationPolicy": "Never", "failurePolicy": "Fail", "mutations": [STORES_FIVE]}
    _with_policy(stage, workload, "MutatingAdmissionPolicy", spec)


def admission_refuses(stage: Stage, workload: Workload) -> None:
    """A policy refuses what is written to the scale, while the load doubles."""
    spec = {"failurePolicy": "Fail", "validations": [{"expression": "false", "message": "frozen"}]}
    _with_policy(stage, workload, "ValidatingAdmissionPolicy", spec)


def _with_policy(stage: Stage, workload: Workload, kind: str, spec: dict[str, Any]) -> None:
    name = f"{workload.namespace}-{workload.name}"
    path = f"{ADMISSION}/{kind[:-1].lower()}ies"
    mine = f"request.namespace == '{workload.namespace}' && request.name == '{workload.name}'"
    matched = {"resourceRules": [WRITES_OF_SCALES], "matchPolicy": "Equivalent"}
    conditions = [{"name": "mine", "expression": mine}]
    policy = {"matchConstraints": matched, "matchConditions": conditions, **spec}
    actions = {"validationActions": ["Deny"]} if kind.startswith("Validating") else {}
    stage.kube.post(path, {"metadata": {"name": name}, "spec": policy})
    bindings = f"{ADMISSION}/{kind.lower()}bindings"
    stage.kube.post(bindings, {"metadata": {"name": name}, "spec": {"policyName": name, **actions}})

    def is_active() -> bool:
        try:
            answer = stage.kube.patch(f"{workload.scale}?dryRun=All", {"spec": {"replicas": 9}})
        except ApiError:
            return True
        return bool(answer["spec"]["replicas"] != 9)

    stage.wait(f"{name}: in force", is_active)
    stage.load(workload, 2)
    if kind.startswith("Mutating"):
        stage.wait_replicas(workload, 5)
    else:
        stage.condition(workload, "AbleToScale", "FailedUpdateScale")
    time.sleep(STANDS_SECONDS)
    stage.load(workload)
    time.sleep(STANDS_SECONDS + 5)  # nothing is wanted any more that the policy would change
    stage.kube.delete(f"{bindings}/{name}")
    stage.kube.delete(f"{path}/{name}")


KINDS = {
    "scaled by hand": Kind(word="external_write.manual", play=scaled_by_hand, also=FALLS_BACK),
    "GitOps resets the replicas": Kind(
        word="gitops_selfheal_loop", play=gitops_syncs, also=FALLS_BACK | {"external_write.gitops"}
    ),
    "Helm sets the replicas": Kind(
        word="apply_resets_replicas", play=foreign_write(HELM, 2, in_scale=False),
        also=FALLS_BACK | {"external_write.deploy_tool"},
    ),
    "KEDA writes the scale": Kind(
        word="external_write.autoscaler", play=foreign_write("keda/2.17.0", 7, in_scale=True)
    ),
    "an operator writes the scale": Kind(
        word="operator_writes_back", play=foreign_write("shop-operator/v1.4.0", 2, in_scale=True),
        also=FALLS_BACK | {"external_write.operator"},
    ),
    "an unknown program writes": Kind(
        word="external_write.unknown", play=foreign_write("resizer/0.1", 2, in_scale=True), also=FALLS_BACK
    ),
    # Once the number is 0 the API server's managedFields name nobody for it, nor who writes the next one.
    "scaled to zero": Kind(
        word="disabled_at_zero", play=scaled_to_zero,
        also=FALLS_BACK | {"external_write.manual", "external_write.unknown"},
    ),
    "a second HPA of the target": Kind(
        word="two_autoscalers", play=second_hpa, also=BLIND | {"hpas.deleted_at"}, others=("-2",)
    ),
    "the metrics API fails": Kind(word="metrics_api_down", play=metrics_down, also=BLIND, shapes=("alone",)),
    "one of two metrics is lost": Kind(
        word="gate.partial_metrics_block_down", play=one_metric_lost,
        also=BLIND | {"one_bad_metric_blocks_down", "metric_forbidden_or_unregistered"}, shapes=("mixed",),
    ),
    "the external metric is lost": Kind(
        word="metric.invalid.empty_external", play=external_lost, also=BLIND, shapes=("queue",)
    ),
    "a negative metric": Kind(
        word="overflow_to_min",
        play=negative_metric,
        also=frozenset({"pinned_at_max"}),
        shapes=("queue",),
        moves=True,
    ),
    "a sidecar without a request": Kind(
        word="missing_request_sidecar", play=sidecar_without_request, also=BLIND, is_lasting=True
    ),
    "new pods never ready": Kind(word="unready_pods_damp_up", play=never_ready, moves=True),
    # With twice the load and no more pods the HPA wants 8 or 9, from one sample to the next: its own Events say so.
    "a quota refuses pods": Kind(
        word="effect.quota", play=quota, also=frozenset({"pods_not_created", "flapping"}), shapes=("alone",), moves=True
    ),
    "a rollout with surge": Kind(word="rollout_inflation", play=rollout_with_surge, shapes=("wide",), is_lasting=True),
    "a foreign pod in the selector": Kind(word="selector_matches_other_pods", play=foreign_pod),
    "the target is made again": Kind(
        word="target_unreadable", play=target_deleted, also=BLIND | FALLS_BACK, is_lasting=True
    ),
    "all pods are evicted": Kind(
        word="node_churn", play=pods_evicted, also=frozenset({"misleading_status"}), is_lasting=True, moves=True
    ),
    "maxReplicas lowered": Kind(
        word="gate.above_max", play=hpa_edited({"maxReplicas": 3}, {"maxReplicas": 10}, 3),
        also=FALLS_BACK | {"bounds_edited", "pinned_at_max"},
    ),
    "minReplicas raised": Kind(
        word="gate.below_min", play=hpa_edited({"minReplicas": 6}, {"minReplicas": 2}, 6),
        also=frozenset({"bounds_edited"}),
    ),
    "the behavior is removed": Kind(
        word="behavior_lost_by_old_api", play=behavior_removed, shapes=("stepwise",)
    ),
    "the HPA is made again": Kind(word="hpas.deleted_at", play=hpa_made_again, is_lasting=True),
    "load beyond maxReplicas": Kind(word="pinned_at_max", play=load_beyond_max, moves=True),
    "scale-up limited by a policy": Kind(
        word="policy.up_limit", play=load_moves(2, 14), also=frozenset({"policy.down_limit"}), shapes=("stepwise",)
    ),
    "scale-down limited by a policy": Kind(
        word="policy.down_limit", play=load_moves(0.5, 12), also=frozenset({"policy.up_limit"}), shapes=("stepwise",)
    ),
    "scale-up disabled": Kind(word="policy.up_disabled", play=load_moves(2, 10), shapes=("frozen",)),
    "scale-down disabled": Kind(word="policy.down_disabled", play=load_moves(0.5, 10), shapes=("frozen",)),
    "the load flaps": Kind(word="flapping", play=load_flaps, moves=True),
    "admission changes the write": Kind(
        # Once the load has fallen, memory alone wants the higher number.
        word="write_mutated.admission", play=admission_changes, also=FALLS_BACK | {"admission_on_scale"}, moves=True
    ),
    "admission refuses the write": Kind(
        word="write_failed.denied", play=admission_refuses, also=frozenset({"admission_on_scale", "events_lost"}),
        moves=True,
    ),
}  # fmt: skip
