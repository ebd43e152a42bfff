"""Holds a recording against the ledger of its world: what was acknowledged, what was seen, what is a gap."""

import hashlib
import json
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from hpaaudit.api.to_facts import canonical_json
from hpaaudit.cluster.watch.gaps import MIN_GAP_US
from hpaaudit.errors import AuditError
from hpaaudit.model.facts import (
    ApiServiceSeen,
    EventSeen,
    Fact,
    Gap,
    HpaGone,
    HpaSeen,
    LeaseSeen,
    PodGone,
    PodSeen,
    ResourceMetricsRead,
    ScaleRead,
    SurroundingSeen,
    TargetGone,
    TargetSeen,
    ValuesRead,
)
from hpaaudit.recording.inspection.verify import verify
from hpaaudit.recording.reading.recording import open_recording
from tests.simulation.life import APPS
from tests.simulation.machine import SECOND
from tests.simulation.server import DEPLOYMENTS, KINDS, Object, Truth
from tests.simulation.world import Failed, Sample, World

LATENCY_US = 10 * SECOND
"""What happened less than this ago need not be known: the network is late by up to 5 s, and takes two turns."""
SETTLED_US = 60 * SECOND
"""So long an HPA and its target must be there for its pods, its target and its metrics to be expected."""
READ_US = (2 * 15 + 30) * SECOND + LATENCY_US
"""So far apart two reads of a path may be without a gap: one late by an interval, one that timed out."""
REPLAYED = 5
"""One seed in so many is replayed."""
Key = tuple[str, str, str]
State = tuple[Any, ...]


@dataclass
class Known:
    """What a recording says of the cluster after some of its facts: by resource, namespace and name.

    hpas_since   when it told of each HPA that it knows for the first time
    """

    states: dict[Key, State] = field(default_factory=dict)
    hpas_since: dict[Key, int] = field(default_factory=dict)

    def take(self, fact: Fact) -> None:
        """One fact more."""
        match fact:
            case HpaSeen():
                state = (fact.uid, fact.resource_version, fact.spec_json, fact.status_json)
                key = ("horizontalpodautoscalers", fact.namespace, fact.name)
                self.states[key] = state
                self.hpas_since.setdefault(key, fact.at_us)
            case HpaGone():
                key = ("horizontalpodautoscalers", fact.namespace, fact.name)
                self.states.pop(key, None)
                self.hpas_since.pop(key, None)
            case PodSeen(pod=pod):
                self.states["pods", pod.namespace, pod.name] = (pod.uid, pod.phase, pod.ready)
            case PodGone():
                self.states.pop(("pods", fact.namespace, fact.name), None)
            case TargetSeen(target=target, scale=scale):
                state = (fact.uid, scale.spec_replicas, scale.status_replicas)
                self.states[target.resource, target.namespace, target.name] = state
            case TargetGone(target=target):
                self.states.pop((target.resource, target.namespace, target.name), None)
            case LeaseSeen():
                self.states["leases", fact.namespace, fact.name] = (fact.holder, fact.transitions)
            case ApiServiceSeen():
                self.states["apiservices", "", fact.name] = (fact.available,)
            case SurroundingSeen():
                key = (fact.resource, fact.namespace, fact.name)
                self.states.pop(key, None)
                if not fact.gone:
                    self.states[key] = (json.loads(fact.state_json).get("used"),)


def state_of(resource: str, raw: Object) -> State:
    """What a recording should say of an object."""
    meta, spec, status = raw["metadata"], raw.get("spec") or {}, raw.get("status") or {}
    match resource:
        case "horizontalpodautoscalers":
            return meta["uid"], meta["resourceVersion"], canonical_json(spec), canonical_json(status)
        case "pods":
            ready = next((c["status"] for c in status.get("conditions") or () if c["type"] == "Ready"), "")
            return meta["uid"], status.get("phase", ""), ready
        case "deployments" | "widgets":
            return meta["uid"], spec["replicas"], status["replicas"]
        case "leases":
            return spec["holderIdentity"], spec["leaseTransitions"]
        case "apiservices":
            return (status["conditions"][0]["status"],)
    return (status["used"],)


class Hidden:
    """The gaps of a recording: what they hide, and when."""

    def __init__(self, gaps: list[Gap]) -> None:
        self.gaps = gaps

    def covers(self, resource: str, namespace: str, at_us: int, *, before_us: int = 0) -> bool:
        """Whether a gap hides a resource of a namespace at an instant of the recorder's, or just did."""
        return any(
            gap.at_us - before_us <= at_us <= gap.until_us + LATENCY_US and hides(gap.prefix, resource, namespace)
            for gap in self.gaps
        )


