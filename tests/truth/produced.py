"""Worlds that the conformance worlds lack: admission that changes a scale, pods that a quota prevents, other targets.

python -m tests.truth.produced     lets the real controller live through them again, and keeps that in `produced/`
"""

import math
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

from tests.oracle.controller import prepare, run
from tests.oracle.draw import Json
from tests.oracle.mishaps import ALWAYS
from tests.oracle.vectors import cpu, external, world

RELEASE = "1.36"
RENAMED_S = ((15.2, 140), (37, 155.3))
"""When an HPA is given another target, and the first one again."""
FOLDER = Path(__file__).parent / "produced" / RELEASE
LONG = Path(__file__).parent / "produced" / "long"
"""Worlds of many reconciles, whose controller was started with another tolerance and another window."""
TOLERANCE, WINDOW = 0.2, "2m0s"
TOLD = Path(__file__).parent / "produced" / "told"
"""Worlds of a few incidents each, whose every screen was read against what happened."""

FOUND = Path(__file__).parent / "produced" / "found"
"""Random worlds in which a sweep found something false."""

NAMED = Path(__file__).parent / "produced" / "named"
"""Worlds that each show a class which chance seldom draws; `classes.py` names the class of each."""
WRITERS = (
    "alice",
    "argocd",
    "helm",
    "system:serviceaccount:keda:keda-operator",
    "system:serviceaccount:shop:web-operator",
    "system:node:n1",
)
"""Who scales by hand and by program, a minute apart; of the last one nobody can tell what it is."""
REFUSALS = (
    (409, "Conflict", "the object has been modified; please apply your changes to the latest version and try again"),
    (403, "Forbidden", "deployments/scale is forbidden"),
    (503, "ServiceUnavailable", "down"),
)
"""How the API server refuses writes of the scale, a minute each."""


def worlds() -> Iterator[Json]:
    """Every world, in order."""
    capped = {**ALWAYS, "api": "scale_put", "kind": "admit", "replicas": 5}
    yield world("admission-caps-every-write", RELEASE, 3, cpu(50), [], high=10, faults=[capped])
    for_a_while = {**capped, "to_s": 40}
    yield world("admission-caps-for-a-while", RELEASE, 3, cpu(50), [], high=10, faults=[for_a_while])
    nothing_left = {**capped, "replicas": 3}
    yield world("admission-undoes-every-write", RELEASE, 3, cpu(50), [], high=10, faults=[nothing_left])
    # The quota lets three pods be: the scale says how many there are, not how many were asked for.
    counted = [
        {"at_s": 20 + after, "do": "status_replicas", "target": "web", "replicas": 3} for after in range(0, 280, 10)
    ]
    yield world("quota-keeps-pods-away", RELEASE, 3, cpu(50), [], high=10, until=300, events=counted)
    # The HPA is given another target and gets the first one back, at any point of its cycle of 15 s.
    for number, (there_s, back_s) in enumerate(RENAMED_S):
        yield _renamed(f"target-renamed-{number}", there_s, back_s)


def long_worlds() -> Iterator[Json]:
    """One HPA for 100 minutes, and six of them for 40: their load goes up and down all the time."""
    for name, hpas, until_s in (("one", 1, 6000), ("six", 6, 2400)):
        one = world(f"long-{name}", RELEASE, 4, cpu(60), [], low=2, high=20, until=until_s)
        [target], [hpa] = one["targets"], one["hpas"]
        spec = hpa["object"]["spec"]
        names = [f"web{number}" for number in range(hpas)]
        one["targets"] = [_loaded(target, own, Random(own), until_s) for own in names]  # noqa: S311 (a world)
        references = [{**spec["scaleTargetRef"], "name": own} for own in names]
        one["hpas"] = [
            {"name": reference["name"], "object": {"spec": {**spec, "scaleTargetRef": reference}}}
            for reference in references
        ]
        one["controller"] = {"tolerance": TOLERANCE, "downscale_stabilization": WINDOW}
        yield one


