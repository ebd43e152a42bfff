"""Worlds that the conformance worlds lack: admission that changes a scale, pods that a quota prevents, other targets.

python -m tests.truth.produced     lets the real controller live through them again, and keeps that in `produced/`
"""

from collections.abc import Iterator
from pathlib import Path

from tests.oracle.controller import prepare, run
from tests.oracle.draw import Json
from tests.oracle.mishaps import ALWAYS
from tests.oracle.vectors import cpu, world

RELEASE = "1.36"
RENAMED_S = ((15.2, 140), (37, 155.3))
"""When an HPA is given another target, and the first one again."""
FOLDER = Path(__file__).parent / "produced" / RELEASE


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


if __name__ == "__main__":
    main()
