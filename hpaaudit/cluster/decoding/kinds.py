"""The fields that are read of each kind of object. The parser skips all others: no value of `env` is ever decoded.

These fields are also all that is kept of an object that cannot be read (`unreadable.redacted`).
"""

from typing import Annotated, Any, Required, TypedDict

import msgspec

Int32 = Annotated[int, msgspec.Meta(ge=-(2**31), le=2**31 - 1)]
Int64 = Annotated[int, msgspec.Meta(ge=-(2**63), le=2**63 - 1)]
Text = Annotated[str, msgspec.Meta(max_length=1 << 20)]
Named = Annotated[str, msgspec.Meta(min_length=1, max_length=1 << 10)]
"""A name. Those of Kubernetes have 253 characters at most."""
Unkept = Annotated[Any, msgspec.Meta(extra={"kept": False})]
"""A field that is read but never kept: of a pod template only the hash, of labels and annotations a few."""
Labels = Annotated[dict[str, str] | None, msgspec.Meta(extra={"kept": False})]


_Fields = TypedDict("_Fields", {"f:spec": Any}, total=False)


class _Manager(TypedDict, total=False):
    manager: Text
    operation: Text
    subresource: Text
    time: Text | None
    fieldsV1: Annotated[_Fields | None, msgspec.Meta(extra={"kept": False})]


class _Owner(TypedDict, total=False):
    kind: Text
    name: Text
    controller: bool | None


class _Meta(TypedDict, total=False):
    namespace: Text
    name: Required[Named]
    uid: Text
    resourceVersion: Text


class _ManagedMeta(_Meta, total=False):
    generation: Int64 | None
    annotations: Labels
    managedFields: list[_Manager] | None


class _PodMeta(_Meta, total=False):
    labels: Labels
    creationTimestamp: Text | None
    deletionTimestamp: Text | None
    ownerReferences: list[_Owner] | None


class _HpaMeta(_ManagedMeta, total=False):
    labels: Labels
    creationTimestamp: Text | None


class _Object(TypedDict, total=False):
    metadata: Required[_Meta]


class _ManagedObject(TypedDict, total=False):
    metadata: Required[_ManagedMeta]


class _Resources(TypedDict, total=False):
    requests: dict[str, str | int | float] | None


class _Container(TypedDict, total=False):
    name: Text
    resources: _Resources | None
    restartPolicy: Text | None


class _PodSpec(TypedDict, total=False):
    containers: list[_Container] | None
    initContainers: list[_Container] | None
    resources: _Resources | None
    overhead: dict[str, str | int | float] | None


class _Condition(TypedDict, total=False):
    type: Text
    status: Text
    reason: Text | None
    lastTransitionTime: Text | None


class _PodStatus(TypedDict, total=False):
    phase: Text
    startTime: Text | None
    conditions: list[_Condition] | None


class Pod(TypedDict, total=False):
    """The fields that a reconcile reads."""

    metadata: Required[_PodMeta]
    spec: _PodSpec | None
    status: _PodStatus | None


class Hpa(TypedDict, total=False):
    """Spec and status as a whole; of the metadata its labels, who wrote it and when."""

    apiVersion: Text
    kind: Text
    metadata: Required[_HpaMeta]
    spec: dict[str, Any] | None
    status: dict[str, Any] | None


class _WorkloadSpec(TypedDict, total=False):
    replicas: Int32 | None
    selector: dict[str, Any] | None
    template: Unkept
    strategy: dict[str, Any] | None
    updateStrategy: dict[str, Any] | None


class _WorkloadStatus(TypedDict, total=False):
    replicas: Int32 | None
    updatedReplicas: Int32 | None
    updateRevision: Text | None
    currentRevision: Text | None
    conditions: list[_Condition] | None


class Workload(_ManagedObject, total=False):
    """A built-in workload: replicas, selector and rollout. Its pod template is read for its hash only."""

    kind: Text
    spec: _WorkloadSpec | None
    status: _WorkloadStatus | None


class Custom(_ManagedObject, total=False):
    """A custom resource. Its definition says where the replicas are; nothing else is kept."""

    kind: Text
    spec: Unkept
    status: Unkept


class _About(TypedDict, total=False):
    kind: Text
    namespace: Text
    name: Text
    uid: Text


class _Source(TypedDict, total=False):
    component: Text | None


class _Series(TypedDict, total=False):
    count: Int32 | None
    lastObservedTime: Text | None