def told_worlds() -> Iterator[Json]:
    """Each with its incidents: edits, writes by others, what an API server does, a restart."""
    yield _lived("memory-at-maximum", 4, [(0, 60), (200, 120), (500, 20)], until=1500, events=[_scale(400, 3, "alice")])
    off = [_scale(100, 0, "alice"), _scale(250, 3, "bob"), _scale(400, 0, "argocd")]
    yield _lived("switched-off-twice", 4, [(0, 60), (300, 90)], until=700, events=off)
    two = _lived("second-hpa-later", 4, [(0, 90)], until=400)
    two["hpas"].append({**two["hpas"][0], "name": "web2", "at_s": 90})
    yield two
    capped = {"api": "scale_put", "from_s": 0, "to_s": 300, "kind": "admit", "replicas": 5}
    yield _lived("admission-caps-scale-ups", 4, [(0, 90)], until=600, faults=[capped])
    conflicts = {"api": "scale_put", "from_s": 0, "to_s": 600, "kind": "conflict", "times": 2, "replicas": 7}
    yield _lived("conflicts-and-retries", 4, [(0, 90), (200, 30)], until=600, faults=[conflicts])
    unavailable = {"status": 503, "reason": "ServiceUnavailable", "message": "down"}
    down = {"api": "resource", "from_s": 130, "to_s": 420, "kind": "error", **unavailable}
    yield _lived("blind-and-restarted", 6, [(0, 60), (100, 200)], until=700, faults=[down], events=[_restart(300)])
    behaved = _lived("behavior-edited-twice", 10, [(0, 60), (50, 20), (400, 100)], until=700)
    spec = behaved["hpas"][0]["object"]["spec"]
    slow = {"stabilizationWindowSeconds": 60, "policies": [{"type": "Pods", "value": 1, "periodSeconds": 30}]}
    up = {"policies": [{"type": "Pods", "value": 1, "periodSeconds": 60}], "stabilizationWindowSeconds": 120}
    edits = [(110, {"scaleDown": slow}), (250, {"scaleDown": {"selectPolicy": "Disabled"}, "scaleUp": up})]
    behaved["events"] = [
        {"at_s": at_s, "do": "hpa_edit", "hpa": "web", "spec": {**spec, "behavior": behavior}}
        for at_s, behavior in edits
    ]
    yield behaved
    again = [
        {"at_s": 150, "do": "target_delete", "target": "web"},
        {"at_s": 250, "do": "target_create", "target": "web"},
    ]
    yield _lived("target-made-again", 4, [(0, 60), (100, 90)], until=700, events=again)
    replaced = [
        {"at_s": 150.1, "do": "target_delete", "target": "web"},
        {"at_s": 150.6, "do": "target_create", "target": "web"},
    ]
    yield _lived("target-replaced", 4, [(0, 90)], until=400, events=replaced)
    unwritten = {"api": "status_put", "from_s": 95, "to_s": 190, "kind": "error", **unavailable}
    refused = {"faults": [unwritten], "events": [_scale(150, 6, "alice")]}
    yield _lived("status-refused", 4, [(0, 60), (95, 120), (130, 60)], until=300, **refused)
    forbidden = {
        "api": "scale_put", "from_s": 95, "to_s": 190, "kind": "error",
        "status": 403, "reason": "Forbidden", "message": "deployments/scale is forbidden",
    }  # fmt: skip
    by_hand = {"faults": [forbidden], "events": [_scale(150, 8, "alice")]}
    yield _lived("refused-then-by-hand", 4, [(0, 60), (95, 120)], until=300, **by_hand)
    yield _lived("same-number-2", 4, [(0, 60), (95, 120)], until=240, events=[_scale(105.3, 8, "alice")])
    yield _asleep("asleep-at-zero")
    yield _lived("restarted-in-a-hold", 10, [(0, 60), (60, 20)], until=360, events=[_restart(240)])
    yield {**_asleep("woken-and-switched-off"), "events": [_scale(575, 0, "alice")]}
    anew = _lived("hpa-made-again", 6, [(0, 60), (100, 20), (600, 110)], until=1000)
    spec = {**anew["hpas"][0]["object"]["spec"], "minReplicas": 4, "maxReplicas": 8}
    anew["events"] = [
        {"at_s": 200, "do": "hpa_delete", "hpa": "web"},
        {"at_s": 320, "do": "hpa_create", "hpa": "web", "object": {"spec": spec}},
    ]
    yield anew
    forbidden = {"status": 403, "reason": "Forbidden", "message": "deployments/scale is forbidden"}
    unread = {"api": "scale_get", "from_s": 50, "to_s": 130, "kind": "error", **forbidden}
    yield _lived("scale-read-forbidden", 4, [(0, 60), (60, 100), (500, 30)], until=600, faults=[unread])
    yield _lived(
        "restarted-and-raised", 8, [(0, 60), (60, 25)], until=600, events=[_restart(250, 2), _scale(400, 20, "alice")]
    )


def named_worlds() -> Iterator[Json]:
    """Each meets one class, or a family of them."""
    wrote = [_scale(50 + 60 * number, 2, by) for number, by in enumerate(WRITERS)]
    yield _lived("written-by-each", 4, [(0, 60)], until=60 + 60 * len(WRITERS), events=wrote)
    refused = [
        {
            "api": "scale_put", "from_s": 50 + 60 * number, "to_s": 110 + 60 * number, "kind": "error",
            "status": status, "reason": reason, "message": message,
        }
        for number, (status, reason, message) in enumerate(REFUSALS)
    ]  # fmt: skip
    yield _lived("refused-in-each-way", 4, [(0, 60), (40, 120)], until=300, faults=refused)
    # Long ago a pod stopped being ready, a minute after its start: was it still starting?
    one = _lived("readiness-delay-of-two-minutes", 3, [(0, 96)], until=150, controller=_delayed(120))
    one["targets"][0] |= {"age_s": 3600, "fates": {"2": _unready_since(3600, 60)}}
    yield one
    # Of one that started 400 s ago both that delay and the time of its initialization may have kept its sample away.
    one = _lived("one-of-two-delays", 3, [(0, 96)], until=150, controller=_initializing(600))
    one["targets"][0] |= {"age_s": 3600, "fates": {"2": _unready_since(400, 60)}}
    yield one
    # It is ready again, and its sample is of a time before: that counts against it only while it initializes.
    one = _lived("cpu-initialization-of-ten-minutes", 3, [(0, 96)], until=150, controller=_initializing(600))
    again = {"start_ago_s": 400, "ready_ago_s": 5, "ready_status": "True"}
    one["targets"][0] |= {"age_s": 3600, "scrape": {"window_s": 200}, "fates": {"2": again}}
    yield one
    # The HPA itself says how far its metric may be above the target.
    one = _lived("own-tolerance", 4, [(0, 80)], until=150)
    one["hpas"][0]["object"]["spec"]["behavior"] = {"scaleUp": {"tolerance": "500m"}}
    yield one


