"""Plays the week: many incidents at once, in an order of chance, and writes down what was done and when."""

import json
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path
from random import Random

from tests.cluster import incident
from tests.cluster.cluster import Cluster
from tests.cluster.recorder import Recorder
from tests.cluster.week.controller import LEASE_FLAGS, OUTAGES
from tests.cluster.week.kinds import KINDS, Kind
from tests.cluster.week.stage import Stage, Workload

NODE = {**incident.NODE, "uneven": 0.04}
"""Loads are told apart by more than what pods differ by."""
NAMESPACES = ("shop", "bank", "mail")
POOL = {"plain": 10, "alone": 3, "stepwise": 2, "frozen": 2, "patient": 1, "mixed": 2, "queue": 2, "wide": 1}
WAVES = 1
EVERYWHERE = "*"


@dataclass(frozen=True, slots=True, kw_only=True)
class Label:
    """What was done: its kind, when, the HPAs (namespace/name) of which it must be told, and whether it hit all.

    problem   why the cluster did not show what was to be done, empty where it did
    """

    kind: str
    hpas: tuple[str, ...]
    begun_us: int
    ended_us: int
    hits_all: bool = False
    problem: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Done:
    """All that was done, and when the workloads stood ready for it."""

    begun_us: int
    labels: list[Label]


def workloads(pool: Mapping[str, int]) -> list[Workload]:
    """So many of each shape, spread over namespaces."""
    made = []
    for shape, count in pool.items():
        for number in range(1, count + 1):
            namespace = f"{shape}-{number}" if shape == "alone" else NAMESPACES[number % len(NAMESPACES)]
            made.append(Workload(namespace=namespace, name=f"{shape}-{number}", shape=shape))
    return made


def assigned(chance: Random, pool: Sequence[Workload], names: Sequence[str], count: int) -> dict[Workload, list[str]]:
    """Gives so many incidents to workloads: every kind once before any comes again, on an HPA that may have it."""
    plan: dict[Workload, list[str]] = {workload: [] for workload in pool}
    left = count
    while left:
        before = left
        for name in chance.sample(list(names), len(names)):
            kind = KINDS[name]
            able = [w for w in pool if left and w.shape in kind.shapes and _may_have(plan[w], name, kind)]
            if able:
                least = min(len(plan[workload]) for workload in able)
                plan[chance.choice([w for w in able if len(plan[w]) == least])].append(name)
                left -= 1
        if left == before:
            raise ValueError(f"no HPA may have {left} of {count} incidents")
    for planned in plan.values():
        chance.shuffle(planned)
    return plan


def _may_have(has: Sequence[str], name: str, kind: Kind) -> bool:
    kinds = [KINDS[other] for other in has]
    is_second_lasting = kind.is_lasting and any(other.is_lasting for other in kinds)
    is_second_move = kind.moves and any(other.moves for other in kinds)
    return name not in has and not is_second_lasting and not is_second_move


def play(folder: Path, plan: Mapping[Workload, Sequence[str]], outages: Sequence[str], chance: Random) -> None:
    """Records it into `recording` of a folder; what was done goes into `labels.json`, which the audit never reads."""
    with Cluster(folder / "cluster", controller_flags={**incident.PACE, **LEASE_FLAGS}) as cluster:
        cluster.state |= NODE
        stage = Stage(cluster, list(plan))
        stage.prepare()
        kubeconfig = cluster.dir / "admin.kubeconfig"
        recorder = Recorder(folder / "recording", kubeconfig, "--all-namespaces", "--interval", "1s")
        try:
            time.sleep(4)
            with ThreadPoolExecutor(len(plan)) as threads:
                list(threads.map(stage.create, plan))
                list(threads.map(lambda workload: stage.settle(workload, 120), plan))
            time.sleep(12)  # longer than the controller's memory, which the recording has to know
            begun_us = _now_us()
            labels = _unfold(stage, plan, outages, chance)
            time.sleep(6)
        finally:
            code, said = recorder.end()
            sys.stderr.write(said)
        if code:
            raise RuntimeError(said)
    labels.sort(key=lambda label: label.begun_us)
    done = Done(begun_us=begun_us, labels=labels)
    (folder / "labels.json").write_text(json.dumps(asdict(done), indent=1))


def read(folder: Path) -> Done:
    """What `play` wrote down."""
    written = json.loads((folder / "labels.json").read_text())
    labels = [Label(**{**row, "hpas": tuple(row["hpas"])}) for row in written["labels"]]
    return Done(begun_us=written["begun_us"], labels=labels)


def _unfold(
    stage: Stage, plan: Mapping[Workload, Sequence[str]], outages: Sequence[str], chance: Random
) -> list[Label]:
    """Waves of incidents on many HPAs at once; between them something happens to the controller."""
    labels: list[Label] = []
    lock = threading.Lock()

    def live(workload: Workload, names: Sequence[str], pauses: Sequence[float]) -> None:
        for name, pause in zip(names, pauses, strict=True):
            time.sleep(pause)
            label = _local(stage, workload, name)
            with lock:
                labels.append(label)

    for wave in range(WAVES):
        parts = {workload: names[wave::WAVES] for workload, names in plan.items()}
        with ThreadPoolExecutor(len(plan)) as threads:
            lives = [
                threads.submit(live, workload, names, [chance.uniform(1, 12) for _ in names])
                for workload, names in parts.items()
            ]
        for one in lives:
            one.result()
        labels += [_global(stage, name, chance) for name in outages[wave::WAVES]]
    return labels


def _local(stage: Stage, workload: Workload, name: str) -> Label:
    kind = KINDS[name]
    own = f"{workload.namespace}/{workload.name}"
    begun_us, problem = _now_us(), ""
    try:
        kind.play(stage, workload)
        stage.settle(workload)
    except (TimeoutError, OSError) as failure:
        problem = str(failure)
        stage.load(workload)
    label = Label(
        kind=name, hpas=(own, *(f"{own}{ending}" for ending in kind.others)), begun_us=begun_us, ended_us=_now_us(),
        problem=problem,
    )  # fmt: skip
    _tell(label)
    return label


def _global(stage: Stage, name: str, chance: Random) -> Label:
    outage = OUTAGES[name]
    able = [workload for workload in stage.workloads if workload.shape == outage.shape]
    moved = chance.sample(able, min(len(able), outage.workloads))
    begun_us, problem = _now_us(), ""
    try:
        outage.play(stage, moved)
        for workload in moved:
            stage.settle(workload)
    except (TimeoutError, OSError) as failure:
        problem = str(failure)
    hpas = tuple(f"{workload.namespace}/{workload.name}" for workload in moved) or (EVERYWHERE,)
    label = Label(kind=name, hpas=hpas, begun_us=begun_us, ended_us=_now_us(), hits_all=True, problem=problem)
    _tell(label)
    return label


def _tell(label: Label) -> None:
    seconds = (label.ended_us - label.begun_us) / 1e6
    sys.stderr.write(f"{label.kind}: {', '.join(label.hpas)}, {seconds:.0f} s {label.problem}\n")


def _now_us() -> int:
    return time.time_ns() // 1000
