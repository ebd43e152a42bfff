"""Worlds that the conformance worlds lack: admission that changes a scale, and pods that a quota prevents.

python -m tests.truth.produced     lets the real controller live through them again, and keeps that in `produced/`
"""

from collections.abc import Iterator
from pathlib import Path

from tests.oracle.controller import prepare, run
from tests.oracle.draw import Json
from tests.oracle.mishaps import ALWAYS
from tests.oracle.vectors import cpu, world

RELEASE = "1.36"
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