def _delayed(seconds: int) -> Json:
    return {"initial_readiness_delay": f"{seconds}s"}


def _initializing(seconds: int) -> Json:
    return {"cpu_initialization_period": f"{seconds}s"}


def _unready_since(started_ago_s: int, after_s: int) -> Json:
    """The fate of a pod that was ready for some seconds after its start, and never again."""
    return {"start_ago_s": started_ago_s, "ready_ago_s": started_ago_s - after_s, "ready_status": "False"}


def _asleep(name: str) -> Json:
    """An HPA that may go to zero: its queue is empty for eight minutes."""
    target = {"type": "AverageValue", "averageValue": "10"}
    queue, source = external([[0, "20"], [60, "0"], [550, "45"]], target)
    one = world(name, RELEASE, 2, queue, source, low=0, high=20, until=700)
    return {**one, "gates": {"HPAScaleToZero": True}}


def _lived(name: str, replicas: int, usage: list[tuple[int, int]], **more: Any) -> Json:
    """One HPA between 2 and 20 replicas with a target of 60 %, whose pods all use the same."""
    one = world(name, RELEASE, replicas, cpu(60), [], low=2, high=20, **more)
    target = one["targets"][0]
    target["max_pods"] = 30
    target["usage"][0]["mode"] = "each"
    target["usage"][0]["signal"]["points"] = [list(point) for point in usage]
    return one


def _restart(at_s: float, down_s: float = 30) -> Json:
    return {"at_s": at_s, "do": "restart", "down_s": down_s}


def _scale(at_s: float, replicas: int, by: str) -> Json:
    return {"at_s": at_s, "do": "scale", "target": "web", "replicas": replicas, "by": by}


def _loaded(target: Json, name: str, chance: Random, until_s: int) -> Json:
    """The target under another name, with a load that its pods share and that changes every 45 s."""
    points, load = [], 200.0
    for at_s in range(0, until_s, 45):
        load = max(20, min(1800, load * math.exp(chance.gauss(0, 0.25))))
        points.append([at_s, round(load)])
    usage = {"container": "app", "resource": "cpu", "mode": "share", "signal": {"points": points}}
    return {**target, "name": name, "labels": {"app": name}, "max_pods": 20, "usage": [usage]}


def _renamed(name: str, there_s: float, back_s: float) -> Json:
    """Two targets of different size, which the HPA scales in turn, while others scale both of them."""
    one = world(name, RELEASE, 3, cpu(50), [], high=10, until=300)
    [first], spec = one["targets"], one["hpas"][0]["object"]["spec"]
    one["targets"] = [first, {**first, "name": "api", "replicas": 6}]
    other = {**spec, "scaleTargetRef": {**spec["scaleTargetRef"], "name": "api"}}
    one["events"] = [
        {"at_s": there_s, "do": "hpa_edit", "hpa": "web", "spec": other},
        {"at_s": there_s + 40, "do": "scale", "target": "web", "replicas": 2, "by": "alice"},
        {"at_s": there_s + 70, "do": "scale", "target": "api", "replicas": 4, "by": "bob"},
        {"at_s": back_s, "do": "hpa_edit", "hpa": "web", "spec": spec},
    ]
    return one


def produced() -> list[Path]:
    """The captures of these worlds."""
    return sorted(FOLDER.glob("*.capture.jsonl.gz"))


def main() -> None:
    """Lets the real controller live through every world."""
    prepare(RELEASE)
    FOLDER.mkdir(parents=True, exist_ok=True)
    run(RELEASE, list(worlds()), FOLDER.absolute(), plain=False)
    LONG.mkdir(parents=True, exist_ok=True)
    run(RELEASE, list(long_worlds()), LONG.absolute(), plain=False)
    TOLD.mkdir(parents=True, exist_ok=True)
    run(RELEASE, list(told_worlds()), TOLD.absolute(), plain=False)
    NAMED.mkdir(parents=True, exist_ok=True)
    run(RELEASE, list(named_worlds()), NAMED.absolute(), plain=False)


if __name__ == "__main__":
    main()
