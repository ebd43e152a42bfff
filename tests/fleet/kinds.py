"""Every kind of recording, drawn from a seed: what was seen, by whom, how it was kept, what is asked."""

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, fields, is_dataclass, replace
from functools import lru_cache
from pathlib import Path
from random import Random
from typing import Any, TypeVar

from hpaaudit.api.conversion import from_internal, to_internal
from hpaaudit.api.to_facts import canonical_json
from hpaaudit.api.v2beta1 import PREFIX
from hpaaudit.importers.capture import Reader
from hpaaudit.model.facts import (
    ControllerSeen,
    Ended,
    EventSeen,
    Fact,
    Gap,
    HpaGone,
    HpaSeen,
    LeaseSeen,
    PodGone,
    PodSeen,
    Reconciled,
    ScaleRead,
    TargetGone,
    TargetSeen,
    VersionRead,
)
from hpaaudit.model.units import SECOND, Micros
from hpaaudit.recording.reading.recording import open_recording
from hpaaudit.recording.recorder.recorder_writer import RecorderWriter
from hpaaudit.recording.recorder.writer_limits import Limits
from tests.conformance.expected import captures, releases
from tests.fleet.chance import write
from tests.fleet.outside import begun, blind, late, published, thin, well
from tests.recordings.kept import RECORDINGS

T = TypeVar("T")
ROOT = Path(__file__).parents[2]
FOUND = ROOT / "tests" / "oracle" / "found"
KEPT = tuple(RECORDINGS.values())
"""Recordings of `hpaaudit record` itself."""

V2_READ = 23
"""From release 1.23 on the controller reads v2."""

RELEASES = ("1.12", "1.18", "1.23", "1.28", "1.33", "1.36", "1.37")
"""What a replay is asked for."""

