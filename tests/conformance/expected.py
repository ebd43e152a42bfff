"""What the real controller decided: a row per reconcile, without what is random in upstream."""

import gzip
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
_RANDOM = (
    (re.compile(r"(sample missing pod:) [^)]*"), r"\1"),
    (re.compile(r"controlled by multiple HPAs: \[[^]]*]"), "controlled by multiple HPAs"),
    (re.compile(r"controlled by more than one HPA \(e\.g\. \[[^]]*]\)"), "controlled by more than one HPA"),
    (re.compile(r"(missing pod-level request for \S+ in Pod) \S+"), r"\1"),
    (re.compile(r"(container \S+ not found in Pod) \S+"), r"\1"),
    (re.compile(r"(missing request for \S+ in container \S+ of Pod) \S+"), r"\1"),
)


@dataclass(frozen=True, slots=True)
class Outcome:
    """One capture: how many reconciles were compared, and every difference."""

    name: str
    reconciles: int
    differences: tuple[str, ...]


def releases() -> list[str]:
    """The releases of which we hold decisions, oldest first."""
    return sorted((path.name for path in HERE.glob("1.*")), key=lambda name: int(name.split(".")[1]))


def captures(release: str) -> list[Path]:
    """The captures of a release, by name."""
    return sorted((HERE / release).glob("*.capture.jsonl.gz"))


def name_of(capture: Path) -> str:
    """The scenario of a capture."""
    return capture.name.split(".capture.")[0]


def capture_of(release: str, name: str) -> Path:
    """The capture of a scenario."""
    return next(capture for capture in captures(release) if name_of(capture) == name)


def expected_of(capture: Path) -> list[dict[str, Any]]:
    """What the real controller decided, a row per reconcile line."""
    path = capture.with_name(capture.name.replace(".capture.", ".expected."))
    with gzip.open(path, "rt") if path.suffix == ".gz" else path.open() as lines:
        return [json.loads(line) for line in lines if line.strip()]


def settled(value: Any) -> Any:
    """A value without the parts that upstream makes by chance."""
    if isinstance(value, str):
        for pattern, plain in _RANDOM:
            value = pattern.sub(plain, value)
        return value
    if isinstance(value, list):
        return [settled(item) for item in value]
    if isinstance(value, dict):
        return {key: settled(item) for key, item in value.items()}
    return value


def remembered(memory: dict[str, Any]) -> dict[str, Any]:
    """Upstream's memory with its seconds cut to microseconds, as a recording keeps time."""

    def entries(rows: list[list[Any]] | None) -> list[list[Any]] | None:
        if rows is None:
            return None
        return [[row[0], round(row[1] * 10**9) // 1000, *row[2:]] for row in rows]

    return {kind: entries(memory.get(kind)) for kind in ("recommendations", "up", "down")}


def differing(row: dict[str, Any], pairs: dict[str, tuple[Any, Any]]) -> list[str]:
    """What was expected of a row and not predicted, a sentence for each place that is not equal."""
    return [
        f"pass {row['n']} of {row['hpa']}: {what}{path}: {theirs!r} expected, {ours!r} predicted"
        for what, (want, actual) in pairs.items()
        for path, theirs, ours in _places(want, actual)
    ]


def _places(want: Any, actual: Any) -> Iterator[tuple[str, Any, Any]]:
    """Where two JSON values differ, as deep as their shapes agree."""
    if isinstance(want, dict) and isinstance(actual, dict) and want.keys() == actual.keys():
        for key, value in want.items():
            yield from ((f".{key}{path}", a, b) for path, a, b in _places(value, actual[key]))
    elif isinstance(want, list) and isinstance(actual, list) and len(want) == len(actual):
        for index, pair in enumerate(zip(want, actual, strict=True)):
            yield from ((f"[{index}]{path}", a, b) for path, a, b in _places(*pair))
    elif want != actual:
        yield "", want, actual


def status_pairs(want: dict[str, Any], ours: Any, standing: Any) -> dict[str, tuple[Any, Any]]:
    """The status that was computed, ours None where it would not be written.

    standing   the status before this pass: where only a text made by chance changed, writing it is chance as well
    """
    theirs, written = settled(want["status"]), "status_put" in want
    by_chance = theirs != want["status"]
    if ours is None and standing is None and not written:
        return {}  # nothing was ever published
    if ours is None:
        return {"status": (settled(standing), theirs)} if by_chance or not written else {"status": (theirs, None)}
    return {"status": (theirs, settled(ours)), "status write": (written or by_chance, True)}


def by_chance(want: dict[str, Any], *, writes: bool) -> bool:
    """Whether the status of a pass was written, or was not, only because upstream made one of its texts by chance."""
    return settled(want.get("status")) != want.get("status") and writes != ("status_put" in want)


def comparable_events(events: list[list[str]], *, chance: bool) -> list[list[str]]:
    """Events without their random parts; that a status could not be written is left out where writing it was chance."""
    return [settled(event) for event in events if not (chance and event[1] == "FailedUpdateStatus")]


def standing_after(want: dict[str, Any], before: Any) -> Any:
    """The status that stands after a pass: a row shows it, unless the write of what it shows failed."""
    return want.get("status") if want.get("status_put", 200) == 200 else before