def hides(prefix: str, resource: str, namespace: str) -> bool:
    """Whether a gap with that prefix hides a resource, of a namespace; of pods and writers as the results say."""
    if prefix == "*":
        return True
    path, _, part = prefix.partition("#")
    path = path.partition("?")[0]
    if path.endswith("/"):  # a group, or a version of it
        return any(kind.base.startswith(path.rstrip("/")) for kind in KINDS if kind.resource == resource)
    words = path.strip("/").split("/")
    where = words[words.index("namespaces") + 1] if "namespaces" in words else ""
    if where and namespace and where != namespace:
        return False
    if part and resource not in ("deployments", "widgets"):
        return False
    return resource in words or (resource.endswith("metrics.k8s.io") and len(words) > 1 and words[1] == resource)


def check(world: World) -> int:
    """Every law; raises Failed. Returns how many facts the recording has."""
    verified = _verified(world)
    first, facts = verified
    _acknowledged(world, first, facts)
    if not any(run.facts_by_number for run in world.runs):
        return 0
    hidden = Hidden([*(fact for fact in facts if isinstance(fact, Gap)), *_gaps_lost(world, first + len(facts))])
    _seen(world, first, facts, hidden)
    _nothing_invented(world, facts)
    _reads(world, facts, hidden)
    _events(world, facts, hidden)
    _last_words(world)
    if world.plan.seed % REPLAYED == 0:
        _replayed(world)
    return len(facts)


def _verified(world: World) -> tuple[int, list[Fact]]:
    try:
        verification = verify(world.folder, reread=True)
        opened = open_recording(world.folder)
        facts = list(opened.facts())
    except AuditError as problem:
        raise Failed(f"cannot be read: {problem}") from problem
    if verification.damages:
        raise Failed(f"verify says it is damaged: {verification.damages[0]}")
    if not verification.complete:
        raise Failed("it was ended, and does not say so")
    return (opened.segments[0].first_seq if opened.segments else 0), facts


# What was acknowledged


def _acknowledged(world: World, first: int, facts: list[Fact]) -> None:
    """(a) Every fact that was acknowledged is there, in order, once."""
    starts = [min(run.facts_by_number) if run.facts_by_number else None for run in world.runs]
    removed = _removed(world, first, facts)
    for number, run in enumerate(world.runs):
        following = [start for start in starts[number + 1 :] if start is not None]
        end = following[0] if following else first + len(facts)
        if end < run.acknowledged:
            raise Failed(
                f"process {number} acknowledged {run.acknowledged} facts, the next one found {end}"
                if following
                else f"process {number} acknowledged {run.acknowledged} facts, {end} are there"
            )
        for seq, fact in run.facts_by_number.items():
            if removed <= seq < end and facts[seq - first] != fact:
                raise Failed(f"fact {seq} of process {number} is {facts[seq - first]!r}, it was {fact!r}")


def _removed(world: World, first: int, facts: list[Fact]) -> int:
    """How many facts were removed, which is only done where it was asked for."""
    opened = open_recording(world.folder)
    removed = opened.segments[0].removed if opened.segments and not opened.segments[0].repaired else None
    if removed is None:
        if first:
            raise Failed(f"the recording begins with fact {first}")
        return 0
    limits = world.plan.limits
    number = opened.segments[0].number
    if limits.keep_us is None and limits.keep_bytes is None and number > world.marked:
        raise Failed(f"segments up to {number} were removed, those up to {world.marked} were uploaded")
    if not isinstance(facts[0], Gap):
        raise Failed("what was removed is no gap")
    return removed.facts


# What was seen


def _seen(world: World, first: int, facts: list[Fact], hidden: Hidden) -> None:
    """(b) Whenever no gap covers it, the state that the recording gives is the server's."""
    ends, removed = _ends(world, first + len(facts)), _removed(world, first, facts)
    known_states, taken = Known(), 0
    for sample in sorted(world.samples, key=lambda one: (one.run, one.facts)):
        if sample.facts >= ends[sample.run] and sample.run < len(world.runs) - 1:
            continue  # no fact that was kept came after: that is the gap of the restart
        if sample.facts < removed:
            continue  # that is the gap of what was removed
        number = sample.facts - first
        while taken < number:
            known_states.take(facts[taken])
            taken += 1
        if taken > number >= 0:
            continue
        for key, truths in world.server.truth.items():
            _compare(world, key, truths, known_states, sample, hidden)


def _gaps_lost(world: World, total: int) -> Iterator[Gap]:
    """Gaps that a process knew of and took with it: it died before they were on the disk."""
    for run, end in zip(world.runs, _ends(world, total), strict=True):
        yield from (fact for seq, fact in run.facts_by_number.items() if seq >= end and isinstance(fact, Gap))


