"""Worlds that the conformance worlds lack: admission that changes a scale, pods that a quota prevents, other targets.

python -m tests.truth.produced     lets the real controller live through them again, and keeps that in `produced/`
"""

import math
from collections.abc import Iterator
from pathlib import Path
from random import Random

from tests.oracle.controller import prepare, run
from tests.oracle.draw import Json
from tests.oracle.mishaps import ALWAYS
from tests.oracle.vectors import cpu, world

RELEASE = "1.36"
RENAMED_S = ((15.2, 140), (37, 155.3))
"""When an HPA is given another target, and the first one again."""
FOLDER = Path(__file__).parent / "produced" / RELEASE
LONG = Path(__file__).parent / "produced" / "long"
"""Worlds of many reconciles, whose controller was started with another tolerance and another window."""
TOLERANCE, WINDOW = 0.2, "2m0s"


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


if __name__ == "__main__":
    main()