class Event(_Object, total=False):
    """An Event of the core group."""

    involvedObject: _About | None
    type: Text | None
    reason: Text | None
    message: Text | None
    note: Text | None
    source: _Source | None
    reportingComponent: Text | None
    series: _Series | None
    count: Int32 | None
    firstTimestamp: Text | None
    lastTimestamp: Text | None
    eventTime: Text | None


class _LeaseSpec(TypedDict, total=False):
    holderIdentity: Text | None
    acquireTime: Text | None
    renewTime: Text | None
    leaseTransitions: Int32 | None
    leaseDurationSeconds: Int32 | None


class Lease(_Object, total=False):
    """A Lease: who leads, and how long without a renewal."""

    spec: _LeaseSpec | None


class _Service(TypedDict, total=False):
    namespace: Text
    name: Text


class _ApiServiceSpec(TypedDict, total=False):
    group: Text | None
    service: _Service | None


class _ConditionWithMessage(_Condition, total=False):
    message: Text | None


class _Conditions(TypedDict, total=False):
    conditions: list[_ConditionWithMessage] | None


class ApiService(_Object, total=False):
    """Whether an aggregated API is available, and which Service answers for it."""

    spec: _ApiServiceSpec | None
    status: _Conditions | None


class _Target(TypedDict, total=False):
    kind: Text | None
    name: Text | None


class _Fallback(TypedDict, total=False):
    replicas: Int32 | None


class _Trigger(TypedDict, total=False):
    type: Text | None
    name: Text | None
    metricType: Text | None
    useCachedMetrics: bool | None


class _ScaledObjectSpec(TypedDict, total=False):
    scaleTargetRef: _Target | None
    minReplicaCount: Int32 | None
    maxReplicaCount: Int32 | None
    idleReplicaCount: Int32 | None
    fallback: _Fallback | None
    triggers: list[_Trigger] | None


class _ScaledObjectStatus(TypedDict, total=False):
    hpaName: Text | None
    conditions: list[_Condition] | None


class ScaledObject(_ManagedObject, total=False):
    """A ScaledObject of KEDA, without the metadata of its triggers, which hold addresses and sometimes passwords."""

    spec: _ScaledObjectSpec | None
    status: _ScaledObjectStatus | None


class _SurroundingStatus(TypedDict, total=False):
    hard: Unkept
    used: Unkept
    recommendation: Unkept
    conditions: Unkept
    allocatable: Unkept


class Version(TypedDict, total=False):
    """The answer of `/version`."""

    gitVersion: Text | None


class _GroupVersion(TypedDict, total=False):
    version: Required[Text]


class Group(TypedDict, total=False):
    """An API group and its versions."""

    name: Required[Text]
    versions: list[_GroupVersion] | None
    preferredVersion: _GroupVersion | None


class Versions(TypedDict, total=False):
    """The answer of `/apis/GROUP`."""

    versions: Required[list[_GroupVersion]]


class Groups(TypedDict, total=False):
    """The answer of `/apis`."""

    groups: list[Group] | None


class _Resource(TypedDict, total=False):
    name: Required[Text]
    kind: Required[Text]


class Resources(TypedDict, total=False):
    """The answer of `/apis/GROUP/VERSION`: its resources."""

    resources: list[_Resource] | None


class _ScalePaths(TypedDict, total=False):
    specReplicasPath: Text | None
    statusReplicasPath: Text | None
    labelSelectorPath: Text | None


class _Subresources(TypedDict, total=False):
    scale: _ScalePaths | None


class _CrdVersion(TypedDict, total=False):
    name: Text
    subresources: _Subresources | None


class _CrdSpec(TypedDict, total=False):
    versions: list[_CrdVersion] | None
    subresources: _Subresources | None


class Definition(TypedDict, total=False):
    """A CustomResourceDefinition: where its objects keep their scale."""

    spec: _CrdSpec | None


class _ProcessContainer(TypedDict, total=False):
    name: Text
    image: Text | None
    command: list[str] | None
    args: list[str] | None


class _ProcessSpec(TypedDict, total=False):
    nodeName: Text | None
    containers: list[_ProcessContainer] | None


class _Process(TypedDict, total=False):
    spec: _ProcessSpec | None


class Processes(TypedDict, total=False):
    """Pods of the control plane: on which node, and with which flags."""

    items: list[_Process] | None


class _ReviewStatus(TypedDict, total=False):
    allowed: bool | None


class Review(TypedDict, total=False):
    """The answer to a SelfSubjectAccessReview."""

    status: _ReviewStatus | None


class Surrounding(_Object, total=False):
    """A ResourceQuota, a LimitRange, a VPA, a node, a webhook or an admission policy."""

    spec: Unkept
    status: _SurroundingStatus | None
    webhooks: Unkept