def _ends(world: World, total: int) -> list[int]:
    """Of each process, which fact the next one went on with."""
    ends, end = [0] * len(world.runs), total
    for number in reversed(range(len(world.runs))):
        ends[number] = end
        if refusals := world.runs[number].facts_by_number:
            end = min(refusals)
    return ends


def _compare(world: World, key: Key, truths: list[Truth], known_states: Known, sample: Sample, hidden: Hidden) -> None:
    resource, namespace, name = key
    if resource in ("events", "customresourcedefinitions") or not _in_scope(world, resource, namespace):
        return
    position = bisect_right(truths, sample.at_us, key=lambda truth: truth.at_us) - 1
    if position < 0 or sample.at_us - truths[position].at_us < LATENCY_US:
        return
    truth, recorded_state = truths[position].object, known_states.states.get(key)
    wanted = None if truth is None else state_of(resource, truth)
    if resource == "apiservices":
        wanted = wanted or ("",)
    if recorded_state == wanted:
        return
    if resource in ("deployments", "widgets", "pods") and not _is_expected(world, known_states, key, sample):
        return
    if hidden.covers(resource, namespace, sample.recorder_us) or _was_blind(world, resource, sample):
        return
    at = (sample.at_us - world.begun_us) / SECOND
    raise Failed(
        f"{resource} {namespace}/{name} at {at:.3f}: the recording says {recorded_state}, it was {wanted}, and no gap"
    )


def _was_blind(world: World, resource: str, sample: Sample) -> bool:
    """Whether a watch had stalled, and its process ended before it could know."""
    return any(one == resource and since <= sample.at_us <= until for one, since, until in world.blind)


def _in_scope(world: World, resource: str, namespace: str) -> bool:
    if resource in ("leases", "apiservices"):
        return True
    return world.plan.namespace in ("", namespace)


def _is_expected(world: World, known_states: Known, key: Key, sample: Sample) -> bool:
    """Whether a recorder must know of a pod or a target: if an HPA that it knows of wants it."""
    resource, namespace, name = key
    if resource == "widgets" and "no_crd" in world.plan.on:
        return False
    app = name.split("-", maxsplit=1)[0]
    kind = next((kind for ns, one, kind in APPS if (ns, one) == (namespace, app)), DEPLOYMENTS)
    hpa = ("horizontalpodautoscalers", namespace, app)
    if hpa not in known_states.states:  # why it does not know of the HPA is asked for itself
        return False
    if sample.recorder_us - known_states.hpas_since[hpa] < MIN_GAP_US:  # so short a time is no gap
        return False
    return all(
        _is_settled(world.server.truth.get(key, []), sample.at_us) for key in (hpa, (kind.resource, namespace, app))
    ) and not (kind is not DEPLOYMENTS and "no_crd" in world.plan.on)


def _is_settled(truths: list[Truth], at_us: int) -> bool:
    """Whether an object was there all the time before an instant."""
    position = bisect_right(truths, at_us, key=lambda truth: truth.at_us) - 1
    if position < 0:
        return False
    while position >= 0 and truths[position].object is not None:
        if at_us - truths[position].at_us >= SETTLED_US:
            return True
        position -= 1
    return False


def _nothing_invented(world: World, facts: list[Fact]) -> None:
    """Every state of an HPA was one, in these words."""
    true = {
        (key[1], key[2], *state_of(key[0], truth.object))
        for key, truths in world.server.truth.items()
        if key[0] == "horizontalpodautoscalers"
        for truth in truths
        if truth.object
    }
    for fact in facts:
        if isinstance(fact, HpaSeen):
            recorded_state = (
                fact.namespace,
                fact.name,
                fact.uid,
                fact.resource_version,
                fact.spec_json,
                fact.status_json,
            )
            if recorded_state not in true:
                raise Failed(f"an HPA that never was: {fact}")


# What was read


