"""Converts facts that are one row each to that row, and back."""

from collections.abc import Callable
from operator import attrgetter
from typing import Any

from hpaaudit.model.facts import (
    ApiServiceSeen,
    ControllerSeen,
    Ended,
    EventSeen,
    Fact,
    Gap,
    HeapsterRead,
    HpaGone,
    HpaSeen,
    LeaseSeen,
    PodGone,
    PodSeen,
    PodsListed,
    Reconciled,
    RecorderStarted,
    Refused,
    RolloutSeen,
    ScaledObjectGone,
    ScaledObjectSeen,
    ScaleWritten,
    StatusWritten,
    SurroundingSeen,
    TargetGone,
    TargetRef,
    TargetSeen,
    VersionRead,
)
from hpaaudit.model.target import Pod, Scale
from hpaaudit.recording.encoding.json_text import (
    containers_from_json,
    containers_to_json,
    labels_from_json,
    labels_to_json,
    pairs_from_json,
    pairs_to_json,
    requests_from_json,
    requests_to_json,
)
from hpaaudit.recording.format.column_types import Row
from hpaaudit.recording.format.schema import TABLES

Body = tuple[Any, ...]
"""A row without its first value, `seq`."""

# Facts whose fields are the columns of their table, name by name.
PLAIN: dict[str, type[Any]] = {
    "status_writes": StatusWritten,
    "events": EventSeen,
    "leases": LeaseSeen,
    "api_services": ApiServiceSeen,
    "surroundings": SurroundingSeen,
    "versions": VersionRead,
    "recorders": RecorderStarted,
    "reconciles": Reconciled,
    "pod_lists": PodsListed,
    "heapster_reads": HeapsterRead,
    "gaps": Gap,
    "refused": Refused,
    "ends": Ended,
}

# The columns of a ScaledObject after `gone`.
_SCALED_OBJECT = tuple(column.name for column in TABLES["scaled_objects"].columns[6:])
_OF_SCALED_OBJECT = attrgetter(*_SCALED_OBJECT)


def _gone(table: str, body: Body) -> Body:
    """Fills the row of a deleted object: all columns after `gone` are NULL."""
    return body + (None,) * (len(TABLES[table].columns) - 1 - len(body))


def scale_to_columns(scale: Scale | None) -> tuple[int | None, int | None, str | None]:
    """Spec replicas, status replicas and selector. NULL without a scale."""
    return (None, None, None) if scale is None else (scale.spec_replicas, scale.status_replicas, scale.selector)


def scale_from_columns(spec_replicas: int | None, status_replicas: int | None, selector: str | None) -> Scale | None:
    """The inverse of `scale_to_columns`."""
    if spec_replicas is None or status_replicas is None or selector is None:
        return None
    return Scale(spec_replicas=spec_replicas, status_replicas=status_replicas, selector=selector)


def _controller(fact: ControllerSeen) -> Body:
    flags, gates = pairs_to_json(fact.flags), pairs_to_json(fact.gates)
    return (fact.at_us, fact.state, fact.release, fact.version, flags, gates)


def _controller_fact(body: Body) -> Fact:
    at_us, state, release, version, flags, gates = body
    return ControllerSeen(
        at_us=at_us,
        state=state,
        release=release,
        version=version,
        flags=pairs_from_json(flags),
        gates=pairs_from_json(gates),
    )


def _hpa(fact: HpaSeen) -> Body:
    return (
        fact.at_us,
        fact.namespace,
        fact.name,
        fact.uid,
        False,
        fact.api_version,
        fact.resource_version,
        fact.generation,
        fact.created_us,
        fact.spec_json,
        fact.status_json,
        fact.annotations_json,
        fact.spec_manager,
        fact.labels_json,
    )


def _hpa_gone(fact: HpaGone) -> Body:
    return _gone("hpas", (fact.at_us, fact.namespace, fact.name, fact.uid, True))