LINE_KINDS = ("lines", "lines", "published", "begun", "begun", "late", "thin", "blind", "well", "thin begun")
VERSIONS = ("as served", "as served", "as served", "autoscaling/v2beta2", "autoscaling/v2beta1", "autoscaling/v1")
KEEPINGS = ("segments", "segments", "one segment", "log", "retention")
FORGOTTEN: tuple[tuple[type, ...], ...] = (
    (EventSeen,),
    (LeaseSeen, VersionRead),
    (ControllerSeen,),
    (TargetSeen, TargetGone),
    (ScaleRead,),
    (PodSeen, PodGone),
)
"""What a recorder with fewer rights does not see."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Era:
    """Releases whose controllers have a control flow of their own.

    minors   of their releases;  asked   what a replay is asked for;  lines   how often in ten a recording has lines
    """

    minors: range
    asked: tuple[str, ...]
    lines: int


WINDOWS = Era(minors=range(6, 12), asked=("1.6", "1.7.0", "1.7.5", "1.8.1", "1.8.15", "1.9", "1.10", "1.11"), lines=0)
ANNOTATION = Era(minors=range(1, 6), asked=("1.1", "1.2", "1.3", "1.4.0", "1.4.2", "1.4", "1.5"), lines=8)


@dataclass(frozen=True, slots=True, kw_only=True)
class Drawn:
    """A recording to be written.

    story   how it came about, a word for each choice;  facts   in their order
    keeping   of `KEEPINGS`;  rows   facts of a segment, or of a frame of the log
    asked   of the replay
    """

    story: str
    facts: tuple[Fact, ...]
    keeping: str
    rows: int
    asked: dict[str, Any]


@lru_cache(maxsize=1)
def sources() -> tuple[Path, ...]:
    """Captures of the real controller, and recordings."""
    real = [capture for release in releases() for capture in captures(release)]
    return (*real, *sorted(FOUND.glob("*.capture.jsonl.gz")), *KEPT)


@lru_cache(maxsize=1)
def modern() -> tuple[Path, ...]:
    """Those whose HPAs were served as v2beta2 or v2: what is published there can be told from columns."""
    old = {str(ROOT / "tests" / "conformance" / release) for release in releases() if int(release[2:]) < V2_READ}
    return tuple(source for source in sources() if str(source.parent) not in old)


@lru_cache(maxsize=2)
def sources_of(era: Era) -> tuple[Path, ...]:
    """Captures of the controllers of an era, which list pods and ask Heapster."""
    return tuple(capture for release in releases() if int(release[2:]) in era.minors for capture in captures(release))


@lru_cache(maxsize=64)
def facts_of(source: Path) -> tuple[Fact, ...]:
    """What a capture or a recording holds."""
    return tuple(open_recording(source).facts() if source.is_dir() else Reader((source,)).facts())


def draw(seed: int) -> Drawn:
    """Draws a recording of any kind."""
    return _drawn(Random(seed), None)  # noqa: S311 (a seed makes a recording)


def draw_old(seed: int) -> Drawn:
    """Draws a recording of any kind that a controller of 1.6 to 1.11 made, or that is replayed as one of these."""
    return _drawn(Random(f"old {seed}"), WINDOWS)  # noqa: S311 (a seed makes a recording)


def draw_oldest(seed: int) -> Drawn:
    """The same of 1.1 to 1.5, most of them with lines: the compiled rules decide no other ones."""
    return _drawn(Random(f"oldest {seed}"), ANNOTATION)  # noqa: S311 (a seed makes a recording)


def _drawn(chance: Random, era: Era | None) -> Drawn:
    story, facts, sees_old = [], list[Fact](), False
    for number in range(chance.choice((1, 1, 1, 2, 3))):
        if era is not None:
            source = chance.choice(sources_of(era) if chance.random() < 2 / 3 else modern())
            sees_old = sees_old or source in sources_of(era)
        else:
            source = chance.choice(sources() if chance.random() < 1 / 4 else modern())
        story.append(source.name.split(".")[0])
        facts = beside(facts, facts_of(source), f"world-{number}" if number else "")
    kind = chance.choice(LINE_KINDS)
    if era is not None and era.lines and chance.randrange(10) < era.lines:
        kind = "lines"
    story.append(kind)
    facts = _seen(facts, kind, chance)
    if era is WINDOWS and chance.random() < 2 / 3:
        story.append("of v2beta1")
        facts = [of_v2beta1(fact) for fact in facts]
    version = chance.choice(VERSIONS)
    if version != "as served":
        story.append(version)
        mixed = chance.random() < 1 / 4
        facts = [served(fact, version) if not mixed or chance.random() < 1 / 2 else fact for fact in facts]
    for name, change in (
        ("rights", _less_rights),
        ("gap", _with_a_gap),
        ("restart", _with_a_restart),
        ("another uid", _born_again),
        ("labels", _relabelled),
    ):
        if chance.random() < 1 / 4:
            story.append(name)
            facts = list(change(facts, chance))
    facts = facts or [Ended(at_us=Micros(0))]
    asked = _asked(facts, chance, RELEASES if era is None else era.asked)
    if era is not None and not sees_old:
        asked.setdefault("release", chance.choice(era.asked))
    return Drawn(
        story=" ".join(story),
        facts=tuple(facts),
        keeping=chance.choice(KEEPINGS),
        rows=chance.choice((7, 40, 150, 400, 2000)),
        asked=asked,
    )


def keep(folder: Path, drawn: Drawn) -> None:
    """Writes what was drawn as a recording, in the way in which it was to be kept."""
    facts = drawn.facts
    if drawn.keeping in ("segments", "one segment"):
        write(folder, facts, drawn.rows if drawn.keeping == "segments" else len(facts) + 1)
        return
    span_us = facts[-1].at_us - facts[0].at_us
    keep_us = Micros(max(span_us // 2, 1)) if drawn.keeping == "retention" else None
    writer = RecorderWriter(
        folder, cluster="", now_us=facts[0].at_us, note=lambda _: None, limits=Limits(ballast_bytes=0, keep_us=keep_us)
    )
    for number, fact in enumerate(facts, 1):
        writer.add(fact)
        if number % drawn.rows == 0 and drawn.keeping == "retention":
            writer.seal(fact.at_us)
        elif number % drawn.rows == 0:
            writer.flush(fact.at_us)
        if drawn.keeping == "log" and number == len(facts) // 2:
            writer.seal(fact.at_us)
    writer.flush(facts[-1].at_us)
    writer.release()


def beside(facts: Sequence[Fact], others: Sequence[Fact], prefix: str) -> list[Fact]:
    """Two worlds at the same time, the second in namespaces of its own."""
    if not facts:
        return list(others)
    by_us = facts[0].at_us - others[0].at_us
    moved = (
        shifted(renamed(fact, prefix), by_us) for fact in others if not isinstance(fact, ControllerSeen | LeaseSeen)
    )
    return sorted((*facts, *moved), key=lambda fact: fact.at_us)


def renamed(value: T, prefix: str) -> T:
    """The same in another namespace."""
    if not is_dataclass(value) or isinstance(value, type):
        return value
    changed: dict[str, Any] = {}
    for field in fields(value):
        own = getattr(value, field.name)
        if own and field.name in ("namespace", "object_namespace", "uid", "object_uid"):
            changed[field.name] = f"{prefix}-{own}"
        elif is_dataclass(own):
            changed[field.name] = renamed(own, prefix)
        elif field.name in ("samples", "values") and own:
            changed[field.name] = tuple(renamed(item, prefix) for item in own)
    return replace(value, **changed)  # type: ignore[type-var, return-value]


def shifted(fact: Fact, by_us: int) -> Fact:
    """The same at another time."""
    changed = {
        field.name: Micros(getattr(fact, field.name) + by_us)
        for field in fields(fact)
        if field.name in ("at_us", "until_us", "began_us", "last_us", "first_us", "created_us")
        and getattr(fact, field.name) is not None
    }
    return replace(fact, **changed)


def _seen(facts: list[Fact], kind: str, chance: Random) -> list[Fact]:
    """What somebody saw of a world."""
    if kind == "lines" or len(facts) < 8:
        return facts
    facts_of_kind = facts
    if "thin" in kind:
        facts_of_kind = list(thin(facts_of_kind, chance))
    ways: dict[str, Callable[[], Iterator[Fact]]] = {
        "late": lambda: late(facts_of_kind, chance),
        "blind": lambda: blind(facts_of_kind, chance),
        "well": lambda: well(facts_of_kind),
        "published": lambda: published(facts_of_kind),
    }
    if kind in ways:
        facts_of_kind = list(ways[kind]())
    if "begun" in kind:
        facts_of_kind = list(begun(facts_of_kind, chance.randrange(len(facts_of_kind) // 8, len(facts_of_kind) // 2)))
    return [fact for fact in facts_of_kind if not isinstance(fact, Reconciled)]


def _less_rights(facts: Sequence[Fact], chance: Random) -> Iterator[Fact]:
    """The same to somebody who may see less."""
    forgotten = tuple(kind for kinds in FORGOTTEN if chance.random() < 1 / 3 for kind in kinds)
    return (fact for fact in facts if not isinstance(fact, forgotten))


def _with_a_gap(facts: Sequence[Fact], chance: Random) -> Iterator[Fact]:
    """The same with one or two times in which somebody says that he did not look."""
    places = {chance.randrange(len(facts)) for _ in range(chance.choice((1, 2)))}
    for number, fact in enumerate(facts):
        if number in places:
            until_us = Micros(fact.at_us + chance.choice((1, 14, 16, 60, 300)) * SECOND)
            prefix = chance.choice(("*", "/apis/autoscaling", "/api/v1/pods", "/apis/metrics.k8s.io", "/x#writers"))
            yield Gap(at_us=fact.at_us, until_us=until_us, prefix=prefix, cause="it was not looked at")
        yield fact


def _with_a_restart(facts: Sequence[Fact], chance: Random) -> Iterator[Fact]:
    """The same with a controller that begins anew meanwhile, sometimes as another release."""
    controller = next((fact for fact in facts if isinstance(fact, ControllerSeen)), None)
    lines = any(isinstance(fact, Reconciled) for fact in facts)
    position, by_lease = chance.randrange(len(facts)), chance.random() < 1 / 2 and not lines
    for number, fact in enumerate(facts):
        if by_lease and number in (0, position):
            yield LeaseSeen(
                at_us=fact.at_us,
                namespace="kube-system",
                name="kube-controller-manager",
                holder=f"holder-{number}" if chance.random() < 3 / 4 else "",
                acquired_us=None,
                renewed_us=None,
                transitions=number,
            )
        if not by_lease and number == position and controller is not None:
            state = chance.choice(("started", "started", "stopped", "declared"))
            yield replace(controller, at_us=fact.at_us, state=state)
        yield fact


def _born_again(facts: Sequence[Fact], chance: Random) -> Iterator[Fact]:
    """The same with an HPA that is deleted, and there again with another uid, or never was deleted in our eyes."""
    position, is_told, gone = chance.randrange(len(facts)), chance.random() < 2 / 3, set[tuple[str, str]]()
    for number, fact in enumerate(facts):
        if not isinstance(fact, HpaSeen | HpaGone) or number < position:
            yield fact
            continue
        key = (fact.namespace, fact.name)
        if isinstance(fact, HpaSeen) and key not in gone:
            gone.add(key)
            if is_told:
                yield HpaGone(at_us=fact.at_us, namespace=fact.namespace, name=fact.name, uid=fact.uid)
        yield replace(fact, uid=f"{fact.uid}-again")


def _relabelled(facts: Sequence[Fact], chance: Random) -> Iterator[Fact]:
    """The same with pods that lose their labels for a while."""
    for fact in facts:
        if isinstance(fact, PodSeen) and chance.random() < 1 / 20:
            yield replace(fact, pod=replace(fact.pod, labels=()))
        yield fact


def _asked(facts: Sequence[Fact], chance: Random, releases_asked: Sequence[str]) -> dict[str, Any]:
    """What a user may ask of a replay."""
    asked: dict[str, Any] = {}
    keys = sorted({f"{fact.namespace}/{fact.name}" for fact in facts if isinstance(fact, HpaSeen)})
    span = (facts[0].at_us, max(fact.at_us for fact in facts))
    if keys and chance.random() < 1 / 4:
        asked["hpas"] = tuple(chance.sample(keys, chance.randrange(1, len(keys) + 1)))
    if span[1] > span[0] and chance.random() < 1 / 4:
        asked["since"] = Micros(chance.randrange(*span))
    if span[1] > span[0] and chance.random() < 1 / 4:
        asked["until"] = Micros(chance.randrange(*span))
    if chance.random() < 1 / 4:
        asked["release"] = chance.choice(releases_asked)
    if chance.random() < 1 / 6:
        asked["flags"] = {"sync-period": chance.choice(("5s", "15s", "30s"))}
    return asked


def of_v2beta1(fact: Fact) -> Fact:
    """An HPA of autoscaling/v1 as the same API server would have served it in v2beta1."""
    if not isinstance(fact, HpaSeen) or fact.api_version != "autoscaling/v1":
        return fact
    document = {
        "apiVersion": fact.api_version,
        "kind": "HorizontalPodAutoscaler",
        "metadata": {"name": fact.name, "annotations": json.loads(fact.annotations_json)},
        "spec": json.loads(fact.spec_json),
        "status": json.loads(fact.status_json),
    }
    written = from_internal(to_internal(document), "autoscaling/v2beta1")
    return replace(
        fact,
        api_version="autoscaling/v2beta1",
        spec_json=canonical_json(written["spec"]),
        status_json=canonical_json(written.get("status") or {}),
        annotations_json=canonical_json(written["metadata"].get("annotations") or {}),
    )


def served(fact: Fact, version: str) -> Fact:
    """An HPA as an older API would have served it; whatever else is as it was."""
    if not isinstance(fact, HpaSeen) or fact.api_version not in ("autoscaling/v2", "autoscaling/v2beta2"):
        return fact
    if version in ("autoscaling/v2", "autoscaling/v2beta2"):
        return replace(fact, api_version=version)
    spec, status, annotations = (json.loads(text) for text in (fact.spec_json, fact.status_json, fact.annotations_json))
    metrics = [_older(metric, "target") for metric in spec.pop("metrics", None) or ()]
    shown = status.pop("currentMetrics", None)
    current = None if shown is None else [_older(metric, "current") for metric in shown]
    if spec.get("behavior") is not None:
        annotations[PREFIX + "behavior"] = json.dumps(_go_names(spec.pop("behavior")))
    if version == "autoscaling/v2beta1":
        spec["metrics"], status["currentMetrics"] = metrics, current
    else:
        annotations[PREFIX + "metrics"] = json.dumps(metrics)
        annotations[PREFIX + "current-metrics"] = json.dumps(current)
        annotations[PREFIX + "conditions"] = json.dumps(status.pop("conditions", None) or [])
    return replace(
        fact,
        api_version=version,
        spec_json=canonical_json(spec),
        status_json=canonical_json(status),
        annotations_json=canonical_json(annotations),
    )


def _older(metric: dict[str, Any], of: str) -> dict[str, Any]:
    """A metric in the shape of v2beta1."""
    kind = metric.get("type", "")
    field = kind[:1].lower() + kind[1:]
    source = metric.get(field)
    if not isinstance(source, dict):
        return metric
    amount, named = source.get(of) or {}, source.get("metric") or {}
    own: dict[str, Any] = {"container": source.get("container")}
    if kind in ("Resource", "ContainerResource"):
        own["name"] = source.get("name")
    else:
        own["metricName"] = named.get("name")
        own["metricSelector" if kind == "External" else "selector"] = named.get("selector")
    if "describedObject" in source:
        own["target"] = source["describedObject"]
    average = "averageValue" if kind == "Object" else f"{of}AverageValue"
    own |= {
        f"{of}Value": amount.get("value"),
        average: amount.get("averageValue"),
        f"{of}AverageUtilization": amount.get("averageUtilization"),
    }
    return {"type": kind, field: {name: value for name, value in own.items() if value is not None}}


def _go_names(value: Any) -> Any:
    if isinstance(value, dict):
        return {name[:1].upper() + name[1:]: _go_names(own) for name, own in value.items()}
    return [_go_names(item) for item in value] if isinstance(value, list) else value