def _reads(world: World, facts: list[Fact], hidden: Hidden) -> None:
    """Every value was answered so; two reads of a path are an interval apart, or a gap is between them."""
    if "odd" not in world.plan.on:
        answered = {path: [_values(body) for _, body in bodies] for path, bodies in world.server.answered.items()}
        for fact in facts:
            text = _said(fact)
            if text is not None and text not in answered.get(getattr(fact, "path", ""), ()):
                raise Failed(f"a read that was not answered so: {fact}")
    for namespace, name, kind in APPS:
        if world.plan.namespace not in ("", namespace) or "restore" in world.plan.on:
            continue
        keys = (("horizontalpodautoscalers", namespace, name), (kind.resource, namespace, name))
        if any(truth.object is None for key in keys for truth in world.server.truth[key]):
            continue  # it is not always wanted
        if kind is not DEPLOYMENTS and "no_crd" in world.plan.on:
            continue
        group = "external.metrics.k8s.io" if name == "jobs" else "metrics.k8s.io"
        times = [
            fact.at_us
            for fact in facts
            if isinstance(fact, ResourceMetricsRead | ValuesRead)
            and (fact.request.api, fact.request.namespace) == (group, namespace)
        ]
        for before, after in pairwise(times):
            if after - before > READ_US and not any(
                gap.at_us <= after and gap.until_us >= before and hides(gap.prefix, group, namespace)
                for gap in hidden.gaps
            ):
                raise Failed(f"{group} of {namespace} was not read for {(after - before) / SECOND:.0f} s, and no gap")


def _said(fact: Fact) -> Any:
    match fact:
        case ResourceMetricsRead(samples=samples) if samples is not None:
            return [(one.pod, [amount for c in one.containers for _, amount in c.usage]) for one in samples]
        case ValuesRead(values=values) if values is not None:
            return [(one.object, one.value) for one in values]
        case ScaleRead(scale=scale) if scale is not None:
            return (scale.spec_replicas, scale.status_replicas, scale.selector)
    return None


def _values(body: Any) -> Any:
    """What a recording should say of an answer."""
    match body.get("kind"):
        case "PodMetricsList":
            return [
                (item["metadata"]["name"], [int(c["usage"]["cpu"].removesuffix("m")) for c in item["containers"]])
                for item in body["items"]
            ]
        case "MetricValueList":
            return [(item["describedObject"]["name"], int(item["value"]) * 1000) for item in body["items"]]
        case "ExternalMetricValueList":
            return [("{}", int(item["value"]) * 1000) for item in body["items"]]
        case "Scale":
            return body["spec"]["replicas"], body["status"]["replicas"], body["status"]["selector"]
    return None


def _events(world: World, facts: list[Fact], hidden: Hidden) -> None:
    """Every Event about an HPA is there, if somebody looked and the HPA was known."""
    uids = {fact.uid for fact in facts if isinstance(fact, EventSeen)}
    for (resource, namespace, _), truths in world.server.truth.items():
        if resource != "events" or not _in_scope(world, resource, namespace):
            continue
        posted = truths[0]
        if posted.object is None or posted.object["metadata"]["uid"] in uids:
            continue
        about = posted.object["involvedObject"]["name"]
        near = [s for s in world.samples if abs(s.at_us - posted.at_us) <= 2 * LATENCY_US]
        hpa = world.server.truth["horizontalpodautoscalers", namespace, about]
        if not any(s.at_us >= posted.at_us + LATENCY_US for s in near) or len({s.run for s in near}) > 1:
            continue  # nobody looked just then, or not for long
        if not all(_is_settled(hpa, s.at_us) for s in near) or not _is_settled(hpa, posted.at_us):
            continue
        if any(
            hidden.covers(which, namespace, s.recorder_us, before_us=LATENCY_US) or _was_blind(world, which, s)
            for s in near
            for which in ("events", "horizontalpodautoscalers")
        ):
            continue
        at = (posted.at_us - world.begun_us) / SECOND
        raise Failed(f"the Event {posted.object['metadata']['name']} of {at:.3f} is not there, and no gap")


def _last_words(world: World) -> None:
    """(c) What the last process said of gaps is true."""
    last = world.runs[-1]
    if last.progress is None:
        return
    resumed = [
        seq
        for seq, fact in last.facts_by_number.items()
        if isinstance(fact, Gap) and fact.cause.startswith("the recorder")
    ]
    gaps = [
        last.facts_by_number[seq]
        for seq in last.facts_by_number
        if isinstance(last.facts_by_number[seq], Gap) and seq > max(resumed, default=-1)
    ]
    if gaps and not last.progress.gaps:
        raise Failed(f"the last words are 'no gaps': {gaps[0]}")


def _replayed(world: World) -> None:
    """(c) A replay does not crash, and says the same twice."""
    digests = {digest for _ in range(2) for digest in _replay(world)}
    if len(digests) != 1:
        raise Failed("a replay says something else each time")


def _replay(world: World) -> Iterator[str]:
    from hpaaudit.flows.replay import replayed_reconciles

    digest = hashlib.sha256()
    try:
        for decided in replayed_reconciles(world.folder):
            digest.update(repr(decided).encode())
    except AuditError as problem:
        raise Failed(f"cannot be replayed: {problem}") from problem
    except Exception as problem:
        raise Failed(f"the replay crashed: {problem!r}") from problem
    yield digest.hexdigest()