def _hpa_fact(body: Body) -> Fact:
    at_us, namespace, name, uid, gone, *rest = body
    if gone:
        return HpaGone(at_us=at_us, namespace=namespace, name=name, uid=uid)
    api_version, resource_version, generation, created_us, spec, status, annotations, spec_manager, labels = rest
    return HpaSeen(
        at_us=at_us,
        namespace=namespace,
        name=name,
        uid=uid,
        api_version=api_version,
        resource_version=resource_version,
        generation=generation,
        created_us=created_us,
        spec_json=spec,
        status_json=status,
        annotations_json=annotations,
        spec_manager=spec_manager,
        labels_json=labels,
    )


def _pod(fact: PodSeen) -> Body:
    pod = fact.pod
    return (
        fact.at_us,
        pod.namespace,
        pod.name,
        pod.uid,
        False,
        pod.resource_version,
        labels_to_json(pod.labels),
        pod.phase,
        pod.deleting_us,
        pod.start_us,
        pod.ready,
        pod.ready_transition_us,
        containers_to_json(pod.containers),
        containers_to_json(pod.init_containers),
        None if pod.pod_requests is None else requests_to_json(pod.pod_requests),
        requests_to_json(pod.overhead),
        pod.created_us,
        pod.owner_kind,
        pod.owner_name,
    )


def _pod_gone(fact: PodGone) -> Body:
    return _gone("pods", (fact.at_us, fact.namespace, fact.name, fact.uid, True))


def _pod_fact(body: Body) -> Fact:
    at_us, namespace, name, uid, gone, resource_version, labels, phase, deleting_us, start_us, *rest = body
    if gone:
        return PodGone(at_us=at_us, namespace=namespace, name=name, uid=uid)
    ready, ready_us, containers, init_containers, pod_requests, overhead, created_us, owner_kind, owner_name = rest
    pod = Pod(
        namespace=namespace,
        name=name,
        uid=uid,
        resource_version=resource_version,
        labels=labels_from_json(labels),
        phase=phase,
        deleting_us=deleting_us,
        start_us=start_us,
        ready=ready,
        ready_transition_us=ready_us,
        containers=containers_from_json(containers),
        init_containers=containers_from_json(init_containers),
        pod_requests=None if pod_requests is None else requests_from_json(pod_requests),
        overhead=requests_from_json(overhead),
        created_us=created_us,
        owner_kind=owner_kind,
        owner_name=owner_name,
    )
    return PodSeen(at_us=at_us, pod=pod)


def _ref(target: TargetRef) -> Body:
    return (target.group, target.resource, target.namespace, target.name)


def _target(fact: TargetSeen) -> Body:
    return (
        fact.at_us,
        *_ref(fact.target),
        fact.uid,
        False,
        fact.kind,
        fact.resource_version,
        fact.generation,
        *scale_to_columns(fact.scale),
        fact.manager,
        fact.operation,
        fact.subresource,
        fact.written_us,
        fact.template_hash,
    )


def _target_gone(fact: TargetGone) -> Body:
    return _gone("targets", (fact.at_us, *_ref(fact.target), fact.uid, True))


def _target_fact(body: Body) -> Fact:
    at_us, group, resource, namespace, name, uid, gone, *rest = body
    target = TargetRef(group=group, resource=resource, namespace=namespace, name=name)
    if gone:
        return TargetGone(at_us=at_us, target=target, uid=uid)
    kind, resource_version, generation, spec_replicas, status_replicas, selector, *owner = rest
    manager, operation, subresource, written_us, template_hash = owner
    return TargetSeen(
        at_us=at_us,
        target=target,
        kind=kind,
        uid=uid,
        resource_version=resource_version,
        generation=generation,
        scale=Scale(spec_replicas=spec_replicas, status_replicas=status_replicas, selector=selector),
        manager=manager,
        operation=operation,
        subresource=subresource,
        written_us=written_us,
        template_hash=template_hash,
    )


def _rollout(fact: RolloutSeen) -> Body:
    limits = (fact.max_surge, fact.max_unavailable)
    return (fact.at_us, *_ref(fact.target), fact.resource_version, fact.revision, fact.rolling, *limits)


def _rollout_fact(body: Body) -> Fact:
    at_us, group, resource, namespace, name, resource_version, revision, rolling, max_surge, max_unavailable = body
    return RolloutSeen(
        at_us=at_us,
        target=TargetRef(group=group, resource=resource, namespace=namespace, name=name),
        resource_version=resource_version,
        revision=revision,
        rolling=rolling,
        max_surge=max_surge,
        max_unavailable=max_unavailable,
    )


def _scaled_object(fact: ScaledObjectSeen) -> Body:
    return (fact.at_us, fact.namespace, fact.name, fact.uid, False, *_OF_SCALED_OBJECT(fact))


def _scaled_object_gone(fact: ScaledObjectGone) -> Body:
    return _gone("scaled_objects", (fact.at_us, fact.namespace, fact.name, fact.uid, True))


def _scaled_object_fact(body: Body) -> Fact:
    at_us, namespace, name, uid, gone, *rest = body
    if gone:
        return ScaledObjectGone(at_us=at_us, namespace=namespace, name=name, uid=uid)
    fields = dict(zip(_SCALED_OBJECT, rest, strict=True))
    return ScaledObjectSeen(at_us=at_us, namespace=namespace, name=name, uid=uid, **fields)


def _scale_write(fact: ScaleWritten) -> Body:
    return (
        fact.at_us,
        fact.took_us,
        *_ref(fact.target),
        fact.path,
        fact.verb,
        fact.status,
        fact.error,
        fact.by,
        fact.agent,
        fact.manager,
        fact.sent,
        *scale_to_columns(fact.scale),
        fact.resource_version,
    )


def _scale_write_fact(body: Body) -> Fact:
    at_us, took_us, group, resource, namespace, name, path, verb, status, error, by, agent, manager, *rest = body
    sent, spec_replicas, status_replicas, selector, resource_version = rest
    return ScaleWritten(
        at_us=at_us,
        took_us=took_us,
        target=TargetRef(group=group, resource=resource, namespace=namespace, name=name),
        path=path,
        verb=verb,
        status=status,
        error=error,
        by=by,
        agent=agent,
        manager=manager,
        sent=sent,
        scale=scale_from_columns(spec_replicas, status_replicas, selector),
        resource_version=resource_version,
    )


def _fields(table: str) -> tuple[str, ...]:
    """The columns of a table without `seq`: the fields of its fact."""
    return tuple(column.name for column in TABLES[table].columns[1:])


def _plain(table: str) -> Callable[[Any], Body]:
    names = _fields(table)
    get = attrgetter(*names)
    return get if len(names) > 1 else lambda fact: (get(fact),)


def _plain_fact(table: str) -> Callable[[Body], Fact]:
    names, fact = _fields(table), PLAIN[table]

    def build(body: Body) -> Fact:
        built: Fact = fact(**dict(zip(names, body, strict=True)))
        return built

    return build


TO_ROW: dict[type[Any], tuple[str, Callable[[Any], Body]]] = {
    ControllerSeen: ("controllers", _controller),
    HpaSeen: ("hpas", _hpa),
    HpaGone: ("hpas", _hpa_gone),
    PodSeen: ("pods", _pod),
    PodGone: ("pods", _pod_gone),
    TargetSeen: ("targets", _target),
    TargetGone: ("targets", _target_gone),
    RolloutSeen: ("rollouts", _rollout),
    ScaledObjectSeen: ("scaled_objects", _scaled_object),
    ScaledObjectGone: ("scaled_objects", _scaled_object_gone),
    ScaleWritten: ("scale_writes", _scale_write),
    **{fact: (table, _plain(table)) for table, fact in PLAIN.items()},
}

FROM_ROW: dict[str, Callable[[Body], Fact]] = {
    "controllers": _controller_fact,
    "hpas": _hpa_fact,
    "pods": _pod_fact,
    "targets": _target_fact,
    "rollouts": _rollout_fact,
    "scaled_objects": _scaled_object_fact,
    "scale_writes": _scale_write_fact,
    **{table: _plain_fact(table) for table in PLAIN},
}


def to_row(seq: int, fact: Fact) -> tuple[str, Row]:
    """The table of a fact, and its row there."""
    table, body = TO_ROW[type(fact)]
    return table, (seq, *body(fact))


def to_fact(table: str, row: Row) -> tuple[int, Fact]:
    """The number of a fact and the fact, from its row."""
    return row[0], FROM_ROW[table](row[1:])
